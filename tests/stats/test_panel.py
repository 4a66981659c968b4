"""Sets are matched by query id, and only sets with the same questions are compared."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.errors import InputError
from harness.stats import Differences, align
from harness.stats.panel import mean_of
from tests.stats.plain import NDCG, of, panel

HALF = Fraction(1, 2)


def test_questions_are_matched_by_id_not_by_place() -> None:
    found = align({"a": {"x": HALF, "y": Fraction(1)}, "b": {"y": Fraction(1, 3), "x": Fraction(0)}})
    assert found.queries == ("x", "y")
    assert (found.units, found.denominator) == (((3, 6), (0, 2)), 6)
    assert found.differences("b", "a") == Differences(queries=("x", "y"), units=(-3, -4), denominator=6)
    assert found.differences("b", "a").mean == Fraction(-7, 12)
    assert found.mean("a") == Fraction(3, 4)


def test_what_has_no_value_anywhere_is_left_out_and_named() -> None:
    found = align({"a": {"x": HALF, "y": None}, "b": {"y": None, "x": HALF}})
    assert (found.queries, found.undefined) == (("x",), ("y",))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"x": HALF}, "'b' lacks 'y', measured by 'a'"),
        ({"x": HALF, "y": HALF, "z": HALF}, "'b' has in excess 'z', measured by 'a'"),
        ({"x": HALF, "y": None}, "'b' disagrees on whether there is a value for 'y', measured by 'a'"),
        ({}, "'b' lacks 'x', 'y', measured by 'a'"),
    ],
)
def test_other_questions_are_refused_by_name(other: dict[str, Fraction | None], message: str) -> None:
    with pytest.raises(InputError, match="same questions only") as caught:
        align({"a": {"x": HALF, "y": HALF}, "b": other})
    assert str(caught.value).endswith(message)


def test_a_long_list_of_questions_is_cut() -> None:
    with pytest.raises(InputError, match="'q0', 'q1', 'q2' and 7 more"):
        align({"a": {f"q{n}": HALF for n in range(10)}, "b": {}})


def test_nothing_to_compare_is_refused() -> None:
    for values in ({}, {"a": {}}, {"a": {"x": None}}):
        with pytest.raises(InputError, match="needs"):
            align(values)
    with pytest.raises(InputError, match="at least one question"):
        Differences.of({})


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match="no parameter set is called 'c'; there are: base, s1"):
        panel([1], [0]).row("c")


def test_differences_know_their_sum_and_what_changed() -> None:
    found = of(HALF, 0, Fraction(-1, 3), 1)
    assert (found.total, found.mean) == (Fraction(7, 6), Fraction(7, 24))
    assert found.changed == ("q000", "q002", "q003")
    assert found.without("q002") == Differences(
        queries=("q000", "q001", "q003"), units=(3, 0, 6), denominator=found.denominator
    )


def test_sums_count_as_equal_up_to_the_rounding_of_discounts_only() -> None:
    assert of(Fraction(1, 2520)).slack == 0
    assert of(NDCG[7] - NDCG[3]).slack == 10**6


def test_a_mean_is_exact() -> None:
    assert mean_of([Fraction(1, 3), Fraction(1, 4)]) == Fraction(7, 24)
