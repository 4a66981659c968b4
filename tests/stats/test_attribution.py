"""Effects by hand, in full grids and in grids with holes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import InputError
from harness.stats import Panel, TagMean, align, attribute, by_tag
from harness.stats.matching import Scalar, match
from tests.stats.plain import NDCG, RR, numbered

HALF = Fraction(1, 2)
Rows = list[tuple[dict[str, Scalar], list[Fraction]]]


def study(rows: Rows) -> tuple[Panel, dict[str, dict[str, Scalar]]]:
    panel = align({f"s{place}": numbered(values) for place, (_, values) in enumerate(rows)})
    return panel, {f"s{place}": parameters for place, (parameters, _) in enumerate(rows)}


def test_main_effects_and_their_interaction_by_hand() -> None:
    rows: Rows = [
        ({"a": 1, "b": "x"}, [Fraction(0), Fraction(0), HALF]),
        ({"a": 2, "b": "x"}, [Fraction(1), Fraction(0), HALF]),
        ({"a": 1, "b": "y"}, [Fraction(0), HALF, HALF]),
        ({"a": 2, "b": "y"}, [HALF, HALF, HALF]),
    ]
    found = attribute(*study(rows))
    first, second = found.effects
    assert (first.parameter, first.before, first.after, first.pairs) == ("a", 1, 2, 2)
    assert [first.differences.mean, second.differences.mean] == [Fraction(1, 4), Fraction(1, 12)]
    assert (first.changed, first.share) == (("q000",), Fraction(1, 3))
    assert (second.changed, second.differences.changed) == (("q000", "q001"), ("q000", "q001"))
    (both,) = found.interactions
    assert (both.parameters, both.before, both.after, both.squares) == (("a", "b"), (1, "x"), (2, "y"), 1)
    assert both.differences.mean == Fraction(-1, 6)
    assert both.changed == ("q000",)
    assert found.unmatched == ()


def test_changes_that_cancel_out_are_still_changes() -> None:
    rows: Rows = [
        ({"a": 1, "b": 1}, [Fraction(0)]),
        ({"a": 2, "b": 1}, [Fraction(1)]),
        ({"a": 1, "b": 2}, [Fraction(1)]),
        ({"a": 2, "b": 2}, [Fraction(0)]),
    ]
    effect = attribute(*study(rows)).effects[0]
    assert (effect.differences.mean, effect.changed) == (0, ("q000",))


@given(st.data(), st.sampled_from([RR, NDCG]))
def test_in_a_full_grid_an_effect_is_the_difference_of_the_marginal_means(
    data: st.DataObject, levels: list[Fraction]
) -> None:
    grid = list(product(range(2), range(3), range(2)))
    values = st.lists(st.sampled_from(levels), min_size=3, max_size=3)
    rows: Rows = [({"a": a, "b": b, "c": c}, data.draw(values)) for a, b, c in grid]
    panel, parameters = study(rows)
    found = attribute(panel, parameters)
    assert len(found.effects) == 1 + 3 + 1
    assert len(found.interactions) == 3 + 1 + 3
    for effect in found.effects:
        sides = [
            [panel.mean(label) for label, row in parameters.items() if row[effect.parameter] == value]
            for value in (effect.before, effect.after)
        ]
        assert effect.differences.mean == sum(sides[1]) / len(sides[1]) - sum(sides[0]) / len(sides[0])
    for inter in found.interactions:
        signs = {inter.before: 1, inter.after: 1}
        total = Fraction(0)
        for label, row in parameters.items():
            point = (row[inter.parameters[0]], row[inter.parameters[1]])
            if all(v in (x, y) for v, x, y in zip(point, inter.before, inter.after, strict=True)):
                total += signs.get(point, -1) * panel.mean(label)
        assert inter.differences.mean == total / inter.squares


def test_a_hole_in_the_grid_does_not_bias() -> None:
    """Size 3 gives 1, all else 0, and was run with b = y only: the means of x and y differ, b does nothing."""
    rows: Rows = [
        ({"size": 1, "b": "x"}, [Fraction(0)]),
        ({"size": 1, "b": "y"}, [Fraction(0)]),
        ({"size": 3, "b": "y"}, [Fraction(1)]),
    ]
    size, b = attribute(*study(rows)).effects
    assert (size.differences.mean, size.pairs) == (1, 1)
    assert (b.differences.mean, b.pairs, b.changed) == (0, 1, ())


def test_a_set_without_a_parameter_stands_for_all_its_values() -> None:
    """Each BM25 set meets both embedders at its own chunk size, never at another."""
    rows: Rows = [
        ({"mode": "bm25", "size": 1}, [Fraction(0)]),
        ({"mode": "bm25", "size": 2}, [Fraction(0)]),
        ({"mode": "vector", "size": 1, "embedder": "e"}, [HALF]),
        ({"mode": "vector", "size": 1, "embedder": "f"}, [Fraction(1)]),
        ({"mode": "vector", "size": 2, "embedder": "e"}, [HALF]),
    ]
    found = attribute(*study(rows))
    effects = {effect.parameter: (effect.pairs, effect.differences.mean) for effect in found.effects}
    assert effects == {"mode": (3, Fraction(2, 3)), "size": (2, 0), "embedder": (1, HALF)}


def test_values_come_in_order_of_appearance_whatever_the_order_of_sets() -> None:
    found = match([{"a": "late"}, {"a": "early"}, {"a": "late", "b": 1}, {"a": None, "b": 2}])
    assert found.values == {"a": ("late", "early", None), "b": (1, 2)}
    assert found.steps["a"] == ((0, 1), (0, 3), (2, 1), (1, 3))


def test_a_parameter_without_matched_sets_is_named() -> None:
    rows: Rows = [({"a": 1, "b": 1}, [HALF]), ({"a": 2, "b": 2}, [HALF])]
    found = attribute(*study(rows))
    assert (found.effects, found.interactions, found.unmatched) == ((), (), ("a", "b"))


def test_one_set_has_no_effects() -> None:
    found = attribute(*study([({"a": 1}, [HALF])]))
    assert (found.effects, found.interactions, found.unmatched) == ((), (), ())


def test_effects_by_tag() -> None:
    rows: Rows = [
        ({"a": 1}, [Fraction(0), Fraction(0), HALF]),
        ({"a": 2}, [Fraction(1), Fraction(0), Fraction(1)]),
    ]
    (effect,) = attribute(*study(rows)).effects
    assert by_tag(effect, {"q000": ("t", "t"), "q001": ("t", "s"), "other": ("u",)}) == {
        "s": TagMean(questions=1, changed=0, mean=Fraction(0)),
        "t": TagMean(questions=2, changed=1, mean=HALF),
    }


def test_parameters_of_every_set_are_needed() -> None:
    with pytest.raises(InputError, match="none are given for s0"):
        attribute(study([({"a": 1}, [HALF])])[0], {})
