"""What a cell of a table may hold: ids, texts, gold, labels. Nothing is guessed: a number is no text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from harness.collection.jsonlines import Pairs, each_key_once, json_kind, no_constant
from harness.collection.reading import id_fault, is_unicode, nfc

_TRUE_FALSE = {"true": True, "false": False}


class UnfitError(Exception):
    """A cell holds something else than its column should."""


def id_of(value: Any) -> str:
    """Return an id as it is written; a whole number becomes its digits.

    Raises:
        UnfitError: it is neither, or can't be an id.
    """
    if type(value) is int:
        return str(value)
    if not isinstance(value, str):
        number = isinstance(value, float)
        cure = "a tool has made numbers of the ids: write them as text" if number else "write the id as text"
        raise UnfitError(f"must be a text or a whole number, found {kind(value)}; {cure}")
    fault = id_fault(value)
    if fault:
        raise UnfitError(fault)
    return value


def text_of(value: Any) -> str:
    """Return a text; null is an empty one.

    Raises:
        UnfitError: it is no text.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnfitError(f"must be a text, found {kind(value)}")
    if not is_unicode(value):
        raise UnfitError("holds half of a surrogate pair (\\ud800 to \\udfff); write the whole character")
    return value


def gold_of(value: Any, separator: str | None) -> dict[str, int]:
    """Return document id → grade.

    A list of ids, a mapping of ids to whole grades, or a text: JSON of either when it begins with ``[`` or ``{``,
    ids between separators when there is one, else a single id. Null and an empty text are no ids.

    Raises:
        UnfitError: none of these, or an id twice.
    """
    value = _parts(value, separator)
    if isinstance(value, Pairs | dict):
        pairs = list(value) if isinstance(value, Pairs) else list(value.items())
        for name, grade in pairs:
            if type(grade) is not int:
                raise UnfitError(f"must give {str(name)[:80]!r} a whole number as its grade, found {kind(grade)}")
    else:
        pairs = [(name, 1) for name in value]
    names = [nfc(id_of(name)) for name, _ in pairs]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UnfitError(f"names document {twice!r} twice; keep one")
    return dict(zip(names, (grade for _, grade in pairs), strict=True))


def labels_of(value: Any, separator: str | None) -> tuple[str, ...]:
    """Return labels: a list of texts, or a text as in ``gold_of``.

    Raises:
        UnfitError: something else.
    """
    value = _parts(value, separator)
    if isinstance(value, Pairs | dict):
        raise UnfitError("must be a list of texts, found an object")
    return tuple(text_of(label) for label in value)


def flag_of(value: Any) -> bool:
    """Return true or false, also out of the texts ``true`` and ``false``; null and an empty text are true.

    Raises:
        UnfitError: something else.
    """
    if value is None or value == "":
        return True
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUE_FALSE:
        return _TRUE_FALSE[value.lower()]
    raise UnfitError(f"must be true or false, found {kind(value)}")


def _parts(value: Any, separator: str | None) -> Any:
    """Return a list or a mapping."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        if value.lstrip()[:1] in ("[", "{"):
            return _json(value)
        return [part.strip() for part in value.split(separator)] if separator else [value]
    if isinstance(value, Pairs | dict | list):
        return value
    if isinstance(value, Iterable) or type(value) is not int:
        raise UnfitError(f"must be a list of texts, a mapping or a text, found {kind(value)}")
    return [value]


def _json(text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=each_key_once, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnfitError(
            f'begins like JSON, but isn\'t: {reason}; write it as ["a", "b"] or {{"a": 1}} (\'harness import\' '
            "reads other spellings)"
        ) from None
    return value


def kind(value: Any) -> str:
    """Return how a person would name a value of a table."""
    if isinstance(value, dict):
        return "an object"
    known = value is None or isinstance(value, bool | int | float | str | list)
    return json_kind(value) if known else f"a value of type {type(value).__name__}"
