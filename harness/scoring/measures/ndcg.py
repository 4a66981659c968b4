"""ndcg@k: graded gain, discounted by rank, against the best ranking the judgments allow."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ratio
from harness.scoring.measures.discount import discounted, discounts
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Bounds, Measure


def ndcg(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return DCG@k of the ranking ÷ DCG@k of the ideal ranking.

    DCG@k is the sum over ranks 1 to k of gain · 1/log2(rank+1). The gain is the grade itself (linear, not
    2^grade - 1), 0 for a negative grade or an unjudged document. Discounts come from the table in
    ``discount.py``, so the value is an exact fraction.

    Cutoff: both rankings are cut at k. The ideal one ranks **all judged documents** of the query, returned or
    not, so a short list isn't rewarded.

    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002;
    discount at every rank as in trec_eval.
    """
    return ratio(discounted(ranking.gains, cutoff), discounted(ranking.ideal, cutoff))


def ndcg_bounds(ranking: LabelledRanking, cutoff: int, grade: int) -> Bounds:
    """Return the smallest and largest nDCG@k over all labellings of the unjudged documents in the top k.

    A labelling gives each of them ``grade`` or nothing. "None relevant" and "all relevant" need not be the
    extremes: a label adds to the ideal too, and a late document can cost more there than it brings. But the
    ideal depends only on how many are labelled relevant, and for a given number the best choice is the
    earliest ranks and the worst the latest. Trying each number with those two choices finds both extremes.

    Documents below the cutoff or never retrieved keep gain 0.
    """
    own = discounted(ranking.gains, cutoff)
    factors = [discounts(rank)[rank - 1] for rank in ranking.unjudged_ranks(cutoff)]
    least = most = ndcg(ranking, cutoff)
    for count in range(1, len(factors) + 1):
        ideal = tuple(sorted((*ranking.ideal, *[grade] * count), reverse=True))
        best = discounted(ideal, cutoff)
        least = min(least, ratio(own + grade * sum(factors[-count:]), best))
        most = max(most, ratio(own + grade * sum(factors[:count]), best))
    return least, most


MEASURE = Measure(
    name="ndcg",
    function=ndcg,
    takes_cutoff=True,
    view="document",
    description="DCG@k / DCG@k of all judged documents in ideal order; gain = grade, discount 1/log2(rank+1)",
    version=1,
    bounds=ndcg_bounds,
)
