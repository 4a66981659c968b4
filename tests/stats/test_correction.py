"""Holm against statsmodels; max-T against trying all sign patterns by the book."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats import Effort, Panel, holm, max_t, sign_flip_all
from tests.stats.plain import HIT, NDCG, RR, numbered, panel

DRAWN = Effort(generators=13)


@settings(max_examples=15)
@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(ps: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    ours = holm({str(place): p for place, p in enumerate(ps)})
    assert list(ours.values()) == pytest.approx(list(multipletests(ps, method="holm")[1]), rel=1e-12)


def test_holm_by_hand_keeps_fractions_and_order() -> None:
    ps = {"a": Fraction(1, 25), "b": Fraction(1, 100), "c": Fraction(3, 100), "d": Fraction(1, 2)}
    assert holm(ps) == {"a": Fraction(9, 100), "b": Fraction(1, 25), "c": Fraction(9, 100), "d": Fraction(1, 2)}
    assert list(holm(ps)) == list(ps)
    assert holm({}) == {}


def brute_max_t(given_: Panel, *, step_down: bool) -> dict[str, Fraction]:
    """One pattern after the other, sums of whole numbers; statistics within 1e-9 are equal."""
    rows = {label: d.units for label, d in given_.others("base").items()}
    norms = {label: sum(v * v for v in row) or 1 for label, row in rows.items()}
    patterns = list(product((1, -1), repeat=len(given_.queries)))

    def statistic(label: str, signs: tuple[int, ...]) -> float:
        return abs(sum(s * v for s, v in zip(signs, rows[label], strict=True))) / math.sqrt(norms[label])

    seen = {label: statistic(label, patterns[0]) for label in rows}
    order = sorted(rows, key=lambda label: seen[label], reverse=True)
    adjusted: dict[str, Fraction] = {}
    highest = Fraction(0)
    for place, label in enumerate(order):
        others = [o for o in order[place:] if step_down] or order
        count = sum(max(statistic(o, signs) for o in others) >= seen[label] - 1e-9 for signs in patterns)
        highest = max(highest, Fraction(count, len(patterns)))
        adjusted[label] = highest
    return adjusted


@st.composite
def panels(draw: st.DrawFn) -> Panel:
    levels = draw(st.sampled_from([HIT, RR, NDCG]))
    queries = draw(st.integers(1, 7))
    row = st.lists(st.sampled_from(levels), min_size=queries, max_size=queries)
    return panel(*draw(st.lists(row, min_size=2, max_size=5)))


@given(panels(), st.booleans())
def test_max_t_over_all_patterns_is_exact(given_: Panel, step_down: bool) -> None:
    found = max_t(given_, "base", step_down=step_down)
    assert found.complete
    assert found.adjusted == brute_max_t(given_, step_down=step_down)


@given(panels())
def test_corrected_p_lie_between_plain_p_and_1_and_stepping_down_never_costs(given_: Panel) -> None:
    plain = sign_flip_all(given_, "base")
    down, single = (max_t(given_, "base", step_down=choice).adjusted for choice in (True, False))
    for label, test in plain.items():
        assert 0 < test.p <= down[label] <= single[label] <= 1


def test_differences_that_cancel_out_exactly_count_as_such_though_floats_cannot_hold_them() -> None:
    third = NDCG[4]
    found = max_t(panel([0, 1, third], [1, third, 0]), "base")
    assert found.adjusted == {"s1": 1}


def study(n: int = 40, sets: int = 6, seed: int = 1) -> Panel:
    chance = random.Random(seed)
    base = [chance.choice(RR) for _ in range(n)]
    rows = [[v if chance.random() < 0.6 else chance.choice(RR) for v in base] for _ in range(sets)]
    better = [max(v, chance.choice(RR)) for v in base]
    return panel(base, *rows, better)


def test_drawn_patterns_give_about_what_all_patterns_give() -> None:
    given_ = study(n=11)
    whole, drawn = max_t(given_, "base"), max_t(given_, "base", Effort(generators=9))
    assert (whole.complete, drawn.complete, drawn.patterns) == (True, False, 512)
    for label, p in whole.adjusted.items():
        assert abs(p - drawn.adjusted[label]) < 0.1


def test_one_set_needs_no_correction() -> None:
    given_ = study(sets=0)
    test = sign_flip_all(given_, "base")["s1"]
    found = max_t(given_, "base", DRAWN).adjusted["s1"]
    assert abs(float(found) - float(test.p)) < 0.01


def test_copies_of_a_set_cost_nothing() -> None:
    """Holm would multiply by their number."""
    base, row = [0] * 12, [1] * 9 + [0] * 3
    once, often = panel(base, row), panel(base, *[row] * 20)
    assert set(max_t(often, "base").adjusted.values()) == {max_t(once, "base").adjusted["s1"]} == {Fraction(1, 256)}


def test_a_set_equal_to_the_baseline_has_p_1_and_a_constant_difference_is_no_special_case() -> None:
    half = Fraction(1, 2)
    found = max_t(panel([half] * 8, [half] * 8, [1] * 8), "base").adjusted
    assert found == {"s1": 1, "s2": Fraction(1, 128)}


def test_the_noise_of_one_set_does_not_hide_another() -> None:
    """The statistic is studentised: with bare means the first set's ±1 would drown a steady 0.1."""
    tenth = Fraction(1, 10)
    noisy, steady = [tenth + (-1) ** q * Fraction(4, 5) for q in range(12)], [Fraction(1, 5)] * 12
    found = max_t(panel([tenth] * 12, noisy, steady), "base").adjusted
    assert found["s2"] < Fraction(1, 500)
    assert found["s1"] == 1


@given(panels())
def test_it_does_not_matter_in_which_order_sets_and_questions_come(given_: Panel) -> None:
    turned = {label: dict(zip(given_.queries, given_.row(label), strict=True)) for label in reversed(given_.sets)}
    again = panel([0])
    again = type(again)(
        sets=tuple(turned),
        queries=given_.queries,
        units=tuple(tuple(row.values()) for row in turned.values()),
        denominator=given_.denominator,
    )
    assert max_t(again, "base").adjusted == max_t(given_, "base").adjusted


def test_drawing_is_repeatable_and_the_seed_matters() -> None:
    given_ = study()
    first, again = (max_t(given_, "base", Effort(generators=10, seed=5)) for _ in range(2))
    assert first == again
    assert first != max_t(given_, "base", Effort(generators=10, seed=6))
    assert all(0 < p <= 1 for p in first.adjusted.values())


def test_without_another_set_there_is_nothing_to_correct() -> None:
    assert max_t(panel([1, 0]), "base").adjusted == {}
    assert numbered([1]) == {"q000": 1}
