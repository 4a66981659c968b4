"""Records as plain JSON values, and back. Fractions are text (``"5/6"``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from harness.frozen import Frozen, as_dict
from harness.scoring import fraction_text, parse_fraction

Record = TypeVar("Record")


def to_json(value: Any) -> Any:
    """Return a record as plain JSON values; fractions become text."""
    if isinstance(value, Fraction):
        return fraction_text(value)
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, Frozen):
        return to_json(as_dict(value))
    if hasattr(value, "__dataclass_fields__"):
        return {each.name: to_json(getattr(value, each.name)) for each in fields(value)}
    return value


def from_json(record: type[Record], value: Any) -> Record:
    """Return the record that ``to_json`` wrote, now or before fields with a default were added.

    Raises:
        TypeError, ValueError: the JSON isn't one that ``to_json`` wrote for this record.
    """
    hints = get_type_hints(record)
    return record(**{name: _read(hint, value[name]) for name, hint in hints.items() if name in value})


def _read(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hasattr(hint, "__dataclass_fields__"):
        return from_json(hint, value)
    if hint is Fraction:
        return parse_fraction(value)
    if origin is tuple:
        return tuple(_read(arguments[0], item) for item in value)
    if origin in (Union, UnionType):
        held = next((a for a in arguments if a is Fraction or hasattr(a, "__dataclass_fields__")), None)
        return value if held is None or value is None else _read(held, value)
    if isinstance(value, dict):
        return {key: _read(arguments[1], item) for key, item in value.items()}
    return value
