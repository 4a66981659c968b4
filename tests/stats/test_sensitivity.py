"""What questions can show: by hand, and against scipy's normal quantiles."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from scipy.stats import norm

from harness.errors import InputError
from harness.stats import fewest_changed, power, questions_needed, sign_flip, smallest_p
from harness.stats.sensitivity import spread
from tests.stats.plain import differences, of


@pytest.mark.parametrize(
    ("changed", "p"), [(0, 1), (1, 1), (2, Fraction(1, 2)), (5, Fraction(1, 16)), (6, Fraction(1, 32))]
)
def test_the_floor_is_what_the_test_gives_when_all_go_one_way(changed: int, p: Fraction) -> None:
    assert smallest_p(changed) == p == sign_flip(of(0, *[1] * changed)).p == sign_flip(of(0, *[1] * changed)).floor


@given(differences())
def test_no_p_lies_below_the_floor(values: list[Fraction]) -> None:
    assert sign_flip(of(*values)).p >= smallest_p(len(of(*values).changed))


@pytest.mark.parametrize(
    ("alpha", "changed"), [(Fraction(1, 20), 6), (Fraction(1, 100), 8), (Fraction(1), 1), (Fraction(1, 32), 6)]
)
def test_at_least_so_many_must_change(alpha: Fraction, changed: int) -> None:
    assert fewest_changed(alpha) == changed


def test_alpha_must_be_a_chance() -> None:
    for alpha in (Fraction(0), Fraction(-1), Fraction(2)):
        with pytest.raises(InputError, match="alpha must be above 0"):
            fewest_changed(alpha)


def test_by_hand() -> None:
    """Differences 1, 1, 0, 0: mean 1/2, variance 1/3 (n − 1)."""
    found = power(of(1, 1, 0, 0))
    factor = norm.ppf(0.975) + norm.ppf(0.8)
    assert factor == pytest.approx(2.8016, abs=1e-4)
    assert found.spread == pytest.approx(math.sqrt(1 / 3), rel=1e-15)
    assert found.smallest == pytest.approx(factor * math.sqrt(1 / 3) / 2, rel=1e-12)
    assert found.needed == max(math.ceil(factor**2 / 3 / 0.25), 12) == 12
    assert (found.questions, found.changed, found.smallest_p) == (4, 2, Fraction(1, 2))
    assert questions_needed(of(1, 1, 0, 0), 0.1) == math.ceil(factor**2 / 3 / 0.01) == 262


def test_the_floor_asks_for_more_questions_where_few_change() -> None:
    """One in ten changes, always alike: the spread would do with fewer, but six must change."""
    assert questions_needed(of(*[1] + [0] * 9), 1.0) == 60


@given(differences())
def test_the_spread_is_that_of_the_standard_library(values: list[Fraction]) -> None:
    found = spread(of(*values))
    if len(values) == 1:
        assert found is None
    else:
        assert found == pytest.approx(statistics.stdev([float(v) for v in values]), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("values", [[0, 0, 0], [1], [Fraction(1, 2)] * 4])
def test_without_spread_nothing_is_said_of_power(values: list[Fraction]) -> None:
    found = power(of(*values))
    assert (found.smallest, found.needed) == (None, None)
    with pytest.raises(InputError, match="questions that differ"):
        questions_needed(of(*values), 0.1)


def test_no_difference_needs_no_number() -> None:
    assert power(of(1, -1, 0)).needed is None
    assert power(of(1, -1, 0)).smallest is not None
