"""How often each chunk holds each term: counted once, kept on disk, mapped from there by every weighting.

A cell is a term and a chunk that holds it. Cells lie term by term, those of one term by ascending chunk. They are put
in this order a few million terms at a time, straight into the mapped files, so that neither counting nor searching
holds them in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNT_FILES = ("cell_starts.npy", "cell_chunks.npy", "cell_counts.npy")
_TERMS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCounts:
    """The cells of one index.

    Attributes:
        starts: for each term of the vocabulary, the place of its first cell; one more says where the last one ends.
        chunks: of each cell, mapped.
        counts: of each cell, mapped, in the smallest type that holds them all.
    """

    starts: NDArray[np.int64]
    chunks: NDArray[np.int32]
    counts: NDArray[np.unsignedinteger]

    @classmethod
    def open(cls, directory: Path) -> TermCounts:
        """Map the files that ``write_counts`` has written."""
        import numpy as np

        starts, chunks, counts = (directory / name for name in COUNT_FILES)
        return cls(starts=np.load(starts), chunks=np.load(chunks, mmap_mode="r"), counts=np.load(counts, mmap_mode="r"))

    def of(self, code: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the chunks that hold a term, ascending, and how often each does."""
        import numpy as np

        held = slice(int(self.starts[code]), int(self.starts[code + 1]))
        return np.asarray(self.chunks[held]), self.counts[held].astype(np.float64)


def write_counts(
    directory: Path, codes: NDArray[np.int32], ends: NDArray[np.int64], vocabulary: int, at_once: int = _TERMS_AT_ONCE
) -> None:
    """Count terms and write the cells.

    Args:
        directory: where the files go.
        codes: terms of all chunks, one chunk after the other.
        ends: for each chunk, one past its last term in ``codes``.
        vocabulary: number of distinct terms.
        at_once: about how many terms are counted at a time; more than that where one chunk has more.
    """
    import numpy as np

    held, largest = np.zeros(vocabulary, dtype=np.int64), 0
    for _, piece in _pieces(codes, ends, vocabulary, at_once):
        held += np.diff(piece.indptr)
        largest = max(largest, int(piece.data.max(initial=0)))
    starts = np.concatenate([[0], np.cumsum(held)])
    paths = [directory / name for name in COUNT_FILES]
    np.save(paths[0], starts)
    cells, kinds = (int(starts[-1]),), (np.dtype(np.int32), np.min_scalar_type(largest))
    chunks, counts = (
        np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=cells)
        for path, kind in zip(paths[1:], kinds, strict=True)
    )
    following = starts[:-1].copy()
    for first, piece in _pieces(codes, ends, vocabulary, at_once):
        found = np.diff(piece.indptr)
        places = np.repeat(following - piece.indptr[:-1], found) + np.arange(len(piece.indices))
        chunks[places] = piece.indices + first
        counts[places] = piece.data
        following += found
    chunks.flush()
    counts.flush()


def _pieces(
    codes: NDArray[np.int32], ends: NDArray[np.int64], vocabulary: int, at_once: int
) -> Iterator[tuple[int, Any]]:
    """Yield the first chunk of each run of chunks, and its counts: a scipy CSC matrix (chunks, terms), int32."""
    import numpy as np
    from scipy.sparse import csc_array

    chunk = term = 0
    while chunk < len(ends):
        last = max(chunk + 1, int(np.searchsorted(ends, term + at_once, side="right")))
        until = int(ends[last - 1])
        rows = np.repeat(np.arange(last - chunk, dtype=np.int32), np.diff(ends[chunk:last], prepend=term))
        ones = np.ones(until - term, dtype=np.int32)
        piece = csc_array((ones, (rows, np.asarray(codes[term:until]))), shape=(last - chunk, vocabulary))
        piece.sum_duplicates()
        yield chunk, piece
        chunk, term = last, until
