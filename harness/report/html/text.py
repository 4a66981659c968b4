"""Pieces of HTML. Everything that comes from a study is escaped here and nowhere else."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def esc(text: object) -> str:
    """Return a text as HTML, safe between tags and between quotes; control characters become visible."""
    return html.escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", str(text)), quote=True)


def bold(text: str) -> str:
    """Return a sentence as HTML; what Markdown sets in bold between pairs of stars is bold here too."""
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", esc(text))


def json_script(name: str, value: Any) -> str:
    """Return JSON that a page can hold: nothing in it can end the element or begin another."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>'


def cell(content: str, *, value: Fraction | float | None = None, kind: str = "") -> str:
    """Return a table cell of finished HTML; ``value`` is what it sorts by."""
    sort = "" if value is None else f' data-v="{float(value):.9g}"'
    return f"<td{_class(kind)}{sort}>{content}</td>"


def figure(value: Fraction | float | None, *, signed: bool = False) -> str:
    """Return a cell with four decimals, or a dash."""
    if value is None:
        return cell("–", kind="n")
    text = f"{float(value):+.4f}".replace("-", "−") if signed else f"{float(value):.4f}"
    return cell("0" if signed and not value else text, value=value, kind="n")


def table(
    headers: Sequence[str], rows: Iterable[str], *, kind: str = "", foot: str = "", sortable: bool = False
) -> str:
    """Return a table in a box that scrolls sideways by itself.

    Args:
        headers: texts; one that begins with ``#`` heads a column of numbers.
        rows: cells of each row, finished.
        kind: class of the table.
        foot: finished rows that stay at the end.
        sortable: whether a click on a header sorts.
    """
    heads = "".join(_head(text, sortable) for text in headers)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    end = f"<tfoot>{foot}</tfoot>" if foot else ""
    return (
        f'<div class="scroll" tabindex="0"><table{_class(kind)}><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody>{end}</table></div>"
    )


def _head(text: str, sortable: bool) -> str:
    plain = esc(text.removeprefix("#"))
    inside = f'<button type="button">{plain}</button>' if sortable and plain else plain
    return f'<th scope="col"{_class("n" if text.startswith("#") else "")}>{inside}</th>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
