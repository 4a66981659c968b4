"""Checks a corpus and a golden set against each other."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.collection.reading import GoldenFile, some
from harness.errors import Problem
from harness.quotes import comparable, contains
from harness.records import Corpus, GoldenSet
from harness.wording import counted

_CHUNK = re.compile(r"(.+?)(?:#|::|:|@|\|)(?:chunk[-_]?)?[0-9]+")
_MOST_COMPARED = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a cross-check found.

    Attributes:
        problems: what must be put right.
        notes: what can be worked with although it is unusual, one sentence each.
    """

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def cross_check(corpus: Corpus, golden: GoldenFile, split: str | None = None) -> Findings:
    """Find judgments of unknown documents, quotes that aren't there, an empty split, and gold that can't be found.

    Args:
        corpus: read without problems.
        golden: the golden set to hold against it.
        split: the split that will be scored; None checks no split.
    """
    problems = [*_unknown_documents(corpus, golden), *_strange_quotes(corpus, golden)]
    if split is not None:
        problems += _split_faults(golden, split)
    notes = [*_unreachable(corpus, golden.golden)]
    if split is not None and not problems:
        notes += _no_relevant(golden.golden, split)
    return Findings(problems=tuple(problems), notes=tuple(notes))


def _unknown_documents(corpus: Corpus, golden: GoldenFile) -> Iterator[Problem]:
    known = {document.id: None for document in corpus.documents}
    asking: dict[str, list[str]] = {}
    for query, grades in golden.golden.judgments.grades.items():
        for document in grades:
            if document not in known:
                asking.setdefault(document, []).append(query)
    guesses = max(_MOST_COMPARED // max(len(known), 1), 1)
    names = list(known) if len(known) <= _MOST_COMPARED else []
    for number, (document, queries) in enumerate(asking.items()):
        cure = _cure(document, known, names if number < guesses else [])
        where = f"named by {'question' if len(queries) == 1 else 'questions'} {some(map(repr, queries))}"
        yield Problem(
            file=golden.judgment_file,
            line=golden.judgment_lines.get((queries[0], document)),
            message=f"document {document!r}, {where}, isn't in the corpus; {cure}",
        )


def _strange_quotes(corpus: Corpus, golden: GoldenFile) -> Iterator[Problem]:
    quoted = {quote.document for query in golden.golden.queries for quote in query.evidence}
    texts = {document.id: comparable(document.text) for document in corpus.documents if document.id in quoted}
    for query in golden.golden.queries:
        lines = golden.quote_lines.get(query.id, ())
        for place, quote in enumerate(query.evidence):
            text = texts.get(quote.document)
            if text is None or contains(text, quote):
                continue
            holding = [name for name, other in texts.items() if contains(other, quote)]
            where = f"; it stands in {some(map(repr, holding))}" if holding else ""
            yield Problem(
                file=golden.query_file,
                line=lines[place] if place < len(lines) else None,
                field="evidence",
                message=(
                    f"question {query.id!r}: {quote.text[:80]!r} isn't in document {quote.document!r} (width and "
                    f"white space aside){where}; copy the quote from the document, or delete it"
                ),
            )


def _cure(document: str, known: Mapping[str, None], names: Sequence[str]) -> str:
    chunk = _CHUNK.fullmatch(document)
    if chunk and chunk[1] in known:
        return f"gold names documents, not chunks: write {chunk[1]!r}"
    near = difflib.get_close_matches(document, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return "add the document, or correct the id"


def _split_faults(golden: GoldenFile, split: str) -> Iterator[Problem]:
    queries = golden.golden.queries
    if any(query.split == split for query in queries):
        return
    sizes: dict[str, int] = {}
    for query in queries:
        sizes[query.split] = sizes.get(query.split, 0) + 1
    there = ", ".join(f"{name!r} ({counted(size, 'question')})" for name, size in sizes.items())
    near = difflib.get_close_matches(split, sizes, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    message = f"has no question in split {split!r}; there are {there or 'no splits'}{guess}"
    yield Problem(file=golden.query_file, message=message)


def _unreachable(corpus: Corpus, golden: GoldenSet) -> Iterator[str]:
    sources = set(corpus.blank)
    blank = {document.id for document in corpus.documents if document.source in sources}
    hit = [
        f"{query!r} ({document!r})"
        for query, grades in golden.judgments.grades.items()
        for document, grade in grades.items()
        if grade > 0 and document in blank
    ]
    if hit:
        yield (
            f"{counted(len(hit), 'relevant document')} without text, which can never be found; "
            f"question and document: {some(hit)}"
        )


def _no_relevant(golden: GoldenSet, split: str) -> Iterator[str]:
    asked = [query.id for query in golden.queries if query.split == split]
    empty = [name for name in asked if not any(g > 0 for g in golden.judgments.grades[name].values())]
    if len(empty) == len(asked):
        yield f"no question of split {split!r} has a relevant document, so every mean is undefined"
