"""evidence@k: whether the first k chunks hold the words that answer, not just a piece of the right document."""

from __future__ import annotations

from fractions import Fraction

from harness.scoring.exact import ONE, ZERO
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.measures.measure import Measure


def evidence(ranking: LabelledRanking, cutoff: int) -> Fraction:
    """Return 1 when any of the first k chunks contains a quote of the question whole, else 0.

    Cutoff: k counts chunks, as they are handed on. One quote is enough: each is an answer, and so is each relevant
    document. A quote that a cut has divided is in no chunk. A question without quotes has no value.

    Source: Rajpurkar, Zhang, Lopyrev, Liang, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016, for
    answers as spans of text; Craswell, "Success at n", 2009, for any of the first n.
    """
    return ONE if ranking.hits(cutoff) else ZERO


MEASURE = Measure(
    name="evidence",
    function=evidence,
    takes_cutoff=True,
    view="evidence",
    description=(
        "1 if any of the first k chunks is cut from a quote's document and contains that quote whole, both in NFKC and "
        "with runs of white space as one space, else 0; only questions with quotes have a value"
    ),
    version=1,
)
