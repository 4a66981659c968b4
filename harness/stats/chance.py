"""The floor: what a ranking in random order scores on average, exactly.

All N documents of the corpus are ranked, every order equally likely. A measure's floor belongs beside its mean: with
20 documents, hit@10 is 1/2 for a coin. How many of the first k are relevant is hypergeometric; the rest follows from
the expectation being linear. nDCG uses the scorer's own discount table, which is handed in, so it's exact over that
table.

Source: for average precision Bestgen, "Exact Expected Average Precision of the Random Baseline for System
Evaluation", The Prague Bulletin of Mathematical Linguistics 103, 2015; the others are elementary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import comb

from harness.errors import InputError
from harness.stats.panel import mean_of
from harness.stats.question import Cut, Question, cut, discounted, enough_discounts

Floor = Callable[[Question, int], Fraction]


def floor(measure: str, question: Question, *, discounts: Sequence[int] = ()) -> Fraction:
    """Return the expected value of a measure for one question under random ranking.

    Args:
        measure: such as ``recall@10``.
        question: its judgments as counts.
        discounts: for nDCG: the scorer's discounts from rank 1 on, in any unit (``measures.discount.discounts(k)``).

    Raises:
        InputError: the measure isn't known here, or the discounts are too few.
    """
    asked = cut(measure)
    seen = min(asked.depth(question), question.documents)
    if asked.name == "ndcg":
        return _ndcg(question, asked, seen, discounts)
    return _FLOORS[asked.name](question, seen) * _share_of_depth(asked, question, seen)


def mean_floor(measure: str, questions: Iterable[Question], *, discounts: Sequence[int] = ()) -> Fraction:
    """Return the mean of ``floor`` over questions.

    Raises:
        InputError: as ``floor``, or there is no question.
    """
    values = [floor(measure, question, discounts=discounts) for question in questions]
    if not values:
        raise InputError("the floor of a mean needs at least one question, got none")
    return mean_of(values)


def _share_of_depth(asked: Cut, question: Question, seen: int) -> Fraction:
    """Precision divides by k even where the corpus is smaller."""
    return Fraction(seen, asked.depth(question)) if asked.name == "precision" else Fraction(1)


def _hit(question: Question, seen: int) -> Fraction:
    """1 − C(N − R, k)/C(N, k): not all of the first k come from the documents that aren't relevant."""
    others = question.documents - question.relevant
    return 1 - Fraction(comb(others, seen), comb(question.documents, seen))


def _recall(question: Question, seen: int) -> Fraction:
    """k/N: each relevant document stands in the first k with that chance."""
    return Fraction(seen, question.documents)


def _precision(question: Question, _seen: int) -> Fraction:
    """R/N: each rank holds a relevant document with that chance."""
    return Fraction(question.relevant, question.documents)


def _rr(question: Question, seen: int) -> Fraction:
    """Sum of 1/r · C(N − r, R − 1)/C(N, R): the first relevant one at rank r leaves R − 1 for the N − r later ranks."""
    documents, relevant = question.documents, question.relevant
    ways = [Fraction(comb(documents - rank, relevant - 1), rank) for rank in range(1, seen + 1)]
    return sum(ways, Fraction(0)) / comb(documents, relevant)


def _ap(question: Question, seen: int) -> Fraction:
    """(1/N) · sum of (1 + (r − 1)(R − 1)/(N − 1))/r: given a relevant one at r, so many are expected up to r."""
    documents, relevant = question.documents, question.relevant
    before = Fraction(relevant - 1, max(documents - 1, 1))
    return sum(((1 + (rank - 1) * before) / rank for rank in range(1, seen + 1)), Fraction(0)) / documents


def _ndcg(question: Question, asked: Cut, seen: int, discounts: Sequence[int]) -> Fraction:
    """(sum of gains / N) · (sum of discounts) ÷ ideal: each rank holds the mean gain of the corpus on average."""
    enough_discounts(discounts, seen)
    ideal = discounted(question.gains, discounts, asked.depth(question))
    return Fraction(sum(question.gains) * sum(discounts[:seen]), question.documents * ideal)


_FLOORS: dict[str, Floor] = {
    "hit": _hit,
    "recall": _recall,
    "precision": _precision,
    "rr": _rr,
    "ap": _ap,
    "r_precision": _precision,
}
