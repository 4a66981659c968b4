"""Finds the first level-1 heading of a Markdown text, by the rules of CommonMark that matter for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r" {0,3}#(?:[ \t](.*))?")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|[-*+][ \t]|[0-9]+[.)][ \t]|[><|])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A level-1 heading.

    Attributes:
        title: its text, markup included, on one line.
        leads: True when nothing but blank lines stands before it.
    """

    title: str
    leads: bool


def first_heading(text: str) -> Heading | None:
    """Return the first heading of level 1 that isn't empty: ``# Title``, or a title underlined with ``=``.

    Lines inside code fences and HTML comments are no headings.
    """
    fence, comment = "", False
    paragraph: list[str] = []
    before = 0
    for line in text.split("\n"):
        if fence or comment:
            comment = comment and "-->" not in line
            fence = "" if fence and _closes(line, fence) else fence
            continue
        title = _atx_title(line)
        if title:
            return Heading(title=title, leads=before == 0)
        if paragraph and _UNDERLINE.fullmatch(line):
            return Heading(title=_one_line(" ".join(paragraph)), leads=before == len(paragraph))
        opening = _FENCE.match(line)
        fence = opening[1] if opening else ""
        comment = line.lstrip(" ").startswith("<!--") and "-->" not in line
        indented = line.startswith(("    ", "\t")) and not paragraph
        if fence or comment or indented or not line.strip() or _NO_PARAGRAPH.match(line):
            paragraph.clear()
        else:
            paragraph.append(line)
        before += bool(line.strip())
    return None


def _atx_title(line: str) -> str:
    match = _ATX.fullmatch(line)
    title = _one_line(match[1] or "") if match else ""
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare.endswith(" ") else title


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]} and not line.startswith("    ")


def _one_line(text: str) -> str:
    return " ".join(text.split())
