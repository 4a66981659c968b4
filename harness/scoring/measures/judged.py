"""judged@k: how much of what a score looked at was judged at all."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ratio
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def judged(ranking: LabelledRanking, cutoff: int) -> Fraction | None:
    """Return judged documents in the top k ÷ documents in the top k.

    Cutoff: the denominator is min(k, returned), so a short list isn't taken for an unjudged one; an empty
    ranking has None, since nothing was looked at. It is read off the ranking as it was returned, also under
    ``condense``, and is defined for queries without relevant documents too.

    Source: MacAvaney, Macdonald, Ounis, "Streamlining Evaluation with ir-measures", ECIR 2022.
    """
    seen = ranking.judged[:cutoff]
    return ratio(sum(seen), len(seen)) if seen else None


MEASURE = Measure(
    name="judged",
    function=judged,
    takes_cutoff=True,
    view="document",
    description="judged documents in the top k / documents in the top k, as returned",
    version=1,
    needs_relevant=False,
)
