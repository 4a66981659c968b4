"""Reads topics of TREC in XML: ``<topics> <topic number="1"> … </topic> … </topics>``, the root by any name.

A topic holds fields, each at most once: ``<query>``, ``<question>``, ``<narrative>``, as in TREC-COVID, or ``<title>``,
``<desc>``, ``<narr>``; or text alone, its title, as in Clinical Trials. ``<subtopic>``, a facet that diversity is
judged by in the Web track, is counted and not read.

A document type is refused before anything in it is read: entities that it declares could name other files, or grow to
any length. Without one there are no entities but the five of XML itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from xml.parsers import expat

from harness.collection.reading import some
from harness.collection.topics import Topic, TopicField
from harness.errors import InputError, Problem

_ROLES: Mapping[str, TopicField | Literal["num"]] = {
    "num": "num",
    "number": "num",
    "title": "title",
    "query": "title",
    "desc": "desc",
    "description": "desc",
    "question": "desc",
    "narr": "narr",
    "narrative": "narr",
}
_FACET = "subtopic"
_XML = re.compile(r"<topics?[\s/>]", re.IGNORECASE)
_SGML = re.compile(r"<top[\s>]", re.IGNORECASE)


def is_xml(text: str) -> bool:
    """Say whether topics are ``<topic>`` of XML, not ``<top>`` of SGML."""
    return _XML.search(text) is not None and _SGML.search(text) is None


def read_xml_topics(file: str, text: str) -> tuple[list[Topic], list[Problem]]:
    """Return the topics without a fault in their tags, in their order, and what is wrong with the others."""
    reader = _Reader(file)
    try:
        reader.parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        reader.fault(error.lineno, f"isn't well-formed XML: {expat.ErrorString(error.code)}; mend it there")
    except InputError as error:
        reader.problems.extend(error.problems)
    if not reader.found and not reader.problems:
        reader.fault(None, 'must hold topics (<topic number="1"> … </topic>), found none')
    return reader.topics, reader.problems


@dataclass(slots=True)
class _Open:
    """An element that hasn't ended: its name, its line, and the text in it."""

    name: str
    line: int
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())


class _Reader:
    """Takes what the parser finds, piece by piece."""

    def __init__(self, file: str) -> None:
        self.topics: list[Topic] = []
        self.problems: list[Problem] = []
        self.found = False
        self.parser = expat.ParserCreate("utf-8")  # the text is decoded already, whatever its declaration says
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self._file = file
        self._path: list[_Open] = []
        self._parts: list[_Open] = []

    def fault(self, line: int | None, message: str) -> None:
        self.problems.append(Problem(file=self._file, line=line, message=message))

    def _doctype(self, name: str, *_: object) -> None:
        message = f"must not declare a document type, found <!DOCTYPE {name}; delete it, with the entities it declares"
        raise InputError(Problem(file=self._file, line=self.parser.CurrentLineNumber, message=message))

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        here = _Open(name, self.parser.CurrentLineNumber)
        self._path.append(here)
        if len(self._path) == 2:
            numbers = [(key, value) for key, value in attributes.items() if _ROLES.get(key.lower()) == "num"]
            self._parts = [_Open(key, here.line, [value]) for key, value in numbers]
        elif len(self._path) == 3:
            self._parts.append(here)
        elif len(self._path) > 3:
            self._path[2].pieces.append(" ")

    def _text(self, text: str) -> None:
        self._path[min(len(self._path), 3) - 1].pieces.append(text)

    def _end(self, _: str) -> None:
        ended = self._path.pop()
        if len(self._path) == 1:
            self._topic(ended)
        elif len(self._path) > 2:
            self._path[2].pieces.append(" ")
        elif not self._path and ended.text:
            self.fault(ended.line, f"<{ended.name}> must hold nothing but topics, found the text {ended.text[:80]!r}")

    def _topic(self, ended: _Open) -> None:
        """Enter an element below the root, unless it has a fault."""
        self.found = True
        before = len(self.problems)
        if ended.name.lower() != "topic":
            self.fault(ended.line, f"must be <topic>, found <{ended.name}>; name it so, or take it out")
            return
        held: dict[str, _Open] = {}
        parts = [part for part in self._parts if part.name.lower() != _FACET]
        for part in parts:
            role = _ROLES.get(part.name.lower())
            if role is None:
                known = some([f"<{name}>" for name in _ROLES], len(_ROLES))
                self.fault(part.line, f"unknown field <{part.name}> in a topic, known are {known}; take it out")
            elif role in held:
                what = f"{part.name!r} says the same as {held[role].name!r} on line {held[role].line}"
                self.fault(part.line, f"{what}; keep one of the two in each topic")
            else:
                held[role] = part
        if ended.text and held.keys() - {"num"}:
            self.fault(ended.line, f"a topic with fields must hold no text beside them, found {ended.text[:80]!r}")
        if len(self.problems) > before:
            return
        number = held.pop("num").text if "num" in held else ""
        texts = {"title": ended.text} | {role: part.text for role, part in held.items()}
        fields: dict[TopicField, str] = {role: text for role, text in texts.items() if text}  # type: ignore[misc]
        self.topics.append(
            Topic(line=ended.line, number=number, fields=fields, subtopics=len(self._parts) - len(parts))
        )
