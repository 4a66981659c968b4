"""What a perfect reranker could make of a set's candidates: the score of their best order.

A pool is what an answer was chosen from: what a route retrieved, or what was reranked. Its best order puts the largest
grades first, and is then cut at ``top_k`` and scored like any ranking, under the study's conventions. What lies between
a set's own score and its oracle is lost by the order; what lies between the oracle and the best possible was never
retrieved, and no reranker brings it back.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from harness.retrieval import NOTHING
from harness.scoring.encoded import EncodedJudgments, score_many

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CANDIDATES = "candidates"
"""Name of the pool a set orders in the end; pools of single routes are called as the route."""

RATED = ("recall", "rr", "ndcg", "hit")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """The candidates of all questions.

    Attributes:
        key: equal for pools of one chunking that hold the same candidates.
        positions: int32 (q, w): chunks in any order; ``NOTHING`` where there is none.
    """

    key: Hashable
    positions: NDArray[np.int32]


class Oracles:
    """Scores of the best orders of pools, each worked out once."""

    def __init__(self, judgments: EncodedJudgments, document_of: NDArray[np.int32], cutoffs: Sequence[int]) -> None:
        self._judgments = judgments
        self._document_of = document_of
        self._measures = tuple(f"{name}@{k}" for k in cutoffs for name in RATED)
        self._known: dict[Hashable, Mapping[str, Fraction | None]] = {}

    def of(self, pool: Pool, top_k: int) -> Mapping[str, Fraction | None]:
        """Return the means of a pool in its best order, cut at ``top_k`` documents; None where no question has one."""
        key = (pool.key, top_k)
        if key not in self._known:
            best = best_order(self._judgments, pool.positions, self._document_of, top_k)
            self._known[key] = score_many(self._judgments, [best], measures=self._measures)[0].means
        return self._known[key]


def best_order(
    judgments: EncodedJudgments, positions: NDArray[np.int32], document_of: NDArray[np.int32], top_k: int
) -> NDArray[np.int32]:
    """Return the documents of a pool that are worth something, largest grade first.

    Documents of grade 0 or less, or without a judgment, are left out: behind the others they change no measure.

    Args:
        judgments: encoded judgments.
        positions: int32 (q, w): the pool.
        document_of: int32 (chunks,): the document of each chunk.
        top_k: how many documents are kept.

    Returns:
        Shape (q, top_k or less): each document once, -1 after a row's end.
    """
    import numpy as np

    documents = np.where(positions == NOTHING, judgments.fill, document_of[positions])
    codes = judgments.lookup.spread(judgments.lookup.cells(documents.T)).T.astype(np.int64)
    width = judgments.lookup.width
    keys = np.where(codes >= judgments.first_gain, codes * width + documents, NOTHING)
    keys = _descending(keys)
    keys[:, 1:][keys[:, 1:] == keys[:, :-1]] = NOTHING
    keys = _descending(keys)[:, :top_k]
    return np.where(keys == NOTHING, NOTHING, keys % width).astype(np.int32)


def union(positions: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return one pool with the candidates of several; what is in two of them is in it twice."""
    import numpy as np

    return np.concatenate(list(positions), axis=1)


def _descending(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    import numpy as np

    return -np.sort(-keys, axis=1)
