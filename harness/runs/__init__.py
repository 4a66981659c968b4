"""Runs and judgments in the files of other tools: TREC, BEIR, JSON, JSONL, CSV, Parquet, plain and gzip.

Ids are kept as they are written (NFC apart), faults are named with file and line, nothing is repaired unless asked
for by name, and what is written reads back without loss. Only the standard library is needed, but for Parquet.
"""

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
