"""What the readers share: a reading with its faults, ids that are unique, words for messages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from harness.errors import InputError, Problem
from harness.records import GoldenSet
from harness.wording import counted

T = TypeVar("T")
MOST_PROBLEMS = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[T]):
    """What a reader made of its files.

    Attributes:
        value: the result; with problems, the part that could be read, or None.
        problems: everything that is wrong with the files.
    """

    value: T | None
    problems: tuple[Problem, ...] = ()

    def result(self) -> T:
        """Return the value.

        Raises:
            InputError: there are problems.
        """
        if self.problems or self.value is None:
            raise InputError(capped(self.problems))
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenFile:
    """A golden set and where its parts stand, for messages.

    Attributes:
        golden: the questions with their judgments.
        query_file: the file that holds the questions.
        query_lines: question id → line in ``query_file``.
        judgment_file: the file that holds the judgments.
        judgment_lines: (question id, document id) → line in ``judgment_file``.
        quote_lines: question id → line in ``query_file`` of each of its quotes, in their order.
    """

    golden: GoldenSet
    query_file: str
    query_lines: Mapping[str, int]
    judgment_file: str
    judgment_lines: Mapping[tuple[str, str], int]
    quote_lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


def capped(problems: Iterable[Problem]) -> list[Problem]:
    """Keep the first 100 problems of each file; one more problem says how many were left out."""
    kept: list[Problem] = []
    count: Counter[str | None] = Counter()
    for problem in problems:
        count[problem.file] += 1
        if count[problem.file] <= MOST_PROBLEMS:
            kept.append(problem)
    for file, found in count.items():
        if found > MOST_PROBLEMS:
            kept.append(Problem(file=file, message=f"and {found - MOST_PROBLEMS} more problems in this file"))
    return kept


def some(names: Iterable[str], most: int = 5) -> str:
    """Return the first few names, comma-separated, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def blank_note(sources: Sequence[str]) -> str:
    """Return the note that says which documents hold no text."""
    kept = "holds no text and is" if len(sources) == 1 else "hold no text and are"
    return f"{counted(len(sources), 'document')} {kept} never retrieved: {some(sources)}"


def is_unicode(text: str) -> bool:
    """Say whether the text can be written as UTF-8, that is, holds no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def nfc(text: str) -> str:
    """Return the NFC form, as a plain ``str``."""
    return str(unicodedata.normalize("NFC", text))


def id_fault(text: str) -> str | None:
    """Return what is wrong with an id, or None."""
    if not text.strip():
        return f"an id must not be empty, found {text!r}; give it one"
    if _CONTROL.search(text):
        return f"an id must hold no control character such as a tab or a line break, found {text!r}; rename it"
    if not is_unicode(text):
        return f"an id must be valid Unicode, found {text!r} with half of a surrogate pair; rename it"
    return None


@dataclass(slots=True)
class Ids:
    """The ids of one kind that were seen so far, NFC-normalised."""

    kind: str
    cure: str = "rename or delete one"
    _seen: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, text: str, place: str) -> str | None:
        """Enter an id; return what is wrong with it, or None.

        Args:
            text: the id as it is written.
            place: where it is written, as it reads after "first given" (``on line 3``).
        """
        fault = id_fault(text)
        if fault:
            return fault
        name = nfc(text)
        if name not in self._seen:
            self._seen[name] = (text, place)
            return None
        written, where = self._seen[name]
        if written == text:
            return f"duplicate {self.kind} id {text!r}, first given {where}; {self.cure}"
        return (
            f"{self.kind} id {text!r} is the same as the one first given {where} once both are "
            f"NFC-normalised, although their characters differ; {self.cure}"
        )
