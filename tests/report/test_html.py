"""The page: what it says, that nothing in it can become code, that it needs nothing else, and that it stays small."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest

from harness.report.html import html_report
from harness.report.html.evidence import pack_answers
from harness.report.judged import judge, with_intervals
from harness.summary import Sweep

from .pages import HOSTILE, a_row, big_sweep, evidence_of, hostile_sweep, with_rows
from .sweeps import a_set, a_sweep

VOID = {"meta", "br", "input"}
NAMESPACED = {"path", "use", "circle"}


class Page(HTMLParser):
    """A page taken apart: tags with attributes, texts, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)


def page_of(sweep: Sweep, *, baseline: str | None = None, evidence: Any = None) -> str:
    return html_report(sweep, with_intervals(judge(sweep, baseline)), evidence)


def held(page: str, name: str) -> Any:
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text)))


@pytest.fixture(scope="module")
def small() -> str:
    """Two sets; bm25 misses six questions that vector finds."""
    sets = []
    for place, mode in enumerate(("bm25", "vector")):
        rows = [a_row("天气", "明天下雨吗", ("天气.md", "雨.md"), ("天气.md",), tags=("zh",))]
        rows += [a_row(f"q{n}", "?", ("a",), ("a",) if place else ("b", "c"), tags=("en",)) for n in range(7)]
        rows += [a_row("never", "?", ("z",), ("a",)), a_row("nowhere", "?", (), ("a",))]
        sets.append(with_rows({"mode": mode}, tuple(rows), place))
    floors = {"recall@3": Fraction(1, 8)}
    sweep = a_sweep("mode", sets=sets, cutoffs=(1, 3), floors=floors)
    return page_of(sweep, evidence=evidence_of(sweep))


def row_of(page: str, number: int) -> list[str]:
    """Return the texts of a row of the table of sets."""
    table = page[page.index('<table class="sets">') :]
    body = table[table.index("<tbody>") : table.index("</tbody>")]
    cells = re.findall(r"<td.*?</td>", body.split("<tr>")[number])
    return [re.sub(r"<title>.*?</title>|<[^>]*>", "", cell) for cell in cells]


def test_the_table_has_values_differences_and_verdicts(small: str) -> None:
    assert row_of(small, 1) == ["1", "bm25", "0.0556", "0.1111", "0.1111", "0.1111", "", "", "", "baseline"]
    recall = (Fraction(1, 2) + 7) / 9
    assert row_of(small, 2)[:3] == ["2", "vector", f"{float(recall):.4f}"]
    # seven questions change, all in one direction: 2^(1 − 7)
    assert row_of(small, 2)[6:] == ["+0.7778", "", "0.0156", "differs (better)"]


def test_floor_and_ceiling_stand_under_it(small: str) -> None:
    foot = re.sub(r"<[^>]*>", " ", re.findall(r"<tfoot>.*?</tfoot>", small)[0]).split()
    assert foot == ["best", "possible", *["1.0000"] * 4, "random", "order", "0.1250", "–", "–", "–"]


def test_it_says_what_can_be_told(small: str) -> None:
    assert "n = 9 questions; one question is worth at most 1/9 = 0.1111 of a mean." in small
    assert "against the baseline mode=bm25 (the first of the grid)" in small
    assert "With 80 % power a mean difference of about" in small
    assert "<b>1</b> of 9 questions are solved by none of 2 sets, <b>0</b> fully by all, and <b>7</b> tell" in small


def test_another_baseline_turns_the_difference() -> None:
    sweep, _ = big_sweep(2, 12)
    forth, back = page_of(sweep), page_of(sweep, baseline=sweep.sets[1].name)
    there, again = row_of(forth, 2)[8], row_of(back, 1)[8]
    assert {there[0], again[0]} == {"+", "−"}
    assert there[1:] == again[1:]
    assert row_of(back, 2)[-1] == "baseline"


def test_answers_are_all_there(small: str) -> None:
    data, answers = held(small, "data"), [unpacked(text) for text in held(small, "answers")]
    assert data["queries"][0] == "天气"
    assert data["sets"] == ["mode=bm25", "mode=vector"]
    assert [len(run) for run in data["runs"]] == [32, 32]
    first = answers[1]
    named = [(rank, values, [first["t"][d] for d in docs]) for rank, values, docs in first["a"]]
    assert named == [(0, ["0.0000"] * 4, ["b", "c"]), (1, ["1.0000"] * 4, ["a"])]
    assert [answer for answer, _ in first["s"]] == [0, 1]
    assert [first["t"][d] for d in first["r"]] == ["a"]
    chunk, document, score, before, places = first["e"][first["s"][1][1]][0]
    assert (first["t"][document], score, before) == ("a", 0.03, None)
    assert first["t"][chunk].startswith("a#")
    assert [first["t"][route] for route, *_ in places] == ["vector", "bm25"]
    assert all(share == f"1/{60 + rank}" for _, rank, _, share in places)


def test_the_map_has_every_value(small: str) -> None:
    cells = held(small, "data")["cells"]
    values = [[line[place : place + 2] for place in (0, 2)] for line in cells]
    assert [[None if v == "zz" else int(v, 36) for v in line] for line in values] == [
        [500, 500],
        *[[0, 1000]] * 7,
        [0, 0],
        [None, None],
    ]


def test_how_to_run_it_again(small: str) -> None:
    assert len(re.findall(r"harness reproduce [0-9a-f]{32}", small)) == 2
    assert "harness report 55555555555555555555555555555555 --html report.html" in small


@pytest.mark.parametrize("given", [hostile_sweep(), big_sweep(12, 9)], ids=["hostile", "plain"])
def test_every_element_is_closed_and_none_is_made_by_a_text(given: Any) -> None:
    sweep, evidence = given
    page = Page(page_of(sweep, evidence=evidence))
    assert not page.open
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {"type": "application/json", "id": "answers"}, {}]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert {name for _, a in page.tags for name in a if name in ("src", "href", "xlink:href", "action")} <= {
        "href",
        "xlink:href",
    }
    links = [a[name] or "" for _, a in page.tags for name in ("href", "xlink:href") if name in a]
    assert all(re.fullmatch(r"#[\w-]+", link) for link in links)


def test_a_hostile_text_is_shown_as_it_is() -> None:
    sweep, evidence = hostile_sweep()
    text = page_of(sweep, evidence=evidence)
    shown = HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    page = Page(text)
    assert shown in "".join(page.text["pre"])
    assert held(text, "data")["queries"][1] == HOSTILE
    for part in page.text["script"][:2]:
        assert not set("<>&\u2028\u2029") & set(part)


def test_the_page_loads_nothing() -> None:
    """The policy in its head forbids it besides; only our own script may run."""
    sweep, evidence = big_sweep(12, 9)
    text = page_of(sweep, evidence=evidence)
    assert "http:" not in text
    assert "https:" not in text
    assert "@import" not in text
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", text)
    script = text[text.rindex("<script>") + 8 : text.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in text


def test_chinese_is_text_in_the_drawings() -> None:
    sweep, _ = hostile_sweep()
    drawn = re.findall(r'<svg class="chart".*?</svg>', page_of(sweep), re.DOTALL)
    assert len(drawn) >= 2
    assert any(">混合</text>" in svg for svg in drawn)


def test_it_is_the_same_each_time() -> None:
    first, second = (page_of(sweep, evidence=evidence) for sweep, evidence in (big_sweep(12, 9), big_sweep(12, 9)))
    assert first == second


def test_a_large_study_stays_small() -> None:
    sweep, evidence = big_sweep(200, 300)
    page = page_of(sweep, evidence=evidence)
    assert len(sweep.sets) == 200
    assert len(page.encode("utf-8")) < 10_000_000
    assert "how an answer came about is here for its first 3 hits" in page


def test_what_does_not_fit_is_left_out_from_the_end_of_each_answer() -> None:
    sweep, _ = big_sweep(4, 6)

    def kept(most: int) -> tuple[int | None, int]:
        answers = pack_answers(sweep, evidence_of(sweep), most)
        hits = [len(hit) for text in answers.packed for hit in unpacked(text)["e"]]
        return answers.depth, max(hits, default=0)

    whole = sum(map(len, pack_answers(sweep, evidence_of(sweep)).packed))
    assert kept(whole) == (None, 10)
    assert kept(whole * 3 // 4) == (6, 6)
    assert kept(1) == (0, 0)


@pytest.mark.parametrize(
    "sweep",
    [
        a_sweep(sets=[]),
        a_sweep(sets=[a_set({"mode": "bm25"}, [1, 0])]),
        a_sweep("mode", sets=[a_set({"mode": m}, [None], place=p) for p, m in enumerate("ab")]),
        a_sweep("mode", sets=[a_set({"mode": m}, [1], place=p) for p, m in enumerate("ab")]),
    ],
    ids=["no set", "one set", "nothing scored", "no difference"],
)
def test_sweeps_with_little_in_them(sweep: Sweep) -> None:
    assert not Page(page_of(sweep)).open
