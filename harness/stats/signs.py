"""Random sign patterns, shared by all comparisons.

A few patterns are drawn, 14 unless asked otherwise, and **all products** of them are used, 16,384. Products of sign
patterns are a group: whichever of its members was seen, the group looks the same from there. So what was seen ranks
among the others as any of them would if chance had decided, and the share of those at least as extreme is a valid p.
Two different products are independent of each other, so that share has the standard error of as many independent
draws. What the group is for is speed: all sums come from few partial sums (``group_sums``).

All comparisons see the same patterns, which is what max-T needs: what questions do to several sets at once is kept.

Source: Chung and Fraser, "Randomization Tests for a Multivariate Two-Sample Problem", JASA 53(283), 1958 (subgroups);
Hemerik and Goeman, "Exact Testing with Random Permutations", Test 27(4), 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SINGLE = 1 << 23
_DOUBLE = 1 << 52
_HIGH_BITS = 4
_BLOCK = 64


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


def drawn_codes(questions: int, generators: int, seed: int) -> NDArray[np.int64]:
    """Return which of the drawn patterns flip each question: one bit a pattern, shape (questions,).

    The bits come from the raw output of PCG64, which numpy keeps the same between versions. Unchanged questions get
    bits too, so that what is drawn for a comparison doesn't depend on which others there are.
    """
    import numpy as np

    words = np.random.PCG64(seed).random_raw(questions)
    return (words >> np.uint64(64 - generators)).astype(np.int64)


def all_codes(changed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return codes whose products are all patterns there are: each changed question has a pattern of its own."""
    import numpy as np

    return np.where(changed, 1 << np.maximum(np.cumsum(changed) - 1, 0), 0)


def group_sums(matrix: NDArray[Any], codes: NDArray[np.int64], generators: int) -> Iterator[NDArray[Any]]:
    """Yield the sums of all comparisons under all products of the patterns, what was seen among them once.

    Product g, a subset of the patterns, flips question q when an odd number of bits is common to g and the code of q.
    Split in high and low bits, the sign of a question is that of its low bits times that of its high bits. So the
    questions with the same high bits are summed up first, once for each low part of g, and then these few partial
    sums are added and subtracted for each high part: far fewer operations than one sum over all questions for each g.

    Args:
        matrix: shape (questions, comparisons).
        codes: shape (questions,), below 2^``generators``.
        generators: number of patterns.

    Yields:
        Blocks of shape (some products, comparisons), 2^``generators`` products in all. The next block takes the place
        of the last, which may be written to.
    """
    import numpy as np

    high = min(_HIGH_BITS, generators)
    low = generators - high
    order = np.argsort(codes >> low, kind="stable")
    bounds = np.searchsorted(codes[order] >> low, np.arange((1 << high) + 1))
    rows, bits = matrix[order], codes[order] & ((1 << low) - 1)
    mixing = _signs(np.arange(1 << high), np.arange(1 << high), matrix.dtype)
    size = min(_BLOCK, 1 << low)
    partial = np.empty((1 << high, size, matrix.shape[1]), dtype=matrix.dtype)
    sums = np.empty((1 << high, size * matrix.shape[1]), dtype=matrix.dtype)
    for start in range(0, 1 << low, size):
        signs = _signs(np.arange(start, start + size), bits, matrix.dtype)
        for place, (first, last) in enumerate(pairwise(bounds)):
            np.matmul(signs[:, first:last], rows[first:last], out=partial[place])
        np.matmul(mixing, partial.reshape(1 << high, -1), out=sums)
        yield sums.reshape(-1, matrix.shape[1])


def _signs(products: NDArray[np.int64], codes: NDArray[np.int64], kind: Any) -> NDArray[Any]:
    """Return −1 where product and code have an odd number of bits in common, else 1; shape (products, codes)."""
    import numpy as np

    odd = np.bitwise_count(products.astype(np.uint32)[:, None] & codes.astype(np.uint32)) & 1
    signs: NDArray[Any] = np.array([1, -1], dtype=kind)[odd]
    return signs


def extreme_counts(given: Columns, generators: int, seed: int) -> NDArray[np.int64]:
    """Return for each comparison how many of the 2^``generators`` products are at least as extreme as what was seen.

    What was seen is one of them.
    """
    import numpy as np

    matrix = given.matrix
    reached = given.reached.astype(matrix.dtype)
    counts = np.zeros(matrix.shape[1], dtype=np.int64)
    extreme: NDArray[np.bool_] | None = None
    for sums in group_sums(matrix, drawn_codes(len(matrix), generators, seed), generators):
        np.abs(sums, out=sums)
        extreme = np.greater_equal(sums, reached, out=extreme)
        counts += np.add.reduce(extreme.view(np.uint8), axis=0, dtype=np.uint16)
    return counts
