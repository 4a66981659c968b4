"""Parameter sets held against a baseline: which, by what rule, and what is said."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from harness.errors import InputError
from harness.report.judged import judge, with_intervals
from harness.stats import align, compare
from harness.summary import Sweep

from .sweeps import a_set, a_sweep, header, row

MANY = 12


def three_sets(**changed: Any) -> Sweep:
    return a_sweep(
        "mode",
        sets=[
            a_set({"mode": "bm25"}, [0] * MANY),
            a_set({"mode": "vector"}, [1] * MANY, place=1),
            a_set({"mode": "hybrid"}, [1] + [0] * (MANY - 1), place=2),
        ],
        **changed,
    )


def test_the_first_of_the_grid_is_the_baseline_whatever_its_values() -> None:
    judged = judge(three_sets())
    assert (judged.measure, judged.baseline, judged.rule) == ("recall@3", "bm25", "the first of the grid")
    assert judged.questions == MANY
    assert [judged.verdict(name) for name in ("bm25", "vector", "hybrid", "nobody")] == [
        "baseline",
        "differs (better)",
        "rests on question q1 alone",
        "",
    ]


def test_it_is_what_the_statistics_say_with_intervals() -> None:
    judged = with_intervals(judge(three_sets(), "hybrid"))
    values = {s.name: {r.query: r.values["recall@3"] for r in s.rows} for s in three_sets().sets}
    assert judged.panel == align(values)
    expected = compare(align(values), "hybrid")
    for name, found in judged.comparisons.items():
        assert replace(found, interval=None) == replace(expected[name], interval=None)
        assert found.interval is not None
        assert expected[name].interval is not None
        assert found.interval.low == pytest.approx(expected[name].interval.low)


@pytest.mark.parametrize(
    ("named", "wanted", "baseline", "rule"),
    [
        ("vector", None, "vector", "named in the study"),
        ("vector", "hybrid", "hybrid", "named when the report was asked for"),
        ("gone", None, "bm25", "the first of the grid, as gone, which the study names, hasn't finished"),
    ],
)
def test_a_baseline_can_be_named(named: str, wanted: str | None, baseline: str, rule: str) -> None:
    judged = judge(three_sets(baseline=named), wanted)
    assert (judged.baseline, judged.rule) == (baseline, rule)


def test_a_name_that_no_set_has_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match=r"no finished set is called 'bm52'; there are:\n  bm25\n  vector\n  hybrid"):
        judge(three_sets(), "bm52")


def test_what_is_said_beside_the_table() -> None:
    several = a_sweep(
        "mode",
        sets=[
            a_set({"mode": "bm25"}, [0, 0, 1, 1]),
            a_set({"mode": "vector"}, [1, 0, 1, 1], place=1),
        ],
    )
    n, verdicts, power = judge(several).sentences()
    assert n == "n = 4 questions; one question is worth at most 1/4 = 0.2500 of a mean."
    assert "against the baseline bm25 (the first of the grid)" in verdicts
    assert "corrected for 1 comparison (max-T)" in verdicts
    # sd of (1, 0, 0, 0) is 1/2, so 2.80 · 0.5 / 2
    assert power.startswith("With 80 % power a mean difference of about 0.7004 would have been seen")


def test_one_set_no_set_and_no_question() -> None:
    one = judge(a_sweep(sets=[a_set({"mode": "bm25"}, [1, 0])]))
    assert one.comparisons == {}
    assert one.sentences()[1] == "There is one parameter set, so there is nothing to compare it with."
    none = judge(a_sweep(sets=[]))
    assert (none.baseline, none.questions, none.panel) == ("", 0, None)
    undefined = judge(a_sweep("mode", sets=[a_set({"mode": m}, [None], place=p) for p, m in enumerate("ab")]))
    assert undefined.questions == 0
    assert undefined.sentences() == [
        "No question has a relevant document, so every mean is undefined and nothing can be compared."
    ]


def test_the_ceiling_is_what_the_judgments_allow() -> None:
    rows = (
        row("q1", 1, k=1, relevant=("a", "b", "c", "d")),
        row("q2", 1, k=1, relevant=("a",)),
        row("q3", None, k=1),
    )
    sweep = replace(
        a_sweep(sets=[a_set({"mode": "bm25"}, [1, 1, None], k=1, rows=rows)]),
        header=header(sets=1, k=1, cutoffs=(2,), floors={"hit@1": Fraction(1, 7)}),
    )
    judged = judge(sweep)
    assert judged.floors == {"hit@1": Fraction(1, 7)}
    # recall@1: a quarter of four relevant documents, all of one
    assert judged.ceilings["recall@1"] == Fraction(5, 8)
    assert judged.ceilings["recall@2"] == Fraction(3, 4)
    assert {judged.ceilings[f"{name}@{k}"] for name in ("mrr", "ndcg", "hit") for k in (1, 2)} == {1}
