"""Records are JSON and back, with nothing lost."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.splits import Choice, Looks
from harness.summary import ControlRow, PointRow, QueryRow, SetSummary, Sweep, SweepHeader, from_json, to_json

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
FRACTIONS = st.fractions(max_denominator=10**20)
OPTIONAL = st.none() | FRACTIONS
SCALARS = st.none() | TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
VALUES = st.dictionaries(TEXT, OPTIONAL, max_size=3)
HASHES = st.dictionaries(TEXT, TEXT, max_size=2)
COUNT = st.integers(0, 10**9)

ROWS = st.builds(
    QueryRow,
    query=TEXT,
    question=TEXT,
    tags=NAMES,
    relevant=NAMES,
    retrieved=NAMES,
    missing=st.booleans(),
    first_relevant_rank=st.none() | COUNT,
    values=VALUES,
)
SETS = st.builds(
    SetSummary,
    name=TEXT,
    place=COUNT,
    parameters=st.dictionaries(TEXT, SCALARS, max_size=3),
    means=VALUES,
    lower=VALUES,
    upper=VALUES,
    eligible=COUNT,
    missing=NAMES,
    no_relevant=NAMES,
    rows=st.lists(ROWS, max_size=2).map(tuple),
    controls=st.lists(st.builds(ControlRow, fault=TEXT, measure=TEXT, wrong=OPTIONAL, right=OPTIONAL), max_size=2).map(
        tuple
    ),
    repeated=NAMES,
    hashes=HASHES,
    facts=st.dictionaries(TEXT, st.floats(allow_nan=False, allow_infinity=False), max_size=2),
    notes=NAMES,
)
POINTS = st.lists(st.builds(PointRow, point=st.dictionaries(TEXT, SCALARS, max_size=2), fate=TEXT), max_size=2).map(
    tuple
)
CHOICES = st.builds(
    Choice,
    split=TEXT,
    sweep=TEXT,
    rule=TEXT,
    measure=TEXT,
    sets=COUNT,
    value=FRACTIONS,
    best=FRACTIONS,
    chosen=TEXT,
    chosen_sha256=TEXT,
    baseline=TEXT,
    baseline_sha256=TEXT,
    baseline_value=OPTIONAL,
)
HEADERS = st.builds(
    SweepHeader,
    study=TEXT,
    k=COUNT,
    cutoffs=st.lists(COUNT, max_size=3).map(tuple),
    split=TEXT,
    exhaustive=st.booleans(),
    unjudged=TEXT,
    varying=NAMES,
    planned=COUNT,
    points=COUNT,
    collapsed=POINTS,
    skipped=POINTS,
    hashes=HASHES,
    notes=NAMES,
    choice=st.none() | CHOICES,
)
LOOKS = st.builds(Looks, times=COUNT, sets=COUNT)
SWEEPS = st.builds(Sweep, header=HEADERS, sets=st.lists(SETS, max_size=2).map(tuple), looks=st.none() | LOOKS)


def through_text(value: Any) -> Any:
    return json.loads(json.dumps(to_json(value), ensure_ascii=False, allow_nan=False))


@given(SWEEPS)
def test_a_sweep_reads_back_as_it_was(sweep: Sweep) -> None:
    assert from_json(Sweep, through_text(sweep)) == sweep


@given(HEADERS)
def test_what_older_sweeps_did_not_write_has_its_default(header: SweepHeader) -> None:
    written = through_text(header)
    del written["choice"]
    assert from_json(SweepHeader, written) == replace(header, choice=None)


@given(SETS)
def test_a_set_reads_back_with_the_types_it_had(summary: SetSummary) -> None:
    again = from_json(SetSummary, through_text(summary))
    assert {name: type(value) for name, value in again.parameters.items()} == {
        name: type(value) for name, value in summary.parameters.items()
    }
    assert all(isinstance(value, Fraction | None) for value in again.means.values())
    assert list(again.means) == list(summary.means)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(5, 6), "5/6"),
        (Fraction(2, 2), "1"),
        (Fraction(0), "0"),
        (Fraction(-1, 3), "-1/3"),
        (None, None),
        (1.5, 1.5),
        (("a", "b"), ["a", "b"]),
        ({"recall@3": Fraction(1, 3)}, {"recall@3": "1/3"}),
        (PointRow(point={"top_k": 3}, fate="x"), {"point": {"top_k": 3}, "fate": "x"}),
    ],
)
def test_how_values_are_written(value: Any, text: Any) -> None:
    assert to_json(value) == text


@pytest.mark.parametrize(
    "value",
    [
        {"fault": "f", "measure": "m", "wrong": "1/2"},
        {"fault": "f", "measure": "m", "wrong": "1/2", "right": "half"},
        {"fault": "f", "measure": "m", "wrong": "1/0", "right": "1"},
        [],
        None,
    ],
)
def test_what_to_json_did_not_write_is_refused(value: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError, ZeroDivisionError)):
        from_json(ControlRow, value)
