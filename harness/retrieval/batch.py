"""All questions of a study at once: the same rankings as ``Retriever.search``, from arrays.

A ranking here is a matrix with a row per question and a column per rank; -1 fills rows that are shorter. Fused scores
are compared as exact integers over a common denominator, never as floats, so the order is that of the fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from harness.protocols import PairScores
from harness.records import Leg
from harness.retrieval.fusion import ROUTE_ORDER, Rrf, integer_shares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOTHING = -1
_LARGEST_TABLE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class LegMatrix:
    """One route's legs for all questions.

    Attributes:
        positions: shape (q, d), int32; ``NOTHING`` after a row's end.
        scores: shape (q, d), float64; 0 after a row's end.
    """

    positions: NDArray[np.int32]
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, legs: Sequence[Leg]) -> LegMatrix:
        """Put legs into matrices as wide as the longest of them."""
        import numpy as np

        width = max((len(leg.positions) for leg in legs), default=0)
        positions = np.full((len(legs), width), NOTHING, dtype=np.int32)
        scores = np.zeros((len(legs), width))
        for row, leg in enumerate(legs):
            positions[row, : len(leg.positions)] = leg.positions
            scores[row, : len(leg.scores)] = leg.scores
        return cls(positions=positions, scores=scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRanking:
    """Ranked chunks of all questions.

    Attributes:
        positions: shape (q, w), int32: place in the index of each ranked chunk.
        scores: shape (q, w), float64: what the ranking is ordered by.
        ranks: route → shape (q, w), int32: 1-based rank in that route's leg, 0 where the route didn't return it.
        route_scores: route → shape (q, w), float64: the route's own score, 0 where it didn't return the chunk.
        before: shape (q, w), int32: 1-based rank in the pool that was reranked; None without reranking.
    """

    positions: NDArray[np.int32]
    scores: NDArray[np.float64]
    ranks: Mapping[str, NDArray[np.int32]]
    route_scores: Mapping[str, NDArray[np.float64]]
    before: NDArray[np.int32] | None = None

    def take(self, columns: NDArray[np.intp], scores: NDArray[np.float64], before: NDArray[np.int32]) -> BatchRanking:
        """Return the columns of each row in another order (shape (q, w)), under new scores."""
        import numpy as np

        def pick(matrix: NDArray[np.generic]) -> NDArray[np.generic]:
            return np.take_along_axis(matrix, columns, axis=1)

        return BatchRanking(
            positions=pick(self.positions),  # type: ignore[arg-type]
            scores=scores,
            ranks={route: pick(matrix) for route, matrix in self.ranks.items()},  # type: ignore[misc]
            route_scores={route: pick(matrix) for route, matrix in self.route_scores.items()},  # type: ignore[misc]
            before=before,
        )

    def cut(self, width: int) -> BatchRanking:
        """Return the first ``width`` ranks."""
        return BatchRanking(
            positions=self.positions[:, :width],
            scores=self.scores[:, :width],
            ranks={route: matrix[:, :width] for route, matrix in self.ranks.items()},
            route_scores={route: matrix[:, :width] for route, matrix in self.route_scores.items()},
            before=None if self.before is None else self.before[:, :width],
        )


def rank_single(route: str, leg: LegMatrix, depth: int) -> BatchRanking:
    """Return the first ``depth`` hits of one route."""
    import numpy as np

    positions = leg.positions[:, :depth]
    ranks = np.broadcast_to(np.arange(1, positions.shape[1] + 1, dtype=np.int32), positions.shape)
    return BatchRanking(
        positions=positions,
        scores=leg.scores[:, :depth],
        ranks={route: np.where(positions == NOTHING, 0, ranks).astype(np.int32)},
        route_scores={route: leg.scores[:, :depth]},
    )


@dataclass(frozen=True, kw_only=True)
class LegPair:
    """Both legs of a hybrid search, with each chunk's rank in the other leg worked out once.

    Attributes:
        vector: legs of the vector route.
        bm25: legs of BM25.
        size: number of chunks in the index.
    """

    vector: LegMatrix
    bm25: LegMatrix
    size: int

    @cached_property
    def bm25_rank_of_vector(self) -> NDArray[np.int32]:
        """Shape of the vector legs: rank in the BM25 leg, 0 where absent."""
        return _cross(self.vector.positions, self.bm25.positions, self.size)

    @cached_property
    def vector_rank_of_bm25(self) -> NDArray[np.int32]:
        """Shape of the BM25 legs: rank in the vector leg, 0 where absent."""
        return _cross(self.bm25.positions, self.vector.positions, self.size)

    def fuse(self, fusion: Rrf, fetch_k: int, width: int) -> BatchRanking:
        """Merge the first ``fetch_k`` of both legs and return the first ``width`` of the result."""
        import numpy as np

        vector, bm25 = self.vector.positions[:, :fetch_k], self.bm25.positions[:, :fetch_k]
        other = self.bm25_rank_of_vector[:, :fetch_k]
        vector_ranks = _ranks(vector)
        crossed = np.where(other <= fetch_k, other, 0)
        held = self.vector_rank_of_bm25[:, :fetch_k]
        alone = (bm25 != NOTHING) & ((held == 0) | (held > fetch_k))
        positions = np.concatenate([vector, np.where(alone, bm25, NOTHING)], axis=1)
        in_vector = np.concatenate([vector_ranks, np.zeros_like(bm25)], axis=1)
        in_bm25 = np.concatenate([np.where(vector == NOTHING, 0, crossed), np.where(alone, _ranks(bm25), 0)], axis=1)
        codes = in_vector.astype(np.int64) * (fetch_k + 1) + in_bm25
        places, values = _places(fusion, fetch_k, codes)
        keys = places * self.size + positions
        keys[positions == NOTHING] = np.iinfo(np.int64).max
        columns = np.argsort(keys, axis=1, kind="stable")[:, :width]
        positions, in_vector, in_bm25, values = (
            np.take_along_axis(matrix, columns, axis=1) for matrix in (positions, in_vector, in_bm25, values)
        )
        return BatchRanking(
            positions=positions.astype(np.int32),
            scores=np.where(positions == NOTHING, 0.0, values),
            ranks={"vector": in_vector.astype(np.int32), "bm25": in_bm25.astype(np.int32)},
            route_scores={
                "vector": _score_at(self.vector.scores, in_vector),
                "bm25": _score_at(self.bm25.scores, in_bm25),
            },
        )


def rerank_all(
    pool: BatchRanking, questions: Sequence[str], score: Callable[[str, list[int]], PairScores]
) -> BatchRanking:
    """Order every row by logit descending; equal logits keep the order of the pool.

    Args:
        pool: what is re-scored, completely.
        questions: one per row.
        score: question and positions → logits.
    """
    import numpy as np

    logits = np.full(pool.positions.shape, -np.inf)
    for row, question in enumerate(questions):
        held = [position for position in pool.positions[row].tolist() if position != NOTHING]
        logits[row, : len(held)] = score(question, held).logits
    filled = pool.positions != NOTHING
    columns = np.argsort(-logits, axis=1, kind="stable")
    ordered = np.where(filled, logits, 0.0)
    before = np.take_along_axis(np.where(filled, _ranks(pool.positions), 0), columns, axis=1).astype(np.int32)
    return pool.take(columns, np.take_along_axis(ordered, columns, axis=1), before)


def _ranks(positions: NDArray[np.int32]) -> NDArray[np.int32]:
    import numpy as np

    ranks = np.arange(1, positions.shape[1] + 1, dtype=np.int32)
    return np.where(positions == NOTHING, 0, ranks).astype(np.int32)


def _score_at(scores: NDArray[np.float64], ranks: NDArray[np.int32]) -> NDArray[np.float64]:
    import numpy as np

    if not scores.shape[1]:
        return np.zeros(ranks.shape)
    found = np.take_along_axis(scores, np.maximum(ranks - 1, 0), axis=1)
    return np.where(ranks == 0, 0.0, found)


def _cross(positions: NDArray[np.int32], others: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    import numpy as np

    result = np.zeros(positions.shape, dtype=np.int32)
    rank_of = np.zeros(size + 1, dtype=np.int32)
    for row, other in enumerate(others):
        held = other[other != NOTHING]
        rank_of[held] = np.arange(1, len(held) + 1)
        result[row] = rank_of[positions[row]]
        rank_of[held] = 0
    return result


def _places(fusion: Rrf, depth: int, codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return, for every code, its place in the total order of all codes at hand, and its fused score.

    A vector rank v and a BM25 rank b (0 for absent) have the code v * (depth + 1) + b.
    """
    import numpy as np

    weights = tuple(fusion.weights.get(route, Fraction(1)) for route in ROUTE_ORDER)
    if depth <= _LARGEST_TABLE:
        places, values = _table(fusion.k, weights, depth)
        return places[codes], values[codes]
    known, inverse = np.unique(codes, return_inverse=True)
    places, values = _ordered(fusion.k, weights, depth, known.tolist())
    return places[inverse].reshape(codes.shape), values[inverse].reshape(codes.shape)


@lru_cache(maxsize=64)
def _table(k: int, weights: tuple[Fraction, ...], depth: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return _ordered(k, weights, depth, range((depth + 1) ** 2))


def _ordered(
    k: int, weights: tuple[Fraction, ...], depth: int, codes: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    import numpy as np

    shares, whole = integer_shares(k, weights, depth)
    vector, bm25 = shares["vector"], shares["bm25"]
    pairs = [divmod(code, depth + 1) for code in codes]
    keys = [(-(vector[v] + bm25[b]), *_tie(v, b)) for v, b in pairs]
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64), np.array([-key[0] / whole for key in keys])


def _tie(vector: int, bm25: int) -> tuple[int, int]:
    if vector and (not bm25 or vector <= bm25):
        return vector, 0
    return bm25, 1
