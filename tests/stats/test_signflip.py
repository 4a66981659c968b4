"""The sign-flip test against trying all sign patterns, against scipy, and against published and hand-worked values."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from harness.errors import InputError
from harness.stats import Effort, Method, exact_p, sampled_p, sign_flip, sign_flip_all
from harness.stats.counting import halved, listed_sums, packed, packed_bits, summed
from harness.stats.signs import drawn_codes, group_sums
from tests.stats.plain import NDCG, RR, brute_p, differences, of, panel

SAMPLED = Effort(bits=0, sums=0, cells=0, generators=10)
MAIZE = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
"""Darwin's maize: crossed minus self-fertilised, in eighths of an inch."""


def parts(values: list[Fraction]) -> tuple[tuple[int, ...], int]:
    """Magnitudes and the largest subset sum that counts, as ``counting`` takes them; without the test's own slack."""
    units = of(*values).units
    unit = math.gcd(*units) or 1
    magnitudes = tuple(sorted(abs(value) // unit for value in units if value))
    return magnitudes, (sum(magnitudes) - abs(sum(units)) // unit) // 2


@given(differences())
def test_all_ways_to_count_agree_with_trying_all_sign_patterns(values: list[Fraction]) -> None:
    assert sign_flip(of(*values)).p == brute_p(values)
    magnitudes, most = parts(values)
    if sum(values):
        expected = brute_p(values, near=Fraction(0))
        assert halved(magnitudes, most) == expected
        if most < 1 << 16:
            assert packed(magnitudes, most) == expected
            assert summed(magnitudes, most) == pytest.approx(float(expected), rel=1e-15, abs=0)


def test_fishers_value_for_darwins_maize() -> None:
    """Fisher 1935, section 21: 863 of 32,768 patterns on one side, so 1,726 on both."""
    found = sign_flip(of(*MAIZE))
    assert (found.p, found.method) == (Fraction(1726, 32768), Method.COUNTED)
    assert (found.wins, found.losses, found.ties) == (13, 2, 0)
    assert found.mean == Fraction(314, 15)


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ([0, 0, 0], 1),
        ([1], 1),
        ([1, 1], Fraction(1, 2)),
        ([1, -1], 1),
        ([1, 1, 1, 1, 1], Fraction(1, 16)),
        ([1, 1, 1, 1, 1, 1], Fraction(1, 32)),
        ([1, 1, 1, 1, 1, 1, 0, 0, 0], Fraction(1, 32)),
        ([1, 1, 1, -1], Fraction(5, 8)),
        ([2, 1, 1], Fraction(1, 4)),
        ([2, 1, -1], Fraction(3, 4)),
        ([Fraction(1, 2), Fraction(1, 3), Fraction(-1, 6)], Fraction(1, 2)),
    ],
)
def test_hand_worked(values: list[Fraction], p: Fraction) -> None:
    assert sign_flip(of(*values)).p == p


def test_ties_that_the_rounding_of_discounts_hides_are_ties() -> None:
    """The discounts of ranks 2 and 8 are 1/log2(3) and half of that; in the table they miss it by 1e-18."""
    values = [-NDCG[2], Fraction(1), NDCG[8], NDCG[8]]
    assert sum(values) != 1
    assert sign_flip(of(*values)).p == Fraction(5, 8)
    assert sign_flip(of(1, -NDCG[7], -NDCG[7], -NDCG[7])).p == 1


@given(st.lists(st.integers(-12, 12), min_size=2, max_size=9))
def test_scipy_agrees_where_it_counts_everything(values: list[int]) -> None:
    """On whole numbers: with others its sums are rounded, and it misses ties around 0."""
    theirs = scipy_stats.permutation_test(
        (np.array(values, dtype=np.float64),),
        lambda x, axis: x.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert float(sign_flip(of(*[Fraction(value, 12) for value in values])).p) == pytest.approx(theirs.pvalue, rel=1e-12)


@given(differences(), st.randoms(use_true_random=False), st.sampled_from([Effort(), SAMPLED]))
def test_p_lies_in_0_to_1_and_depends_on_nothing_it_should_not(
    values: list[Fraction], chance: random.Random, effort: Effort
) -> None:
    found = sign_flip(of(*values), effort)
    assert 0 < found.p <= 1
    assert sign_flip(of(*[-value for value in values]), effort).p == found.p
    assert sign_flip(of(*[value * Fraction(3, 7) for value in values]), effort).p == found.p
    shuffled = values.copy()
    chance.shuffle(shuffled)
    if effort is not SAMPLED:
        assert sign_flip(of(*shuffled), effort).p == found.p
        assert sign_flip(of(*values, 0, 0), effort).p == found.p
        assert found.p >= found.floor


@given(differences(), st.randoms(use_true_random=False))
def test_a_drawn_p_does_not_depend_on_the_order_in_which_questions_are_given(
    values: list[Fraction], chance: random.Random
) -> None:
    rows = {f"q{place}": value for place, value in enumerate(values)}
    shuffled = list(rows.items())
    chance.shuffle(shuffled)
    first, second = (type(of(0)).of(given) for given in (rows, dict(shuffled)))
    assert sign_flip(first, SAMPLED) == sign_flip(second, SAMPLED)


def test_a_fraction_is_counted_where_bits_allow_and_floats_agree() -> None:
    chance = random.Random(3)
    for _ in range(5):
        values = [chance.choice(RR) - chance.choice(RR) for _ in range(300)]
        magnitudes, most = parts(values)
        assert packed_bits(magnitudes, most) > Effort().bits
        found = sign_flip(of(*values))
        assert (found.method, type(found.p)) == (Method.SUMMED, float)
        exact = packed(magnitudes, most)
        assert abs(Fraction(found.p) - exact) / exact < Fraction(1, 10**13)


def test_floats_hold_for_p_as_small_as_it_gets() -> None:
    magnitudes = (1,) * 999
    assert summed(magnitudes, 0) == 2.0**-998
    assert summed((1,) * 3000, 0) > 0
    assert Fraction(summed((1, *(2,) * 899), 40)) == pytest.approx(packed((1, *(2,) * 899), 40), rel=1e-12)


def test_many_questions_whose_denominator_is_huge_are_drawn_with_what_that_costs() -> None:
    chance = random.Random(4)
    values = [chance.choice(NDCG) - chance.choice(NDCG) for _ in range(200)]
    found = sign_flip(of(*values))
    assert (found.method, found.patterns) == (Method.SAMPLED, 1 << 14)
    assert found.p == Fraction(int(found.p * (1 << 14)), 1 << 14)
    assert found.standard_error == pytest.approx(float(found.p * (1 - found.p) / (1 << 14)) ** 0.5)


def test_few_questions_with_a_huge_denominator_are_counted() -> None:
    chance = random.Random(5)
    values = [chance.choice(NDCG) - chance.choice(NDCG) for _ in range(24)]
    magnitudes, _ = parts(values)
    assert listed_sums(magnitudes) <= Effort().sums
    assert sign_flip(of(*values)).method is Method.COUNTED


@pytest.mark.parametrize("levels", [[Fraction(0), Fraction(1)], RR, NDCG], ids=["hit", "rr", "ndcg"])
def test_drawn_p_lie_around_the_counted_ones(levels: list[Fraction]) -> None:
    chance = random.Random(6)
    for n in (8, 24):
        given_ = of(*[chance.choice(levels) - chance.choice(levels) for _ in range(n)])
        counted = exact_p(given_)
        assert counted is not None
        drawn = sampled_p({"a": given_}, Effort(generators=14))["a"]
        assert abs(drawn - counted) < 5 * (float(counted * (1 - counted)) / (1 << 14)) ** 0.5 + 1e-4


def test_ties_count_when_drawn_whatever_the_denominator() -> None:
    """All patterns of a single changed question are as extreme as what was seen, though floats can't hold it."""
    huge = Fraction(10**40 + 1, 3 * 10**40)
    assert sampled_p({"a": of(huge, 0, 0)})["a"] == 1
    assert sampled_p({"a": of(huge, -huge, Fraction(1, 7), Fraction(-1, 7))})["a"] == 1


def test_one_pass_gives_what_single_tests_give() -> None:
    chance = random.Random(7)
    rows = [[chance.choice(NDCG) for _ in range(60)] for _ in range(4)]
    given_ = panel(*rows)
    together = sign_flip_all(given_, "base")
    assert list(together) == ["s1", "s2", "s3"]
    assert {test.method for test in together.values()} == {Method.SAMPLED}
    assert together == {label: sign_flip(given_.differences(label, "base")) for label in together}


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(InputError, match="no parameter set is called 'x'"):
        sign_flip_all(panel([1], [0]), "x")


def test_products_of_patterns_are_summed_as_one_by_one() -> None:
    """All 2^6 products of 6 patterns, each multiplied out and applied to every comparison."""
    chance = np.random.default_rng(8)
    matrix = chance.integers(-9, 9, size=(20, 3)).astype(np.float64)
    codes = drawn_codes(20, 6, seed=2)
    patterns = [np.where(codes >> bit & 1, -1, 1) for bit in range(6)]
    products = [np.ones(20, dtype=int)]
    for pattern in patterns:
        products += [product * pattern for product in products]
    found = np.concatenate([block.copy() for block in group_sums(matrix, codes, 6)])
    expected = np.array(products) @ matrix
    assert sorted(map(tuple, found)) == sorted(map(tuple, expected))


def test_drawn_patterns_are_those_of_the_seed_and_fair() -> None:
    codes = drawn_codes(4_000, 14, seed=1)
    assert codes[:3].tolist() == drawn_codes(3, 14, seed=1).tolist()
    assert codes.tolist() != drawn_codes(4_000, 14, seed=2).tolist()
    assert 0 <= codes.min() < codes.max() < 1 << 14
    for bit in range(14):
        assert abs((codes >> bit & 1).mean() - 0.5) < 0.04


@pytest.mark.parametrize("wrong", [{"generators": 0}, {"generators": 25}, {"seed": -1}])
def test_effort_out_of_range_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="must"):
        Effort(**wrong)


@pytest.mark.parametrize("generators", [1, 3, 4, 5, 11])
def test_any_number_of_generators_counts_what_was_seen_once(generators: int) -> None:
    """100 questions that all go one way: of these patterns none but the observed one is as extreme."""
    assert sampled_p({"a": of(*[1] * 100)}, Effort(generators=generators))["a"] == Fraction(1, 1 << generators)
