"""Random sign patterns, shared by all comparisons: one matrix of signs times one matrix of differences.

A column of the second matrix is one comparison, a row one question, so a row of the product holds the sum of the
differences of every comparison under one sign pattern. All comparisons see the same patterns, which is what max-T
needs: what questions do to several sets at once is kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SINGLE = 1 << 23
_DOUBLE = 1 << 52
_BLOCK = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Differences as floats, with what a sum must reach to be as extreme as the one that was seen.

    Attributes:
        matrix: shape (questions, comparisons). A column is in a unit of its own. Whole numbers where their absolute
            sum is below 2^52, so that sums are exact in any order; else shares of the absolute sum. Single precision
            where all absolute sums are below 2^23.
        reached: shape (comparisons,): smallest absolute sum that counts. Half a unit below the observed one for whole
            numbers; else below it by more than rounding can cost, so that ties count and p can only err upwards.
        changed: shape (questions,): whether a question differs in any comparison.
        norms: shape (comparisons,): square root of the sum of squares, 1 where all differences are 0.
    """

    matrix: NDArray[Any]
    reached: NDArray[np.float64]
    changed: NDArray[np.bool_]
    norms: NDArray[np.float64]


def columns(rows: Sequence[Sequence[int]]) -> Columns:
    """Return comparisons, each its differences as whole numbers of any size, as columns.

    Args:
        rows: comparisons × questions.
    """
    import numpy as np

    small = _small(rows)
    exact = [True] * len(rows)
    if small is not None:
        matrix = np.ascontiguousarray(small.T, dtype=np.float64)
    else:
        reduced = [_reduced(row) for row in rows]
        exact = [sum(map(abs, row)) < _DOUBLE for row in reduced]
        shares = [row if whole else _shares(row) for row, whole in zip(reduced, exact, strict=True)]
        matrix = np.array(shares, dtype=np.float64).T
    norms = np.sqrt((matrix**2).sum(axis=0))
    return Columns(
        matrix=np.ascontiguousarray(matrix, dtype=np.float64 if small is None else np.float32),
        reached=np.abs(matrix.sum(axis=0)) - np.where(exact, 0.5, (len(matrix) + 2) * 2.0**-51),
        changed=np.any(matrix != 0, axis=1),
        norms=np.where(norms > 0, norms, 1.0),
    )


def _small(rows: Sequence[Sequence[int]]) -> NDArray[np.int64] | None:
    """Return the rows as an array if every absolute sum is below 2^23, so that single precision adds exactly."""
    import numpy as np

    try:
        found = np.array(rows, dtype=np.int64)
    except OverflowError:
        return None
    if max(found.max(), -found.min()) >= _SINGLE or np.abs(found).sum(axis=1).max() >= _SINGLE:
        return None
    return found


def _reduced(row: Sequence[int]) -> list[int]:
    unit = math.gcd(*row) or 1
    return [value // unit for value in row]


def _shares(row: Sequence[int]) -> list[float]:
    """Return each difference as a share of the absolute sum."""
    span = sum(map(abs, row))
    return [value / span for value in row]


def drawn_signs(questions: int, resamples: int, seed: int, kind: Any) -> Iterator[NDArray[Any]]:
    """Yield ±1 in blocks of shape (≤ 1024, questions), ``resamples`` rows in all.

    Unchanged questions get signs too, so that what is drawn for a comparison doesn't depend on which others there are.
    The bits come from the raw output of PCG64, which numpy keeps the same between versions.
    """
    import numpy as np

    source = np.random.PCG64(seed)
    for start in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - start)
        words = source.random_raw(-(-rows * questions // 64)).astype("<u8")
        yield _plus_minus(np.unpackbits(words.view(np.uint8), count=rows * questions).reshape(rows, questions), kind)


def all_signs(questions: int, kind: Any) -> Iterator[NDArray[Any]]:
    """Yield all 2^(questions − 1) patterns that give the first question a plus, in blocks as ``drawn_signs`` does.

    The other half are their opposites and give the same absolute sums.
    """
    import numpy as np

    total = 1 << max(questions - 1, 0)
    for start in range(0, total, _BLOCK):
        numbers = np.arange(start, min(start + _BLOCK, total), dtype=np.int64)
        bits = (numbers[:, None] >> np.arange(questions)) & 1
        yield _plus_minus(bits[:, ::-1], kind)


def _plus_minus(bits: NDArray[Any], kind: Any) -> NDArray[Any]:
    """Return 1 where a bit is 0, −1 where it is 1."""
    signs = bits.astype(kind)
    signs *= -2
    signs += 1
    return signs


def extreme_counts(given: Columns, resamples: int, seed: int) -> NDArray[np.int64]:
    """Return for each comparison how many of the drawn sign patterns are at least as extreme as what was seen."""
    import numpy as np

    matrix = given.matrix
    reached = given.reached.astype(matrix.dtype)
    counts = np.zeros(matrix.shape[1], dtype=np.int64)
    for signs in drawn_signs(len(matrix), resamples, seed, matrix.dtype):
        sums = signs @ matrix
        np.abs(sums, out=sums)
        counts += np.count_nonzero(sums >= reached, axis=0)
    return counts
