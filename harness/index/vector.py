"""Vectors in Chroma, ranked exactly or by Chroma's own graph.

The exact ranking is brute force over the vectors as they lie in the store. They are read back and put on the grid of
``harness.vectors``, so every cosine is the same bits whatever computes it. A graph index built anew doesn't return the
same neighbours; it is there by name (``approximate``), with its measured recall.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import DamagedError
from harness.index.chroma import add_vectors, query_graph, read_vectors
from harness.protocols import Embedder
from harness.records import Leg
from harness.vectors import dot_products, on_grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GRAPHS: Mapping[str, Mapping[str, Any]] = {
    "exact": {"space": "cosine", "ef_construction": 10, "max_neighbors": 4},
    "approximate": {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 1000},
}
"""Kind of search → settings of Chroma's graph, which it always builds; exact search doesn't ask it, so it is small."""


_SCORES_AT_ONCE = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What lies in a store that was just written.

    Attributes:
        facts: for the manifest.
        vectors: shape (n, d), float32, read back from Chroma, on the grid.
    """

    facts: Mapping[str, Any]
    vectors: NDArray[np.float32]


def write_vectors(directory: Path, vectors: NDArray[np.float32], search: str = "exact") -> Written:
    """Write the chunks' vectors to a Chroma store of their own, and read back what it keeps of them.

    Args:
        directory: an empty directory.
        vectors: shape (chunks, d); a row of zeros (a chunk without a vector) is left out and counted. Let go of before
            anything is read back, so that vectors aren't held twice where the caller doesn't keep them.
        search: a key of ``GRAPHS``.
    """
    import numpy as np

    chunks, dimensions = (int(size) for size in vectors.shape)
    positions = [int(p) for p in np.flatnonzero(vectors.any(axis=1))]
    full = len(positions) == chunks
    if positions:
        add_vectors(directory, positions, vectors if full else vectors[positions], GRAPHS[search])
    del vectors
    stored = np.empty((len(positions), dimensions), dtype=np.float32)
    facts = {
        "chunks": chunks,
        "chunks_without_vector": chunks - len(positions),
        "positions": None if full else positions,
        "dimensions": dimensions,
        "vectors_sha256": _read_into(stored, directory, positions),
    }
    return Written(facts=facts, vectors=stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorIndex:
    """Vectors read back from a store.

    Attributes:
        directory: the index directory.
        positions: shape (n,), ascending: place in the index of each vector.
        vectors: shape (n, d), float32, on the grid.
        embedder: for the questions.
    """

    directory: Path
    positions: NDArray[np.int64]
    vectors: NDArray[np.float32]
    embedder: Embedder

    @classmethod
    def open(
        cls, directory: Path, facts: Mapping[str, Any], embedder: Embedder, written: Written | None = None
    ) -> VectorIndex:
        """Read an index, or take what this process has just read back from it.

        Raises:
            DamagedError: Chroma can't read it, or the vectors aren't those that were written.
        """
        import numpy as np

        if written is not None and written.facts["vectors_sha256"] == facts["vectors_sha256"]:
            positions, vectors = _positions(facts), written.vectors
        else:
            positions, vectors = check_vectors(directory, facts)
        return cls(
            directory=directory,
            positions=np.asarray(positions, dtype=np.int64),
            vectors=vectors,
            embedder=embedder,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactVectorRoute:
    """Brute force. Order: cosine descending, then position in the index."""

    index: VectorIndex

    @property
    def size(self) -> int:
        """Number of chunks that have a vector."""
        return len(self.index.positions)

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        """Return one leg per question; a question without a vector gets an empty one."""
        legs: list[Leg] = []
        step = max(1, min(256, _SCORES_AT_ONCE // max(1, self.size)))
        for start in range(0, len(questions), step):
            queries = self.index.embedder.encode(questions[start : start + step], "query")
            legs.extend(self.legs_of(queries, depth))
        return legs

    def legs_of(self, queries: NDArray[np.float32], depth: int) -> list[Leg]:
        """Return one leg per row of ``queries`` (shape (q, d), on the grid)."""
        if not self.size:
            return [Leg(positions=(), scores=()) for _ in queries]
        scores = dot_products(queries, self.index.vectors)
        return [
            self._best(row, depth) if query.any() else Leg(positions=(), scores=())
            for query, row in zip(queries, scores, strict=True)
        ]

    def _best(self, scores: NDArray[np.float64], depth: int) -> Leg:
        import numpy as np

        if depth < len(scores):
            bar = np.partition(scores, len(scores) - depth)[len(scores) - depth]
            places = np.flatnonzero(scores >= bar)
        else:
            places = np.arange(len(scores))
        ranked = places[np.lexsort((places, -scores[places]))][:depth]
        return Leg(positions=tuple(self.index.positions[ranked].tolist()), scores=tuple(scores[ranked].tolist()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateVectorRoute:
    """Chroma's graph index. Order: cosine (to 5 decimals) descending, then position in the index."""

    index: VectorIndex

    @property
    def size(self) -> int:
        """Number of chunks that have a vector."""
        return len(self.index.positions)

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        """Return one leg per question; a question without a vector gets an empty one."""
        queries = self.index.embedder.encode(questions, "query")
        filled = [place for place, query in enumerate(queries) if query.any()]
        legs = [Leg(positions=(), scores=()) for _ in questions]
        depth = min(depth, self.size)
        if filled and depth:
            found = query_graph(self.index.directory, queries[filled], depth)
            for place, hits in zip(filled, found, strict=True):
                legs[place] = _ordered(hits)
        return legs

    def recall_against_exact(self, questions: Sequence[str], depth: int) -> float | None:
        """Return the mean share of the exact top ``depth`` that the graph finds, None without hits."""
        exact = ExactVectorRoute(index=self.index).legs(questions, depth)
        shares = [
            len(set(leg.positions) & set(found.positions)) / len(leg.positions)
            for leg, found in zip(exact, self.legs(questions, depth), strict=True)
            if leg.positions
        ]
        return sum(shares) / len(shares) if shares else None


def check_vectors(directory: Path, facts: Mapping[str, Any]) -> tuple[list[int], NDArray[np.float32]]:
    """Read positions and vectors of an index.

    Raises:
        DamagedError: Chroma can't read it, or the vectors aren't those that were written.
    """
    import numpy as np

    positions = _positions(facts)
    vectors = np.empty((len(positions), facts["dimensions"]), dtype=np.float32)
    if _read_into(vectors, directory, positions) != facts["vectors_sha256"]:
        raise DamagedError(f"{directory}: damaged (its vectors have changed); delete it and run again")
    return positions, vectors


def _positions(facts: Mapping[str, Any]) -> list[int]:
    held: list[int] | None = facts["positions"]
    return list(range(facts["chunks"])) if held is None else held


def _read_into(vectors: NDArray[np.float32], directory: Path, positions: Sequence[int]) -> str:
    """Fill ``vectors`` with what lies in the store; return its SHA-256."""
    seal, filled = hashlib.sha256(), 0
    for rows in _stored(directory, positions):
        vectors[filled : filled + len(rows)] = rows
        seal.update(_bytes(rows))
        filled += len(rows)
    return seal.hexdigest()


def _ordered(hits: list[tuple[int, float]]) -> Leg:
    ranked = sorted(((round(1.0 - distance, 5), position) for position, distance in hits), key=_best_first)
    return Leg(positions=tuple(p for _, p in ranked), scores=tuple(s for s, _ in ranked))


def _best_first(hit: tuple[float, int]) -> tuple[float, int]:
    return -hit[0], hit[1]


def _stored(directory: Path, positions: Sequence[int]) -> Iterator[NDArray[np.float32]]:
    """Yield what lies in the store, on the grid, a batch at a time: it is never held twice."""
    if positions:
        for rows in read_vectors(directory, positions):
            yield on_grid(rows)


def _bytes(rows: NDArray[np.float32]) -> bytes:
    return rows.astype("<f4", copy=False).tobytes()
