"""The discount of a rank, 1/log2(rank+1), as a declared table of rationals.

log2 is irrational, so an exact nDCG needs a table: each entry is the multiple of 10^-18 nearest to the true
value, held as its integer numerator over ``SCALE``. Sums and quotients of entries are then exact. A table
entry is off by at most 0.5·10^-18, far below what a double can show.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from operator import mul

SCALE = 10**18
DISCOUNT_VERSION = "inverse-log2-of-rank-plus-1, nearest multiple of 1e-18, version 1"

_FIRST_BLOCK = 8
_START_DIGITS = 50
_HALF = Decimal("0.5")


def discounts(depth: int) -> tuple[int, ...]:
    """Return numerators over ``SCALE`` for ranks 1 to at least ``depth``; rank r is at index r-1."""
    block = _FIRST_BLOCK
    while block < depth:
        block *= 2
    return _table(block)


def discounted(gains: tuple[int, ...], cutoff: int) -> int:
    """Return the sum of gain times discount over the first ``cutoff`` gains, as a numerator over ``SCALE``."""
    seen = gains[:cutoff]
    return sum(map(mul, seen, discounts(len(seen))))


@lru_cache(maxsize=32)
def _table(depth: int) -> tuple[int, ...]:
    """Return the first ``depth`` entries; each block is twice the last, so no entry is worked out twice."""
    known = _table(depth // 2) if depth > _FIRST_BLOCK else ()
    return known + tuple(_nearest(rank) for rank in range(len(known) + 1, depth + 1))


@lru_cache(maxsize=4)
def _ln2(digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN).ln(Decimal(2))


def _nearest(rank: int) -> int:
    """Return the integer nearest to SCALE/log2(rank+1).

    Why this is correctly rounded: ``Decimal.ln`` is correctly rounded, so with d digits each logarithm is
    off by at most 0.5·10^(1-d) relative, and the quotient ln 2 / ln(rank+1) by less than 2·10^(1-d) of a
    value that is at most SCALE. If the computed value lies further than that from a half-way point, true
    and computed value round alike; otherwise the digits are doubled. That ends: a true half-way value would
    be rational, so rank+1 = 2^m and 1/m an odd multiple of 1/(2·10^18), which needs m divisible by 2^19.
    """
    digits = _START_DIGITS
    while True:
        context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
        quotient = context.divide(_ln2(digits), context.ln(Decimal(rank + 1)))
        scaled = context.multiply(quotient, Decimal(SCALE))
        whole = int(scaled)
        rest = context.subtract(scaled, Decimal(whole))
        if context.abs(context.subtract(rest, _HALF)) > Decimal(10) ** (20 - digits):
            return whole + (rest > _HALF)
        digits *= 2
