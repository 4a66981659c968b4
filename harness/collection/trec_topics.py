"""Reads a golden set of TREC: a file of topics and a file of judgments (qrels), each ``.gz`` or not.

A topic is ``<top> <num> Number: 301 <title> … </top>``, its fields closed or not. Its id is the number as it
stands, its question the title; the narrative, else the description, says what counts as relevant. A folder holds
one file whose name begins with ``topics`` and one whose name begins with ``qrels``.
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
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.records import GoldenSet, Judgments, Query
from harness.wording import counted
from harness.yamlfile import decode

_FIELD = re.compile(r"<(num|title|desc|narr)(?:\s[^<>]*)?>(.*?)(?=<(?:num|title|desc|narr)[\s>]|$)", re.I | re.DOTALL)
_LABEL = re.compile(r"(?:number|topic|description|narrative)\s*:\s*", re.IGNORECASE)


def scan_trec_golden(source: GoldenSource, split: str) -> Reading[GoldenFile]:
    """Read the topics that are judged, in their order; all of them are in the split that is asked for.

    Judgments are ``partial``. A judgment of a topic that isn't there is a problem.
    """
    try:
        topics, qrels = _files(source)
        data = read_unpacked(topics)
        asked = _Topics(str(topics), decode(data, str(topics)))
        judged = read_trec_qrels(qrels)
    except InputError as error:
        return Reading(value=None, problems=error.problems)
    problems = asked.problems
    if not problems:
        problems = [*_unknown(judged, asked.lines, topics.name)]
    kept = {name: query for name, query in asked.queries.items() if name in judged.grades}
    left = len(asked.queries) - len(kept)
    note = f"{counted(left, 'topic')} of {topics.name} left out, because {qrels.name} doesn't judge them"
    golden = GoldenSet(
        queries=tuple(Query(id=name, text=text, split=split, need=need) for name, (text, need) in kept.items()),
        judgments=Judgments(exhaustive=False, grades={name: judged.grades[name] for name in kept}),
        sha256=sha256_json([["topics", hashlib.sha256(data).hexdigest()], ["qrels", judged.sha256]]),
        notes=(*judged.notes, *([note] if left else [])),
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
    """The topics of one file."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.queries: dict[str, tuple[str, str | None]] = {}
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []
        ids, lines = Ids(kind="topic"), Lines(text)
        for at, block, _ in blocks(text, "top"):
            self._topic(ids, lines.at(at), block)
        if not self.lines and not self.problems:
            self._fault(None, "must hold topics (<top> <num> … <title> … </top>), found none")

    def _fault(self, line: int | None, message: str) -> None:
        self.problems.append(Problem(file=self.file, line=line, message=message))

    def _topic(self, ids: Ids, line: int, block: str) -> None:
        held = {found[1].lower(): _LABEL.sub("", one_line(found[2]), count=1) for found in _FIELD.finditer(block)}
        number, title = held.get("num", ""), held.get("title", "")
        if not number:
            self._fault(line, "<top> must hold a <num>, found none; give the topic its number")
            return
        fault = ids.add(number, f"on line {line}")
        if fault:
            self._fault(line, fault)
            return
        name = nfc(number)
        self.lines[name] = line
        self.queries[name] = (title, held.get("narr") or held.get("desc") or None)
        if not title:
            self._fault(line, f"topic {number!r} has no <title>; write the question there")


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
