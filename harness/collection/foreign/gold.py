"""What other tools write for the relevant documents of a question → document id and grade."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.collection.cells import UnfitError, id_of, kind
from harness.collection.foreign.keys import spelled
from harness.collection.jsonlines import each_key_once, no_constant
from harness.collection.reading import nfc

_SEPARATORS = (",", ";", "|", "\n", " ")
_TEXT = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_PYTHON_LIST = re.compile(rf"\[\s*{_TEXT}(?:\s*,\s*{_TEXT})*\s*,?\s*\]")
_ID_KEYS = ("id", "doc_id", "document_id", "corpus_id", "document", "doc", "source")
_GRADE_KEYS = ("grade", "score", "relevance")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldReader:
    """Reads the relevant documents of one question after the other.

    Attributes:
        known: ids of the corpus, or None when there is none to look at.
        separator: what stands between ids that share a text, or None.
    """

    known: frozenset[str] | None = None
    separator: str | None = None

    def read(self, value: Any) -> tuple[dict[str, int], str]:
        """Return document id → grade, and how it was read, in words.

        Raises:
            UnfitError: it can't be read, or could be read in two ways.
        """
        pairs, how = self._pairs(value)
        grades: dict[str, int] = {}
        for name, grade in pairs:
            written = nfc(id_of(name))
            if grades.setdefault(written, grade) != grade:
                raise UnfitError(f"gives {written!r} two grades, {grades[written]} and {grade}; keep one")
        repeated = len(pairs) - len(grades)
        return grades, f"{how}, {repeated} repeated" if repeated else how

    def _pairs(self, value: Any) -> tuple[list[tuple[Any, int]], str]:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return [], "nothing"
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, dict):
            return self._mapping(value)
        return [(id_of(value), 1)], "one id"

    def _list(self, value: list[Any]) -> tuple[list[tuple[Any, int]], str]:
        if all(isinstance(item, list) for item in value) and value:
            inner = [name for item in value for name in item]
            if not all(isinstance(name, str) for name in inner):
                raise UnfitError(
                    "holds lists with numbers or objects in them, which may be ids, or ids with their grades; "
                    "write a list of ids, or an object of id and grade"
                )
            return [(self._whole(name), 1) for name in inner], "a list of lists, flattened"
        if all(isinstance(item, dict) for item in value) and value:
            return [self._object(item) for item in value], "a list of objects"
        if all(type(item) in (str, int) or isinstance(item, str) for item in value):
            return [(self._whole(item), 1) for item in value], "a list of ids" if value else "an empty list"
        odd = next(item for item in value if not isinstance(item, str) and type(item) is not int)
        raise UnfitError(f"must hold ids alone, or objects alone, or lists alone; found {kind(odd)} among others")

    def _whole(self, item: Any) -> Any:
        """Return an item of a list as an id, unless it looks like a list itself."""
        if isinstance(item, str) and item.lstrip()[:1] in ("[", "{") and not self._knows(item):
            raise UnfitError(f"holds a list written as a text inside a list: {item[:60]!r}; write the ids themselves")
        return item

    def _mapping(self, value: Mapping[str, Any]) -> tuple[list[tuple[Any, int]], str]:
        if any(spelled(name) in _ID_KEYS and isinstance(held, str) for name, held in value.items()):
            return [self._object(value)], "an object"
        return [(name, grade_of(grade)) for name, grade in value.items()], "an object of grades"

    def _object(self, value: Mapping[str, Any]) -> tuple[Any, int]:
        names = [name for name in value if spelled(name) in _ID_KEYS]
        grades = [name for name in value if spelled(name) in _GRADE_KEYS]
        if len(names) != 1 or len(grades) > 1:
            shown = ", ".join(map(repr, list(value)[:8])) or "nothing"
            raise UnfitError(
                f"must hold objects with one id ({', '.join(_ID_KEYS)}) and at most one grade; found {shown}"
            )
        return value[names[0]], grade_of(value[grades[0]]) if grades else 1

    def _text(self, text: str) -> tuple[list[tuple[Any, int]], str]:
        bare = text.strip()
        if not bare:
            return [], "nothing"
        if bare[0] in "[{" and not self._knows(text):
            return self._written(bare)
        if self.separator is not None:
            return [(part, 1) for part in _parts(text, self.separator)], f"ids between {self.separator!r}"
        ways = {tuple(parts): separator for separator, parts in self._splits(bare)}
        if self._knows(text):
            ways[(text,)] = ""
        if len(ways) > 1 or (not ways and any(separator in bare for separator in _SEPARATORS)):
            doubt = "may be one id or several" if self.known is None else _doubt(len(ways))
            cure = "say what stands between ids with --separator"
            cure += ", or give the documents with --corpus" if self.known is None else ", or write a list"
            raise UnfitError(f"{doubt}: {text[:80]!r}; {cure}")
        if not ways or "" in ways.values():
            return [(text if self._knows(text) else bare, 1)], "one id"
        ((parts, separator),) = ways.items()
        return [(part, 1) for part in parts], f"ids between {separator!r}"

    def _splits(self, text: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the ways to cut a text into ids that are all in the corpus."""
        for separator in _SEPARATORS if self.known is not None else ():
            parts = _parts(text, separator)
            if len(parts) > 1 and all(self._knows(part) for part in parts):
                yield separator, parts

    def _knows(self, text: str) -> bool:
        return self.known is not None and nfc(text) in self.known

    def _written(self, text: str) -> tuple[list[tuple[Any, int]], str]:
        """Read a list or an object that is written as a text."""
        try:
            value = json.loads(text, object_pairs_hook=each_key_once, parse_constant=no_constant)
        except (ValueError, RecursionError):
            if not _PYTHON_LIST.fullmatch(text):
                cure = 'write it as JSON: ["a", "b"]'
                raise UnfitError(f"begins like a list or an object, but is neither: {text[:80]!r}; {cure}") from None
            return [(found[1:-1], 1) for found in re.findall(_TEXT, text)], "a Python list in a text"
        pairs, how = self._pairs(value)
        return pairs, f"{how} in a JSON text"


def grade_of(value: Any) -> int:
    """Return a grade: a whole number, also as ``2.0`` or in a text.

    Raises:
        UnfitError: it is none.
    """
    if isinstance(value, str) and re.fullmatch(r"[-+]?[0-9]{1,9}(\.0+)?", value.strip()):
        return int(float(value))
    if type(value) is int or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise UnfitError(f"must have a whole number as its grade, found {kind(value)}; write 0, 1 or 2")


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator) if part.strip()]


def _doubt(ways: int) -> str:
    return "can be read in several ways" if ways else "is no id of the corpus, nor are its parts"
