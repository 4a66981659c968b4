"""The discount table against logarithms worked out bit by bit in whole numbers."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from harness.scoring.measures import discount
from harness.scoring.measures.discount import SCALE, discounted, discounts

_BITS = 120
_POINT = 600


def _log2_between(number: int) -> tuple[int, int]:
    """Return bounds of log2(number) · 2^_BITS by repeated squaring, with no library logarithm.

    The mantissa is kept as an interval of whole numbers over 2^_POINT; once the interval can't decide the
    next bit, the result is as wide as the bits left.
    """
    whole = number.bit_length() - 1
    low = (number << _POINT) >> whole
    high = low + 1 if (low << whole) != number << _POINT else low
    bits = whole
    for place in range(_BITS):
        low, high = (low * low) >> _POINT, -((-high * high) >> _POINT)
        two = 2 << _POINT
        if low < two <= high:
            left = _BITS - place
            return bits << left, (bits + 1) << left
        bits = bits * 2 + (low >= two)
        if low >= two:
            low, high = low >> 1, -(-high >> 1)
    return bits, bits + 1


@pytest.mark.parametrize("rank", [*range(1, 201), 255, 511, 1000, 1023, 4095, 10_000])
def test_entries_are_the_nearest_multiples_of_1e_18(rank: int) -> None:
    entry = discounts(rank)[rank - 1]
    low, high = _log2_between(rank + 1)
    # entry - 1/2 <= SCALE / log2 <= entry + 1/2, multiplied out
    assert (2 * entry - 1) * high <= (2 * SCALE) << _BITS
    assert (2 * entry + 1) * low >= (2 * SCALE) << _BITS


def test_the_interval_is_narrow_enough_to_decide() -> None:
    low, high = _log2_between(3)
    assert high - low == 1
    assert math.isclose(low / 2**_BITS, math.log2(3))


def test_the_table_starts_with_known_values() -> None:
    assert discounts(5)[:5] == (
        1_000_000_000_000_000_000,
        630_929_753_571_457_437,
        500_000_000_000_000_000,
        430_676_558_073_393_051,
        386_852_807_234_541_587,
    )


def test_discounts_fall_and_stay_positive() -> None:
    table = discounts(2000)
    assert len(table) >= 2000
    assert all(before > after > 0 for before, after in pairwise(table))


def test_a_longer_table_begins_with_the_shorter_one() -> None:
    first = discounts(1)
    assert discounts(1000)[: len(first)] == first
    assert discounts(1000)[:500] == discounts(500)[:500]


@pytest.mark.parametrize(("gains", "cutoff", "expected"), [((), 5, 0), ((2, 0, 4), 1, 2), ((2, 0, 4), 3, 4)])
def test_discounted_sums_gain_times_discount(gains: tuple[int, ...], cutoff: int, expected: int) -> None:
    assert expected * SCALE == discounted(gains, cutoff)


@pytest.mark.parametrize("start", [19, 20, 21, 23])
def test_too_few_digits_are_noticed_and_doubled(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank 573 lies so near a half that 21 digits, taken at once, round it the wrong way."""
    wanted = discounts(600)
    monkeypatch.setattr(discount, "_START_DIGITS", start)
    assert tuple(discount._nearest(rank) for rank in range(1, 601)) == wanted[:600]


@pytest.mark.parametrize("rank", [2, 4, 5, 6, 99, 4095])
def test_logarithms_have_the_digits_asked_for(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a finer scale than the table's, the 28 digits that are the library's own default are too few."""
    scale = 10**30
    monkeypatch.setattr(discount, "SCALE", scale)
    monkeypatch.setattr(discount, "_START_DIGITS", 80)
    entry = discount._nearest(rank)
    low, high = _log2_between(rank + 1)
    assert (2 * entry - 1) * high <= (2 * scale) << _BITS
    assert (2 * entry + 1) * low >= (2 * scale) << _BITS
