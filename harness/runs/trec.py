"""TREC files, line by line: ``query Q0 document rank score tag`` and ``query iteration document grade``.

Columns are split at runs of spaces and tabs, so ids hold neither. As in trec_eval the second column of both, and
the rank column of a run unless order is by rank, are not looked at.
"""

from __future__ import annotations

from harness.runs.building import QrelsBuilder, RunBuilder, number_of, whole_of
from harness.runs.opening import lines_of, read_text

_RUN_COLUMNS = "6 columns (query Q0 document rank score tag)"
_QRELS_COLUMNS = "4 columns (query iteration document grade)"


def read_trec_run(builder: RunBuilder) -> None:
    """Enter the rows of a TREC run file."""
    tags: set[str] = set()
    by_rank = builder.order == "rank"
    for line, text in lines_of(read_text(builder.path)):
        cells = _cells(text)
        if len(cells) != 6:
            builder.faults.add(line, f"must have {_RUN_COLUMNS}, found {len(cells)} in {text[:80]!r}")
            continue
        query, _, document, place, value, tag = cells
        score = number_of(value)
        rank = whole_of(place, "rank") if by_rank else None
        for fault in (score, rank):
            if isinstance(fault, str):
                builder.faults.add(line, fault)
        if not isinstance(score, str) and not isinstance(rank, str):
            builder.add(line, query, document, score, rank)
            tags.add(tag)
    builder.tag = tags.pop() if len(tags) == 1 else None


def read_trec_qrels(builder: QrelsBuilder) -> None:
    """Enter the judgments of a TREC qrels file."""
    for line, text in lines_of(read_text(builder.path)):
        cells = _cells(text)
        if len(cells) != 4:
            builder.faults.add(line, f"must have {_QRELS_COLUMNS}, found {len(cells)} in {text[:80]!r}")
            continue
        grade = whole_of(cells[3], "grade")
        if isinstance(grade, str):
            builder.faults.add(line, f"{grade}; write a grade such as 0, 1 or 2")
        else:
            builder.add(line, cells[0], cells[2], grade)


def _cells(text: str) -> list[str]:
    return [cell for cell in text.replace("\t", " ").split(" ") if cell]
