"""How far a run that was made again agrees with the one that was logged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from harness.stages import StagePrints, first_difference, parting_stage
from harness.summary import SetSummary
from harness.tracking.reading import LoggedHit


class Rung(Enum):
    """From the strictest agreement to none; the value is the exit code."""

    BIT_IDENTICAL = 0
    SAME_RANKINGS = 4
    SAME_METRICS = 5
    DIFFERENT = 6

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ").replace("bit identical", "bit-identical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """What a set gave when it was run again: rankings, scores and prints."""

    summary: SetSummary
    stages: StagePrints
    rankings: Mapping[str, tuple[LoggedHit, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDifference:
    """A question that came out differently.

    Attributes:
        query: its id.
        stage: first stage at which it did.
        overlap: share of chunks in both rankings, of the longer one.
        tau: Kendall's tau-b over the union of both rankings, chunks that one lacks tied behind its end; None where it
            isn't defined (Breuer et al., "How to Measure the Reproducibility of System-oriented IR Experiments",
            SIGIR 2020, call it Kendall's tau union).
        score_gap: largest difference of a chunk's retrieval score, over the chunks both have.
        before: document rank of the first relevant document as logged.
        after: the same now.
    """

    query: str
    stage: str | None
    overlap: Fraction
    tau: float | None
    score_gap: float
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A logged set against the same set made again.

    Attributes:
        rung: of the ladder.
        stage: first stage that differs, None when all agree.
        questions: those that came out differently at any stage of their own.
        lost: questions that were logged and are no longer asked.
        added: questions that are asked now and weren't logged.
        rmse: measure → root mean square difference of its values over the questions, for measures where it isn't 0.
    """

    rung: Rung
    stage: str | None
    questions: tuple[QuestionDifference, ...]
    lost: tuple[str, ...]
    added: tuple[str, ...]
    rmse: Mapping[str, float]


def agreement(
    summary: SetSummary, stages: StagePrints, rankings: Mapping[str, tuple[LoggedHit, ...]], now: Remade
) -> Agreement:
    """Compare what was logged with what came out now.

    The rungs: *bit-identical*, every ranked chunk, every bit of its score and every value of every measure; *same
    rankings*, the same chunks in the same order for every question; *same metrics*, the same value of every measure
    for every question; *different*.
    """
    lost = tuple(query for query in rankings if query not in now.rankings)
    added = tuple(query for query in now.rankings if query not in rankings)
    same_values = _values(summary) == _values(now.summary)
    same_rankings = {q: _chunks(r) for q, r in rankings.items()} == {q: _chunks(r) for q, r in now.rankings.items()}
    same_bits = same_rankings and all(_bits(rankings[q]) == _bits(now.rankings[q]) for q in rankings)
    if same_bits and same_values:
        rung = Rung.BIT_IDENTICAL
    elif same_rankings:
        rung = Rung.SAME_RANKINGS
    else:
        rung = Rung.SAME_METRICS if same_values else Rung.DIFFERENT
    return Agreement(
        rung=rung,
        stage=first_difference(stages, now.stages),
        questions=tuple(_questions(summary, stages, rankings, now)),
        lost=lost,
        added=added,
        rmse=_rmse(summary, now.summary),
    )


def _questions(
    summary: SetSummary, stages: StagePrints, rankings: Mapping[str, tuple[LoggedHit, ...]], now: Remade
) -> list[QuestionDifference]:
    old = {row.query: row.first_relevant_rank for row in summary.rows}
    new = {row.query: row.first_relevant_rank for row in now.summary.rows}
    found: list[QuestionDifference] = []
    for query, before in rankings.items():
        stage = parting_stage(query, stages, now.stages)
        after = now.rankings.get(query)
        if after is None or (stage is None and _bits(before) == _bits(after)):
            continue
        shares = {h.chunk: h.score for h in after}
        gaps = [abs(h.score - shares[h.chunk]) for h in before if h.chunk in shares]
        found.append(
            QuestionDifference(
                query=query,
                stage=stage,
                overlap=_overlap(_chunks(before), _chunks(after)),
                tau=tau_union(_chunks(before), _chunks(after)),
                score_gap=max(gaps, default=0.0),
                before=old.get(query),
                after=new.get(query),
            )
        )
    return found


def tau_union(before: Sequence[str], after: Sequence[str]) -> float | None:
    """Return Kendall's tau-b over the union of two rankings; None for fewer than two chunks or no order at all."""
    union = list(dict.fromkeys([*before, *after]))
    places = [{chunk: rank for rank, chunk in enumerate(ranking)} for ranking in (before, after)]
    xs, ys = ([place.get(chunk, len(union)) for chunk in union] for place in places)
    pairs = [(a, b) for a in range(len(union)) for b in range(a)]
    signs = [(_sign(xs[a] - xs[b]), _sign(ys[a] - ys[b])) for a, b in pairs]
    spread = math.sqrt(sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs))
    return sum(x * y for x, y in signs) / spread if spread else None


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _overlap(before: Sequence[str], after: Sequence[str]) -> Fraction:
    longest = max(len(before), len(after))
    return Fraction(len(set(before) & set(after)), longest) if longest else Fraction(1)


def _chunks(hits: Sequence[LoggedHit]) -> list[str]:
    return [hit.chunk for hit in hits]


def _bits(hits: Sequence[LoggedHit]) -> list[tuple[str, str]]:
    return [(hit.chunk, hit.score.hex()) for hit in hits]


def _values(summary: SetSummary) -> dict[str, Mapping[str, Fraction | None]]:
    return {row.query: dict(row.values) for row in summary.rows}


def _rmse(before: SetSummary, now: SetSummary) -> dict[str, float]:
    new = {row.query: row.values for row in now.rows}
    squares: dict[str, list[Fraction]] = {}
    for row in before.rows:
        for name, value in row.values.items():
            other = new.get(row.query, {}).get(name)
            if value is not None and other is not None:
                squares.setdefault(name, []).append((value - other) ** 2)
    return {name: math.sqrt(sum(held) / len(held)) for name, held in squares.items() if any(held)}
