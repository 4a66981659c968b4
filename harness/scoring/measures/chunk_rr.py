"""chunk_rr@k: how soon the first chunk of a relevant document comes. Its mean is called chunk_mrr@k."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ZERO, ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def chunk_reciprocal_rank(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return 1 ÷ chunk rank of the first chunk of a relevant document, or 0 when none is in the first k.

    Cutoff: k counts chunks, and so does the rank. A document behind several chunks of another one ranks
    lower here than in rr@k.

    Source: Voorhees, "The TREC-8 Question Answering Track Report", 1999, taken over chunks.
    """
    ranks = ranking.relevant_ranks
    return ratio(1, ranks[0]) if ranks and ranks[0] <= cutoff else ZERO


MEASURE = Measure(
    name="chunk_rr",
    function=chunk_reciprocal_rank,
    takes_cutoff=True,
    view="chunk",
    description="1 / chunk rank of the first chunk of a relevant document in the first k chunks, else 0",
    version=1,
    mean_name="chunk_mrr",
)
