"""Reading judgments from qrels/<split>.tsv."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection.qrels import read_qrels

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

HEADER = "query-id\tcorpus-id\tscore\n"
GRADES = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}


@pytest.mark.parametrize(
    "content",
    [
        HEADER + "q1\ta\t1\nq1\tb\t0\nq2\ta\t2\n",
        HEADER + "q1\ta\t1\nq1\tb\t0\nq2\ta\t2",
        HEADER + "q1\ta\t1\nq1\tb\t0\nq2\ta\t2\n\n \n",
        HEADER + "\nq1\ta\t1 \nq1\tb\t+0\nq2\ta\t2\n",
        (HEADER + "q1\ta\t1\nq1\tb\t0\nq2\ta\t2\n").replace("\n", "\r\n"),
        "\ufeff" + HEADER + "q1\ta\t1\nq1\tb\t0\nq2\ta\t2\n",
        "query-id corpus-id   score\nq1 a 1\nq1    b  0\n q2  a   2  \n\n",
        HEADER + "q1 a 1\nq1\tb\t0\nq2   a 2\n",
    ],
)
def test_all_ways_to_write_a_table_read_alike(write: Write, content: str) -> None:
    """Byte order mark, CRLF, runs of spaces and blank lines change nothing."""
    judged = read_qrels(write({"t.tsv": content}) / "t.tsv")
    assert judged.problems == ()
    assert judged.grades == GRADES


def test_lines_and_notes(write: Write) -> None:
    judged = read_qrels(write({"t.tsv": HEADER + "\nq1\ta\t1\nq1 b 0\nq1\ta\t1\nq1\ta\t1\n"}) / "t.tsv")
    assert judged.lines == {("q1", "a"): 3, ("q1", "b"): 4}
    assert judged.notes == (
        "2 judgments of t.tsv repeated with the same score (line 5, 6), counted once",
        "1 line of t.tsv without a tab, split at runs of spaces",
    )


def test_ids_with_spaces_and_leading_zeros_are_kept_and_normalised(write: Write) -> None:
    judged = read_qrels(write({"t.tsv": HEADER + "007\tmy doc.md\t1\ncafe\u0301\t a\t1\n"}) / "t.tsv")
    assert judged.grades == {"007": {"my doc.md": 1}, "caf\u00e9": {" a": 1}}


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        ("q1\ta\t1\nq1\ta\t0\n", 3, "conflicting judgments of query 'q1' and document 'a': score 1 on line 2, score 0"),
        ("caf\u00e9\ta\t1\ncafe\u0301\ta\t2\n", 3, "conflicting judgments"),
        ("q1\ta\n", 2, "must have 3 columns separated by tabs (query-id, corpus-id, score), found 2 in 'q1\\ta'"),
        ("q1 0 a 1\n", 2, "found 4 in 'q1 0 a 1'; TREC files have an extra second column, delete it"),
        ("q1\ta\t1.0\n", 2, "score: must be a whole number, found '1.0'; write a grade such as 0, 1 or 2"),
        ("q1\ta\t\n", 2, "score: must be a whole number, found ''"),
        ("q1\ta\t1_0\n", 2, "score: must be a whole number"),
        ("q1\ta\t\u0661\n", 2, "score: must be a whole number"),
        ("q1\ta\t" + "9" * 5000 + "\n", 2, "score: must be a whole number"),
        ("q1\ta\tNaN\n", 2, "score: must be a whole number"),
        ("\ta\t1\n", 2, "query-id: an id must not be empty, found ''; give it one"),
        ("q1\t \t1\n", 2, "corpus-id: an id must not be empty, found ' '; give it one"),
        ("", None, "must hold at least one judgment below the header, found none"),
    ],
)
def test_faults(write: Write, rows: str, line: int | None, message: str) -> None:
    """Conflicting judgments are refused with both lines; so is what is no table."""
    judged = read_qrels(write({"t.tsv": HEADER + rows}) / "t.tsv")
    (problem,) = judged.problems
    assert problem.line == line
    assert message in problem.message


@pytest.mark.parametrize("first", ["q0\td\t1\n", "corpus-id\tquery-id\tscore\n", "query-id\tcorpus-id\n"])
def test_a_header_is_required_in_this_order(write: Write, first: str) -> None:
    judged = read_qrels(write({"t.tsv": first + "q1\ta\t1\n"}) / "t.tsv")
    (problem,) = judged.problems
    assert problem.line == 1
    assert "must be the header 'query-id', 'corpus-id', 'score'" in problem.message
    assert "put the header above the judgments" in problem.message


def test_an_empty_file_and_one_that_is_not_utf8(write: Write, refused: Refused) -> None:
    root = write({"e.tsv": "", "x.tsv": HEADER.encode() + b"q\xff\ta\t1\n"})
    assert [str(problem.message) for problem in read_qrels(root / "e.tsv").problems] == [
        "must hold at least one judgment below the header, found none"
    ]
    assert refused(read_qrels, root / "x.tsv")[0].startswith("x.tsv:2: must be UTF-8, found byte 0xff")
