"""Strict YAML: what is written is what is meant, and every fault has a line.

PyYAML parses; this module decides the types, because YAML 1.1's own guesses change ids
(``007`` → 7, ``no`` → False, ``12:30`` → 750, ``2024-01-05`` → a date):

- ``true``/``false``, ``null``/``~``/nothing, plain decimal numbers (``3``, ``-1``, ``0.75``, ``1e3``) get
  their type;
- every other plain scalar that some YAML reader would take for a non-text value is kept as the text that was
  written, marked as ``Ambiguous``: a text field takes it, an id field asks for quotes;
- a duplicate key, an anchor, alias or merge key, a tag, a second document, half of a surrogate pair, and a
  key that isn't text (or that YAML readers would change, unless it has quotes) are errors.
"""

from __future__ import annotations

import difflib
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic_core import PydanticCustomError

from harness.errors import InputError, Problem

Location = tuple[str | int, ...]
Hints = Callable[[str], str | None]
Model = TypeVar("Model", bound=BaseModel)

_DEEPEST = 60
_LONGEST_NUMBER = 300
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_NUMERIC = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0o[0-7]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS: dict[str, bool | None] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS.update(dict.fromkeys(("true", "True", "TRUE"), True))
_WORDS.update(dict.fromkeys(("false", "False", "FALSE"), False))
_TEXT_TAG = "tag:yaml.org,2002:str"
_ALIAS_TAG = "alias"
_RESOLVER: Any = yaml.resolver.Resolver()
_CURES = (
    ("mapping values are not allowed", "a text that holds ': ' needs quotes"),
    ("'\\t'", "indent with spaces, not tabs"),
    ("cannot start any token", "a text that starts with this character needs quotes"),
    ("scanning an alias", "a text that starts with '*' needs quotes"),
    ("scanning an anchor", "a text that starts with '&' needs quotes"),
    ("scanning a quoted scalar", "close the quote"),
    ("could not find expected ':'", "check the quotes and the indentation here"),
    ("block", "check the indentation and the quotes here"),
    ("flow", "check the brackets, commas and quotes here"),
)


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
        problems: what ``scan_yaml`` found wrong; always empty after ``load_yaml`` and ``parse_yaml``.
    """

    path: str
    value: Any
    lines: dict[Location, int] = field(repr=False)
    written: dict[Location, str] = field(repr=False)
    problems: tuple[Problem, ...] = ()

    def line(self, location: Location) -> int | None:
        """Return the line of ``location``, or of the nearest thing around it that has one."""
        while location:
            if location in self.lines:
                return self.lines[location]
            location = location[:-1]
        return self.lines.get(())


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: the file is absent, is a folder, or can't be read.
    """
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(Problem(file=str(path), message=f"can't be read: {reason}")) from None


def decode(data: bytes, path: str) -> str:
    """Return UTF-8 bytes, with or without BOM, any line ending, as text with ``\\n``.

    Raises:
        InputError: the bytes aren't UTF-8 (the message names the first bad byte).
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        skipped = len(data) - len(error.object)  # the codec cuts a BOM off before it counts
        start = error.start + skipped
        message = f"must be UTF-8, found byte 0x{data[start]:02x} at offset {start}; save it as UTF-8"
        raise InputError(Problem(file=path, line=data[:start].count(b"\n") + 1, message=message)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: Path) -> str:
    """Read a UTF-8 file, with or without BOM, any line ending, as text with ``\\n``.

    Raises:
        InputError: the file is absent, is a folder, or isn't UTF-8 (the message names the byte).
    """
    return decode(read_bytes(path), str(path))


def load_yaml(path: Path) -> YamlFile:
    """Parse one strict YAML file.

    Raises:
        InputError: malformed YAML or any construct named in the module's docstring; all that were found.
    """
    return parse_yaml(read_text(path), str(path))


def parse_yaml(text: str, path: str, first_line: int = 1) -> YamlFile:
    """Parse strict YAML from text; ``first_line`` is the line of ``path`` on which the text begins.

    Raises:
        InputError: as ``load_yaml``.
    """
    source = scan_yaml(text, path, first_line)
    if source.problems:
        raise InputError(source.problems)
    return source


def scan_yaml(text: str, path: str, first_line: int = 1) -> YamlFile:
    """Parse like ``parse_yaml``, but keep what is well-formed and hand the faults over in ``problems``.

    ``validate`` reports them together with its own.

    Raises:
        InputError: only when the text isn't YAML at all, so that nothing can be kept.
    """
    loader: Any = None
    try:
        loader = _Loader(text)
        nodes = loader.documents()
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise InputError(_syntax_problem(error, loader, text, path, first_line)) from None
    breaks = [at for at, character in enumerate(text) if character == "\n"]
    builder = _Builder(path=path, offset=first_line, breaks=breaks)
    for mark, message in loader.refused:
        builder.fault(mark, (), message)
    if len(nodes) > 1:
        builder.fault(nodes[1].start_mark, (), "must be one YAML document, found a second one after '---'")
    value = builder.build(nodes[0], ()) if nodes else None
    builder.lines.setdefault((), first_line)
    problems = tuple(sorted(builder.problems, key=lambda problem: problem.line or 0))
    return YamlFile(path=path, value=value, lines=builder.lines, written=builder.written, problems=problems)


def _syntax_problem(error: Exception, loader: Any, text: str, path: str, first_line: int) -> Problem:
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + first_line
        message = f"isn't valid YAML: holds the character U+{ord(text[error.position]):04X}; delete it"
        return Problem(file=path, line=line, message=message)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:  # PyYAML hands an escape such as "\UFFFFFFFF" to chr() unchecked
        mark, what, cure = loader.get_mark(), "an escape names no character", "write the character itself"
    else:
        what = f"{getattr(error, 'problem', None)} ({getattr(error, 'context', None) or 'at the top'})"
        cure = next((cure for sign, cure in _CURES if sign in what), "check the quotes and brackets here")
    around = "".join(text[: mark.index].split("\n")[-2:])
    if any(odd in around for odd in "\x85\u2028\u2029"):
        cure = "a Unicode line separator (U+2028 or its like) ends a line in YAML; put the text in quotes"
    line = text.count("\n", 0, mark.index) + first_line
    return Problem(file=path, line=line, message=f"isn't valid YAML: {what}; {cure}")


class _Loader(yaml.SafeLoader):
    """PyYAML's composer, minus anchors, aliases, tags and bottomless nesting."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.refused: list[tuple[Any, str]] = []
        self.depth = 0

    def documents(self) -> list[Any]:
        found = []
        while self.check_node():
            found.append(self.get_node())
        return found

    def compose_node(self, parent: Any, index: Any) -> Any:
        events: Any = self
        event = events.peek_event()
        mark = event.start_mark
        if events.check_event(yaml.AliasEvent):
            events.get_event()
            self.refused.append((mark, "aliases aren't used here; write the value out, or put it in quotes"))
            return yaml.ScalarNode(_ALIAS_TAG, "", mark, event.end_mark)
        if event.anchor is not None:
            self.refused.append((mark, "anchors aren't used here; write the value out, or put it in quotes"))
            event.anchor = None
        if event.tag is not None:
            self.refused.append((mark, f"tags such as {event.tag} aren't used here; put a text in quotes"))
        if self.depth >= _DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"nested more than {_DEEPEST} levels deep", mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


@dataclass(slots=True)
class _Builder:
    path: str
    offset: int
    breaks: list[int]
    lines: dict[Location, int] = field(default_factory=dict)
    written: dict[Location, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def fault(self, mark: Any, location: Location, message: str) -> None:
        problem = Problem(file=self.path, line=self.line(mark), field=dotted(location), message=message)
        self.problems.append(problem)

    def line(self, mark: Any) -> int:
        """Count ``\\n`` only: PyYAML's own line numbers also count U+0085, U+2028 and U+2029."""
        return bisect_left(self.breaks, mark.index) + self.offset

    def build(self, node: yaml.Node, location: Location) -> Any:
        self.lines.setdefault(location, self.line(node.start_mark))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, location)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*location, i)) for i, child in enumerate(node.value)]
        return self._scalar(node, location)

    def _mapping(self, node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            fault = self._key_fault(key_node)
            place = (*location, str(key_node.value))
            if fault is None and place[-1] in result:
                fault = f"duplicate key, first given on line {self.lines[place]}; keep one"
            if fault is not None:
                self.fault(key_node.start_mark, place if "duplicate" in fault else location, fault)
            else:
                self.lines[place] = self.line(key_node.start_mark)
                result[str(key_node.value)] = self.build(value_node, place)
        return result

    def _key_fault(self, node: Any) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            return "a key must be text, found a list or a mapping; put it in quotes"
        text: str = node.value
        if node.style is None and text == "<<":
            return "merge keys ('<<') aren't used here; write the values out"
        if node.style is None and _changes(text):
            shown = f'but YAML readers change {text}; write "{text}" with quotes' if text else "found nothing"
            return f"a key must be text, {shown}"
        return _surrogate_fault(text)

    def _scalar(self, node: Any, location: Location) -> Any:
        text: str = node.value
        if node.tag == _ALIAS_TAG:
            return None
        if node.style is None:
            value = plain_scalar(text)
            if not isinstance(value, str) or isinstance(value, Ambiguous):
                self.written[location] = text
            return value
        fault = _surrogate_fault(text)
        if fault:
            self.fault(node.start_mark, location, fault)
        return text


def _surrogate_fault(text: str) -> str | None:
    if _SURROGATE.search(text):
        return "holds an escape for half of a surrogate pair; write the character itself"
    return None


def plain_scalar(text: str) -> Any:
    """Give an unquoted scalar its type (see the module's docstring)."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _LONGEST_NUMBER:
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            return number if math.isfinite(number) else Ambiguous(text)
    guess = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return text if guess == _TEXT_TAG and not _NUMERIC.fullmatch(text) else Ambiguous(text)


def _changes(text: str) -> bool:
    value = plain_scalar(text)
    return not isinstance(value, str) or isinstance(value, Ambiguous)


def dotted(location: Location) -> str | None:
    """Return ``queries[3].gold[0]`` for a location, None for the root."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text or None


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
