"""Reads files of one JSON object a line (``corpus.jsonl``, ``queries.jsonl``), a line at a time."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from harness.collection.reading import is_unicode
from harness.errors import Problem

_ABSENT = "is required and absent; every line needs this key"
_BOM = b"\xef\xbb\xbf"


class Hasher(Protocol):
    """What ``hashlib`` objects offer and a reader needs."""

    def update(self, data: bytes, /) -> object: ...  # noqa: D102


class Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, as they stand in the file."""


def no_constant(name: str) -> Any:
    """Refuse ``NaN`` and its like, which JSON doesn't have."""
    raise ValueError(f"{name} isn't valid JSON; write null or a number")


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, but refuse one in which a key stands twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        name = next(key for place, (key, _) in enumerate(pairs) if key in [other for other, _ in pairs[:place]])
        raise ValueError(f"the key {name[:80]!r} stands twice in one object; keep one")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_constant=no_constant)


@dataclass(slots=True)
class JsonLines:
    """Reads a file of one JSON object a line, once, and hashes its bytes meanwhile; ``keys`` None takes all."""

    path: Path
    hasher: Hasher
    keys: tuple[str, ...] | None
    problems: list[Problem] = field(default_factory=list)
    present: tuple[str, ...] = ()
    """All keys of the line that was yielded last."""

    def fault(self, line: int | None, message: str, key: str | None = None) -> None:
        """Note that a line can't be used."""
        self.problems.append(Problem(file=str(self.path), line=line, field=key, message=message))

    def read(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the 1-based line and the wanted keys of every object; faults go to ``problems``.

        A line ends at ``\\n`` only: U+2028 and its like may stand in a text. Blank lines are skipped.
        """
        try:
            with gzip.open(self.path) if self.path.suffix == ".gz" else self.path.open("rb") as stream:
                for line, raw in enumerate(stream, 1):
                    self.hasher.update(raw)
                    data = raw.removeprefix(_BOM) if line == 1 else raw
                    if data.strip():
                        found = self._object(line, data)
                        if found is not None:
                            yield line, found
        except (OSError, EOFError, zlib.error, ValueError) as error:
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
        if not isinstance(value, Pairs):
            names = f" with {', '.join(self.keys)}" if self.keys else ""
            self.fault(line, f"must be a JSON object{names}, found {json_kind(value)}")
            return None
        self.present = tuple(dict.fromkeys(key for key, _ in value))
        wanted = [pair for pair in value if self.keys is None or pair[0] in self.keys]
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
        wrong = f"must be a text or a whole number, found {json_kind(value)}; write the id in quotes"
        self.fault(line, wrong if key in fields else _ABSENT, key)
        return None

    def text(self, line: int, fields: Mapping[str, Any], key: str, *, optional: bool = False) -> str | None:
        """Return the text under ``key``; with ``optional``, an absent key or null is an empty text."""
        value = fields.get(key)
        if value is None and optional:
            return ""
        if not isinstance(value, str):
            wrong = f"must be a text, found {json_kind(value)}; write it in double quotes"
            self.fault(line, wrong if key in fields else _ABSENT, key)
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
    return "an object" if isinstance(value, Pairs) else "a list"
