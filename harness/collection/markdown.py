"""Reads a folder of Markdown files: every ``*.md`` below it is one document.

A file may begin with YAML front matter between two ``---`` lines. Its keys ``id`` and ``title`` are used, all
others are left alone. The id of a document is its path below the folder (``hr/leave.md``) unless the front
matter gives one; its title is that of the front matter, else the first level-1 heading, else the name of the
file without ``.md``.
"""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict

from harness.collection.folder import Kind, Page, scan_folder
from harness.collection.headings import first_heading
from harness.collection.reading import Reading, nfc
from harness.errors import InputError, Problem
from harness.records import Corpus, Document
from harness.yamlfile import Id, decode, scan_yaml, validate


def read_markdown_folder(root: Path) -> Corpus:
    """Read every ``*.md`` below ``root``, in the order of their paths.

    Files and folders whose name begins with a dot are ignored; a linked file is read, a linked folder isn't
    entered (a note says so). ``Document.text`` is what follows the front matter and its blank lines; a title
    that stands only in the front matter is put before it as a heading, so that it can be found. Files without
    text are kept with an empty text and counted in ``blank``.

    Raises:
        InputError: no such folder, no document, no text in any document, a file that isn't UTF-8, malformed
            front matter, an empty id or one that two files share; all that were found.
    """
    return scan_markdown_folder(root).result()


def scan_markdown_folder(root: Path) -> Reading[Corpus]:
    """Read like ``read_markdown_folder``, but hand the faults over instead of raising them."""
    return scan_folder(root, _MARKDOWN)


class _FrontMatter(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    id: Id = ""
    title: str | None = None


def _page(data: bytes, file: str, name: str) -> Page:
    matter, body, id_line = _split(decode(data, file), file)
    heading = first_heading(body)
    title = " ".join((matter.title or "").split())
    if not body.strip():
        text = ""
    elif title and not (heading and heading.leads):
        text = f"# {title}\n\n{body}"
    else:
        text = body
    if not title:
        title = heading.title if heading else PurePosixPath(name).stem
    written_id = matter.id if id_line is not None else name
    return Page(
        document=Document(id=nfc(written_id), title=title, text=text, source=name),
        written_id=str(written_id),
        id_line=id_line,
        sha256=hashlib.sha256(data).hexdigest(),
        bom=data.startswith(b"\xef\xbb\xbf"),
        crlf=b"\r" in data,
    )


def _split(text: str, file: str) -> tuple[_FrontMatter, str, int | None]:
    """Return the front matter, the body, and the line of the id in the front matter."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return _FrontMatter(), text, None
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        message = "the front matter that begins here never ends; close it with a line '---', or write '***' for a rule"
        raise InputError(Problem(file=file, line=1, message=message))
    body = "\n".join(lines[end + 1 :]).lstrip("\n")
    source = scan_yaml("\n".join(lines[1:end]), file, first_line=2)
    if source.value is None and not source.problems:
        return _FrontMatter(), body, None
    matter = validate(_FrontMatter, source)
    return matter, body, source.line(("id",)) if "id" in source.value else None


_MARKDOWN = Kind(what="Markdown", suffixes=(".md",), lookalikes=(".md", ".markdown", ".mdx", ".mkd"), page=_page)
