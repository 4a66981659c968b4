"""Reading a golden set written as YAML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.collection import read_golden_yaml
from harness.collection.reading import nfc
from harness.errors import InputError
from harness.records import Query, Quote

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

FULL = """\
judgments: exhaustive
queries:
  - id: q1
    question: "How long is leave? "
    gold: [hr/leave.md, b]
    split: dev
    tags: [hr, no]
    intent: leave
    need: The number of days.
    evidence:
      - document: hr/leave.md
        quote: 25 days
  - id: "007"
    question: 请假几天？
    gold: {hr/leave.md: 2, b: 0, "010": -1}
  - {id: none, question: "What is love?", gold: [], answerable: false}
  - {id: none2, question: "What is hate?", answerable: false}
"""


def test_a_full_file(write: Write) -> None:
    golden = read_golden_yaml(write({"g.yaml": FULL}) / "g.yaml")
    assert golden.queries == (
        Query(
            id="q1",
            text="How long is leave? ",
            split="dev",
            tags=("hr", "no"),
            intent="leave",
            need="The number of days.",
            evidence=(Quote(document="hr/leave.md", text="25 days"),),
        ),
        Query(id="007", text="请假几天？", split="test"),
        Query(id="none", text="What is love?", split="test", answerable=False),
        Query(id="none2", text="What is hate?", split="test", answerable=False),
    )
    assert golden.judgments.exhaustive
    assert golden.judgments.grades == {
        "q1": {"hr/leave.md": 1, "b": 1},
        "007": {"hr/leave.md": 2, "b": 0, "010": -1},
        "none": {},
        "none2": {},
    }
    assert golden.sha256 == hashlib.sha256(FULL.encode()).hexdigest()


def test_records_hold_plain_text(write: Write) -> None:
    content = (
        "judgments: partial\nqueries: [{id: a, question: 2024-01-05, gold: [b], split: on, tags: [no], need: 12:30}]"
    )
    (query,) = read_golden_yaml(write({"g.yaml": content}) / "g.yaml").queries
    assert query == Query(id="a", text="2024-01-05", split="on", tags=("no",), need="12:30")
    assert {type(value) for value in (query.id, query.text, query.split, query.tags[0], query.need)} == {str}


def test_bom_and_crlf(write: Write) -> None:
    """A byte order mark and CRLF change nothing."""
    root = write({"a.yaml": FULL, "b.yaml": b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode()})
    one, other = read_golden_yaml(root / "a.yaml"), read_golden_yaml(root / "b.yaml")
    assert one.queries == other.queries
    assert one.judgments == other.judgments


def test_ids_are_nfc_normalised(write: Write) -> None:
    content = "judgments: partial\nqueries: [{id: cafe\u0301, question: a, gold: [cafe\u0301]}]"
    golden = read_golden_yaml(write({"g.yaml": content}) / "g.yaml")
    assert golden.judgments.grades == {"caf\u00e9": {"caf\u00e9": 1}}


def entries(*lines: str) -> str:
    return "judgments: partial\nqueries:\n" + "".join(f"  - {line}\n" for line in lines)


ONE = "{id: one, question: a, gold: [d]}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("queries: []", "g.yaml:1: judgments is required and absent"),
        ("judgments: partial", "g.yaml:1: queries is required and absent"),
        ("judgments: partial\nqueries: []", "g.yaml:2: queries must hold at least one question, found an empty list"),
        ("judgments: some\nqueries: []", "g.yaml:1: judgments must be 'exhaustive' or 'partial', found 'some'"),
        ("judgments: partial\nqueries: {}", "g.yaml:2: queries must be a list, found a mapping"),
        ("", "g.yaml:1: must be a mapping of keys, found nothing"),
        ("name: x\n" + entries(ONE), "g.yaml:1: name unknown key; known here: judgments, queries"),
        (entries("one"), "g.yaml:3: queries[0] must be a mapping of keys, found 'one'"),
        (entries("{question: a, gold: [d]}"), "g.yaml:3: queries[0].id is required and absent"),
        (entries("{id: a, gold: [d]}"), "g.yaml:3: queries[0].question is required and absent"),
        (
            entries(ONE, "{id: b, question: a, gold: [d], neeed: x}"),
            "g.yaml:4: queries[1].neeed unknown key; did you mean 'need'?",
        ),
        (
            entries("{id: 7, question: a, gold: [d]}"),
            'queries[0].id must be text, but YAML readers change 7; write "7"',
        ),
        (entries("{id: 007, question: a, gold: [d]}"), 'YAML readers change 007; write "007" with quotes'),
        (entries("{id: '', question: a, gold: [d]}"), "g.yaml:3: queries[0].id an id must not be empty"),
        (entries("{id: a, question: ' ', gold: [d]}"), "g.yaml:3: queries[0].question must not be blank, found ' '"),
        (entries("{id: a, question:, gold: [d]}"), "g.yaml:3: queries[0].question must be text, found nothing"),
        (entries("{id: a, question: a, gold: [d], split: ''}"), "g.yaml:3: queries[0].split must not be blank"),
        (entries("{id: a, question: a, gold: [d], intent: ''}"), "g.yaml:3: queries[0].intent must not be blank"),
        (entries("{id: a, question: a, gold: [d], tags: hr}"), "g.yaml:3: queries[0].tags must be a list, found 'hr'"),
        (entries("{id: a, question: a, gold: [d], answerable: no}"), "answerable must be true or false, found 'no'"),
        (
            entries("{id: a, question: a, gold: d}"),
            "g.yaml:3: queries[0].gold must be a list of document ids, or a mapping of document id to grade, found 'd'",
        ),
        (
            entries("{id: a, question: a, gold: [7]}"),
            "g.yaml:3: queries[0].gold[0] must be text, but YAML readers change",
        ),
        (entries("{id: a, question: a, gold: [[d]]}"), "g.yaml:3: queries[0].gold[0] must be text, found a list"),
        (entries("{id: a, question: a, gold: ['']}"), "g.yaml:3: queries[0].gold[0] an id must not be empty"),
        (
            entries("{id: a, question: a, gold: {007: 1}}"),
            'a key must be text, but YAML readers change 007; write "007"',
        ),
        (
            entries("{id: a, question: a, gold: {d: 1.5}}"),
            "g.yaml:3: queries[0].gold.d must be a whole number, found 1.5",
        ),
        (entries("{id: a, question: a, gold: {d: true}}"), "queries[0].gold.d must be a whole number, found true"),
        (
            entries("{id: a, question: a, gold: [d], evidence: [{document: d}]}"),
            "g.yaml:3: queries[0].evidence[0].quote is required and absent",
        ),
        (
            entries("{id: a, question: a, gold: [d], evidence: [{document: d, quote: ' '}]}"),
            "g.yaml:3: queries[0].evidence[0].quote must not be blank, found ' '; quote the document",
        ),
        (
            entries("{id: a, question: a, gold: [d], evidence: [{document: e, quote: x}]}"),
            "g.yaml:3: queries[0].evidence[0].document must be a relevant document of the question ('d'), found 'e'; "
            "name one of them, add it to gold, or delete the quote",
        ),
        (
            entries("{id: a, question: a, gold: {d: 1, e: 0}, evidence: [{document: e, quote: x}]}"),
            "must be a relevant document of the question ('d'), found 'e'",
        ),
        (
            entries("{id: a, question: a, answerable: false, evidence: [{document: d, quote: x}]}"),
            "must be a relevant document of the question (there is none), found 'd'",
        ),
        (
            entries("{id: a, question: a, gold: []}"),
            "g.yaml:3: queries[0].gold must name at least one relevant document, found none; "
            "name it, or say 'answerable: false' when the corpus holds no answer",
        ),
        (entries("{id: a, question: a}"), "g.yaml:3: queries[0].gold must name at least one relevant document"),
        (entries("{id: a, question: a, gold: {d: 0}}"), "found only grades below 1"),
        (
            entries("{id: a, question: a, gold: [d], answerable: false}"),
            "g.yaml:3: queries[0].answerable is false although gold names relevant documents; "
            "delete 'answerable: false', or leave the list empty",
        ),
        (
            entries(ONE, "{id: one, question: b, gold: [d]}"),
            "g.yaml:4: queries[1].id duplicate question id 'one', first given on line 3; rename or delete one",
        ),
        ("{judgments: partial, queries: [" + ONE + ", " + ONE + "]}", "g.yaml:1: queries[1].id duplicate question id"),
        (
            entries("{id: caf\u00e9, question: a, gold: [d]}", "{id: cafe\u0301, question: a, gold: [d]}"),
            "the same as the one first given on line 3 once both are NFC-normalised",
        ),
        (
            entries("id: a\n    question: a\n    gold:\n      - d\n      - e\n      - d"),
            "g.yaml:8: queries[0].gold[2] duplicate gold document id 'd', first given on line 6; keep one",
        ),
        (entries("{id: a, question: a, gold: {d: 1, d: 2}}"), "g.yaml:3: queries[0].gold.d duplicate key"),
        (
            entries("{id: a, question: a, gold: {caf\u00e9: 1, cafe\u0301: 2}}"),
            "gold document id 'cafe\u0301' is the same as the one first given on line 3",
        ),
        (
            entries(
                "{id: a, question: a, gold: [d], intent: i, split: dev}", "{id: b, question: b, gold: [d], intent: i}"
            ),
            "g.yaml:4: queries[1].intent questions with one intent must lie in one split; "
            "'i' is in split 'dev' on line 3 and 'test' here; move one",
        ),
    ],
)
def test_faults(write: Write, refused: Refused, content: str, message: str) -> None:
    (found,) = refused(read_golden_yaml, write({"g.yaml": content}) / "g.yaml")
    assert found.startswith("g.yaml:")
    assert message in found


def test_faults_of_every_kind_come_at_once_in_line_order(write: Write, refused: Refused) -> None:
    content = entries(
        "{id: a, question: a, gold: [d], gold: [e]}",
        "{id: b, question: a, gold: []}",
        "{id: 7, question: a, gold: [d]}",
        "{id: b, question: a, gold: [d]}",
        "{id: c, question: '', gold: [d], intnt: x}",
    )
    messages = refused(read_golden_yaml, write({"g.yaml": content}) / "g.yaml")
    assert [message.split(": ")[0] for message in messages] == [f"g.yaml:{line}" for line in range(3, 8)]


def test_a_file_that_is_absent_or_not_utf8(write: Write, refused: Refused) -> None:
    root = write({"x.yaml": b"judgments: partial\n\xff"})
    assert refused(read_golden_yaml, root / "no.yaml") == ["no.yaml: can't be read: No such file or directory"]
    assert refused(read_golden_yaml, root / "x.yaml")[0].startswith("x.yaml:2: must be UTF-8")


ODD = ["NA", "null", "nan", "no", "007", "1e3", "1_0", "12:30", "2024-01-05", "#a", "a #b", "x: y", "~", " ", "- a"]
ANY = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1)
PLAIN = st.text("0123456789abcdefnoxyABCDEFNO.:_-+~#", min_size=1, max_size=12) | st.sampled_from(ODD)


def gold_of(path: Path, written: list[str]) -> list[str] | None:
    listed = "".join(f"    - {name}\n" for name in written)
    path.write_text(f"judgments: partial\nqueries:\n- id: q\n  question: a\n  gold:\n{listed}", encoding="utf-8")
    try:
        return list(read_golden_yaml(path).judgments.grades["q"])
    except InputError:
        return None


@given(st.lists(st.sampled_from(ODD) | ANY, min_size=1, max_size=5, unique_by=nfc))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_quoted_ids_come_back_exactly(tmp_path: Path, names: list[str]) -> None:
    names = [name for name in names if name.strip()] or ["x"]
    quoted = [json.dumps(name, ensure_ascii=False) for name in names]
    assert gold_of(tmp_path / "g.yaml", quoted) == [nfc(name) for name in names]


@given(PLAIN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
def test_an_id_without_quotes_is_kept_exactly_or_refused(tmp_path: Path, name: str) -> None:
    """``a #b`` is the id ``a`` and a comment, which is what YAML says."""
    assert gold_of(tmp_path / "g.yaml", [name]) in (None, [name.partition(" #")[0]])
