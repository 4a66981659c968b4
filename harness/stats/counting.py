"""The null distribution of the sign-flip test, counted completely.

With differences d, S = sum of |d| and T = |sum of d|, a sign pattern gives a sum of S − 2u, where u adds up the |d|
that got a minus. So the patterns with a sum of at least T are the subsets of the |d| that add up to at most
U = (S − T)/2, and as many again have a sum of at most −T. Counting subsets up to U is all there is to do:

    p = 2 · (subsets with sum at most U) / 2^n      for T > 0
    p = 1                                           for T = 0

Everything here takes ``magnitudes``, the |d| without zeros as whole numbers, ascending, and ``most``, which is U.
Questions without a difference double numerator and denominator alike and are left out.

Source: Fisher, The Design of Experiments, 1935, section 21; counting by dynamic programming as in Pagano and
Tritchler, "On Obtaining Permutation Distributions in Polynomial Time", JASA 78(382), 1983.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from itertools import accumulate

Magnitudes = tuple[int, ...]

_RESCALED_EVERY = 512


def packed_bits(magnitudes: Magnitudes, most: int) -> int:
    """Return how many bits ``packed`` moves: what it costs."""
    if magnitudes[-1] == 1:
        return 0
    count = len(magnitudes)
    return count * (count + 1) * (most + 1)


def packed(magnitudes: Magnitudes, most: int) -> Fraction:
    """Return p by counting all subset sums up to ``most`` in one long integer.

    Slot u of the integer, n + 1 bits wide, holds the number of subsets with sum u, so that adding one more question
    is a shift and an addition. The slots are added up by a remainder: 2^(n+1) is 1 modulo 2^(n+1) − 1, and the total
    is at most 2^n.
    """
    count = len(magnitudes)
    if magnitudes[-1] == 1:
        return _p(sum(math.comb(count, taken) for taken in range(most + 1)), count)
    width = count + 1
    mask = (1 << (most + 1) * width) - 1
    slots, reach = 1, 0
    for magnitude in magnitudes:
        if magnitude > most:
            break
        slots += slots << magnitude * width
        reach += magnitude
        if reach > most:
            slots &= mask
    return _p(slots % ((1 << width) - 1), count)


def halves(magnitudes: Magnitudes) -> tuple[Magnitudes, Magnitudes]:
    """Deal the magnitudes to two halves, equal ones to both in turn, which keeps the lists of ``halved`` short."""
    return magnitudes[::2], magnitudes[1::2]


def listed_sums(magnitudes: Magnitudes) -> int:
    """Return how many different subset sums the larger half can have at most: what ``halved`` costs."""
    return max(math.prod(times + 1 for times in Counter(half).values()) for half in halves(magnitudes))


def halved(magnitudes: Magnitudes, most: int) -> Fraction:
    """Return p by listing the subset sums of either half of the questions.

    Numbers may be of any size, so this serves values whose common denominator is huge.

    Source: Horowitz and Sahni, "Computing Partitions with Applications to the Knapsack Problem", JACM 21(2), 1974.
    """
    left, right = (_sums(half, most) for half in halves(magnitudes))
    keys = sorted(right)
    below = [0, *accumulate(right[key] for key in keys)]
    total = sum(ways * below[bisect_right(keys, most - found)] for found, ways in left.items())
    return _p(total, len(magnitudes))


def _sums(magnitudes: Magnitudes, most: int) -> dict[int, int]:
    """Return subset sum → number of subsets, for sums up to ``most``."""
    sums = {0: 1}
    for magnitude in magnitudes:
        for found, ways in list(sums.items()):
            if found + magnitude <= most:
                sums[found + magnitude] = sums.get(found + magnitude, 0) + ways
    return sums


def summed(magnitudes: Magnitudes, most: int) -> float:
    """Return p by the same counting in float64: one shift and one addition of arrays for each question.

    Only positive numbers are added, at most n + log2(``most``) + 2 in a row, so the relative error is at most
    (n + log2(``most``) + 2) · 2^-53, under 5e-14 for 300 questions, as long as p is above 1e-290. Less than that takes
    some 1,000 questions; then p is only roughly right, and never below the smallest normal float64, so never 0.
    """
    import numpy as np

    cells, spare = np.zeros(most + 1), np.zeros(most + 1)
    cells[0] = 1.0
    reach = halvings = 0
    for done, magnitude in enumerate(magnitudes, start=1):
        if magnitude > most:
            break
        reach = min(reach + magnitude, most)
        spare[:magnitude] = cells[:magnitude]
        np.add(cells[magnitude : reach + 1], cells[: reach + 1 - magnitude], out=spare[magnitude : reach + 1])
        cells, spare = spare, cells
        if done % _RESCALED_EVERY == 0:
            cells *= 2.0**-_RESCALED_EVERY
            halvings += _RESCALED_EVERY
    p = math.ldexp(float(cells.sum()), 1 + halvings - len(magnitudes))
    return min(1.0, max(p, sys.float_info.min))


def _p(subsets: int, count: int) -> Fraction:
    return Fraction(2 * subsets, 1 << count)
