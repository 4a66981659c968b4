"""Reads TREC documents: ``<DOC>`` blocks with a ``<DOCNO>``, in a file or in all files of a folder, ``.gz`` or not.

The id is the ``<DOCNO>`` without the white space around it. The title is the first field that isn't empty of
``TITLE``, ``HEADLINE``, ``HL``, ``HEAD``, ``TTL``. The text is that of all fields in their order, but those that
only name the document (``DOCNO``, ``DOCID``, ``DOCOLDNO``, ``DOCHDR``).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harness.collection.folder import linked_note, printable, read_regular, walk
from harness.collection.opening import Lines, unpacked
from harness.collection.reading import Ids, Reading, blank_note, nfc, some
from harness.collection.sgml import blocks, fields, one_line, plain, without
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.records import Corpus, Document
from harness.wording import counted
from harness.yamlfile import decode

_TITLES = ("TITLE", "HEADLINE", "HL", "HEAD", "TTL")
_NAMES = ("DOCNO", "DOCID", "DOCOLDNO", "DOCHDR")
_BESIDE = ("topics", "qrels")


def scan_trec_documents(path: Path) -> Reading[Corpus]:
    """Read the documents of a file, or of all files below a folder in the order of their paths.

    In a folder, files that hold no ``<DOC>`` are left out with a note, and so, silently, are those whose name
    begins with ``topics``, ``qrels`` or a dot.
    """
    found = _Documents(path)
    for name in _names(found):
        try:
            found.read(name)
        except InputError as error:
            found.problems.extend(error.problems)
    return found.finish()


@dataclass(slots=True)
class _Documents:
    path: Path
    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hashes: list[list[str]] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    ids: Ids = field(default_factory=lambda: Ids(kind="document"))

    def read(self, name: str) -> None:
        """Enter the documents of one file."""
        root = self.path if name else self.path.parent
        data, file = read_regular(root, name or self.path.name)
        data = unpacked(data, file)
        if b"<doc" not in data.lower():
            self.without.append(name)
            return
        text = decode(data, file)
        lines = Lines(text)
        self.hashes.append([nfc(name), hashlib.sha256(data).hexdigest()])
        for at, block, closed in blocks(text, "DOC"):
            self._document(file, name or self.path.name, lines.at(at), block, closed=closed)

    def _document(self, file: str, name: str, line: int, block: str, *, closed: bool) -> None:
        numbers = fields(block, "DOCNO")
        fault = None
        if not closed:
            fault = "<DOC> isn't closed; end the document with </DOC>"
        elif len(numbers) != 1:
            fault = f"<DOC> must hold one <DOCNO>…</DOCNO>, found {len(numbers) or 'none'}; give the document one id"
        else:
            written = plain(numbers[0])
            fault = self.ids.add(written, f"at {name}:{line}")
        if fault:
            self.problems.append(Problem(file=file, line=line, message=fault))
            return
        titles = (one_line(held) for title in _TITLES for held in fields(block, title))
        title = next((found for found in titles if found), "")
        text = plain(without(block, _NAMES))
        self.documents.append(Document(id=nfc(written), title=title, text=text, source=f"{printable(name)}:{line}"))

    def finish(self) -> Reading[Corpus]:
        """Return the corpus, or what is wrong with it."""
        blank = tuple(document.source for document in self.documents if not document.text)
        if not self.problems and len(blank) == len(self.documents):
            found = f"no text in any of them: {some(blank)}" if blank else "no <DOC>"
            message = f"must hold at least one document (<DOC> … </DOC>) with text, found {found}"
            self.problems.append(Problem(file=str(self.path), message=message))
        if self.problems:
            return Reading(value=None, problems=tuple(self.problems))
        digest = sha256_json(self.hashes)
        notes = tuple(self._notes(blank))
        return Reading(value=Corpus(documents=tuple(self.documents), sha256=digest, blank=blank, notes=notes))

    def _notes(self, blank: tuple[str, ...]) -> Iterator[str]:
        if self.linked:
            yield linked_note(self.linked)
        if self.without:
            left = f"{counted(len(self.without), 'file')} left out, because no <DOC> is in"
            yield f"{left} {'it' if len(self.without) == 1 else 'them'}: {printable(some(self.without))}"
        if blank:
            yield blank_note(blank)


def _names(found: _Documents) -> list[str]:
    """Return the files to read, below the folder; the empty name is the path itself."""
    if os.path.isdir(found.path):
        there = walk(found.path, found.problems, found.linked)
        return [name for name in there if not name.rpartition("/")[2].lower().startswith(_BESIDE)]
    if os.path.exists(found.path):
        return [""]
    message = "must be a file or a folder of TREC documents (<DOC> … </DOC>), there is nothing at this path"
    found.problems.append(Problem(file=str(found.path), message=message))
    return []
