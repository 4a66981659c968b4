"""Writes runs and judgments so that reading them gives the same back: ids exactly, scores bit for bit, the order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from harness.errors import InputError, Problem
from harness.runs.formats import format_of
from harness.runs.records import Qrels, Run, in_score_order

if TYPE_CHECKING:
    from pathlib import Path

    from harness.runs.records import Order

_TAG = "harness"


def write_run(run: Run, path: Path, *, form: str | None = None, order: Order = "score") -> None:
    """Write a run; numbers are written in the shortest form that reads back to the same double.

    JSONL always keeps everything. CSV, TSV and Parquet keep queries without documents out, as rows can't show
    them; TREC too. A TREC file is read in the order of its scores: with the default ``order`` a run in another
    order is refused; with ``rank`` it is written, to be read with ``rank`` as well.

    Args:
        run: what to write.
        path: where to; packed when the name ends in ``.gz``.
        form: a name out of ``FORMATS``; by default the suffix tells.
        order: which column of a TREC file holds the order.

    Raises:
        InputError: the format can't hold the run without loss; nothing is written.
    """
    chosen = format_of(path, form, "run")
    if chosen not in {"jsonl", "json"}:
        empty = next((query for query, ranking in run.rankings.items() if not ranking), None)
        if empty is not None:
            _refuse(path, f"{chosen} can't hold query {empty!r} without documents; write jsonl")
    if chosen == "trec":
        content: bytes = _text(_trec(run, path, order))
    elif chosen == "jsonl":
        content = _text(_json_line(run, query) for query in run.rankings)
    elif chosen == "json":
        content = _text([_json(run, path)])
    elif chosen == "parquet":
        content = _parquet(_columns(run), path)
    else:
        content = _rows(_columns(run), path, chosen)
    _write(path, content)


def write_qrels(qrels: Qrels, path: Path, *, form: str | None = None) -> None:
    """Write judgments.

    Raises:
        InputError: the format can't hold them without loss (an id with spaces in TREC); nothing is written.
    """
    chosen = format_of(path, form, "judgments")
    rows = [(query, document, grade) for query, row in qrels.grades.items() for document, grade in row.items()]
    empty = next((query for query, row in qrels.grades.items() if not row), None)
    if empty is not None and chosen != "json":
        _refuse(path, f"{chosen} can't hold query {empty!r} without judgments; write json")
    if chosen == "json":
        content: bytes = _text([json.dumps(qrels.grades, ensure_ascii=False)])
    elif chosen == "jsonl":
        lines = ({"query-id": query, "corpus-id": document, "score": grade} for query, document, grade in rows)
        content = _text(json.dumps(line, ensure_ascii=False) for line in lines)
    elif chosen == "trec":
        _no_blanks(path, (name for query, document, _ in rows for name in (query, document)))
        content = _text(f"{query} 0 {document} {grade}" for query, document, grade in rows)
    else:
        names = ("query-id", "corpus-id", "score")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        content = _parquet(columns, path) if chosen == "parquet" else _rows(columns, path, chosen)
    _write(path, content)


def _trec(run: Run, path: Path, order: Order) -> Iterable[str]:
    if run.scores is None:
        _refuse(path, "trec needs scores, and this run has none; write jsonl")
    tag = run.tag or _TAG
    _no_blanks(path, [tag, *run.rankings, *(item for row in run.rankings.values() for item in row)])
    for query, ranking in run.rankings.items():
        if order == "score" and not in_score_order(ranking, run.scores[query]):
            words = "a trec file is read by score, then id descending, which isn't the order of query"
            _refuse(path, f"{words} {query!r}; write jsonl, or write and read it in the order of ranks")
    return [
        f"{query} Q0 {document} {rank} {score!r} {tag}"
        for query, ranking in run.rankings.items()
        for rank, (document, score) in enumerate(zip(ranking, run.scores[query], strict=True), 1)
    ]


def _json_line(run: Run, query: str) -> str:
    line: dict[str, Any] = {"query": query, "ranking": run.rankings[query]}
    if run.scores is not None:
        line["scores"] = run.scores[query]
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


def _json(run: Run, path: Path) -> str:
    if run.scores is None:
        return json.dumps(run.rankings, ensure_ascii=False)
    table: dict[str, Mapping[str, float]] = {}
    for query, ranking in run.rankings.items():
        if not in_score_order(ranking, run.scores[query]):
            words = "a json file of scores is read by score, then id descending, which isn't the order of query"
            _refuse(path, f"{words} {query!r}; write jsonl")
        table[query] = dict(zip(ranking, run.scores[query], strict=True))
    return json.dumps(table, ensure_ascii=False, allow_nan=False)


def _columns(run: Run) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"query": [], "document": [], "rank": []}
    if run.scores is not None:
        columns["score"] = [score for query in run.rankings for score in run.scores[query]]
    for query, ranking in run.rankings.items():
        columns["query"] += [query] * len(ranking)
        columns["document"] += ranking
        columns["rank"] += range(1, len(ranking) + 1)
    return columns


def _rows(columns: Mapping[str, list[Any]], path: Path, form: str) -> bytes:
    rows = [list(columns), *([_cell(value) for value in row] for row in zip(*columns.values(), strict=True))]
    if form == "tsv":
        return _text("\t".join(row) for row in rows)
    import csv
    import io

    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()


def _cell(value: object) -> str:
    return repr(value) if isinstance(value, float) else str(value)


def _parquet(columns: Mapping[str, list[Any]], path: Path) -> bytes:
    import io

    import pyarrow
    from pyarrow import parquet

    kinds = {"rank": pyarrow.int64(), "score": pyarrow.float64()}
    if "corpus-id" in columns:
        kinds = {"score": pyarrow.int64()}
    arrays = {name: pyarrow.array(values, kinds.get(name, pyarrow.string())) for name, values in columns.items()}
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(arrays), stream)
    return stream.getvalue()


def _no_blanks(path: Path, names: Iterable[str]) -> None:
    for name in names:
        if " " in name or "\t" in name:
            _refuse(path, f"trec columns are split at spaces, so it can't hold {name!r}; write jsonl, csv or tsv")


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _write(path: Path, content: bytes) -> None:
    if path.suffix == ".gz":
        import gzip

        content = gzip.compress(content, mtime=0)
    path.write_bytes(content)


def _refuse(path: Path, message: str) -> NoReturn:
    raise InputError(Problem(file=str(path), message=message))
