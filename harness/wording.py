"""How values, long texts and numbers of things read, wherever they are printed."""

from __future__ import annotations

from harness.fingerprint import sha256_text

Scalar = str | int | float | None

_LONGEST = 60


def shown(name: str, value: Scalar) -> str:
    """Return how a parameter's value reads in a table: different values never read the same."""
    if name == "rerank.model" and value is None:
        return "off"
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return shortened(str(value), _LONGEST) or '""'


def shortened(text: str, longest: int = 200) -> str:
    """Cut a text that would make a table unreadable; its hash keeps it apart from others with the same beginning."""
    return text if len(text) <= longest else f"{text[:longest]}… ({sha256_text(text)[:8]})"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: ``1 set``, ``2 sets``."""
    return f"{count} {one if count == 1 else many or one + 's'}"
