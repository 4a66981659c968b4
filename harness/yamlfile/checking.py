"""A YAML file against a schema."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic_core import PydanticCustomError

from harness.errors import InputError, Problem
from harness.yamlfile.parser import Location, YamlFile, dotted
from harness.yamlfile.scalars import Ambiguous

Hints = Callable[[str], str | None]
Model = TypeVar("Model", bound=BaseModel)


def _refuse_ambiguous(value: Any) -> Any:
    if value is None or isinstance(value, Ambiguous | bool | int | float):
        raise PydanticCustomError("yaml_id", "must be text")
    return value


Id = Annotated[str, BeforeValidator(_refuse_ambiguous)]
"""An id in YAML: quoted, or such that no YAML reader would change it."""


def validate(model: type[Model], source: YamlFile, hints: Hints | None = None) -> Model:
    """Check a YAML file against a pydantic model.

    Args:
        model: the schema; give it ``extra="forbid"`` and ``strict=True``.
        source: the parsed file.
        hints: for an unknown key (dotted), what to say about it; defaults to the nearest field name.

    Raises:
        InputError: all faults, each with file, line and dotted field; those of ``source.problems`` first.
    """
    problems = list(source.problems)
    taken = {problem.line for problem in problems}
    result: Model | None = None
    if isinstance(source.value, dict):
        try:
            result = model.model_validate(source.value)
        except ValidationError as error:
            found = _problems(error, source, model, hints)
            problems.extend(problem for problem in found if problem.line not in taken)
    elif not problems:
        found_type = _shown(source.value)
        message = f"must be a mapping of keys, found {found_type}"
        problems.append(Problem(file=source.path, line=source.line(()), message=message))
    if problems or result is None:
        raise InputError(problems)
    return result


def _problems(
    error: ValidationError, source: YamlFile, model: type[BaseModel], hints: Hints | None
) -> Iterator[Problem]:
    seen: set[tuple[Location, str]] = set()
    for fault in error.errors(include_url=False):
        location = _existing(tuple(fault["loc"]), source)
        message = _message(fault, location, source, model, hints)
        if (location, message) not in seen:
            seen.add((location, message))
            line = source.line(location)
            yield Problem(file=source.path, line=line, field=dotted(location), message=message)


def _existing(location: Location, source: YamlFile) -> Location:
    """Drop the parts of pydantic's location that name a union branch instead of a key."""
    kept: list[str | int] = []
    value: Any = source.value
    for index, part in enumerate(location):
        if isinstance(value, dict) and isinstance(part, str):
            if part in value:
                value = value[part]
                kept.append(part)
            elif index == len(location) - 1:
                kept.append(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
            kept.append(part)
    return tuple(kept)


_WANTED = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping of keys",
    "model_type": "must be a mapping of keys",
    "model_attributes_type": "must be a mapping of keys",
}


def _message(fault: Any, location: Location, source: YamlFile, model: type[BaseModel], hints: Hints | None) -> str:
    kind, context, value = fault["type"], fault.get("ctx", {}), fault["input"]
    if kind == "missing":
        return "is required and absent"
    if kind == "extra_forbidden":
        return _unknown_key(location, model, hints)
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", fault["msg"]))
    written = source.written.get(location)
    if kind == "yaml_id" and value is not None:
        return f'must be text, but YAML readers change {written}; write "{written}" with quotes'
    wanted = fault["msg"][0].lower() + fault["msg"][1:]
    wanted = _WANTED.get(kind, wanted.replace("input should be", "must be"))
    found = written if written and not isinstance(value, str) else _shown(value)
    quotes = isinstance(value, bool | int | float) and kind == "string_type"
    return f"{wanted}, found {found}" + ("; write it with quotes" if quotes else "")


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    shown = "nothing" if value is None else repr(str(value) if isinstance(value, str) else value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


def _unknown_key(location: Location, model: type[BaseModel], hints: Hints | None) -> str:
    name = str(location[-1])
    hint = hints(dotted(location) or name) if hints else None
    if hint:
        return f"unknown key; {hint}"
    fields = _fields_at(model, location[:-1])
    near = difflib.get_close_matches(name, fields, n=1)
    guess = f"did you mean '{near[0]}'? " if near else ""
    return f"unknown key; {guess}known here: {', '.join(fields)}" if fields else "unknown key"


def _fields_at(model: type[BaseModel], location: Location) -> list[str]:
    """Return the field names of the model that ``location`` leads to, as far as it can be followed."""
    current: Any = model
    for part in location:
        if isinstance(part, int):
            continue
        info = current.model_fields.get(part) if hasattr(current, "model_fields") else None
        if info is None:
            return []
        current = next(_models_in(info.annotation), None)
    return list(current.model_fields) if current is not None else []


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _models_in(inner)
