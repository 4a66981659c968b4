"""Every answer of every set, small enough for a page.

Sets often give the same answer, so each question holds its distinct answers and, for each set, which one it gave. A
question's answers are one compressed text that is unpacked when somebody opens it. How hits came about (ranks, scores
and contributions by route) is kept as deep as the limit allows; the page says how deep.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.report.judged import RATED
from harness.report.markdown import number
from harness.summary import Sweep, row_name

MOST_BYTES = 8_000_000
"""What answers with their evidence may take on a page; above it the evidence is cut."""

_SAMPLE = 12

Hit = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was logged of a sweep besides its summaries.

    Attributes:
        sweep_id: id of the parent run.
        config: the study file with all defaults.
        runs: hash of a set's parameters → id of its run.
        rankings: pairs of such a hash and the text of ``ranking.jsonl``; gone through once.
    """

    sweep_id: str
    config: str
    runs: Mapping[str, str]
    rankings: Iterable[tuple[str, str]] = ()


@dataclass(slots=True)
class Interned:
    """Values by number, each once."""

    numbers: dict[Any, int] = field(default_factory=dict)

    def number(self, value: Any) -> int:
        """Return the number of a value."""
        return self.numbers.setdefault(value, len(self.numbers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers to all questions.

    Attributes:
        packed: one text a question.
        depth: how many hits of an answer say how they came about; None for all, 0 for none.
        logged: whether anything was logged on that.
    """

    packed: tuple[str, ...]
    depth: int | None
    logged: bool


def pack_answers(sweep: Sweep, evidence: Evidence | None, most: int = MOST_BYTES) -> Answers:
    """Return all answers, with as much of the evidence as fits; the depth is tried on a sample first."""
    hits = _hits(sweep, evidence)
    questions = range(len(sweep.sets[0].rows))
    logged = any(hits)
    packed: tuple[str, ...] = ()
    for depth in (None, 2 * sweep.header.k, sweep.header.k, 0) if logged else (0,):
        sample = questions[:: max(1, len(questions) // _SAMPLE)]
        if depth != 0 and _size(_packed(sweep, hits, sample, depth)) * len(questions) > most * len(sample):
            continue
        packed = _packed(sweep, hits, questions, depth)
        if _size(packed) <= most:
            break
    return Answers(packed=packed, depth=depth, logged=logged)


def _packed(
    sweep: Sweep, hits: Sequence[Mapping[int, tuple[Hit, ...]]], questions: Iterable[int], depth: int | None
) -> tuple[str, ...]:
    return tuple(_pack(_question(sweep, place, hits[place] if hits else {}, depth)) for place in questions)


def _size(packed: Sequence[str]) -> int:
    return sum(map(len, packed))


def _pack(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 6)).decode("ascii")


def _question(sweep: Sweep, place: int, hits: Mapping[int, tuple[Hit, ...]], depth: int | None) -> dict[str, Any]:
    """Return one question's distinct answers.

    ``a``: answers (rank of the first relevant document, values, documents); ``e``: distinct evidence; ``s``: for each
    set the numbers of its answer and of its evidence; ``t``: the texts that all others name by number.
    """
    texts, answers, proofs = Interned(), Interned(), Interned()
    names = [row_name(f"{mean}@{sweep.header.k}") for mean in RATED]
    sets = []
    for number_, summary in enumerate(sweep.sets):
        row = summary.rows[place]
        values = tuple(number(row.values.get(name)) for name in names)
        documents = tuple(texts.number(document) for document in row.retrieved)
        answer = answers.number((-1 if row.missing else row.first_relevant_rank or 0, values, documents))
        held = hits.get(number_, ())[:depth]
        proof = proofs.number(tuple(_numbered(hit, texts) for hit in held)) if held else -1
        sets.append((answer, proof))
    relevant = [texts.number(document) for document in sweep.sets[0].rows[place].relevant]
    return {
        "a": list(answers.numbers),
        "e": list(proofs.numbers),
        "s": sets,
        "r": relevant,
        "t": list(texts.numbers),
    }


def _numbered(hit: Hit, texts: Interned) -> Hit:
    chunk, document, score, before, places = hit
    routes = tuple((texts.number(route), rank, value, share) for route, rank, value, share in places)
    return (texts.number(chunk), texts.number(document), score, before, routes)


def _hits(sweep: Sweep, evidence: Evidence | None) -> Sequence[Mapping[int, tuple[Hit, ...]]]:
    """Return for each question: place of the set → its hits; equal ones are the same object."""
    if evidence is None or not sweep.sets:
        return ()
    of_hash = {summary.hashes.get("parameters", ""): place for place, summary in enumerate(sweep.sets)}
    of_query = {row.query: place for place, row in enumerate(sweep.sets[0].rows)}
    found: list[dict[int, tuple[Hit, ...]]] = [{} for _ in of_query]
    same: dict[tuple[Hit, ...], tuple[Hit, ...]] = {}
    for parameters, text in evidence.rankings:
        place = of_hash.get(parameters)
        if place is None:
            continue
        for line in filter(None, text.split("\n")):
            held = json.loads(line)
            if held["query"] in of_query:
                hits = tuple(_hit(hit) for hit in held["hits"])
                found[of_query[held["query"]]][place] = same.setdefault(hits, hits)
    return found


def _hit(hit: Mapping[str, Any]) -> Hit:
    explain = hit["explain"]
    places = tuple((p["route"], p["rank"], _short(p["score"]), p["contribution"]) for p in explain["places"])
    return (hit["chunk"], hit["document"], _short(hit["score"]), explain["rank_before_rerank"], places)


def _short(value: float) -> float:
    return float(f"{value:.5g}")
