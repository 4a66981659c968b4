"""Markdown tables that read well in a terminal and paste into a pull request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a Markdown table; the first ``left`` columns lean left, the others right."""
    cells = [[_escape(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(headers))]
    widths = [max(width, 3) for width in widths]
    rule = ["-" * w if place < left else "-" * (w - 1) + ":" for place, w in enumerate(widths)]
    lines = [cells[0], rule, *cells[1:]]
    return "\n".join(
        "| "
        + " | ".join(_pad(c, w, place < left) for place, (c, w) in enumerate(zip(line, widths, strict=True)))
        + " |"
        for line in lines
    )


def number(value: Fraction | None) -> str:
    """Return four decimals, or a dash for what is undefined."""
    return "–" if value is None else f"{float(value):.4f}"


def _escape(cell: str) -> str:
    line = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", cell)
    return re.sub(r"(\\*)\|", r"\1\1\\|", line)


def _pad(cell: str, width: int, left: bool) -> str:
    space = " " * (width - _width(cell))
    return cell + space if left else space + cell


def _width(text: str) -> int:
    """Return the columns a terminal gives a text: wide characters take two, marks on another character none."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def p_text(p: Fraction | float) -> str:
    """Return a p: four decimals, or a power of ten where these would read 0."""
    return f"{float(p):.4f}" if p >= Fraction(1, 1000) else f"{float(p):.1e}"
