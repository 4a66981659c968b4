"""The columnar reader gives what the careful one gives, or leaves the file to it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.runs import read_run
from harness.runs.columnar import read_trec_columns

from .test_faults import RUNS, write
from .test_round_trips import SPACELESS

_ROW = st.tuples(SPACELESS, SPACELESS, st.sampled_from(["1", "1.0", "0.5", "-3e-2", "2.25", "1e300"]))


@given(st.lists(_ROW, min_size=1, max_size=12), st.sampled_from([" ", "\t"]), st.sampled_from(["\n", "\r\n"]))
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_readers_agree(tmp_path: Path, rows: list[tuple[str, str, str]], gap: str, end: str) -> None:
    text = "".join(gap.join([query, "Q0", name, "1", score, "t"]) + end for query, name, score in rows)
    path = write(tmp_path, "r.trec", text)
    fast = read_trec_columns(path)
    try:
        careful = read_run(path)
    except InputError:
        assert fast is None
        return
    if fast is not None:
        assert fast.rankings() == careful.rankings
        assert list(fast.queries) == list(careful.rankings)


def test_an_ordinary_file_is_taken(tmp_path: Path) -> None:
    fast = read_trec_columns(write(tmp_path, "r.trec", 'q#1 Q0 "007" 1 2.5 t\nq#1 Q0 NA 2 1e-3 t\n'))
    assert fast is not None
    assert fast.rankings() == {"q#1": ['"007"', "NA"]}


@pytest.mark.parametrize(("name", "content", "words"), [row for row in RUNS if row[0] == "r.trec"])
def test_a_faulty_file_is_left_to_the_careful_reader(tmp_path: Path, name: str, content: str, words: str) -> None:
    assert words
    assert read_trec_columns(write(tmp_path, name, content)) is None


@pytest.mark.parametrize(
    "text", ["q  Q0 a 1 2 t\n", "q\tQ0\ta b\t1\t2\tt\n", "q Q0 e\u0301 1 2 t\n", "", "q Q0 a 1 NA t\n"]
)
def test_what_is_in_doubt_is_left_to_the_careful_reader(tmp_path: Path, text: str) -> None:
    assert read_trec_columns(write(tmp_path, "r.trec", text)) is None


def test_ungrouped_rows_ties_gzip_and_bom(tmp_path: Path) -> None:
    text = "\ufeffq1 Q0 a 1 1 t\nq2 Q0 a 1 5 t\nq1 Q0 b 2 1 t\nq1 Q0 c 3 7 t\nq2 Q0 仓 3 5 t\n"
    path = write(tmp_path, "r.trec.gz", gzip.compress(text.encode()))
    fast = read_trec_columns(path)
    assert fast is not None
    assert fast.rankings() == read_run(path).rankings == {"q1": ["c", "b", "a"], "q2": ["仓", "a"]}
