"""What a measure sees of one query: labels at ranks, never ids or scores."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from harness.frozen import Frozen

Labels = Sequence[int | None]


class Judged(Frozen):
    """The judgments of one query, digested once.

    Attributes:
        grades: document id → grade, as judged.
        relevant: how many judged documents reach the threshold.
        ideal: the positive grades of all judged documents, largest first.
    """

    grades: Mapping[str, int]
    relevant: int
    ideal: tuple[int, ...]

    @classmethod
    def of(cls, grades: Mapping[str, int], threshold: int) -> Judged:
        """Digest one row of judgments."""
        positive = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
        return cls(
            grades=grades,
            relevant=sum(grade >= threshold for grade in positive),
            ideal=tuple(positive),
        )


class LabelledRanking(Frozen):
    """One ranking with its labels; all a measure may look at.

    Attributes:
        gains: the grade at each rank, 0 where it is negative or the document unjudged.
        relevant_ranks: 1-based ranks of the relevant items, ascending.
        relevant: how many relevant documents the query has, returned or not.
        ideal: the gains of the best possible ranking, largest first, without zeros.
        judged: for each rank of the ranking as it was returned, whether the document was judged. Under
            ``condense`` it is longer than ``gains``.
    """

    gains: tuple[int, ...]
    relevant_ranks: tuple[int, ...]
    relevant: int
    ideal: tuple[int, ...]
    judged: tuple[bool, ...]

    def hits(self, cutoff: int) -> int:
        """Return how many relevant items stand in the top ``cutoff``."""
        return bisect_right(self.relevant_ranks, cutoff)

    def unjudged_ranks(self, cutoff: int) -> list[int]:
        """Return the 1-based ranks of the unjudged items in the top ``cutoff``, ascending."""
        return [rank for rank, known in enumerate(self.judged[:cutoff], start=1) if not known]


def label(labels: Labels, judged: Judged, threshold: int, *, condense: bool) -> LabelledRanking:
    """Return a document ranking with its labels.

    Args:
        labels: the grade at each rank, None for an unjudged document.
        judged: the judgments of the query.
        threshold: the smallest grade that counts as relevant, at least 1.
        condense: drop unjudged documents before ranks are counted; else they are not relevant.
    """
    scored: Labels = [grade for grade in labels if grade is not None] if condense else labels
    return LabelledRanking(
        gains=_gains(scored),
        relevant_ranks=_relevant_ranks(scored, threshold),
        relevant=judged.relevant,
        ideal=judged.ideal,
        judged=tuple([grade is not None for grade in labels]),
    )


def label_chunks(labels: Labels, judged: Judged, threshold: int, *, condense: bool) -> LabelledRanking:
    """Return a chunk ranking with its labels: like ``label``, but the ideal reorders what was returned."""
    scored: Labels = [grade for grade in labels if grade is not None] if condense else labels
    gains = _gains(scored)
    return LabelledRanking(
        gains=gains,
        relevant_ranks=_relevant_ranks(scored, threshold),
        relevant=judged.relevant,
        ideal=tuple(sorted((gain for gain in gains if gain), reverse=True)),
        judged=tuple([grade is not None for grade in labels]),
    )


def _gains(labels: Iterable[int | None]) -> tuple[int, ...]:
    return tuple([grade if grade is not None and grade > 0 else 0 for grade in labels])


def _relevant_ranks(labels: Iterable[int | None], threshold: int) -> tuple[int, ...]:
    return tuple([rank for rank, grade in enumerate(labels, start=1) if grade is not None and grade >= threshold])
