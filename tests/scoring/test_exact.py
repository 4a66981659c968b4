"""Exact means, and fractions as text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.judgments import Judgments
from harness.scoring import as_jsonable, fraction_text, parse_fraction, to_json
from harness.scoring.controls import Control
from harness.scoring.exact import mean


@given(st.lists(st.none() | st.fractions(), max_size=8))
def test_a_mean_is_the_sum_of_what_is_defined_over_its_number(values: list[Fraction | None]) -> None:
    known = [value for value in values if value is not None]
    assert (sum(known, Fraction(0)) / len(known) if known else None) == mean(values)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(5, 6), "5/6"), (Fraction(1), "1"), (Fraction(0), "0"), (Fraction(-2, 3), "-2/3")],
)
def test_fractions_are_written_as_in_the_contract(value: Fraction, text: str) -> None:
    assert text == fraction_text(value) == as_jsonable(value)


@given(st.fractions())
def test_text_reads_back(value: Fraction) -> None:
    assert value == parse_fraction(fraction_text(value))
    assert str(value) == fraction_text(value)


@pytest.mark.parametrize("digits", [3999, 4000, 4001, 4300, 9000])
def test_numbers_longer_than_python_prints_are_written_and_read(digits: int) -> None:
    value = Fraction(10**digits + 1, 2 ** (4 * digits))
    text = fraction_text(value)
    assert value == parse_fraction(text)
    assert text.startswith("1" + "0" * (digits - 1) + "1/")


@pytest.mark.parametrize("text", ["", "1/0", "0.5", "1/-2", " 1", "1/2/3", "+1", "１", "nan", "1_0"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a fraction must look like 5/6 or 1"):
        parse_fraction(text)


def test_json_keeps_order_types_and_null() -> None:
    value: dict[str, Any] = {"z": (Fraction(1, 2), None), "a": [True, 1, 1.5], "下": {}}
    assert list(as_jsonable(value)) == ["z", "a", "下"]
    assert as_jsonable(value) == {"z": ["1/2", None], "a": [True, 1, 1.5], "下": {}}
    assert '"下"' in to_json(value)
    assert to_json(value).endswith("}\n")


def test_json_refuses_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"x": float("nan")})


def test_json_is_indented_by_two_with_a_newline_at_the_end() -> None:
    assert to_json({"a": [Fraction(1, 3)]}) == '{\n  "a": [\n    "1/3"\n  ]\n}\n'


def test_records_become_objects_in_the_order_of_their_fields() -> None:
    judgments = Judgments(exhaustive=True, grades={"q": {"a": 1}})
    control = Control(fault="words", wrong=Fraction(1, 2), right=None)
    assert list(as_jsonable(judgments).items()) == [("exhaustive", True), ("grades", {"q": {"a": 1}})]
    assert list(as_jsonable([control])[0].items()) == [("fault", "words"), ("wrong", "1/2"), ("right", None)]
