"""What the readers share: a reading with its faults, ids that are unique, lines of JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from harness.errors import InputError, Problem
from harness.records import GoldenSet

T = TypeVar("T")
MOST_PROBLEMS = 100
BOM = b"\xef\xbb\xbf"
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
    """

    golden: GoldenSet
    query_file: str
    query_lines: Mapping[str, int]
    judgment_file: str
    judgment_lines: Mapping[tuple[str, str], int]


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


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return ``1 file``, ``2 files``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def some(names: Iterable[str], most: int = 5) -> str:
    """Return the first few names, comma-separated, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


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
        written, where = self._seen.setdefault(nfc(text), (text, place))
        if where == place and written == text:
            return None
        if written == text:
            return f"duplicate {self.kind} id {text!r}, first given {where}; {self.cure}"
        return (
            f"{self.kind} id {text!r} is the same as the one first given {where} once both are "
            f"NFC-normalised, although their characters differ; {self.cure}"
        )


class Hasher(Protocol):
    """What ``hashlib`` objects offer and a reader needs."""

    def update(self, data: bytes, /) -> object: ...  # noqa: D102


class _Fields(list[tuple[str, Any]]):
    """The keys and values of a JSON object, as they stand in the file."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} isn't valid JSON; write null or a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_Fields, parse_constant=_no_constant)


@dataclass(slots=True)
class JsonLines:
    """Reads a file of one JSON object a line, once, and hashes its bytes meanwhile."""

    path: Path
    hasher: Hasher
    keys: tuple[str, ...]
    problems: list[Problem] = field(default_factory=list)

    def fault(self, line: int | None, message: str, key: str | None = None) -> None:
        """Note that a line can't be used."""
        self.problems.append(Problem(file=str(self.path), line=line, field=key, message=message))

    def read(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the 1-based line and the wanted keys of every object; faults go to ``problems``.

        A line ends at ``\\n`` only: U+2028 and its like may stand in a text. Blank lines are skipped.
        """
        try:
            with self.path.open("rb") as stream:
                for line, raw in enumerate(stream, 1):
                    self.hasher.update(raw)
                    data = raw.removeprefix(BOM) if line == 1 else raw
                    if data.strip():
                        found = self._object(line, data)
                        if found is not None:
                            yield line, found
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.fault(None, f"can't be read: {reason}")

    def _object(self, line: int, data: bytes) -> Mapping[str, Any] | None:
        try:
            value = _DECODER.decode(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            bad = data[error.start]
            self.fault(line, f"must be UTF-8, found byte 0x{bad:02x} at byte {error.start + 1}; save it as UTF-8")
            return None
        except json.JSONDecodeError as error:
            at = f"{error.msg} at column {error.colno}"
            self.fault(line, f"isn't valid JSON: {at}; write one object a line, texts in double quotes")
            return None
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            self.fault(line, f"isn't valid JSON: {reason}")
            return None
        if not isinstance(value, _Fields):
            self.fault(line, f"must be a JSON object with {', '.join(self.keys)}, found {json_kind(value)}")
            return None
        wanted = [pair for pair in value if pair[0] in self.keys]
        result = dict(wanted)
        for key in sorted(result) if len(result) < len(wanted) else ():
            if sum(name == key for name, _ in wanted) > 1:
                self.fault(line, "duplicate key; keep one", key)
                return None
        return result

    def id(self, line: int, fields: Mapping[str, Any], key: str) -> str | None:
        """Return the id under ``key`` as text; an integer becomes its digits."""
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str):
            return value
        found = json_kind(value) if key in fields else "no such key"
        self.fault(line, f"must be a text or a whole number, found {found}; write the id in quotes", key)
        return None

    def text(self, line: int, fields: Mapping[str, Any], key: str, *, optional: bool = False) -> str | None:
        """Return the text under ``key``; with ``optional``, an absent key or null is an empty text."""
        value = fields.get(key)
        if value is None and optional:
            return ""
        if not isinstance(value, str):
            found = json_kind(value) if key in fields else "no such key"
            self.fault(line, f"must be a text, found {found}; write it in double quotes", key)
            return None
        if not is_unicode(value):
            self.fault(line, "holds half of a surrogate pair (\\ud800 to \\udfff); write the whole character", key)
            return None
        return value


def json_kind(value: Any) -> str:
    """Return how a person would name a JSON value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"the number {value!r}" if isinstance(value, float) or abs(value) < 10**20 else "a number"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return "an object" if isinstance(value, _Fields) else "a list"
