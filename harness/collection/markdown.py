"""Reads a folder of Markdown files: every ``*.md`` below it is one document.

A file may begin with YAML front matter between two ``---`` lines. Its keys ``id`` and ``title`` are used, all
others are left alone. The id of a document is its path below the folder (``hr/leave.md``) unless the front
matter gives one; its title is that of the front matter, else the first level-1 heading, else the name of the
file without ``.md``.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict

from harness.collection.headings import first_heading
from harness.collection.reading import Ids, Reading, blank_note, counted, is_unicode, nfc, some
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.records import Corpus, Document
from harness.yamlfile import Id, decode, read_bytes, scan_yaml, validate

_LOOKALIKES = (".md", ".markdown", ".mdx", ".mkd")


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
    problems: list[Problem] = []
    notes: list[str] = []
    pages = []
    for name in _names(root, problems, notes):
        try:
            pages.append(_page(root, name))
        except InputError as error:
            problems.extend(error.problems)
    problems.extend(_id_faults(root, pages))
    blank = tuple(page.document.source for page in pages if not page.document.text)
    if pages and len(blank) == len(pages) and not problems:
        only = str(root / blank[0]) if len(blank) == 1 else str(root)
        message = f"no document holds any text: {some(blank)}; put text into at least one"
        problems.append(Problem(file=only, message=message))
    if problems:
        return Reading(value=None, problems=tuple(problems))
    notes.extend(_notes(pages, blank))
    digest = sha256_json([[nfc(page.document.source), page.sha256] for page in pages])
    documents = tuple(page.document for page in pages)
    return Reading(value=Corpus(documents=documents, sha256=digest, blank=blank, notes=tuple(notes)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    document: Document
    written_id: str
    id_line: int | None
    sha256: str
    bom: bool
    crlf: bool


class _FrontMatter(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    id: Id = ""
    title: str | None = None


def _names(root: Path, problems: list[Problem], notes: list[str]) -> list[str]:
    """Return the POSIX paths of the Markdown files below ``root``, in reading order."""
    if not os.path.isdir(root):
        found = "found a file" if os.path.exists(root) else "there is nothing at this path"
        problems.append(Problem(file=str(root), message=f"must be a folder of Markdown files, {found}"))
        return []
    names, linked, others = [], [], []
    for folder, folders, files in os.walk(root, onerror=lambda error: _unreadable(error, problems)):
        base = Path(folder).relative_to(root)
        shown = [name for name in folders if not name.startswith(".")]
        links = {name for name in shown if os.path.islink(os.path.join(folder, name))}
        linked += [(base / name).as_posix() for name in sorted(links)]
        folders[:] = [name for name in shown if name not in links]
        for name in files:
            if name.endswith(".md") and not name.startswith("."):
                names.append((base / name).as_posix())
            elif name.lower().endswith(_LOOKALIKES) and not name.startswith("."):
                others.append((base / name).as_posix())
    if linked:
        notes.append(f"{counted(len(linked), 'linked folder')} not entered: {_printable(some(sorted(linked)))}")
    if others:
        left = f"{counted(len(others), 'file')} left out, because only names in '.md' are read"
        notes.append(f"{left}: {_printable(some(sorted(others)))}")
    if not names and not problems:
        hint = f" ({notes[-1]})" if notes else ""
        message = f"holds no Markdown file; wanted at least one whose name ends in '.md'{hint}"
        problems.append(Problem(file=str(root), message=message))
    return sorted(names, key=lambda name: (nfc(name), name))


def _unreadable(error: OSError, problems: list[Problem]) -> None:
    message = f"can't be read: {error.strerror or type(error).__name__}"
    problems.append(Problem(file=_printable(str(error.filename)), message=message))


def _printable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _page(root: Path, name: str) -> _Page:
    path = root / name
    file = _printable(str(path))
    if not is_unicode(name):
        raise InputError(Problem(file=file, message="the name of the file must be UTF-8; rename it"))
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(Problem(file=file, message="must be a regular file, found a pipe or a device"))
    data = read_bytes(path)
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
    return _Page(
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


def _id_faults(root: Path, pages: Iterable[_Page]) -> list[Problem]:
    ids = Ids(kind="document", cure="give one of the two another id in its front matter, or rename it")
    problems = []
    for page in pages:
        fault = ids.add(page.written_id, f"by {root / page.document.source}")
        if fault:
            file = str(root / page.document.source)
            problems.append(Problem(file=file, line=page.id_line, message=fault))
    return problems


def _notes(pages: list[_Page], blank: tuple[str, ...]) -> list[str]:
    notes = []
    bom = sum(page.bom for page in pages)
    crlf = sum(page.crlf for page in pages)
    if bom:
        notes.append(f"{counted(bom, 'file')} with a byte order mark {'was' if bom == 1 else 'were'} read without it")
    if crlf:
        notes.append(f"{counted(crlf, 'file')} with CRLF line ends {'was' if crlf == 1 else 'were'} read as LF")
    if blank:
        notes.append(blank_note(blank))
    return notes
