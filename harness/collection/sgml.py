"""The tags of TREC files, as far as they need to be understood: blocks, fields, text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9_.:-]*(?:\s[^<>]*)?/?>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")


def blocks(text: str, name: str) -> Iterator[tuple[int, str, bool]]:
    """Yield where each ``<name>`` begins, what it holds, and whether it is closed before the next one begins."""
    opening = re.compile(rf"<{name}(?:\s[^<>]*)?>", re.IGNORECASE)
    closing = re.compile(rf"</{name}\s*>", re.IGNORECASE)
    found = list(opening.finditer(text))
    ends = [*(after.start() for after in found[1:]), len(text)]
    for this, until in zip(found, ends, strict=False):
        end = closing.search(text, this.end(), until)
        yield this.start(), text[this.end() : end.start() if end else until], end is not None


def fields(block: str, name: str) -> list[str]:
    """Return what each ``<name>…</name>`` of a block holds; one that isn't closed is left out."""
    pattern = re.compile(rf"<{name}(?:\s[^<>]*)?>(.*?)</{name}\s*>", re.IGNORECASE | re.DOTALL)
    return [found[1] for found in pattern.finditer(block)]


def without(block: str, names: tuple[str, ...]) -> str:
    """Return a block without the fields of these names."""
    pattern = re.compile(rf"<({'|'.join(names)})(?:\s[^<>]*)?>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
    return pattern.sub("\n", block)


def plain(block: str) -> str:
    """Return a block's text: no comments, no tags, entities such as ``&amp;`` as their characters."""
    text = _TAG.sub("\n", _COMMENT.sub("\n", block))
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return re.sub(r"[ \t]*\n(?:[ \t]*\n)+", "\n\n", text).strip()


def one_line(block: str) -> str:
    """Return a block's text on one line."""
    return " ".join(plain(block).split())
