"""Small things for messages and tables."""

from __future__ import annotations

from harness.errors import InputError
from harness.runs.formats import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from harness.runs.formats import FilePath


def line_of(path: FilePath, names: Sequence[str]) -> int | None:
    """Return the first line that holds all the names, None when no line does; for messages only."""
    from harness.runs.opening import lines_of, read_text

    if not {"parquet", "json"}.isdisjoint(name_of(path).split(".")[1:]):
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
