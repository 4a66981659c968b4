"""Exact rationals: shared quotients, means, and text that reads back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

ZERO = Fraction(0)
ONE = Fraction(1)

# Python refuses to write or read integers beyond 4300 digits in one go; the mean of many nDCG values can be
# longer than that.
_PIECE = 4000
_PIECE_END = 10**_PIECE
_RATIONAL = re.compile(r"(-?)([0-9]+)(?:/([0-9]+))?")


@lru_cache(maxsize=1 << 16)
def ratio(numerator: int, denominator: int) -> Fraction:
    """Return ``numerator / denominator``, built once per pair: a sweep asks for few distinct ones."""
    return Fraction(numerator, denominator)


def mean(values: Iterable[Fraction | None]) -> Fraction | None:
    """Return the exact arithmetic mean of the values that are not None; None when there is none.

    One common denominator and one reduction at the end: adding fractions one by one would reduce ever longer
    numbers at each step.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    common = math.lcm(*{value.denominator for value in known})
    total = sum(value.numerator * (common // value.denominator) for value in known)
    return Fraction(total, common * len(known))


def fraction_text(value: Fraction) -> str:
    """Return ``"5/6"``, or ``"1"`` for a whole number, whatever its length."""
    top = _digits(value.numerator)
    return top if value.denominator == 1 else f"{top}/{_digits(value.denominator)}"


def parse_fraction(text: str) -> Fraction:
    """Read what ``fraction_text`` wrote.

    Raises:
        ValueError: ``text`` is not a whole number or ``p/q`` in ASCII digits, or q is 0.
    """
    found = _RATIONAL.fullmatch(text)
    if found is None:
        raise ValueError(f"a fraction must look like 5/6 or 1, got {text!r}")
    sign, top, bottom = found.groups()
    denominator = 1 if bottom is None else _number(bottom)
    if denominator == 0:
        raise ValueError(f"a fraction must look like 5/6 or 1, got {text!r}")
    value = Fraction(_number(top), denominator)
    return -value if sign else value


def _digits(number: int) -> str:
    if number < 0:
        return "-" + _digits(-number)
    pieces: list[str] = []
    while number >= _PIECE_END:
        number, piece = divmod(number, _PIECE_END)
        pieces.append(str(piece).zfill(_PIECE))
    return str(number) + "".join(reversed(pieces))


def _number(digits: str) -> int:
    number = 0
    for start in range(0, len(digits), _PIECE):
        piece = digits[start : start + _PIECE]
        number = number * 10 ** len(piece) + int(piece)
    return number
