"""Sparse (row, document) → code, for millions of cells at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DENSE_CELLS = 1 << 24
_ODD = 0x9E3779B97F4A7C15
_SIEVE_PER_KEY = 16
_SIEVE_BITS = (12, 26)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lookup:
    """Which cells are listed, and with which code.

    A small table (q · (n + 1) up to 2^24 cells) is spread out in full. A larger one stays as sorted keys behind
    a sieve: a table of flags at hashed places, at least 16 per key, that lets few strangers through to the
    exact search. So memory grows with the judgments, not with queries times documents.

    Attributes:
        width: cells per row: the number of documents, and one that is never listed for "nothing".
        keys: int64, sorted: ``row · width + document``.
        codes: one per key, from 1.
        table: all cells with their codes, or None.
        sieve: the flags, or None.
        shift: how far a hash is shifted to become a place in the sieve.
    """

    width: int
    keys: NDArray[np.int64]
    codes: NDArray[Any]
    table: NDArray[Any] | None
    sieve: NDArray[np.bool_] | None
    shift: int

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, int]], index: Mapping[str, int], code_of: Mapping[int, int]) -> Lookup:
        """Build the table from rows of ``{document id: grade}``; codes start at 1."""
        import numpy as np

        width = len(index) + 1
        keys = np.array([at * width + index[name] for at, row in enumerate(rows) for name in row], dtype=np.int64)
        kind = np.uint8 if len(code_of) < 255 else np.int32
        codes = np.array([code_of[grade] for row in rows for grade in row.values()], dtype=kind)
        order = np.argsort(keys)
        keys, codes = keys[order], codes[order]
        if width * len(rows) <= _DENSE_CELLS:
            table = np.zeros(width * len(rows), dtype=kind)
            table[keys] = codes
            return cls(width=width, keys=keys, codes=codes, table=table, sieve=None, shift=0)
        bits = min(max((len(keys) * _SIEVE_PER_KEY).bit_length(), _SIEVE_BITS[0]), _SIEVE_BITS[1])
        sieve = np.zeros(1 << bits, dtype=np.bool_)
        sieve[_places(keys, 64 - bits)] = True
        return cls(width=width, keys=keys, codes=codes, table=None, sieve=sieve, shift=64 - bits)

    def cells(self, documents: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the keys of a block whose last axis is the rows."""
        import numpy as np

        cells: NDArray[np.int64] = documents + np.arange(documents.shape[-1]) * self.width
        return cells

    def listed(self, cells: NDArray[np.int64], least: int = 1) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return where in the flattened block a code of at least ``least`` stands, ascending, and the codes."""
        import numpy as np

        flat = cells.ravel()
        if self.table is not None:
            found = self.table.take(flat, mode="clip")
            places = np.flatnonzero(found >= least)
            return places, found[places]
        assert self.sieve is not None
        places = np.flatnonzero(self.sieve.take(_places(flat, self.shift), mode="clip"))
        wanted = flat[places]
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        exact = (self.keys[at] == wanted) & (self.codes[at] >= least)
        return places[exact], self.codes[at[exact]]

    def spread(self, cells: NDArray[np.int64]) -> NDArray[Any]:
        """Return the code of every cell, 0 where none is listed; the shape of ``cells``."""
        import numpy as np

        places, codes = self.listed(cells)
        result = np.zeros(cells.size, dtype=self.codes.dtype)
        result[places] = codes
        return result.reshape(cells.shape)


def _places(keys: NDArray[np.int64], shift: int) -> NDArray[np.int64]:
    import numpy as np

    hashed = keys.astype(np.uint64) * np.uint64(_ODD)
    return (hashed >> np.uint64(shift)).astype(np.int64)
