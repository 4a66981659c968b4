"""Reads a golden set written as YAML.

A file declares ``judgments: exhaustive`` (every document not listed was judged 0) or ``partial``, and lists
its ``queries``. An entry has ``id``, ``question`` and ``gold``: a list of document ids, or a mapping of
document id to grade. Optional: ``split`` (``test`` when left out), ``tags``, ``intent``, ``need``,
``evidence`` (quotes from gold documents that carry the answer, each with its ``document``), and
``answerable: false`` for a question that the corpus can't answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Tag, ValidationError

from harness.collection.reading import GoldenFile, Ids, Reading, nfc, some
from harness.errors import InputError, Problem
from harness.records import GoldenSet, Judgments, Query, Quote
from harness.yamlfile import Id, Location, YamlFile, decode, dotted, read_bytes, scan_yaml, validate


def read_golden_yaml(path: Path) -> GoldenSet:
    """Read a YAML golden set.

    Raises:
        InputError: malformed YAML, an unknown key, a value of another type, an id that isn't unique or that
            YAML readers would change, a blank question, a question without relevant documents that doesn't
            say ``answerable: false`` (or one with them that does), one ``intent`` in two splits, a quote that is
            blank or not from a gold document; all that were found, each with its line.
    """
    return scan_golden_yaml(path).result().golden


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Evidence(_Strict):
    document: Id
    quote: str


def _shape(value: Any) -> str | None:
    return "<list>" if isinstance(value, list) else "<mapping>" if isinstance(value, dict) else None


_Gold = Annotated[
    Annotated[list[Id], Tag("<list>")] | Annotated[dict[Id, int], Tag("<mapping>")],
    Discriminator(
        _shape,
        custom_error_type="gold_type",
        custom_error_message="Input should be a list of document ids, or a mapping of document id to grade",
    ),
]


class _Entry(_Strict):
    id: Id
    question: str
    gold: _Gold = []
    split: str = "test"
    tags: list[str] = []
    intent: str | None = None
    need: str | None = None
    evidence: list[_Evidence] = []
    answerable: bool = True


class _File(_Strict):
    judgments: Literal["exhaustive", "partial"]
    queries: list[_Entry]


def scan_golden_yaml(path: Path) -> Reading[GoldenFile]:
    """Read like ``read_golden_yaml``, but hand the faults over; the entries without fault are kept."""
    problems: list[Problem] = []
    try:
        data = read_bytes(path)
        source = scan_yaml(decode(data, str(path)), str(path))
    except InputError as error:
        return Reading(value=None, problems=error.problems)
    try:
        validate(_File, source)
    except InputError as error:
        problems.extend(error.problems)
    book = _Book(source=source)
    for index, entry in _entries(source):
        book.enter(index, entry)
    if not problems and not book.queries and not book.problems:
        book.fault(("queries",), "must hold at least one question, found an empty list")
    exhaustive = isinstance(source.value, dict) and source.value.get("judgments") == "exhaustive"
    golden = GoldenSet(
        queries=tuple(book.queries),
        judgments=Judgments(exhaustive=exhaustive, grades=book.grades),
        sha256=hashlib.sha256(data).hexdigest(),
    )
    file = GoldenFile(
        golden=golden,
        query_file=source.path,
        query_lines=book.query_lines,
        judgment_file=source.path,
        judgment_lines=book.judgment_lines,
        quote_lines=book.quote_lines,
    )
    problems.extend(book.problems)
    problems.sort(key=lambda problem: problem.line or 0)
    return Reading(value=file, problems=tuple(problems))


def _entries(source: YamlFile) -> Iterator[tuple[int, _Entry]]:
    """Yield the entries that fit the schema; ``validate`` has reported the others."""
    listed = source.value.get("queries") if isinstance(source.value, dict) else None
    for index, value in enumerate(listed if isinstance(listed, list) else ()):
        try:
            yield index, _Entry.model_validate(value)
        except ValidationError:
            continue


@dataclass(slots=True)
class _Book:
    """Checks one entry after the other by the rules a schema can't express."""

    source: YamlFile
    problems: list[Problem] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    grades: dict[str, dict[str, int]] = field(default_factory=dict)
    query_lines: dict[str, int] = field(default_factory=dict)
    judgment_lines: dict[tuple[str, str], int] = field(default_factory=dict)
    quote_lines: dict[str, tuple[int, ...]] = field(default_factory=dict)
    intents: dict[str, tuple[str, int]] = field(default_factory=dict)
    ids: Ids = field(default_factory=lambda: Ids(kind="question"))

    def fault(self, location: Location, message: str) -> None:
        line = self.source.line(location)
        problem = Problem(file=self.source.path, line=line, field=dotted(location), message=message)
        self.problems.append(problem)

    def line(self, location: Location) -> int:
        return self.source.line(location) or 1

    def enter(self, index: int, entry: _Entry) -> None:
        """Check an entry and take it in; an entry whose id is unusable or taken is left out."""
        place: Location = ("queries", index)
        at = self.line((*place, "id"))
        fault = self.ids.add(entry.id, f"on line {at}")
        if fault:
            self.fault((*place, "id"), fault)
        for key in ("question", "split", "intent"):
            value = getattr(entry, key)
            if value is not None and not value.strip():
                self.fault((*place, key), f"must not be blank, found {value!r}; write the {key}")
        grades = self._gold(place, entry)
        quotes = self._evidence(place, entry, grades)
        self._intent(place, entry)
        if fault:
            return
        name = nfc(entry.id)
        self.query_lines[name] = at
        self.grades[name] = {document: grade for document, (grade, _) in grades.items()}
        self.quote_lines[name] = tuple(self.line((*place, "evidence", at, "quote")) for at in range(len(quotes)))
        self.judgment_lines.update({(name, document): line for document, (_, line) in grades.items()})
        self.queries.append(
            Query(
                id=name,
                text=str(entry.question),
                split=str(entry.split),
                tags=tuple(str(tag) for tag in entry.tags),
                intent=None if entry.intent is None else str(entry.intent),
                need=None if entry.need is None else str(entry.need),
                answerable=entry.answerable,
                evidence=quotes,
            )
        )

    def _gold(self, place: Location, entry: _Entry) -> dict[str, tuple[int, int]]:
        """Return document id → (grade, line)."""
        listed: list[tuple[str | int, str, int]] = (
            [(name, name, grade) for name, grade in entry.gold.items()]
            if isinstance(entry.gold, dict)
            else [(at, name, 1) for at, name in enumerate(entry.gold)]
        )
        found: dict[str, tuple[int, int]] = {}
        ids = Ids(kind="gold document", cure="keep one")
        for key, name, grade in listed:
            location = (*place, "gold", key)
            line = self.line(location)
            fault = ids.add(name, f"on line {line}")
            if fault:
                self.fault(location, fault)
            else:
                found[nfc(name)] = (grade, line)
        relevant = any(grade > 0 for grade, _ in found.values())
        if entry.answerable and not relevant and len(found) == len(listed) and not self._broken(place):
            what = "only grades below 1" if found else "none"
            wanted = "must name at least one relevant document"
            cure = "name it, or say 'answerable: false' when the corpus holds no answer"
            self.fault((*place, "gold"), f"{wanted}, found {what}; {cure}")
        if relevant and not entry.answerable:
            cure = "delete 'answerable: false', or leave the list empty"
            self.fault((*place, "answerable"), f"is false although gold names relevant documents; {cure}")
        return found

    def _evidence(self, place: Location, entry: _Entry, grades: dict[str, tuple[int, int]]) -> tuple[Quote, ...]:
        """Return the quotes; each must hold text and name a relevant document of the entry."""
        gold = [document for document, (grade, _) in grades.items() if grade > 0]
        for at, given in enumerate(entry.evidence):
            location = (*place, "evidence", at)
            if not given.quote.strip():
                self.fault((*location, "quote"), f"must not be blank, found {given.quote!r}; quote the document")
            if nfc(given.document) not in gold and not self._broken(place):
                wanted = f"must be a relevant document of the question ({some(map(repr, gold)) or 'there is none'})"
                cure = "name one of them, add it to gold, or delete the quote"
                self.fault((*location, "document"), f"{wanted}, found {given.document!r}; {cure}")
        return tuple(Quote(document=nfc(given.document), text=str(given.quote)) for given in entry.evidence)

    def _broken(self, place: Location) -> bool:
        """Say whether a fault in the YAML has cost the gold of an entry a key."""
        gold = dotted((*place, "gold"))
        return any(problem.field == gold for problem in self.source.problems)

    def _intent(self, place: Location, entry: _Entry) -> None:
        if entry.intent is None:
            return
        line = self.line((*place, "intent"))
        split, first = self.intents.setdefault(nfc(entry.intent), (entry.split, line))
        if split != entry.split:
            other = f"split {split!r} on line {first} and {entry.split!r} here"
            message = f"questions with one intent must lie in one split; {entry.intent!r} is in {other}; move one"
            self.fault((*place, "intent"), message)
