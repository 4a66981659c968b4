"""The sparse table: the same cells are found spread out in full and behind a sieve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from harness.scoring.encoded import lookup
from harness.scoring.encoded.lookup import Lookup

DOCUMENTS = {"a": 0, "b": 1, "c": 2}
# Keys are row · 4 + document: three documents, and a fourth place for "nothing".
ROWS = [{"c": 2, "a": 1}, {}, {"b": 1}]
CODES = {1: 1, 2: 2}
EVERYWHERE = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]


def sieved(
    monkeypatch: pytest.MonkeyPatch, rows: Sequence[Mapping[str, int]] = ROWS, bits: tuple[int, int] = (2, 26)
) -> Lookup:
    """Return the table behind a sieve of at least ``bits[0]`` bits."""
    monkeypatch.setattr(lookup, "_DENSE_CELLS", 0)
    monkeypatch.setattr(lookup, "_SIEVE_BITS", bits)
    return Lookup.of(rows, DOCUMENTS, CODES)


def test_listed_cells_are_held_as_sorted_keys_with_their_codes() -> None:
    table = Lookup.of(ROWS, DOCUMENTS, CODES)
    assert (table.width, table.keys.tolist(), table.codes.tolist()) == (4, [0, 2, 9], [1, 2, 1])
    assert table.table is not None
    assert table.table.tolist() == [1, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert (table.sieve, table.shift) == (None, 0)
    assert table.keys.dtype == np.int64


@pytest.mark.parametrize(("distinct", "kind"), [(1, np.uint8), (254, np.uint8), (255, np.int32)])
def test_a_code_takes_a_byte_while_it_fits(distinct: int, kind: type) -> None:
    grades = {grade: grade for grade in range(1, distinct + 1)}
    table = Lookup.of([{"a": distinct}], DOCUMENTS, grades)
    assert table.table is not None
    assert (table.codes.dtype, table.table.dtype) == (kind, kind)
    assert table.spread(table.cells(np.array([[0], [1]]))).tolist() == [[distinct], [0]]


@pytest.mark.parametrize(("most", "spread_out"), [(12, True), (11, False)])
def test_a_table_is_spread_out_up_to_a_number_of_cells(
    monkeypatch: pytest.MonkeyPatch, most: int, spread_out: bool
) -> None:
    monkeypatch.setattr(lookup, "_DENSE_CELLS", most)
    table = Lookup.of(ROWS, DOCUMENTS, CODES)
    assert (table.table is not None, table.sieve is None) == (spread_out, spread_out)


@pytest.mark.parametrize(
    ("bits", "size"),
    # Three keys want 48 flags, which makes 64, within what is allowed.
    [((2, 26), 64), ((6, 6), 64), ((12, 26), 4096), ((2, 5), 32)],
)
def test_a_sieve_has_sixteen_flags_a_key(monkeypatch: pytest.MonkeyPatch, bits: tuple[int, int], size: int) -> None:
    table = sieved(monkeypatch, bits=bits)
    assert table.table is None
    assert table.sieve is not None
    assert (table.sieve.dtype, len(table.sieve)) == (np.bool_, size)
    assert table.sieve.any()
    assert not table.sieve.all()
    assert size << table.shift == 1 << 64


# With four flags nearly every cell passes the sieve, and the keys have to tell.
@pytest.mark.parametrize("bits", [(2, 2), (12, 26)])
@pytest.mark.parametrize(("least", "places", "codes"), [(1, [0, 5, 6], [1, 1, 2]), (2, [6], [2]), (3, [], [])])
def test_what_is_listed_is_found_with_and_without_a_sieve(
    monkeypatch: pytest.MonkeyPatch, bits: tuple[int, int], least: int, places: list[int], codes: list[int]
) -> None:
    for table in (Lookup.of(ROWS, DOCUMENTS, CODES), sieved(monkeypatch, bits=bits)):
        cells = table.cells(np.array(EVERYWHERE, dtype=np.int32))
        assert cells.tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
        assert cells.dtype == np.int64
        found, which = table.listed(cells, least)
        assert (found.tolist(), which.tolist()) == (places, codes)
        assert table.spread(cells).tolist() == [[1, 0, 0], [0, 0, 1], [2, 0, 0], [0, 0, 0]]
        assert table.spread(cells).dtype == np.uint8


def test_nothing_is_found_where_nothing_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (Lookup.of([{}, {}], DOCUMENTS, {}), sieved(monkeypatch, [{}, {}])):
        found, codes = table.listed(table.cells(np.array([[0, 3], [1, 2]], dtype=np.int32)))
        assert (found.tolist(), codes.tolist()) == ([], [])


def test_keys_do_not_overflow_32_bits() -> None:
    rows = np.full((1, 3), 2, dtype=np.int32)
    table = Lookup(
        width=1 << 31,
        keys=np.array([2 + (1 << 32)]),
        codes=np.array([1], dtype=np.uint8),
        table=None,
        sieve=np.array([True] * 4),
        shift=62,
    )
    assert table.cells(rows).tolist() == [[2, 2 + (1 << 31), 2 + (1 << 32)]]
    assert table.spread(table.cells(rows)).tolist() == [[0, 0, 1]]
