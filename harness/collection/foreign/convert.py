"""Entries of another tool's file → a golden set, with a line on what was made of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from harness.collection.cells import UnfitError, flag_of, id_of, labels_of, text_of
from harness.collection.foreign.entries import Entry, read_entries
from harness.collection.foreign.gold import GoldReader, grade_of
from harness.collection.foreign.keys import assign, listed
from harness.collection.reading import GoldenFile, capped, nfc
from harness.errors import InputError, Problem
from harness.records import GoldenSet, Judgments, Query
from harness.wording import counted

Empty = Literal["refuse", "unanswerable", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the caller knows about a file.

    Attributes:
        keys: part (``id``, ``question``, ``gold``) → the key that plays it.
        separator: what stands between ids that share a text.
        empty: what a question without relevant documents means.
        exhaustive: whether every document that isn't listed was judged not relevant.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    separator: str | None = None
    empty: Empty = "refuse"
    exhaustive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A golden set out of another tool's file.

    Attributes:
        file: the golden set, with places in the other tool's file.
        report: a line on the file, and one on each entry.
    """

    file: GoldenFile
    report: tuple[str, ...]


def convert(path: Path, wishes: Wishes, known: frozenset[str] | None = None) -> Conversion:
    """Read a file of questions of another tool.

    Args:
        path: the file; its suffix says whether it is JSON, JSONL, CSV, TSV, Parquet or YAML.
        wishes: what the caller knows about it.
        known: ids of the documents, where they are at hand; they tell one id from several.

    Raises:
        InputError: everything that is wrong, or that could be read in two ways.
    """
    entries, shape = read_entries(path)
    names = dict.fromkeys(name for entry in entries for name in entry.fields)
    roles, faults = assign(names, wishes.keys)
    if faults:
        raise InputError([Problem(file=str(path), message=fault) for fault in faults])
    gold = GoldReader(known=known, separator=wishes.separator)
    book = _Book(path=str(path), roles=roles, wishes=wishes, gold=gold, width=len(str(len(entries))))
    for entry in entries:
        book.enter(entry)
    book.settle()
    if not book.questions and not book.problems:
        book.problems.append(Problem(file=str(path), message="holds no question with a relevant document"))
    if book.problems:
        raise InputError(capped(book.problems))
    played = ", ".join(f"{role} = {key!r}" for role, key in roles.items())
    ignored = [name for name in names if name and name not in roles.values()]
    left = (f"ignored: {listed(ignored)}",) if ignored else ()
    return Conversion(file=book.golden(), report=(f"{shape}; {played}", *left, *book.report()))


@dataclass(slots=True)
class _Question:
    name: str
    text: str
    entry: Entry
    split: str
    tags: tuple[str, ...]
    answerable: bool
    grades: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Book:
    path: str
    roles: Mapping[str, str]
    wishes: Wishes
    gold: GoldReader
    width: int
    questions: dict[str, _Question] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    done: list[tuple[Entry, str, str]] = field(default_factory=list)

    def fault(self, entry: Entry, message: str, role: str | None = None) -> None:
        """Note a problem of an entry."""
        key = self.roles.get(role, role) if role else None
        where = key if entry.line is not None else " ".join(part for part in (entry.place, key) if part)
        self.problems.append(Problem(file=self.path, line=entry.line, field=where, message=message))

    def enter(self, entry: Entry) -> None:
        """Take in one entry; it may add documents to a question that was there already."""
        before = len(self.problems)
        text = self._read(entry, "question", text_of)
        name = self._read(entry, "id", id_of) if "id" in self.roles else ""
        grades, how = self._grades(entry)
        split = self._read(entry, "split", text_of) if "split" in self.roles else ""
        tags = self._read(entry, "tags", lambda value: labels_of(value, None)) if "tags" in self.roles else ()
        answerable = self._answerable(entry)
        if text is not None and not text.strip():
            self.fault(entry, f"must not be blank, found {text!r}; write the question", "question")
        if len(self.problems) > before or text is None or name is None:
            return
        key = nfc(name or text)
        question = self.questions.get(key)
        if question is None:
            made = nfc(name) or f"q{len(self.questions) + 1:0{max(self.width, 3)}}"
            question = _Question(made, text, entry, split or "test", tags or (), answerable)
            self.questions[key] = question
        elif nfc(question.text) != nfc(text):
            self.fault(
                entry, f"{name!r} is another question at {question.entry.place}; give one of them another id", "id"
            )
            return
        else:
            how += f", joined with {question.entry.place}"
        for document, grade in grades.items():
            if question.grades.setdefault(document, grade) != grade:
                told = f"grade {question.grades[document]} before, {grade} here"
                self.fault(
                    entry, f"conflicting judgments of {question.name!r} and {document!r}: {told}; keep one", "gold"
                )
        self.done.append((entry, question.name, f"{how}: {counted(len(grades), 'document')}"))

    def settle(self) -> None:
        """Decide about the questions that have no relevant document once all entries are in."""
        for key, question in list(self.questions.items()):
            relevant = any(grade > 0 for grade in question.grades.values())
            if relevant and not question.answerable:
                self.fault(question.entry, "is said to have no answer, but has relevant documents; correct one of them")
            elif not relevant and question.answerable and self.wishes.empty == "drop":
                del self.questions[key]
                self.done.append((question.entry, question.name, "no relevant document: left out"))
            elif not relevant and question.answerable and self.wishes.empty == "unanswerable":
                question.answerable = False
                self.done.append((question.entry, question.name, "no relevant document: answerable: false"))
            elif not relevant and question.answerable:
                cure = "name one, or say what such questions are: --empty unanswerable, or --empty drop"
                self.fault(question.entry, f"has no relevant document; {cure}", "gold")

    def report(self) -> Iterator[str]:
        """Yield a line an entry."""
        for entry, name, what in self.done:
            yield f"{entry.place}: {name}: {what}"

    def golden(self) -> GoldenFile:
        """Return the golden set; its fingerprint is that of the file that will be written, so there is none yet."""
        asked = list(self.questions.values())
        queries = tuple(
            Query(id=each.name, text=each.text, split=each.split, tags=each.tags, answerable=each.answerable)
            for each in asked
        )
        grades = {each.name: each.grades for each in asked}
        lines = {each.name: each.entry.line for each in asked if each.entry.line is not None}
        judgments = Judgments(exhaustive=self.wishes.exhaustive, grades=grades)
        return GoldenFile(
            golden=GoldenSet(queries=queries, judgments=judgments, sha256=""),
            query_file=self.path,
            query_lines=lines,
            judgment_file=self.path,
            judgment_lines={(name, document): line for name, line in lines.items() for document in grades[name]},
        )

    def _read(self, entry: Entry, role: str, read: Any) -> Any:
        """Return what plays a part in an entry; None after a fault."""
        key = self.roles[role]
        if key not in entry.fields and role in ("id", "question"):
            self.fault(entry, f"is absent here; the keys there are: {listed(entry.fields)}", role)
            return None
        try:
            return read(entry.fields.get(key))
        except UnfitError as error:
            self.fault(entry, str(error), role)
            return None

    def _silent(self, entry: Entry, role: str) -> bool:
        """Say whether nothing in an entry plays a part."""
        return role not in self.roles or entry.fields.get(self.roles[role]) in (None, "")

    def _grades(self, entry: Entry) -> tuple[dict[str, int], str]:
        read = self._read(entry, "gold", self.gold.read)
        if read is None:
            return {}, ""
        grades, how = read
        if self._silent(entry, "grade"):
            return grades, how
        value = self._read(entry, "grade", grade_of)
        if value is not None and len(grades) != 1:
            self.fault(entry, f"is one grade for {counted(len(grades), 'document')}; give each its own", "grade")
        return dict.fromkeys(grades, value if value is not None else 1), f"{how} with its grade"

    def _answerable(self, entry: Entry) -> bool:
        said = self._read(entry, "answerable", flag_of) if "answerable" in self.roles else True
        if self._silent(entry, "impossible"):
            return said is not False
        return said is not False and self._read(entry, "impossible", flag_of) is False


def split_sizes(golden: GoldenSet) -> str:
    """Return how many questions each split holds, in words."""
    sizes = Counter(query.split for query in golden.queries)
    return ", ".join(f"{size} in split {name}" for name, size in sizes.items())
