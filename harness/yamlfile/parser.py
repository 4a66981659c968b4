"""YAML text → values, lines and faults."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.errors import InputError, Problem
from harness.yamlfile.scalars import Ambiguous, changes, plain_scalar
from harness.yamlfile.text import read_text

Location = tuple[str | int, ...]

_DEEPEST = 60
_SURROGATE = re.compile("[\ud800-\udfff]")
_TEXT_TAG = "tag:yaml.org,2002:str"
_ALIAS_TAG = "alias"
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
        if node.style is None and changes(text):
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


def dotted(location: Location) -> str | None:
    """Return ``queries[3].gold[0]`` for a location, None for the root."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text or None
