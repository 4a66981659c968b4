"""BM25 from shared counts: every variant, k1 and b is a reweighting of the same cells.

The scores are those of rank-bm25 **bit for bit**: each weight is computed by the same operations, and a question's
terms are added in the order in which it names them, repeats included. Ties go to the earlier chunk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from harness.records import Leg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.index.bm25 import Bm25Index

    _Weighed = dict[int, tuple[NDArray[np.int32], NDArray[np.float64]]]

_OKAPI_EPSILON = 0.25
_PLUS_DELTA = 1
_SAMPLE = 50  # scores looked at beforehand for each place of a leg


@dataclass(frozen=True, kw_only=True)
class SparseBm25Route:
    """BM25 as a route. Order: score descending, then position in the index."""

    index: Bm25Index
    variant: str
    k1: float
    b: float

    @property
    def size(self) -> int:
        """Number of chunks."""
        return self.index.size

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        """Return one leg per question; a question without a known term gets an empty one."""
        import numpy as np

        scores, shares = np.zeros(self.size), np.zeros(self.size, dtype=bool)
        weighed: _Weighed = {}
        return [self._leg(question, depth, scores, shares, weighed) for question in questions]

    def _leg(
        self, question: str, depth: int, scores: NDArray[np.float64], shares: NDArray[np.bool_], weighed: _Weighed
    ) -> Leg:
        """Add up one question; ``scores`` and ``shares`` come in zeroed and are left so."""
        import numpy as np

        code_of = self.index.code_of
        codes = [code_of[token] for token in self.index.tokenizer(question) if token in code_of]
        if not codes:
            return Leg(positions=(), scores=())
        for code in codes:
            if code not in weighed:
                weighed[code] = self._weigh(code)
            positions, weights = weighed[code]
            shares[positions] = True
            if self.variant == "plus":
                every = np.full(self.size, self._idf[code] * _PLUS_DELTA)
                every[positions] = weights
                scores += every
            else:
                scores[positions] += weights
        sharing = np.flatnonzero(shares)
        leg = _best(sharing, scores[sharing], depth)
        shares[sharing] = False
        scores[slice(None) if self.variant == "plus" else sharing] = 0.0
        return leg

    @cached_property
    def _idf(self) -> list[float]:
        """By place in the vocabulary; from the math module, whose last bit numpy's need not share."""
        n = self.size
        held = self.index.document_frequencies
        if self.variant == "lucene":
            return [math.log1p((n - count + 0.5) / (count + 0.5)) for count in held]
        if self.variant == "plus":
            return [math.log((n + 1) / count) for count in held]
        idf = [math.log(n - count + 0.5) - math.log(count + 0.5) for count in held]
        total = 0.0
        for value in idf:
            total += value  # one after the other, as rank-bm25 does; sum() may compensate
        floor = _OKAPI_EPSILON * (total / len(idf))
        return [floor if value < 0 else value for value in idf]

    @cached_property
    def _norm(self) -> NDArray[np.float64]:
        """What the length of each chunk adds to a count in the denominator."""
        import numpy as np

        lengths = np.diff(self.index.ends, prepend=0)
        average = int(self.index.ends[-1]) / self.size
        norm: NDArray[np.float64] = self.k1 * (1 - self.b + self.b * lengths / average)
        return norm

    def _weigh(self, code: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the chunks that hold a term, and its weight in each; only terms that are asked for are weighed."""
        positions, counts = self.index.counts.of(code)
        share = counts * (self.k1 + 1) / (counts + self._norm[positions])
        if self.variant == "plus":
            share = _PLUS_DELTA + share
        return positions, self._idf[code] * share


def _best(positions: NDArray[np.intp], scores: NDArray[np.float64], depth: int) -> Leg:
    import numpy as np

    step = len(scores) // (depth * _SAMPLE)
    if step > 1:
        sample = scores[::step]  # whose best can't be better than the best of all: what is below them is out at once
        kept = np.flatnonzero(scores >= np.partition(sample, len(sample) - depth)[len(sample) - depth])
        positions, scores = positions[kept], scores[kept]
    if depth < len(scores):
        bar = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        kept = np.flatnonzero(scores >= bar)
        positions, scores = positions[kept], scores[kept]
    order = np.lexsort((positions, -scores))[:depth]
    return Leg(positions=tuple(positions[order].tolist()), scores=tuple(scores[order].tolist()))
