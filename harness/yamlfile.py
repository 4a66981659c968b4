"""Strict YAML: what is written is what is meant, and every fault has a line.

PyYAML parses; this module decides the types, because YAML 1.1's own guesses change ids
(``007`` → 7, ``no`` → False, ``12:30`` → 750, ``2024-01-05`` → a date):

- ``true``/``false``, ``null``/``~``/nothing, plain decimal numbers (``3``, ``-1``, ``0.75``, ``1e3``) get
  their type;
- every other plain scalar that some YAML reader would take for a non-text value is kept as the text that was
  written, marked as ``Ambiguous``: a text field takes it, an id field asks for quotes;
- a duplicate key, an anchor or merge key, a tag, a second document, and a key that isn't text are errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ValidationError

from harness.errors import InputError, Problem

Location = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(0|[1-9][0-9]*)?(\.[0-9]+|\.)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "Null": None,
    "NULL": None,
    "~": None,
    "": None,
}
_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "value", "merge")
}
_RESOLVER = yaml.resolver.Resolver()


class Ambiguous(str):
    """Text that YAML would have turned into something else (``no``, ``007``, a date)."""



@dataclass(frozen=True, slots=True, kw_only=True)
class YamlFile:
    """A parsed YAML file.

    Attributes:
        path: as it was given, for messages.
        value: plain dicts, lists, text, numbers, booleans and None.
        lines: 1-based line of each value, by its location (keys and list indexes from the root).
        written: the characters of each plain scalar that isn't text, by location.
    """

    path: str
    value: Any
    lines: dict[Location, int] = field(repr=False)
    written: dict[Location, str] = field(repr=False)

    def line(self, location: Location) -> int | None:
        """Return the line of ``location``, or of the nearest thing around it that has one."""
        while location:
            if location in self.lines:
                return self.lines[location]
            location = location[:-1]
        return self.lines.get(())


def read_text(path: Path) -> str:
    """Read a UTF-8 file, with or without BOM, any line ending, as text with ``\\n``.

    Raises:
        InputError: the file is absent, is a folder, or isn't UTF-8 (the message names the byte).
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(Problem(file=str(path), message=f"can't be read: {reason}")) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"must be UTF-8, found byte 0x{data[error.start]:02x} at offset {error.start}; save it as UTF-8"
        raise InputError(Problem(file=str(path), line=line, message=message)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def load_yaml(path: Path) -> YamlFile:
    """Parse one strict YAML file.

    Raises:
        InputError: malformed YAML or any construct named in the module's docstring; all that were found.
    """
    return parse_yaml(read_text(path), str(path))


def parse_yaml(text: str, path: str, first_line: int = 1) -> YamlFile:
    """Parse strict YAML from text; ``first_line`` is the line of ``path`` on which the text begins."""
    try:
        nodes = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
        anchors = [e for e in yaml.parse(text, Loader=yaml.SafeLoader) if getattr(e, "anchor", None)]
    except yaml.YAMLError as error:
        raise InputError(_syntax_problem(error, path, first_line)) from None
    builder = _Builder(path=path, offset=first_line)
    for event in anchors:
        builder.fault(event, (), "anchors and aliases aren't used here; write the value out")
    if len(nodes) > 1:
        builder.fault(nodes[1], (), "must be one YAML document, found a second one after '---'")
    value = builder.build(nodes[0], ()) if nodes and nodes[0] is not None and not anchors else None
    if builder.problems:
        raise InputError(builder.problems)
    return YamlFile(path=path, value=value, lines=builder.lines, written=builder.written)


def _syntax_problem(error: yaml.YAMLError, path: str, first_line: int) -> Problem:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    message = f"isn't valid YAML: {what}" + (f" ({context})" if context else "")
    return Problem(file=path, line=mark.line + first_line if mark else None, message=message)


@dataclass(slots=True)
class _Builder:
    path: str
    offset: int
    lines: dict[Location, int] = field(default_factory=dict)
    written: dict[Location, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def fault(self, node: Any, location: Location, message: str) -> None:
        line = node.start_mark.line + self.offset
        self.problems.append(Problem(file=self.path, line=line, field=dotted(location), message=message))

    def build(self, node: yaml.Node, location: Location) -> Any:
        self.lines.setdefault(location, node.start_mark.line + self.offset)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*location, i)) for i, child in enumerate(node.value)]
        return self._scalar(node, location)

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.fault(key_node, location, "a key must be text, found a list or a mapping")
                continue
            key = key_node.value
            place = (*location, key)
            if key_node.tag == "tag:yaml.org,2002:merge":
                self.fault(key_node, location, "merge keys ('<<') aren't used here; write the values out")
            elif key in result:
                self.fault(key_node, place, f"duplicate key, first given on line {self.lines[place]}")
            else:
                self.lines[place] = key_node.start_mark.line + self.offset
                result[key] = self.build(value_node, place)
        return result

    def _scalar(self, node: yaml.Node, location: Location) -> Any:
        text: str = node.value
        if node.tag not in _PLAIN_TAGS:
            self.fault(node, location, f"tags such as {node.tag} aren't used here")
            return None
        if node.style is not None:
            return text
        value = plain_scalar(text)
        if not isinstance(value, str) or isinstance(value, Ambiguous):
            self.written[location] = text
        return value


def plain_scalar(text: str) -> Any:
    """Give an unquoted scalar its type (see the module's docstring)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if any(c.isdigit() for c in text) and _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else Ambiguous(text)
    guess = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return text if guess == "tag:yaml.org,2002:str" and not _looks_numeric(text) else Ambiguous(text)


def _looks_numeric(text: str) -> bool:
    return re.fullmatch(r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0o[0-7]+", text) is not None


def dotted(location: Location) -> str | None:
    """Return ``queries[3].gold[0]`` for a location, None for the root."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text or None


def _refuse_ambiguous(value: Any) -> Any:
    if isinstance(value, Ambiguous):
        raise ValueError(f"must be text, but YAML readers change {str(value)!s}; write \"{value}\" with quotes")
    if isinstance(value, bool | int | float) or value is None:
        shown = "nothing" if value is None else value
        raise ValueError(f"must be text, found {shown}; if that is the id, write it with quotes")
    return value


Id = Annotated[str, BeforeValidator(_refuse_ambiguous)]
"""An id in YAML: quoted, or such that no YAML reader would change it."""


def validate(model: type[Model], source: YamlFile, hints: Callable[[str], str | None] | None = None) -> Model:
    """Check a YAML file against a pydantic model.

    Args:
        model: the schema; give it ``extra="forbid"`` and ``strict=True``.
        source: the parsed file.
        hints: for an unknown key (dotted), what to say about it; defaults to the nearest field name.

    Raises:
        InputError: all faults, each with file, line and dotted field.
    """
    if not isinstance(source.value, dict):
        found = "nothing" if source.value is None else type(source.value).__name__
        raise InputError(Problem(file=source.path, line=1, message=f"must be a mapping of keys, found {found}"))
    try:
        return model.model_validate(source.value)
    except ValidationError as error:
        raise InputError(list(_problems(error, source, model, hints))) from None


def _problems(
    error: ValidationError,
    source: YamlFile,
    model: type[BaseModel],
    hints: Callable[[str], str | None] | None,
) -> Iterator[Problem]:
    seen: set[tuple[Location, str]] = set()
    for fault in error.errors(include_url=False):
        location = _existing(tuple(fault["loc"]), source)
        message = _message(fault, location, source, model, hints)
        if (location, message) not in seen:
            seen.add((location, message))
            yield Problem(file=source.path, line=source.line(location), field=dotted(location), message=message)


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


def _message(
    fault: Any,
    location: Location,
    source: YamlFile,
    model: type[BaseModel],
    hints: Callable[[str], str | None] | None,
) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "missing":
        return "is required and absent"
    if kind == "extra_forbidden":
        return _unknown_key(location, model, hints)
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", fault["msg"]))
    wanted = fault["msg"][0].lower() + fault["msg"][1:]
    wanted = wanted.replace("input should be", "must be").replace("valid string", "text")
    found = source.written.get(location, fault["input"])
    return f"{wanted}, found {_shown(found)}"


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return repr(str(value)) if isinstance(value, str) else ("nothing" if value is None else repr(value))


def _unknown_key(
    location: Location, model: type[BaseModel], hints: Callable[[str], str | None] | None
) -> str:
    import difflib

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
