"""Records that cost next to nothing to start with.

A ``Frozen`` class is what ``dataclass(frozen=True, slots=True, kw_only=True)`` makes: constructed by keyword, read by
attribute, equal and hashed by value, never changed, no tuple to iterate over by accident. A dataclass is compiled
anew in every process, and ``dataclasses`` loads ``inspect``: together that takes as long as scoring a small run. So
the records on the way of ``harness score`` are of this kind, and all others stay dataclasses.

``typing`` is left out on that way for the same reason; a module-level ``TYPE_CHECKING = False`` is what type
checkers know for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, TypeVar, dataclass_transform

    _Record = TypeVar("_Record", bound="Frozen")
else:

    def dataclass_transform(**_):
        """Do nothing; type checkers alone look at it."""
        return lambda found: found


_set: Callable[[object, str, Any], None] = object.__setattr__


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _FrozenType(type):
    """Makes a slot of each annotated name, and keeps its default."""

    _fields: tuple[str, ...]
    _defaults: Mapping[str, Any]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _FrozenType:
        fields = tuple(namespace.get("__annotations__", ()))
        defaults = {field: namespace.pop(field) for field in fields if field in namespace}
        made = super().__new__(mcs, name, bases, {**namespace, "__slots__": fields})
        made._fields, made._defaults = fields, defaults
        return made


class Frozen(metaclass=_FrozenType):
    """Base of frozen records: annotated names are the fields, a value behind one is its default."""

    def __init__(self, **values: Any) -> None:
        if len(values) != len(type(self)._fields):
            values = {**type(self)._defaults, **values}
        if values.keys() != set(type(self)._fields):
            _refuse(type(self), values)
        for name, value in values.items():
            _set(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the values; a record without rules has nothing to do here."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} can't be set; make another with replace()")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} can't be deleted")

    def __eq__(self, other: object) -> bool:
        return as_dict(self) == as_dict(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(as_dict(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in as_dict(self).items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), as_dict(self))


def as_dict(record: Any) -> dict[str, Any]:
    """Return the fields of a record with their values, in order; nested records stay records."""
    return {name: getattr(record, name) for name in type(record)._fields}


def replace(record: _Record, **changes: Any) -> _Record:
    """Return a copy with some other values, checked like any new record."""
    return type(record)(**{**as_dict(record), **changes})


def _made(kind: type[_Record], values: Mapping[str, Any]) -> _Record:
    return kind(**values)


def _refuse(kind: _FrozenType, values: Mapping[str, Any]) -> NoReturn:
    missing = [name for name in kind._fields if name not in values]
    strange = [name for name in values if name not in kind._fields]
    raise TypeError(f"{kind.__name__} lacks {missing or 'nothing'}, doesn't know {strange or 'nothing'}")
