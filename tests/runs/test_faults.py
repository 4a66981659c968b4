"""Every fault is named with file and line, and nothing is read past it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.runs import read_qrels, read_query_ids, read_run


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


RUNS: list[tuple[str, str | bytes, str]] = [
    ("r.trec", "q Q0 a 1 2.0 t\nq Q0 b 2 1.0\n", "r.trec:2: must have 6 columns"),
    ("r.trec", "q Q0 a 1 2.0 t\nq Q0 b 2 nan t\n", "r.trec:2: score: must be finite, found 'nan'"),
    ("r.trec", "q Q0 a 1 -Infinity t\n", "r.trec:1: score: must be finite"),
    ("r.trec", "q Q0 a 1 1e999 t\n", "r.trec:1: score: must be finite, found '1e999', too large"),
    ("r.trec", "q Q0 a 1 1_000 t\n", "r.trec:1: score: must be a number"),
    ("r.trec", "q Q0 a 1 2 t\n\nq Q0 a 2 1 t\n", "r.trec:3: duplicate document 'a' for query 'q', first on line 1"),
    ("r.trec", b"q Q0 a 1 2 t\nq Q0 \xff 2 1 t\n", "r.trec:2: must be UTF-8, found byte 0xff at byte 6"),
    (
        "r.trec",
        "q Q0 e\u0301 1 2 t\nq Q0 \xe9 2 1 t\n",
        "r.trec:2: document ids 'e\u0301' and '\xe9' are the same once",
    ),
    ("r.trec", "q Q0 a\x01 1 2 t\n", "r.trec:1: document id: must hold no control character"),
    ("r.tsv", "query\tdocument\tscore\nq\t\t1\n", "r.tsv:2: document id: must not be empty"),
    ("r.tsv", "q\ta\t1\n", "r.tsv:1: must have the columns query, document and score or rank"),
    ("r.tsv", "", "r.tsv: must have a header line"),
    ("r.csv", "query,document,score\nq,a\n", "r.csv:2: must have 3 columns"),
    ("r.csv", 'query,document,score\nq,"a"b,1\n', "r.csv:2: isn't valid CSV"),
    ("r.csv", "query,document,score,score\n", "r.csv:1: must have each column once"),
    ("r.csv", "query,document,rank\nq,a,1\nq,b,1\n", "r.csv:3: rank 1 of query 'q' is held by 'a' and 'b'"),
    ("r.csv", "query,document,rank\nq,a,1.5\n", "r.csv:2: rank: must be a whole number"),
    ("r.json", '{"q": ["a",]}', "r.json:1: isn't valid JSON"),
    ("r.json", '{"q": {"a": NaN}}', "r.json: isn't valid JSON: NaN"),
    ("r.json", '{"q": {"a": true}}', "r.json: q.a score: must be a number, found true"),
    ("r.json", '{"q": {"a": 1, "a": 2}}', "r.json: q duplicate document 'a'"),
    ("r.json", '{"q": ["a"], "q": ["b"]}', "r.json: query 'q' stands twice"),
    ("r.json", '{"q": ["a"], "p": {"b": 1}}', "r.json: must hold lists of ids for all queries"),
    ("r.json", "[]", "r.json: must be an object of rankings"),
    ("r.json", '{"q": {"a": 9007199254740993}}', "q.a score: a double can't hold 9007199254740993"),
    ("r.jsonl", '{"query": "q", "ranking": ["a"]}\n{"query": "q", "ranking": ["b"]}\n', "r.jsonl:2: query 'q' has a"),
    ("r.jsonl", '{"query": "q", "ranking": "a"}\n', "r.jsonl:1: ranking must be a list of ids, found the text 'a'"),
    ("r.jsonl", '{"query": 1.0, "ranking": []}\n', "r.jsonl:1: query must be an id in quotes or a whole number"),
    ("r.jsonl", '{"query": "q", "ranking": ["a", 1.0]}\n', "r.jsonl:1: ranking must hold ids in quotes"),
    ("r.jsonl", '{"query": "q", "ranking": ["a"], "scores": [1, 2]}\n', "r.jsonl:1: scores must be a list of 1 scores"),
    ("r.jsonl", '{"query": "q", "query": "p"}\n', "r.jsonl:1: key 'query' stands twice"),
    ("r.jsonl", '{"query": "\\ud800", "ranking": []}\n', "r.jsonl:1: ranking query id: must be valid Unicode"),
    ("r.dat", "", "the suffix '.dat' doesn't tell the format of run"),
    ("r.qrels", "", "the suffix '.qrels' doesn't tell the format of run"),
    ("r.trec.gz", b"q Q0 a 1 2 t\n", "r.trec.gz: can't be read: "),
    ("r.parquet", b"PAR1", "r.parquet: isn't a readable Parquet file"),
]

QRELS: list[tuple[str, str | bytes, str]] = [
    (
        "j.qrels",
        "q 0 a 1\nq 0 a 2\n",
        "j.qrels:2: conflicting judgments of query 'q' and document 'a': 1 on line 1, 2 here",
    ),
    ("j.qrels", "q 0 a 1.0\n", "j.qrels:1: grade: must be a whole number, found '1.0'"),
    ("j.qrels", "q a 1\n", "j.qrels:1: must have 4 columns"),
    ("j.qrels", "\n", "j.qrels: must hold at least one judgment"),
    ("j.tsv", "query-id\tcorpus-id\tscore\nq\ta\tx\n", "j.tsv:2: grade: must be a whole number"),
    ("j.tsv", "q\ta\t1\n", "j.tsv:1: must have a header with the columns query-id, corpus-id, score"),
    ("j.json", '{"q": {"a": true}}', "j.json: q.a grade: must be a whole number, found true"),
    ("j.json", '{"q": {"a": 1, "a": 0}}', "j.json: q.a conflicting judgments"),
    ("j.jsonl", '{"query-id": "q", "corpus-id": "a", "score": 1.0}\n', "j.jsonl:1: grade: must be a whole number"),
    ("j.jsonl", '{"query-id": "q", "score": 1}\n', "j.jsonl:1: document must be an id in quotes or a whole number"),
]


@pytest.mark.parametrize(("name", "content", "words"), RUNS)
def test_a_faulty_run_is_refused(tmp_path: Path, name: str, content: Any, words: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert words in str(caught.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(("name", "content", "words"), QRELS)
def test_faulty_judgments_are_refused(tmp_path: Path, name: str, content: Any, words: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert words in str(caught.value).replace(f"{tmp_path}/", "")


def test_all_faults_are_told_but_not_more_than_a_hundred(tmp_path: Path) -> None:
    path = write(tmp_path, "r.trec", "x\n" * 250)
    with pytest.raises(InputError) as caught:
        read_run(path)
    assert len(caught.value.problems) == 101
    assert "and 150 more problems" in str(caught.value.problems[-1])


def test_an_absent_file_and_damaged_gzip_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.trec: can't be read: No such file"):
        read_run(tmp_path / "none.trec")
    whole = gzip.compress(b"q Q0 a 1 2 t\n")
    with pytest.raises(InputError, match="damaged gzip"):
        read_run(write(tmp_path, "cut.trec.gz", whole[:-6]))


def test_keep_best_keeps_the_best_row_and_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "r.trec", "q Q0 a 1 2 t\nq Q0 b 2 1.5 t\nq Q0 b 3 3 t\nq Q0 a 4 1 t\n")
    run = read_run(path, on_duplicate="keep-best")
    assert run.rankings == {"q": ["b", "a"]}
    assert run.scores == {"q": [3.0, 2.0]}
    assert run.notes == ("2 duplicates dropped, the best row of each document kept",)
    ranked = write(tmp_path, "r.jsonl", '{"query": "q", "ranking": ["a", "b", "a"]}\n')
    assert read_run(ranked, on_duplicate="keep-best").rankings == {"q": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("q.txt", "a\nb\na\n", "q.txt:3: query 'a' stands on line 1 already"),
        ("q.txt", "\n", "q.txt: must hold at least one query"),
        ("q.jsonl", '{"text": "a"}\n', "q.jsonl:1: _id must be an object with an id"),
        ("q.jsonl", "nonsense\n", "q.jsonl:1: isn't valid JSON"),
    ],
)
def test_faulty_query_files_are_refused(tmp_path: Path, name: str, content: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_query_ids(write(tmp_path, name, content))
    assert words in str(caught.value).replace(f"{tmp_path}/", "")


def test_query_ids_are_read_in_order(tmp_path: Path) -> None:
    assert read_query_ids(write(tmp_path, "q.txt", "b\n\na\tsome text\n")) == ("b", "a")
    assert read_query_ids(write(tmp_path, "q.jsonl", '{"_id": 7, "text": "x"}\n{"id": "007"}\n')) == ("7", "007")
