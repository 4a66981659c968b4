"""Runs and judgments in the files of other tools: TREC, BEIR, JSON, JSONL, CSV, Parquet, plain and gzip.

Ids are kept as they are written (NFC apart), faults are named with file and line, nothing is repaired unless asked
for by name, and what is written reads back without loss. Only the standard library is needed, but for Parquet.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harness.runs.formats import FORMATS, SUFFIXES, format_of
    from harness.runs.reading import read_qrels, read_query_ids, read_run
    from harness.runs.records import Qrels, Run
    from harness.runs.writing import write_qrels, write_run

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Qrels",
    "Run",
    "format_of",
    "read_qrels",
    "read_query_ids",
    "read_run",
    "write_qrels",
    "write_run",
]

_LATER = {
    "FORMATS": "formats",
    "SUFFIXES": "formats",
    "Qrels": "records",
    "Run": "records",
    "format_of": "formats",
    "read_qrels": "reading",
    "read_query_ids": "reading",
    "read_run": "reading",
    "write_qrels": "writing",
    "write_run": "writing",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
