"""Reads SQuAD JSON: each paragraph is a document, and each question is answered by its paragraph.

Shape: ``{"data": [{"title": …, "paragraphs": [{"context": …, "qas": [{"id": …, "question": …}]}]}]}``; other keys
are ignored. A paragraph's own ``id`` is used when it has one; otherwise a document is called after its title and
its number among the paragraphs of that title (``Oxygen/3``). Paragraphs with the same text, white space apart,
are one document: the first; the questions of the others are answered by it. ``is_impossible: true`` makes a
question that the corpus can't answer.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.collection.jsonlines import each_key_once, json_kind, no_constant
from harness.collection.opening import read_unpacked
from harness.collection.reading import GoldenFile, Ids, Reading, blank_note, is_unicode, nfc, some
from harness.collection.sources import GoldenSource
from harness.errors import InputError, Problem
from harness.records import Corpus, Document, GoldenSet, Judgments, Query
from harness.wording import counted
from harness.yamlfile import decode

_WANTED = {str: "a text", list: "a list", dict: "an object", bool: "true or false"}


def scan_squad_corpus(path: Path) -> Reading[Corpus]:
    """Read the paragraphs of a file, in its order; ``Document.text`` is the paragraph alone, without the title."""
    book, digest = _read(path)
    documents = tuple(book.documents.values())
    blank = tuple(document.source for document in documents if not document.text)
    if not book.problems and len(blank) == len(documents):
        book.fault("data", f"must hold at least one paragraph with text, found {some(blank) or 'none'}")
    if book.problems:
        return Reading(value=None, problems=tuple(book.problems))
    notes = [book.note] if book.note else []
    notes += [blank_note(blank)] if blank else []
    return Reading(value=Corpus(documents=documents, sha256=digest, blank=blank, notes=tuple(notes)))


def scan_squad_golden(source: GoldenSource, split: str) -> Reading[GoldenFile]:
    """Read the questions of a file; all of them are in the split that is asked for. Judgments are ``partial``."""
    book, digest = _read(source.path)
    if not book.problems and not book.queries:
        book.fault("data", "must hold at least one question in 'qas', found none")
    if book.problems:
        return Reading(value=None, problems=tuple(book.problems))
    queries = tuple(
        Query(id=name, text=text, split=split, answerable=document is not None)
        for name, (text, document) in book.queries.items()
    )
    grades = {name: {} if document is None else {document: 1} for name, (_, document) in book.queries.items()}
    golden = GoldenSet(queries=queries, judgments=Judgments(exhaustive=False, grades=grades), sha256=digest)
    file = str(source.path)
    return Reading(
        value=GoldenFile(golden=golden, query_file=file, query_lines={}, judgment_file=file, judgment_lines={})
    )


def _read(path: Path) -> tuple[_Book, str]:
    book = _Book(file=str(path))
    try:
        data = read_unpacked(path)
        value = json.loads(decode(data, str(path)), object_pairs_hook=each_key_once, parse_constant=no_constant)
    except InputError as error:
        book.problems.extend(error.problems)
        return book, ""
    except json.JSONDecodeError as error:
        message = f"isn't valid JSON: {error.msg} at column {error.colno}"
        book.problems.append(Problem(file=str(path), line=error.lineno, message=message))
        return book, ""
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        book.problems.append(Problem(file=str(path), message=f"isn't valid JSON: {reason}"))
        return book, ""
    book.read(value)
    return book, hashlib.sha256(data).hexdigest()


@dataclass(slots=True)
class _Book:
    """Goes through a file once; both readers take from it what they need."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    queries: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    by_text: dict[str, str] = field(default_factory=dict)
    numbers: Counter[str] = field(default_factory=Counter)
    repeated: list[str] = field(default_factory=list)
    document_ids: Ids = field(default_factory=lambda: Ids(kind="document"))
    query_ids: Ids = field(default_factory=lambda: Ids(kind="question"))

    @property
    def note(self) -> str | None:
        """The sentence on paragraphs that stand more than once."""
        times = counted(len(self.repeated), "paragraph")
        shown = f"{times} with the text of an earlier one, taken as that one: {some(self.repeated)}"
        return shown if self.repeated else None

    def fault(self, place: str | None, message: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(file=self.file, field=place, message=message))

    def read(self, value: Any) -> None:
        """Enter a whole file."""
        if not isinstance(value, dict):
            self.fault(None, f"must be a JSON object with the key 'data', found {_kind(value)}")
            return
        for place, article in self._objects(value, "data", ""):
            title = self._get(article, "title", str, place, otherwise="")
            for at, paragraph in self._objects(article, "paragraphs", f"{place}."):
                document = self._paragraph(at, paragraph, " ".join((title or "").split()))
                for here, question in self._objects(paragraph, "qas", f"{at}.", otherwise=[]):
                    self._question(here, question, document)

    def _paragraph(self, place: str, paragraph: dict[str, Any], title: str) -> str | None:
        """Enter a paragraph; return the id of its document."""
        context = self._get(paragraph, "context", str, place)
        self.numbers[nfc(title)] += 1
        if context is None:
            return None
        made = f"{title or 'untitled'}/{self.numbers[nfc(title)]}"
        written = self._get(paragraph, "id", str, place, otherwise=made)
        if written is None:
            return None
        text = context if context.strip() else ""
        before = self.by_text.get(nfc(" ".join(text.split())))
        if before is not None and text:
            self.repeated.append(written)
            return before
        fault = self.document_ids.add(written, f"at {place}")
        if fault:
            self.fault(f"{place}.id" if "id" in paragraph else place, fault)
            return None
        name = nfc(written)
        self.by_text[nfc(" ".join(text.split()))] = name
        self.documents[name] = Document(id=name, title=title, text=text, source=place)
        return name

    def _question(self, place: str, question: dict[str, Any], document: str | None) -> None:
        given = question.get("id")
        written = str(given) if type(given) is int else self._get(question, "id", str, place)
        text = self._get(question, "question", str, place)
        impossible = self._get(question, "is_impossible", bool, place, otherwise=False)
        if written is None or text is None or impossible is None:
            return
        fault = self.query_ids.add(written, f"at {place}")
        if fault:
            self.fault(f"{place}.id", fault)
            return
        if not text.strip():
            self.fault(f"{place}.question", "must not be blank; write the question")
        if document is not None or impossible:
            self.queries[nfc(written)] = (text, None if impossible else document)

    def _objects(
        self, holder: dict[str, Any], key: str, before: str, otherwise: Any = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        listed = self._get(holder, key, list, before.rstrip("."), otherwise=otherwise)
        for number, value in enumerate(listed or ()):
            place = f"{before}{key}[{number}]"
            if isinstance(value, dict):
                yield place, value
            else:
                self.fault(place, f"must be an object, found {_kind(value)}")

    def _get(self, holder: dict[str, Any], key: str, kind: type, place: str, otherwise: Any = None) -> Any:
        """Return a value of a kind, or None after a fault; an absent or null one is ``otherwise``."""
        value = holder.get(key)
        where = f"{place}.{key}" if place else key
        if value is None and otherwise is not None:
            return otherwise
        if not isinstance(value, kind):
            found = f"found {_kind(value)}" if key in holder else f"there is none among {some(map(repr, holder), 8)}"
            self.fault(where, f"must be {_WANTED[kind]}, {found}")
            return None
        if isinstance(value, str) and not is_unicode(value):
            self.fault(where, "holds half of a surrogate pair (\\ud800 to \\udfff); write the whole character")
            return None
        return value


def _kind(value: Any) -> str:
    return "an object" if isinstance(value, dict) else json_kind(value)
