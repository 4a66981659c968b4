"""ap@k: average precision of the top k."""

from __future__ import annotations

import math
from fractions import Fraction

from harness.scoring.exact import ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def average_precision(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return the sum, over the relevant documents in the top k, of precision at their rank, ÷ R.

    In symbols (1/R) · sum of i/r_i, where r_i is the rank of the i-th relevant document.

    Cutoff: only ranks 1 to k add to the sum. The denominator is R, all relevant documents; not k, not
    min(k, R), not the number found. With a single relevant document it equals rr@k.

    Source: Buckley and Voorhees, "Retrieval System Evaluation", in: TREC, MIT Press, 2005.
    """
    ranks = ranking.relevant_ranks[: ranking.hits(cutoff)]
    common = math.lcm(*ranks)
    total = sum(found * (common // rank) for found, rank in enumerate(ranks, start=1))
    return ratio(total, common * ranking.relevant)


MEASURE = Measure(
    name="ap",
    function=average_precision,
    takes_cutoff=True,
    view="document",
    description="sum of precision at the rank of each relevant document in the top k / all relevant documents",
    version=1,
)
