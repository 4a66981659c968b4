"""hit@k, also called success@k: whether the top k holds any relevant document."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ONE, ZERO
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def hit(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return 1 when any of the top k is relevant, else 0.

    Cutoff: only ranks 1 to k count. Many tools print this under the name of recall; here the two never share
    a name.

    Source: Craswell, "Success at n", Encyclopedia of Database Systems, 2009.
    """
    return ONE if ranking.hits(cutoff) else ZERO


MEASURE = Measure(
    name="hit",
    function=hit,
    takes_cutoff=True,
    view="document",
    description="1 if any relevant document is in the top k, else 0",
    version=1,
)
