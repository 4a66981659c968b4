"""Parquet files with the columns of the CSV format; ids are text or whole numbers, never floats."""

from __future__ import annotations

import math
from typing import Any

from harness.runs.building import QrelsBuilder, RunBuilder
from harness.runs.jsons import text_of
from harness.runs.opening import Faults, read_bytes
from harness.runs.tables import qrels_columns, run_columns


def read_parquet_run(builder: RunBuilder) -> None:
    """Enter the rows of a Parquet run; messages count rows from 1."""
    table = _table(builder.faults, builder.path)
    columns = run_columns(list(table), None, builder) if table is not None else None
    if table is None or columns is None:
        return
    data = dict(zip(columns, table.values(), strict=True))
    none = [None] * len(data["query"])
    rows = zip(data["query"], data["document"], data.get("score", none), data.get("rank", none), strict=True)
    for number, (query, document, score, rank) in enumerate(rows, 1):
        ids = _ids(builder.faults, number, query, document)
        if ids is None:
            continue
        if "score" in data and (type(score) not in (int, float) or not math.isfinite(score)):
            builder.faults.add(None, f"score: must be a finite number, found {score!r}", f"row {number}")
        elif "rank" in data and type(rank) is not int:
            builder.faults.add(None, f"rank: must be a whole number, found {rank!r}", f"row {number}")
        else:
            builder.add(None, *ids, None if score is None else float(score), rank, f"row {number}")


def read_parquet_qrels(builder: QrelsBuilder) -> None:
    """Enter the judgments of a Parquet file."""
    table = _table(builder.faults, builder.path)
    columns = qrels_columns(list(table), None, builder.faults) if table is not None else None
    if table is None or columns is None:
        return
    data = dict(zip(columns, table.values(), strict=True))
    for number, row in enumerate(zip(data["query"], data["document"], data["grade"], strict=True), 1):
        ids = _ids(builder.faults, number, row[0], row[1])
        if ids is None:
            continue
        if type(row[2]) is not int:
            builder.faults.add(None, f"grade: must be a whole number, found {row[2]!r}", f"row {number}")
        else:
            builder.add(None, *ids, row[2], f"row {number}")


def _ids(faults: Faults, number: int, query: Any, document: Any) -> tuple[str, str] | None:
    texts = text_of(query), text_of(document)
    for name, value, found in zip(("query", "document"), (query, document), texts, strict=True):
        if found is None:
            faults.add(None, f"{name}: must be text or a whole number, found {value!r}", f"row {number}")
    return None if texts[0] is None or texts[1] is None else (texts[0], texts[1])


def _table(faults: Faults, path: Any) -> dict[str, list[Any]] | None:
    import io

    from pyarrow import ArrowException, parquet

    try:
        table = parquet.read_table(io.BytesIO(read_bytes(path)))
    except (ArrowException, ValueError, OSError) as error:
        faults.add(None, f"isn't a readable Parquet file: {str(error).splitlines()[0]}")
        return None
    return {name: table.column(place).to_pylist() for place, name in enumerate(table.column_names)}
