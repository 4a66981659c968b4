"""Reads a golden set of TREC: a file of topics and a file of judgments (qrels), each ``.gz`` or not.

A topic is ``<top> <num> Number: 301 <title> … </top>``, its fields closed or not, or a ``<topic>`` of XML. Its id is
the number as it stands, its question the title, or the field that is asked for; the narrative, else the description,
says what counts as relevant. A folder holds one file whose name begins with ``topics`` and one whose name begins with
``qrels``.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from harness.collection.opening import Lines, read_unpacked
from harness.collection.qrels import Judged, read_trec_qrels
from harness.collection.reading import GoldenFile, Ids, Reading, nfc
from harness.collection.sgml import blocks, one_line
from harness.collection.sources import GoldenSource
from harness.collection.topics import TOPIC_FIELDS, Topic, TopicField
from harness.collection.trec_xml import is_xml, read_xml_topics
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.records import GoldenSet, Judgments, Query
from harness.wording import counted
from harness.yamlfile import decode

_FIELD = re.compile(r"<(num|title|desc|narr)(?:\s[^<>]*)?>(.*?)(?=<(?:num|title|desc|narr)[\s>]|$)", re.I | re.DOTALL)
_LABEL = re.compile(r"(?:number|topic|description|narrative)\s*:\s*", re.IGNORECASE)
_NEEDS: tuple[TopicField, ...] = ("narr", "desc")
_SGML_TAGS = {"num": "<top> must hold a <num>", "title": "<title>", "desc": "<desc>", "narr": "<narr>"}
_XML_TAGS = {
    "num": '<topic> must hold a number (<topic number="1">, or a <number>)',
    "title": "text, <query> or <title>",
    "desc": "<question> or <desc>",
    "narr": "<narrative> or <narr>",
}


def scan_trec_golden(source: GoldenSource, split: str) -> Reading[GoldenFile]:
    """Read the topics that are judged, in their order; all of them are in the split that is asked for.

    Judgments are ``partial``. A judgment of a topic that isn't there is a problem.
    """
    try:
        topics, qrels = _files(source)
        data = read_unpacked(topics)
        asked = _Topics(str(topics), decode(data, str(topics)), source.topic_field)
        judged = read_trec_qrels(qrels)
    except InputError as error:
        return Reading(value=None, problems=error.problems)
    problems = asked.problems
    if not problems:
        problems = [*_unknown(judged, asked.lines, topics.name)]
    kept = {name: query for name, query in asked.queries.items() if name in judged.grades}
    left = len(asked.queries) - len(kept)
    note = f"{counted(left, 'topic')} of {topics.name} left out, because {qrels.name} doesn't judge them"
    kinds = f"{counted(asked.subtopics, 'subtopic')} of {topics.name} not read: every measure here takes a topic whole"
    chosen = [["topic_field", source.topic_field]] if source.topic_field != TOPIC_FIELDS[0] else []
    golden = GoldenSet(
        queries=tuple(Query(id=name, text=text, split=split, need=need) for name, (text, need) in kept.items()),
        judgments=Judgments(exhaustive=False, grades={name: judged.grades[name] for name in kept}),
        sha256=sha256_json([["topics", hashlib.sha256(data).hexdigest()], ["qrels", judged.sha256], *chosen]),
        notes=(*judged.notes, *([note] if left else []), *([kinds] if asked.subtopics else [])),
    )
    file = GoldenFile(
        golden=golden,
        query_file=str(topics),
        query_lines={name: asked.lines[name] for name in kept},
        judgment_file=judged.file,
        judgment_lines=judged.lines,
    )
    return Reading(value=file, problems=(*problems, *judged.problems))


class _Topics:
    """The topics of one file, and the field of each that is its question."""

    def __init__(self, file: str, text: str, question: TopicField) -> None:
        self.file = file
        self.question = question
        self.tags = _XML_TAGS if is_xml(text) else _SGML_TAGS
        self.queries: dict[str, tuple[str, str | None]] = {}
        self.lines: dict[str, int] = {}
        topics, self.problems = read_xml_topics(file, text) if is_xml(text) else read_sgml_topics(file, text)
        self.subtopics = sum(topic.subtopics for topic in topics)
        ids = Ids(kind="topic")
        for topic in topics:
            self._enter(ids, topic)

    def _fault(self, line: int, message: str) -> None:
        self.problems.append(Problem(file=self.file, line=line, message=message))

    def _enter(self, ids: Ids, topic: Topic) -> None:
        if not topic.number:
            self._fault(topic.line, f"{self.tags['num']}, found none; give the topic its number")
            return
        fault = ids.add(topic.number, f"on line {topic.line}")
        if fault:
            self._fault(topic.line, fault)
            return
        name = nfc(topic.number)
        self.lines[name] = topic.line
        question = topic.fields.get(self.question, "")
        needs = (topic.fields[field] for field in _NEEDS if field != self.question and field in topic.fields)
        self.queries[name] = (question, next(needs, None))
        if not question:
            there = ", ".join(topic.fields)
            other = f"; what it has is {there}: say so under golden.topic_field" if there else ""
            wanted = self.tags[self.question]
            self._fault(topic.line, f"topic {topic.number!r} has no {wanted}; write the question there{other}")


def read_sgml_topics(file: str, text: str) -> tuple[list[Topic], list[Problem]]:
    """Return the topics in their order, and a problem where there is none."""
    lines = Lines(text)
    topics = [_topic(lines.at(at), block) for at, block, _ in blocks(text, "top")]
    message = "must hold topics (<top> <num> … <title> … </top>), found none"
    return topics, [] if topics else [Problem(file=file, message=message)]


def _topic(line: int, block: str) -> Topic:
    held = {found[1].lower(): _LABEL.sub("", one_line(found[2]), count=1) for found in _FIELD.finditer(block)}
    fields = {name: held[name] for name in TOPIC_FIELDS if held.get(name)}
    return Topic(line=line, number=held.get("num", ""), fields=fields)


def _unknown(judged: Judged, known: Mapping[str, int], topics: str) -> list[Problem]:
    bare = {name.lstrip("0"): name for name in known}
    problems = []
    first: dict[str, int] = {}
    for (query, _), line in judged.lines.items():
        first.setdefault(query, line)
    for query, line in first.items():
        if query not in known:
            near = bare.get(query.lstrip("0"))
            cure = f"did you mean {near!r}?" if near else "add the topic, or delete its judgments"
            message = f"topic {query!r} is judged here but isn't in {topics}; {cure}"
            problems.append(Problem(file=judged.file, line=line, message=message))
    return problems


def _files(source: GoldenSource) -> tuple[Path, Path]:
    """Return the files of topics and of judgments."""
    if source.topics is not None and source.qrels is not None:
        return source.topics, source.qrels
    folder = source.path
    if not os.path.isdir(folder):
        found = "found a file" if os.path.exists(folder) else "there is nothing at this path"
        message = f"must be a folder with a file topics* and a file qrels*, {found}; or name 'topics' and 'qrels'"
        raise InputError(Problem(file=str(folder), message=message))
    problems, files = [], []
    for begins in ("topics", "qrels"):
        names = sorted(name for name in os.listdir(folder) if name.lower().startswith(begins))
        files.append(folder / (names[0] if names else begins))
        if len(names) != 1:
            there = ", ".join(map(repr, names)) or "none"
            message = (
                f"must hold one file whose name begins with {begins!r}, found {there}; or name 'topics' and 'qrels'"
            )
            problems.append(Problem(file=str(folder), message=message))
    if problems:
        raise InputError(problems)
    return files[0], files[1]
