"""recall@k: the share of a query's relevant documents that the top k holds."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Bounds, Measure


def recall(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return relevant documents in the top k ÷ all relevant documents of the query.

    Cutoff: only ranks 1 to k count; the denominator ignores k, so with R > k relevant documents the value
    can't reach 1. Not "hit or miss": that is ``hit@k``.

    Source: Kent, Berry, Luehrs, Perry, "Machine literature searching VIII", 1955.
    """
    return ratio(ranking.hits(cutoff), ranking.relevant)


def recall_bounds(ranking: LabelledRanking, cutoff: int, _grade: int) -> Bounds:
    """Return h/R and (h+u)/(R+u), with h hits and u unjudged documents in the top k.

    A relevant label adds 1 above and below a quotient that is at most 1, so it never lowers the value: the
    extremes are "all unjudged are not relevant" and "all are relevant". Documents below the cutoff or never
    retrieved keep counting as not relevant.
    """
    hits, relevant = ranking.hits(cutoff), ranking.relevant
    unjudged = len(ranking.unjudged_ranks(cutoff))
    return ratio(hits, relevant), ratio(hits + unjudged, relevant + unjudged)


MEASURE = Measure(
    name="recall",
    function=recall,
    takes_cutoff=True,
    view="document",
    description="relevant documents in the top k / all relevant documents",
    version=1,
    bounds=recall_bounds,
)
