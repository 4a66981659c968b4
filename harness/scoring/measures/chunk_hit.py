"""chunk_hit@k: whether the first k chunks hold any chunk of a relevant document."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ONE, ZERO
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def chunk_hit(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return 1 when any of the first k chunks belongs to a relevant document, else 0.

    Cutoff: k counts chunks, not documents; nothing is collapsed.

    Source: Craswell, "Success at n", Encyclopedia of Database Systems, 2009, taken over chunks.
    """
    return ONE if ranking.hits(cutoff) else ZERO


MEASURE = Measure(
    name="chunk_hit",
    function=chunk_hit,
    takes_cutoff=True,
    view="chunk",
    description="1 if any of the first k chunks belongs to a relevant document, else 0",
    version=1,
)
