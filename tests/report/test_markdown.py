"""Markdown tables: aligned in a terminal, one cell a cell."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.markdown import number, table

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)


def columns(text: str) -> int:
    marks = ("Mn", "Me", "Cf")
    shown = [character for character in text if unicodedata.category(character) not in marks]
    return sum(2 if unicodedata.east_asian_width(character) in ("W", "F") else 1 for character in shown)


def test_a_table() -> None:
    assert table(["mode", "recall@3"], [["bm25", "0.5000"], ["向量", "–"]]) == (
        "| mode | recall@3 |\n"
        "| ---- | -------: |\n"
        "| bm25 |   0.5000 |\n"
        "| 向量 |        – |"
    )  # fmt: skip


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    lines = table(["id", "text"], [["天气.md", "明天下雨吗？"], ["a", "cafe\u0301"], ["ｂ", "🙂"]], left=2).splitlines()
    assert lines == [
        "| id      | text         |",
        "| ------- | ------------ |",
        "| 天气.md | 明天下雨吗？ |",
        "| a       | cafe\u0301         |",
        "| ｂ      | 🙂           |",
    ]
    assert len({columns(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\\\|b"),
        (r"C:\docs", r"C:\docs"),
        ("two\nlines", "two lines"),
        ("two\r\nlines", "two lines"),
        ("tab\tand\x1b[31mred", "tab and [31mred"),
        ("line\u2028separator", "line separator"),
    ],
)
def test_a_cell_stays_one_cell_on_one_line(cell: str, shown: str) -> None:
    assert table(["cell"], [[cell]]).splitlines()[2] == f"| {shown} |"


@given(st.lists(st.tuples(TEXT, TEXT), max_size=4))
def test_every_line_has_the_same_width_and_the_same_number_of_cells(rows: list[tuple[str, str]]) -> None:
    lines = table(["a", "b"], rows).split("\n")
    assert len(lines) == 2 + len(rows)
    assert len({columns(line) for line in lines}) == 1
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3 for line in lines)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (Fraction(0), "0.0000"),
        (Fraction(1), "1.0000"),
        (Fraction(5, 6), "0.8333"),
        (Fraction(2, 3), "0.6667"),
        (Fraction(1, 10**6), "0.0000"),
        (Fraction(99999, 10**5), "1.0000"),
    ],
)
def test_numbers_have_four_decimals_and_what_is_undefined_is_a_dash(value: Fraction | None, shown: str) -> None:
    assert number(value) == shown
