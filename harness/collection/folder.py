"""Reads a folder in which every file of a kind is one document, whatever the kind."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.collection.reading import Ids, Reading, blank_note, is_unicode, nfc, some
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.records import Corpus, Document
from harness.wording import counted
from harness.yamlfile import read_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One file as a document.

    Attributes:
        document: what was read.
        written_id: its id before it was normalised.
        id_line: where the file gives the id itself, or None.
        sha256: over what can change the document.
        bom: the file begins with a byte order mark.
        crlf: the file has line ends with a carriage return.
    """

    document: Document
    written_id: str
    id_line: int | None
    sha256: str
    bom: bool
    crlf: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file.

    Attributes:
        what: as it reads before "file" (``Markdown``).
        suffixes: of the names that are read, exactly as they stand.
        lookalikes: suffixes in lower case of files that are left out with a note.
        page: reads one file: its bytes, its path for messages, its name below the folder.
    """

    what: str
    suffixes: tuple[str, ...]
    lookalikes: tuple[str, ...]
    page: Callable[[bytes, str, str], Page]

    @property
    def endings(self) -> str:
        """The suffixes as they read in a message."""
        return " or ".join(repr(suffix) for suffix in self.suffixes)


def scan_folder(root: Path, kind: Kind) -> Reading[Corpus]:
    """Read every file of a kind below ``root``, in the order of their paths; the faults are handed over.

    Files and folders whose name begins with a dot are ignored; a linked file is read, a linked folder isn't
    entered (a note says so). Files without text are kept with an empty text and counted in ``blank``.
    """
    problems: list[Problem] = []
    notes: list[str] = []
    pages = []
    for name in _names(root, kind, problems, notes):
        try:
            pages.append(_page(root, name, kind))
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


def plain_page(data: bytes, name: str, title: str, text: str, *, derived: bool = False) -> Page:
    """Return a page whose id is its path below the folder.

    Args:
        data: the bytes of the file.
        name: path below the folder.
        title: may be empty: the name of the file without its suffix is taken.
        text: what is searched.
        derived: the text is what a library makes of the bytes, so it is part of the fingerprint.
    """
    title = title or PurePosixPath(name).stem
    digest = hashlib.sha256(data).hexdigest()
    return Page(
        document=Document(id=nfc(name), title=title, text=text if text.strip() else "", source=name),
        written_id=name,
        id_line=None,
        sha256=sha256_json([digest, title, text]) if derived else digest,
        bom=not derived and data.startswith(b"\xef\xbb\xbf"),
        crlf=not derived and b"\r" in data,
    )


def walk(root: Path, problems: list[Problem], linked: list[str]) -> list[str]:
    """Return the paths below ``root`` of all files, dot files and linked folders (``linked``) left out."""
    names = []
    for folder, folders, files in os.walk(root, onerror=lambda error: _unreadable(error, problems)):
        base = Path(folder).relative_to(root)
        shown = [name for name in folders if not name.startswith(".")]
        links = {name for name in shown if os.path.islink(os.path.join(folder, name))}
        linked += [(base / name).as_posix() for name in sorted(links)]
        folders[:] = [name for name in shown if name not in links]
        names += [(base / name).as_posix() for name in files if not name.startswith(".")]
    return sorted(names, key=lambda name: (nfc(name), name))


def linked_note(linked: list[str]) -> str:
    """Return the note on linked folders."""
    return f"{counted(len(linked), 'linked folder')} not entered: {printable(some(sorted(linked)))}"


def printable(name: str) -> str:
    """Return a file's name such that it can be printed whatever its bytes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def read_regular(root: Path, name: str) -> tuple[bytes, str]:
    """Return the bytes of a file below ``root``, and its path for messages.

    Raises:
        InputError: its name isn't UTF-8, it isn't a regular file, or it can't be read.
    """
    path = root / name
    file = printable(str(path))
    if not is_unicode(name):
        raise InputError(Problem(file=file, message="the name of the file must be UTF-8; rename it"))
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(Problem(file=file, message="must be a regular file, found a pipe or a device"))
    return read_bytes(path), file


def _names(root: Path, kind: Kind, problems: list[Problem], notes: list[str]) -> list[str]:
    """Return the paths of the files of a kind below the folder, in reading order."""
    if not os.path.isdir(root):
        found = "found a file" if os.path.exists(root) else "there is nothing at this path"
        problems.append(Problem(file=str(root), message=f"must be a folder of {kind.what} files, {found}"))
        return []
    linked: list[str] = []
    there = walk(root, problems, linked)
    names = [name for name in there if name.endswith(kind.suffixes)]
    others = [name for name in there if not name.endswith(kind.suffixes) and name.lower().endswith(kind.lookalikes)]
    if linked:
        notes.append(linked_note(linked))
    if others:
        left = f"{counted(len(others), 'file')} left out, because only names in {kind.endings} are read"
        notes.append(f"{left}: {printable(some(sorted(others)))}")
    if not names and not problems:
        hint = f" ({notes[-1]})" if notes else ""
        message = f"holds no {kind.what} file; wanted at least one whose name ends in {kind.endings}{hint}"
        problems.append(Problem(file=str(root), message=message))
    return names


def _unreadable(error: OSError, problems: list[Problem]) -> None:
    message = f"can't be read: {error.strerror or type(error).__name__}"
    problems.append(Problem(file=printable(str(error.filename)), message=message))


def _page(root: Path, name: str, kind: Kind) -> Page:
    data, file = read_regular(root, name)
    return kind.page(data, file, name)


def _id_faults(root: Path, pages: Iterable[Page]) -> list[Problem]:
    ids = Ids(kind="document", cure="give one of the two another id in its front matter, or rename it")
    problems = []
    for page in pages:
        fault = ids.add(page.written_id, f"by {root / page.document.source}")
        if fault:
            file = str(root / page.document.source)
            problems.append(Problem(file=file, line=page.id_line, message=fault))
    return problems


def _notes(pages: list[Page], blank: tuple[str, ...]) -> list[str]:
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
