"""rr@k: how soon the first relevant document comes. Its mean is called mrr@k."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ZERO, ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Bounds, Measure


def reciprocal_rank(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return 1 ÷ rank of the first relevant document, or 0 when none stands in the top k.

    Cutoff: a first relevant document below rank k counts as none. Later relevant documents never matter.

    Source: Voorhees, "The TREC-8 Question Answering Track Report", 1999.
    """
    ranks = ranking.relevant_ranks
    return ratio(1, ranks[0]) if ranks and ranks[0] <= cutoff else ZERO


def reciprocal_rank_bounds(ranking: LabelledRanking, cutoff: int, _grade: int) -> Bounds:
    """Return the value with no unjudged document relevant, and with all in the top k relevant.

    Another relevant document can only move the first one up.
    """
    least = reciprocal_rank(ranking, cutoff)
    unjudged = ranking.unjudged_ranks(cutoff)
    return least, max(least, ratio(1, unjudged[0])) if unjudged else least


MEASURE = Measure(
    name="rr",
    function=reciprocal_rank,
    takes_cutoff=True,
    view="document",
    description="1 / rank of the first relevant document in the top k, else 0",
    version=1,
    mean_name="mrr",
    bounds=reciprocal_rank_bounds,
)
