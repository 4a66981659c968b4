"""What floor, ceiling and oracle need to know of a question, and the measures they know."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from harness.errors import InputError

NAMES = ("hit", "recall", "precision", "rr", "ap", "ndcg", "r_precision")
"""Measures with a floor and a ceiling, as scoring names them; ``mrr`` is understood as ``rr``."""

_NAME = re.compile(r"([a-z_]+)(?:@([1-9][0-9]*))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The judgments of one question, as counts.

    Attributes:
        documents: how many documents the corpus has.
        relevant: how many of them are relevant, at least 1.
        gains: the positive grades of all judged documents, largest first; only nDCG looks at them.
    """

    documents: int
    relevant: int
    gains: tuple[int, ...]

    @classmethod
    def of(cls, grades: Mapping[str, int], *, documents: int, threshold: int = 1) -> Question:
        """Count the judgments of one question; documents without a judgment count as not relevant.

        Args:
            grades: document id → grade.
            documents: how many documents the corpus has.
            threshold: the smallest grade that counts as relevant, at least 1.

        Raises:
            InputError: no document is relevant (the measures have no value then), or more have a positive grade than
                there are documents.
        """
        gains = tuple(sorted((grade for grade in grades.values() if grade > 0), reverse=True))
        relevant = sum(grade >= threshold for grade in gains)
        if not relevant:
            raise InputError(f"no document reaches grade {threshold}, so the measures have no value for this question")
        if len(gains) > documents:
            raise InputError(f"{len(gains)} documents have a positive grade, but the corpus has {documents}")
        return cls(documents=documents, relevant=relevant, gains=gains)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A measure and its cutoff.

    Attributes:
        name: one of ``NAMES``.
        k: the cutoff; None for r_precision.
    """

    name: str
    k: int | None

    def depth(self, question: Question) -> int:
        """Return how many ranks the measure looks at."""
        return question.relevant if self.k is None else self.k


def cut(measure: str) -> Cut:
    """Read a name such as ``recall@10``, ``mrr@3`` or ``r_precision``.

    Raises:
        InputError: the measure has no floor and ceiling here, or its cutoff is absent or superfluous.
    """
    found = _NAME.fullmatch(measure)
    name, k = found.groups() if found else (measure, None)
    name = "rr" if name == "mrr" else name
    if name not in NAMES or (k is None) != (name == "r_precision"):
        choices = ", ".join(known if known == "r_precision" else f"{known}@k" for known in NAMES)
        raise InputError(f"floor and ceiling are known for {choices}; got {measure!r}")
    return Cut(name=name, k=None if k is None else int(k))


def discounted(gains: Sequence[int], discounts: Sequence[int], depth: int) -> int:
    """Return the sum of gain · discount over the first ``depth`` gains, in units of the discount table."""
    return sum(gain * factor for gain, factor in zip(gains[:depth], discounts, strict=False))


def enough_discounts(discounts: Sequence[int], depth: int) -> None:
    """Refuse a discount table that ends too early.

    Raises:
        InputError: it has fewer than ``depth`` entries.
    """
    if len(discounts) < depth:
        raise InputError(f"nDCG needs discounts for {depth} ranks, got {len(discounts)}: pass the scorer's own table")


def found_in(grades: Mapping[str, int], pool: Collection[str]) -> dict[str, int]:
    """Return the judgments of the documents in the pool."""
    return {document: grades[document] for document in set(pool) if document in grades}
