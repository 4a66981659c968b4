"""What a measure is, and a measure with its cutoff: a value whose text reads back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from harness.frozen import Frozen
from harness.scoring.measures.labelled import LabelledRanking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    View = Literal["document", "chunk", "evidence"]

Bounds = tuple[Fraction, Fraction]


class Measure(Frozen):
    """One definition.

    Attributes:
        name: as written before the ``@``.
        function: labelled ranking and cutoff → value, pure. A measure without a cutoff is given the length
            of the ranking.
        takes_cutoff: whether the name must carry ``@k``.
        view: ``document`` or ``chunk``, where relevance comes from judgments of documents, or ``evidence``,
            where a chunk counts when it contains a quote; they are never compared.
        description: the formula in one line; part of the conventions hash.
        version: raised when the same input would give another value; part of the conventions hash.
        needs_relevant: True when the value is None for a query without relevant documents (in the view
            ``evidence``: without quotes).
        mean_name: what the mean is called when that isn't the measure's own name.
        bounds: labelled ranking (not condensed), cutoff and grade of a relevant document → smallest and
            largest value over all labellings of the unjudged documents in the top k, or None when the
            measure has no bounds.
    """

    name: str
    function: Callable[[LabelledRanking, int], Fraction | None]
    takes_cutoff: bool
    view: View
    description: str
    version: int
    needs_relevant: bool = True
    mean_name: str | None = None
    bounds: Callable[[LabelledRanking, int, int], Bounds] | None = None


class NamedMeasure(Frozen):
    """A measure with its cutoff; ``str()`` gives the name it is parsed from, such as ``ndcg@10``.

    Attributes:
        measure: the definition.
        cutoff: the k, None when the measure takes none.
    """

    measure: Measure
    cutoff: int | None

    def __str__(self) -> str:
        return self._with_cutoff(self.measure.name)

    @property
    def mean_name(self) -> str:
        """The name of the mean over queries: ``mrr@k`` for ``rr@k``."""
        return self._with_cutoff(self.measure.mean_name or self.measure.name)

    def value(self, ranking: LabelledRanking) -> Fraction | None:
        """Return the value for one query; None where it is undefined."""
        if self.measure.needs_relevant and not ranking.relevant:
            return None
        return self.measure.function(ranking, self._cut(ranking))

    def bounds(self, ranking: LabelledRanking, grade: int) -> Bounds | None:
        """Return the smallest and largest value that labels could still give; None where undefined."""
        if self.measure.bounds is None or (self.measure.needs_relevant and not ranking.relevant):
            return None
        return self.measure.bounds(ranking, self._cut(ranking), grade)

    def _cut(self, ranking: LabelledRanking) -> int:
        return len(ranking.gains) if self.cutoff is None else self.cutoff

    def _with_cutoff(self, name: str) -> str:
        return name if self.cutoff is None else f"{name}@{self.cutoff}"
