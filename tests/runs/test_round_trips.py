"""What is written reads back: ids exactly, scores bit for bit, the order."""

from __future__ import annotations

import struct
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.runs import FORMATS, Qrels, Run, read_qrels, read_run, write_qrels, write_run

SUFFIX = {"trec": ".trec", "tsv": ".tsv", "csv": ".csv", "json": ".json", "jsonl": ".jsonl", "parquet": ".parquet"}
_ODD = [
    "007",
    "NA",
    "null",
    "nan",
    "None",
    "True",
    "1002.0",
    "1e5",
    "#1",
    "a#b",
    '"q"',
    "'",
    ",",
    "\u2028x",
    "仓库",
    "-",
]


def _plain(text: str) -> bool:
    return bool(text.strip()) and unicodedata.is_normalized("NFC", text) and not any(ord(c) < 32 for c in text)


_LETTERS = st.characters(blacklist_categories=("Cs", "Cc"))
IDS = st.one_of(st.sampled_from(_ODD), st.text(_LETTERS, min_size=1, max_size=6)).filter(_plain)
SPACELESS = IDS.filter(lambda text: " " not in text)
SCORES = st.floats(allow_nan=False, allow_infinity=False)


def bits(run: Run) -> dict[str, list[bytes]]:
    assert run.scores is not None
    return {query: [struct.pack("<d", score) for score in row] for query, row in run.scores.items()}


def by_score(rows: dict[str, dict[str, float]]) -> Run:
    """Return a run in the order of trec_eval."""
    ordered = {
        query: sorted(row.items(), key=lambda pair: (pair[1], pair[0]), reverse=True) for query, row in rows.items()
    }
    return Run(
        rankings={query: [name for name, _ in row] for query, row in ordered.items()},
        scores={query: [score for _, score in row] for query, row in ordered.items()},
    )


def scored(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Run]:
    few = st.one_of(SCORES, st.sampled_from([0.0, -0.0, 1.0, 0.1 + 0.2, 5e-324]))
    return st.dictionaries(ids, st.dictionaries(ids, few, min_size=1, max_size=5), min_size=1, max_size=3).map(by_score)


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_runs_with_scores(tmp_path: Path, form: str, packed: str, data: st.DataObject) -> None:
    run = data.draw(scored(SPACELESS if form == "trec" else IDS))
    path = tmp_path / f"run{SUFFIX[form]}{packed}"
    write_run(run, path)
    back = read_run(path)
    assert back.rankings == run.rankings
    assert bits(back) == bits(run)
    write_run(back, tmp_path / f"again{SUFFIX[form]}{packed}")
    assert (tmp_path / f"again{SUFFIX[form]}{packed}").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv", "parquet"])
@given(data=st.data())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_order_that_is_not_that_of_the_scores_survives(tmp_path: Path, form: str, data: st.DataObject) -> None:
    rows = data.draw(st.dictionaries(IDS, st.lists(IDS, unique=True, min_size=1, max_size=5), min_size=1, max_size=3))
    run = Run(rankings=rows, scores={query: [1.0] * len(row) for query, row in rows.items()})
    path = tmp_path / f"run{SUFFIX[form]}"
    write_run(run, path)
    assert read_run(path) == run


def test_trec_refuses_an_order_it_would_not_read_back_unless_told_to_use_ranks(tmp_path: Path) -> None:
    run = Run(rankings={"q": ["a", "b"]}, scores={"q": [1.0, 1.0]}, tag="t")
    path = tmp_path / "r.trec"
    with pytest.raises(InputError, match="which isn't the order of query 'q'; write jsonl"):
        write_run(run, path)
    assert not path.exists()
    write_run(run, path, order="rank")
    assert read_run(path, order="rank") == run
    assert read_run(path).rankings == {"q": ["b", "a"]}


@given(
    st.dictionaries(IDS, st.lists(IDS, unique=True, max_size=4), min_size=1, max_size=3),
)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_json_lists_keep_order_and_empty_rankings(tmp_path: Path, rows: dict[str, list[str]]) -> None:
    for name in ("r.json", "r.jsonl"):
        write_run(Run(rankings=rows), tmp_path / name)
        assert read_run(tmp_path / name).rankings == rows


@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data())
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_judgments(tmp_path: Path, form: str, data: st.DataObject) -> None:
    ids = SPACELESS if form == "trec" else IDS
    row = st.dictionaries(ids, st.integers(-3, 10**9), min_size=1, max_size=4)
    qrels = Qrels(grades=data.draw(st.dictionaries(ids, row, min_size=1, max_size=3)))
    path = tmp_path / f"j{SUFFIX[form]}"
    write_qrels(qrels, path)
    assert read_qrels(path) == qrels


@pytest.mark.parametrize(
    ("run", "name", "words"),
    [
        (Run(rankings={"q": ["a b"]}, scores={"q": [1.0]}), "r.trec", "can't hold 'a b'; write jsonl"),
        (Run(rankings={"q": ["a"]}), "r.trec", "trec needs scores, and this run has none"),
        (Run(rankings={"q": []}, scores={"q": []}), "r.csv", "csv can't hold query 'q' without documents"),
        (Run(rankings={"q": ["a", "b"]}, scores={"q": [1.0, 2.0]}), "r.json", "which isn't the order of query 'q'"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, run: Run, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        write_run(run, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_queries_without_judgments_need_json(tmp_path: Path) -> None:
    qrels = Qrels(grades={"q": {}})
    with pytest.raises(InputError, match="tsv can't hold query 'q' without judgments; write json"):
        write_qrels(qrels, tmp_path / "j.tsv")
    write_qrels(qrels, tmp_path / "j.json")
    assert read_qrels(tmp_path / "j.json") == qrels
