"""Finds the first level-1 heading of a Markdown text, by the rules of CommonMark that matter for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r" {0,3}#(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|[-*+][ \t]|[0-9]+[.)][ \t]|[><|])| {4}|\t|[ \t]*$")


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
        heading = _ATX.fullmatch(line)
        if heading and heading[1]:
            return Heading(title=_one_line(heading[1]), leads=before == 0)
        if paragraph and _UNDERLINE.fullmatch(line):
            return Heading(title=_one_line(" ".join(paragraph)), leads=before == len(paragraph))
        opening = _FENCE.match(line)
        fence = opening[1] if opening else ""
        comment = line.lstrip(" ").startswith("<!--") and "-->" not in line
        if fence or (_NO_PARAGRAPH.match(line) and not (paragraph and line.startswith((" ", "\t")))):
            paragraph.clear()
        else:
            paragraph.append(line)
        before += bool(line.strip())
    return None


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]} and not line.startswith("    ")


def _one_line(text: str) -> str:
    return " ".join(text.split())
