"""precision@k: the share of the k places that hold a relevant document."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def precision(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return relevant documents in the top k ÷ k.

    Cutoff: the denominator is k even when fewer documents were returned; an empty place is a place without a
    relevant document.

    Source: van Rijsbergen, "Information Retrieval", 2nd edition, 1979, chapter 7.
    """
    return ratio(ranking.hits(cutoff), cutoff)


MEASURE = Measure(
    name="precision",
    function=precision,
    takes_cutoff=True,
    view="document",
    description="relevant documents in the top k / k",
    version=1,
)
