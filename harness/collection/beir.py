"""Reads the BEIR layout: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/<split>.tsv`` in one folder.

Ids are text. A whole number in JSON (``"_id": 7``) becomes its digits; an id in a TSV file is kept as it
stands (``007`` stays ``007``).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.collection.jsonlines import JsonLines
from harness.collection.qrels import Judged, read_qrels
from harness.collection.reading import GoldenFile, Ids, Reading, blank_note, nfc, some
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.records import Corpus, Document, GoldenSet, Judgments, Query
from harness.wording import counted

_LAYOUT = "a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/<split>.tsv"


def read_beir_corpus(folder: Path) -> Corpus:
    """Read ``corpus.jsonl``: an object a line with ``_id``, ``text`` and optionally ``title``.

    ``Document.text`` is title, space and text, without white space at its ends. Other keys are ignored.

    Raises:
        InputError: no such file, a malformed line, an id that is empty, given twice or neither text nor a
            whole number, no document, no text in any document; all that were found.
    """
    return scan_beir_corpus(folder).result()


def read_beir_golden(folder: Path, split: str) -> GoldenSet:
    """Read the queries that ``qrels/<split>.tsv`` judges, in the order of ``queries.jsonl``.

    Judgments are ``partial``; grades are whole numbers, also negative ones.

    Raises:
        InputError: no such file or split (the message lists the splits there are), a malformed line,
            conflicting judgments, a judgment for a query that ``queries.jsonl`` lacks; all that were found.
    """
    return scan_beir_golden(folder, split).result().golden


def scan_beir_corpus(folder: Path) -> Reading[Corpus]:
    """Read like ``read_beir_corpus``, but hand the faults over instead of raising them."""
    path = folder / "corpus.jsonl"
    missing = _missing(folder, path)
    if missing:
        return Reading(value=None, problems=(missing,))
    digest = hashlib.sha256()
    source = JsonLines(path=path, hasher=digest, keys=("_id", "title", "text"))
    ids = Ids(kind="document")
    documents = []
    for line, fields in source.read():
        document = _document(source, ids, line, fields)
        if document:
            documents.append(document)
    blank = tuple(document.source for document in documents if not document.text)
    if not source.problems and len(blank) == len(documents):
        found = f"no text in any of them: {some(blank)}" if blank else "none"
        source.fault(None, f"must hold at least one document with text, found {found}")
    if source.problems:
        return Reading(value=None, problems=tuple(source.problems))
    notes = (blank_note(blank),) if blank else ()
    corpus = Corpus(documents=tuple(documents), sha256=digest.hexdigest(), blank=blank, notes=notes)
    return Reading(value=corpus)


def _missing(folder: Path, path: Path) -> Problem | None:
    if not os.path.isdir(folder):
        found = "found a file" if os.path.exists(folder) else "there is nothing at this path"
        return Problem(file=str(folder), message=f"must be a folder, {found}; {_LAYOUT}")
    if not os.path.isfile(path):
        return Problem(file=str(path), message=f"there is no such file; {_LAYOUT}")
    return None


def _document(source: JsonLines, ids: Ids, line: int, fields: Mapping[str, Any]) -> Document | None:
    name = _new_id(source, ids, line, fields)
    title = source.text(line, fields, "title", optional=True)
    text = source.text(line, fields, "text")
    if name is None or title is None or text is None:
        return None
    place = f"{source.path.name}:{line}"
    return Document(id=name, title=title, text=f"{title} {text}".strip(), source=place)


def _new_id(source: JsonLines, ids: Ids, line: int, fields: Mapping[str, Any]) -> str | None:
    name = source.id(line, fields, "_id")
    if name is None:
        return None
    fault = ids.add(name, f"on line {line}")
    if fault:
        source.fault(line, fault, "_id")
        return None
    return nfc(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    id: str
    text: str
    line: int


def scan_beir_golden(folder: Path, split: str) -> Reading[GoldenFile]:
    """Read like ``read_beir_golden``, but hand the faults over instead of raising them."""
    path = folder / "queries.jsonl"
    missing = _missing(folder, path)
    if missing:
        return Reading(value=None, problems=(missing,))
    digest = hashlib.sha256()
    source = JsonLines(path=path, hasher=digest, keys=("_id", "text"))
    asked = _asked(source)
    problems = list(source.problems)
    try:
        judged = read_qrels(_qrels_file(folder, split))
    except InputError as error:
        return Reading(value=None, problems=(*problems, *error.problems))
    kept = [query for query in asked if query.id in judged.grades]
    if not problems:
        problems += _unknown_queries(judged, {query.id for query in asked}, path)
    for query in kept:
        if not query.text.strip():
            message = f"question {query.id!r} is blank; write the question, or delete its judgments"
            problems.append(Problem(file=str(path), line=query.line, field="text", message=message))
    hashes = [[path.name, digest.hexdigest()], [f"qrels/{split}.tsv", judged.sha256]]
    golden = GoldenSet(
        queries=tuple(Query(id=query.id, text=query.text, split=split) for query in kept),
        judgments=Judgments(exhaustive=False, grades={query.id: judged.grades[query.id] for query in kept}),
        sha256=sha256_json(hashes),
        notes=(*judged.notes, *_left_out(len(asked) - len(kept), split)),
    )
    file = GoldenFile(
        golden=golden,
        query_file=str(path),
        query_lines={query.id: query.line for query in kept},
        judgment_file=judged.file,
        judgment_lines=judged.lines,
    )
    return Reading(value=file, problems=(*problems, *judged.problems))


def _left_out(number: int, split: str) -> list[str]:
    queries = counted(number, "query", "queries")
    note = f"{queries} of queries.jsonl left out, because qrels/{split}.tsv doesn't judge them"
    return [note] if number else []


def _asked(source: JsonLines) -> list[_Asked]:
    ids = Ids(kind="query")
    asked = []
    for line, fields in source.read():
        name = _new_id(source, ids, line, fields)
        text = source.text(line, fields, "text")
        if name is not None and text is not None:
            asked.append(_Asked(id=name, text=text, line=line))
    if not asked and not source.problems:
        source.fault(None, "must hold at least one query, found none")
    return asked


def _qrels_file(folder: Path, split: str) -> Path:
    qrels = folder / "qrels"
    if not os.path.isdir(qrels):
        raise InputError(Problem(file=str(qrels), message=f"there is no such folder; {_LAYOUT}"))
    names = (name for name in os.listdir(qrels) if name.endswith(".tsv") and not name.startswith("."))
    splits = sorted(name.removesuffix(".tsv") for name in names)
    if split not in splits:
        there = f"there are {', '.join(map(repr, splits))}" if splits else "there is no .tsv file at all"
        raise InputError(Problem(file=str(qrels), message=f"holds no split {split!r}; {there}"))
    return qrels / f"{split}.tsv"


def _unknown_queries(judged: Judged, known: set[str], path: Path) -> list[Problem]:
    first: dict[str, int] = {}
    for (query, _), line in judged.lines.items():
        if query not in known:
            first.setdefault(query, line)
    message = f"is judged here but isn't in {path.name}; add the query, or delete its judgments"
    return [Problem(file=judged.file, line=line, message=f"query {query!r} {message}") for query, line in first.items()]
