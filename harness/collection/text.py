"""Reads a folder of plain text: every ``*.txt`` and ``*.md`` below it is one document, taken as it stands."""

from __future__ import annotations

from pathlib import Path

from harness.collection.folder import Kind, Page, plain_page, scan_folder
from harness.collection.reading import Reading
from harness.records import Corpus
from harness.yamlfile import decode


def scan_text_folder(root: Path) -> Reading[Corpus]:
    """Read every ``*.txt`` and ``*.md`` below ``root``.

    The id of a document is its path below the folder, its title the name of the file without suffix. Nothing in
    the text is looked at: no front matter, no headings.
    """
    return scan_folder(root, _TEXT)


def _page(data: bytes, file: str, name: str) -> Page:
    return plain_page(data, name, "", decode(data, file))


_TEXT = Kind(what="text", suffixes=(".txt", ".md"), lookalikes=(".txt", ".text", ".md", ".markdown"), page=_page)
