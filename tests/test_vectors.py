"""The grid makes cosines exact: the same bits whatever computes them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from harness.vectors import GRID_BITS, dot_products, on_grid, unit_on_grid

SCALE = 1 << GRID_BITS


def random_units(rows: int, dimensions: int, seed: int) -> NDArray[np.float32]:
    return unit_on_grid(np.random.default_rng(seed).standard_normal((rows, dimensions)))


def integers(row: NDArray[np.float32]) -> list[int]:
    """Return the components in units of the grid, exactly."""
    values = [Fraction(float(component)) * SCALE for component in row]
    assert all(value.denominator == 1 for value in values)
    return [int(value) for value in values]


def exact_dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> Fraction:
    return Fraction(sum(x * y for x, y in zip(integers(a), integers(b), strict=True)), SCALE * SCALE)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 17, 64, 384, 512, 1024])
def test_dot_products_equal_integer_arithmetic(dimensions: int) -> None:
    queries, rows = random_units(4, dimensions, 1), random_units(9, dimensions, 2)
    found = dot_products(queries, rows)
    assert found.dtype == np.float64
    for i, query in enumerate(queries):
        for j, row in enumerate(rows):
            assert Fraction(float(found[i, j])) == exact_dot(query, row)


COMPONENTS = st.floats(-1e3, 1e3, width=32)


@given(vectors=npst.arrays(np.float32, st.tuples(st.integers(2, 6), st.integers(1, 40)), elements=COMPONENTS))
def test_dot_products_equal_integer_arithmetic_for_any_vectors(vectors: NDArray[np.float32]) -> None:
    rows = unit_on_grid(vectors)
    found = dot_products(rows[:1], rows)
    assert [Fraction(float(value)) for value in found[0]] == [exact_dot(rows[0], row) for row in rows]


def test_nothing_changes_a_bit() -> None:
    """Order of dimensions, batches, blocks of rows (8,192) and layout in memory."""
    queries, rows = random_units(5, 96, 3), random_units(8_300, 96, 4)
    known = dot_products(queries, rows)
    order = np.random.default_rng(5).permutation(96)
    assert np.array_equal(dot_products(queries[:, order], rows[:, order]), known)
    assert np.array_equal(np.vstack([dot_products(query[None], rows) for query in queries]), known)
    for start, end in ((0, 1), (8_191, 8_193), (7, 200)):
        assert np.array_equal(dot_products(queries, rows[start:end]), known[:, start:end])
    assert np.array_equal(dot_products(np.asfortranarray(queries), np.asfortranarray(rows)), known)
    assert np.array_equal(dot_products(rows[:40], queries), known[:, :40].T)


def test_the_number_of_threads_changes_no_bit() -> None:
    queries, rows = random_units(64, 512, 6), random_units(2_000, 512, 7)
    with threadpool_limits(limits=1):
        one = dot_products(queries, rows)
    with threadpool_limits(limits=2):
        two = dot_products(queries, rows)
    assert np.array_equal(one, two)


def test_an_empty_side_gives_an_empty_matrix() -> None:
    rows = random_units(3, 8, 8)
    assert dot_products(rows, rows[:0]).shape == (3, 0)
    assert dot_products(rows[:0], rows).shape == (0, 3)


@pytest.mark.parametrize(
    ("row", "unit"),
    [
        ([3, 4], [0.6, 0.8]),
        ([0, -2], [0, -1]),
        ([1e-30, 0], [1, 0]),
        ([1e30, 1e30], [0.5**0.5, 0.5**0.5]),
        ([1, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_rows_get_length_one(row: list[float], unit: list[float]) -> None:
    (found,) = unit_on_grid(np.array([row], dtype=np.float32))
    assert found.dtype == np.float32
    assert found.tolist() == [round(component * SCALE) / SCALE for component in unit]


def test_zeros_stay_zeros() -> None:
    found = unit_on_grid(np.array([[0, 0, 0], [0, 5, 0]]))
    assert found.tolist() == [[0, 0, 0], [0, 1, 0]]
    assert dot_products(found, found).tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="NaN or an infinite"):
        unit_on_grid(np.array([[1.0, 2.0], [0.0, bad]]))


@given(
    rows=npst.arrays(np.float32, st.tuples(st.integers(1, 8), st.integers(1, 70)), elements=COMPONENTS),
    data=st.data(),
)
def test_a_row_depends_on_itself_alone(rows: NDArray[np.float32], data: st.DataObject) -> None:
    known = unit_on_grid(rows)
    place = data.draw(st.integers(0, len(rows) - 1))
    assert np.array_equal(unit_on_grid(rows[place : place + 1])[0], known[place])
    assert np.array_equal(unit_on_grid(np.asfortranarray(rows)), known)
    assert np.array_equal(unit_on_grid(rows[::-1]), known[::-1])
    assert np.array_equal(on_grid(known), known)


def test_the_layout_in_memory_changes_no_bit() -> None:
    rows = np.random.default_rng(9).standard_normal((40, 1_044))
    assert np.array_equal(unit_on_grid(np.asfortranarray(rows)), unit_on_grid(rows))


def test_rounding_is_half_a_step_at_most_and_ties_go_to_even() -> None:
    assert (on_grid(np.array([0.5, 1.5, 2.5, -0.5]) / SCALE) * SCALE).tolist() == [0, 2, 2, 0]
    rows = np.random.default_rng(10).uniform(-1, 1, (50, 20))
    assert np.abs(on_grid(rows).astype(np.float64) - rows).max() <= 0.5 / SCALE
