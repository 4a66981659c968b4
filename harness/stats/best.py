"""The ceiling, and the oracle of a pool of candidates: what the best order of some documents would score.

The best order is by grade, largest first: it puts relevant documents before all others and serves every measure here
at once. Over all documents that is the ceiling of the judgments (recall@1 of a question with four relevant documents
can't pass 1/4). Over the candidates of a first stage it is what a perfect reranker could make of them: what a real
one leaves on the table, and what no reranker can bring back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from harness.errors import InputError
from harness.stats.panel import mean_of
from harness.stats.question import Question, cut, discounted, enough_discounts, found_in


def ceiling(measure: str, question: Question, *, discounts: Sequence[int] = ()) -> Fraction:
    """Return the largest value of a measure for one question; arguments and errors as for ``chance.floor``."""
    return _best(measure, question, question.relevant, question.gains, discounts)


def oracle(
    measure: str,
    grades: Mapping[str, int],
    pool: Collection[str],
    *,
    documents: int,
    threshold: int = 1,
    discounts: Sequence[int] = (),
) -> Fraction:
    """Return the value of a measure for one question if the pool were put into the best order.

    Args:
        measure: such as ``ndcg@10``.
        grades: document id → grade, all judgments of the question; what is in no judgment isn't relevant.
        pool: ids of the candidates, in any order.
        documents: how many documents the corpus has.
        threshold: the smallest grade that counts as relevant.
        discounts: as for ``chance.floor``.

    Raises:
        InputError: as ``Question.of`` and ``chance.floor``.
    """
    question = Question.of(grades, documents=documents, threshold=threshold)
    gains = tuple(sorted((grade for grade in found_in(grades, pool).values() if grade > 0), reverse=True))
    return _best(measure, question, sum(grade >= threshold for grade in gains), gains, discounts)


def mean_ceiling(measure: str, questions: Iterable[Question], *, discounts: Sequence[int] = ()) -> Fraction:
    """Return the mean of ``ceiling`` over questions.

    Raises:
        InputError: as ``chance.floor``, or there is no question.
    """
    values = [ceiling(measure, question, discounts=discounts) for question in questions]
    if not values:
        raise InputError("the ceiling of a mean needs at least one question, got none")
    return mean_of(values)


def _best(measure: str, question: Question, found: int, gains: Sequence[int], discounts: Sequence[int]) -> Fraction:
    """Return the value of the best order of documents with these gains, ``found`` of them relevant."""
    asked = cut(measure)
    depth = asked.depth(question)
    if asked.name == "ndcg":
        enough_discounts(discounts, min(depth, len(question.gains)))
        return Fraction(discounted(gains, discounts, depth), discounted(question.gains, discounts, depth))
    if asked.name in ("hit", "rr"):
        return Fraction(min(found, 1))
    if asked.name == "precision":
        return Fraction(min(found, depth), depth)
    return Fraction(min(found, depth), question.relevant)
