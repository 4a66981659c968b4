"""chunk_ndcg_retrieved@k: how well the returned chunks are ordered among themselves."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ZERO, ratio
from harness.scoring.measures.discount import discounted
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def chunk_ndcg_retrieved(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return DCG@k of the chunks ÷ DCG@k of the best reordering of the returned list.

    Every chunk has the grade of its document as gain (0 when negative or unjudged); discounts as in ndcg@k.
    When no returned chunk has a gain the value is 0.

    Cutoff: k counts chunks. The best reordering is taken over the whole returned list and then cut at k.
    Chunks that were not returned are unknown to it, so a perfect value says nothing about recall, which has
    no denominator in this view. It is never compared with ndcg@k.

    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20(4), 2002,
    with another ideal.
    """
    best = discounted(ranking.ideal, cutoff)
    return ratio(discounted(ranking.gains, cutoff), best) if best else ZERO


MEASURE = Measure(
    name="chunk_ndcg_retrieved",
    function=chunk_ndcg_retrieved,
    takes_cutoff=True,
    view="chunk",
    description="DCG@k of chunks / DCG@k of the best reordering of the returned chunks; gain = grade of document",
    version=1,
)
