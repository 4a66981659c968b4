"""Abstention: what a score threshold does for unanswerable questions, and what it costs the answerable ones.

A system that shows only what scores at least the threshold stays silent when nothing passes. That is right for a
question without a relevant document and wrong for any other, so the two shares always come together, and with them
what the threshold takes out of the rankings of answerable questions. Recall and RR say nothing about the first
kind: such questions are in neither mean.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.scoring.checks import refuse, show


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstention:
    """One threshold, both sides.

    Attributes:
        threshold: an item passes when its score is at least this.
        unanswerable: questions without a relevant document.
        unanswerable_silent: those of them for which nothing passes (right).
        answerable: questions with a relevant document.
        answerable_silent: those of them for which nothing passes (wrong).
        relevant_lost: relevant documents in the rankings of answerable questions that don't pass.
        relevant_returned: relevant documents in those rankings.
    """

    threshold: float
    unanswerable: int
    unanswerable_silent: int
    answerable: int
    answerable_silent: int
    relevant_lost: int
    relevant_returned: int

    @property
    def abstention(self) -> Fraction | None:
        """Share of unanswerable questions for which nothing passes; None when there is none."""
        return Fraction(self.unanswerable_silent, self.unanswerable) if self.unanswerable else None

    @property
    def cost(self) -> Fraction | None:
        """Share of answerable questions for which nothing passes; None when there is none."""
        return Fraction(self.answerable_silent, self.answerable) if self.answerable else None


def abstention(
    *,
    relevant: Mapping[str, Collection[str]],
    rankings: Mapping[str, Sequence[str]],
    scores: Mapping[str, Sequence[float]],
    threshold: float,
) -> Abstention:
    """Return both sides of a threshold.

    Args:
        relevant: question → ids of its relevant documents, for every question of the ledger; empty: unanswerable.
        rankings: question → ids, best first. A question that is left out has nothing that could pass.
        scores: question → one score per id.
        threshold: the smallest score that passes.

    Raises:
        ValueError: a threshold or score that isn't finite; scores that don't match a ranking.
    """
    passing = above(rankings=rankings, scores=scores, threshold=threshold)
    lost = returned = 0
    for query, wanted in relevant.items():
        there = sum(document in wanted for document in rankings.get(query, ()))
        returned += there
        lost += there - sum(document in wanted for document in passing.get(query, ()))
    answerable = [query for query, wanted in relevant.items() if wanted]
    unanswerable = [query for query, wanted in relevant.items() if not wanted]
    return Abstention(
        threshold=threshold,
        unanswerable=len(unanswerable),
        unanswerable_silent=sum(not passing.get(query) for query in unanswerable),
        answerable=len(answerable),
        answerable_silent=sum(not passing.get(query) for query in answerable),
        relevant_lost=lost,
        relevant_returned=returned,
    )


def above(
    *, rankings: Mapping[str, Sequence[str]], scores: Mapping[str, Sequence[float]], threshold: float
) -> dict[str, list[str]]:
    """Return the rankings without what scores below the threshold; the order stays.

    Raises:
        ValueError: a threshold or score that isn't finite; scores that don't match a ranking.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not math.isfinite(threshold):
        refuse("a threshold must be a finite number", f"got {show(threshold)}")
    kept: dict[str, list[str]] = {}
    for query, ranking in rankings.items():
        found = scores.get(query)
        if found is None or len(found) != len(ranking):
            count = "none" if found is None else len(found)
            refuse("each ranked document needs one score", f"query {show(query)} has {len(ranking)}, scores: {count}")
        for document, score in zip(ranking, found, strict=True):
            if not math.isfinite(score):
                refuse("scores must be finite", f"{show(score)} for {show(document)} of query {show(query)}")
        kept[query] = [document for document, score in zip(ranking, found, strict=True) if score >= threshold]
    return kept
