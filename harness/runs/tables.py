"""CSV and TSV files with a header: columns query, document and score, rank or grade.

The names of BEIR are understood too: ``query-id``, ``corpus-id`` and ``score`` (a grade in judgments). TSV cells
are taken as they are; CSV cells may be quoted. With a ``rank`` column the rank is the order, else the score is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from harness.runs.building import QrelsBuilder, RunBuilder, number_of, whole_of
from harness.runs.opening import Faults, lines_of, read_text

_NAMES = {"query-id": "query", "corpus-id": "document"}


def read_table_run(builder: RunBuilder, form: str) -> None:
    """Enter the rows of a CSV or TSV run."""
    columns: list[str] | None = None
    for line, cells in _rows(read_text(builder.path), form, builder.faults):
        if columns is None:
            columns = run_columns(cells, line, builder)
            if columns is None:
                return
            continue
        row = _named(columns, cells, line, builder.faults)
        if row is None:
            continue
        score = number_of(row["score"]) if "score" in row else None
        rank = whole_of(row["rank"], "rank") if "rank" in row else None
        for fault in (score, rank):
            if isinstance(fault, str):
                builder.faults.add(line, fault)
        if not isinstance(score, str) and not isinstance(rank, str):
            builder.add(line, row["query"], row["document"], score, rank)
    if columns is None:
        builder.faults.add(None, "must have a header line such as query,document,score, found nothing")


def read_table_qrels(builder: QrelsBuilder, form: str) -> None:
    """Enter the judgments of a CSV or TSV file."""
    columns: list[str] | None = None
    for line, cells in _rows(read_text(builder.path), form, builder.faults):
        if columns is None:
            columns = qrels_columns(cells, line, builder.faults)
            if columns is None:
                return
            continue
        row = _named(columns, cells, line, builder.faults)
        if row is None:
            continue
        grade = whole_of(row["grade"].strip(" "), "grade")
        if isinstance(grade, str):
            builder.faults.add(line, f"{grade}; write a grade such as 0, 1 or 2")
        else:
            builder.add(line, row["query"], row["document"], grade)


def run_columns(header: list[str], line: int | None, builder: RunBuilder) -> list[str] | None:
    """Return the columns of a run by our names and choose the order; None after a fault."""
    columns = [_NAMES.get(name.strip(), name.strip()) for name in header]
    if not {"query", "document"} <= set(columns) <= {"query", "document", "score", "rank"} or len(columns) < 3:
        builder.faults.add(line, f"must have the columns query, document and score or rank, found {header!r}")
        return None
    if len(set(columns)) < len(columns):
        builder.faults.add(line, f"must have each column once, found {header!r}")
        return None
    if "rank" in columns:
        builder.order = "rank"
    elif builder.order == "rank":
        builder.faults.add(line, f"must have a column rank to be read in the order of ranks, found {header!r}")
        return None
    return columns


def qrels_columns(header: list[str], line: int | None, faults: Faults) -> list[str] | None:
    """Return the columns of judgments by our names; None after a fault."""
    names = {**_NAMES, "score": "grade"}
    columns = [names.get(name.strip(), name.strip()) for name in header]
    if sorted(columns) != ["document", "grade", "query"]:
        wanted = "query-id, corpus-id, score (or query, document, grade)"
        faults.add(line, f"must have a header with the columns {wanted}, found {header!r}")
        return None
    return columns


def _named(columns: list[str], cells: list[str], line: int, faults: Faults) -> Mapping[str, str] | None:
    if len(cells) != len(columns):
        faults.add(
            line, f"must have {len(columns)} columns ({', '.join(columns)}), found {len(cells)} in {cells!r}"[:300]
        )
        return None
    return dict(zip(columns, cells, strict=True))


def _rows(text: str, form: str, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    if form == "tsv":
        for line, content in lines_of(text):
            yield line, content.split("\t")
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, cells
    except csv.Error as error:
        faults.add(reader.line_num, f"isn't valid CSV: {error}")
