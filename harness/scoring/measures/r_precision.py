"""r_precision: precision at the rank that equals the number of relevant documents."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def r_precision(ranking: LabelledRanking, _length: int) -> Fraction:
    """Return relevant documents in the top R ÷ R, where R is the number of relevant documents.

    Cutoff: none is given; each query has its own, R. It is precision@R and recall@R at once.

    Source: Buckley and Voorhees, "Retrieval System Evaluation", in: TREC, MIT Press, 2005.
    """
    return ratio(ranking.hits(ranking.relevant), ranking.relevant)


MEASURE = Measure(
    name="r_precision",
    function=r_precision,
    takes_cutoff=False,
    view="document",
    description="relevant documents in the top R / R, R = all relevant documents",
    version=1,
)
