"""Reads a folder of HTML pages: every ``*.html``, ``*.htm`` and ``*.xhtml`` below it is one document.

A page becomes Markdown, so that its headings cut it; scripts, styles, navigation and footers are left out. Its
id is its path below the folder. Its title is its ``<title>``, else the first level-1 heading, else the name of the
file; a page without a level-1 heading gets its title as one.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from harness.collection.extra import missing_extra
from harness.collection.folder import Kind, Page, plain_page, scan_folder
from harness.collection.headings import first_heading
from harness.collection.markup import MarkdownWriter, whole_characters
from harness.collection.reading import Reading
from harness.errors import InputError, Problem
from harness.records import Corpus
from harness.yamlfile import decode

_SKIPPED = {"script", "style", "template", "noscript", "nav", "footer", "title", "svg", "iframe", "object", "select"}
_CODECS = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "ascii": "utf-8"}


def scan_html_folder(root: Path) -> Reading[Corpus]:
    """Read every HTML page below ``root``."""
    problem = missing_extra("html", "bs4", "beautifulsoup4", root)
    return Reading(value=None, problems=(problem,)) if problem else scan_folder(root, _HTML)


def _page(data: bytes, file: str, name: str) -> Page:
    from bs4 import BeautifulSoup

    text = _decoded(data, file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            soup = BeautifulSoup(text, "html.parser")
        title = " ".join(whole_characters(_title(soup)).split())
        body = whole_characters(_markdown(soup))
    except Exception as error:  # whatever a library makes of a broken page, it is the page's fault
        message = f"can't be read as HTML: {type(error).__name__}: {str(error)[:200]}; repair it or take it away"
        raise InputError(Problem(file=file, message=message)) from None
    heading = first_heading(body)
    if title and body and not heading:
        body = f"# {title}\n\n{body}"
    return plain_page(data, name, title or (heading.title if heading else ""), body, derived=True)


def _decoded(data: bytes, file: str) -> str:
    """Return the text: UTF-8, else the encoding of a byte order mark, else the one that the page declares."""
    from bs4.dammit import EncodingDetector

    try:
        return decode(data, file)
    except InputError as error:
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        declared = "utf-16" if utf16 else EncodingDetector.find_declared_encoding(data, is_html=True)
        if declared is None:
            raise InputError([_undeclared(problem) for problem in error.problems]) from None
    try:
        return data.decode(_CODECS.get(declared.lower(), declared)).replace("\r\n", "\n").replace("\r", "\n")
    except (LookupError, UnicodeError):
        message = f"declares the encoding {declared!r} and isn't in it, nor in UTF-8; save it as UTF-8"
        raise InputError(Problem(file=file, message=message)) from None


def _undeclared(problem: Problem) -> Problem:
    message = problem.message.replace("; save", ", and the page declares no other encoding; save")
    return Problem(file=problem.file, line=problem.line, message=message)


def _title(soup: Any) -> str:
    found = soup.find("title")
    return found.get_text() if found is not None else ""


def _markdown(soup: Any) -> str:
    """Walk the tree without recursion: pages nest as deep as they like."""
    from bs4.element import CData, NavigableString, Tag

    writer = MarkdownWriter()
    todo: list[tuple[Any, bool]] = [(soup, True)]
    while todo:
        node, opening = todo.pop()
        if not isinstance(node, Tag):
            if type(node) in (NavigableString, CData):
                writer.text(str(node))
        elif not opening:
            writer.close(node.name)
        elif node.name not in _SKIPPED:
            writer.open(node.name)
            todo.append((node, False))
            todo.extend((child, True) for child in reversed(node.contents))
    return writer.finish()


_HTML = Kind(
    what="HTML", suffixes=(".html", ".htm", ".xhtml"), lookalikes=(".html", ".htm", ".xhtml", ".xht"), page=_page
)
