"""Small things for messages and tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from harness.errors import InputError


def line_of(path: Path, names: Sequence[str]) -> int | None:
    """Return the first line that holds all the names, None when no line does; for messages only."""
    from harness.runs.opening import lines_of, read_text

    if ".parquet" in path.suffixes or ".json" in path.suffixes:
        return None
    try:
        return next((line for line, text in lines_of(read_text(path)) if all(name in text for name in names)), None)
    except InputError:
        return None


def queries(count: int) -> str:
    """Return ``1 query``, ``2 queries``."""
    return "1 query" if count == 1 else f"{count} queries"


def share(value: Fraction | None) -> str:
    """Return a fraction as people read it, four decimals; a dash for None."""
    return "-" if value is None else f"{float(value):.4f}"
