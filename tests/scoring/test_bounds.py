"""Bounds under incomplete judgments, against every labelling of what is unjudged."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .strategies import Situation, situations
from .support import frac, scores

BOUNDED = ("recall", "rr", "ndcg")
D2, D3 = Fraction(630929753571457437, 10**18), Fraction(1, 2)


def _labelled_values(name: str, case: Situation) -> list[Fraction]:
    """Return the value under every labelling of the unjudged documents in the top k.

    Each is not relevant or relevant at the threshold grade; the query itself must stay eligible.
    """
    unjudged = [document for document in case.ranking[: case.k] if document not in case.grades]
    values = []
    for labels in product((0, case.threshold), repeat=len(unjudged)):
        grades = case.grades | dict(zip(unjudged, labels, strict=True))
        scored = scores([name], {"q": grades}, {"q": case.ranking}, relevance_threshold=case.threshold)
        value = scored.rows[0].values[name]
        assert value is not None
        values.append(value)
    return values


@settings(deadline=None)
@given(situations(judged=4, longest=6), st.sampled_from(BOUNDED), st.sampled_from(["nonrelevant", "condense"]))
def test_bounds_are_the_extremes_over_every_labelling(case: Situation, measure: str, policy: str) -> None:
    name = f"{measure}@{case.k}"
    row = scores(
        [name],
        {"q": case.grades},
        {"q": case.ranking},
        exhaustive=False,
        relevance_threshold=case.threshold,
        unjudged=policy,
    ).rows[0]
    if not row.relevant:
        assert (row.lower, row.upper) == ({name: None}, {name: None})
        return
    values = _labelled_values(name, case)
    assert min(values) == row.lower[name]
    assert max(values) == row.upper[name]
    if policy == "nonrelevant":
        assert values[0] == row.values[name]


def test_bounds_of_a_mean_are_attained_by_labelling_all_queries_at_once() -> None:
    grades = {"p": {"a": 1}, "q": {"b": 1, "c": 1}}
    run = {"p": ["x", "a", "y"], "q": ["b", "x", "y"]}
    names = ["recall@3", "rr@3", "ndcg@3"]
    partial = scores(names, grades, run, exhaustive=False, unjudged="nonrelevant")
    means = []
    for px, py, qx, qy in product((0, 1), repeat=4):
        labelled = {"p": grades["p"] | {"x": px, "y": py}, "q": grades["q"] | {"x": qx, "y": qy}}
        means.append(scores(names, labelled, run).means)
    for name in names:
        assert min(mean[name] or 0 for mean in means) == partial.lower[name]
        assert max(mean[name] or 0 for mean in means) == partial.upper[name]


@pytest.mark.parametrize(
    ("name", "ranking", "lower", "upper", "why"),
    [
        ("recall@2", "xay", "1", "1", "a is found; a relevant x is found too"),
        ("recall@1", "xay", "0", "1/2", "x takes the only place; if relevant it is one of two"),
        ("rr@3", "xay", "1/2", "1", "x stands before a"),
        ("rr@3", "axy", "1", "1", "nothing stands before a"),
        ("rr@1", "yxa", "0", "1", "a is below the cutoff, y may be relevant"),
        ("recall@3", "", "0", "0", "nothing returned, nothing to label"),
    ],
)
def test_bounds_worked_by_hand(name: str, ranking: str, lower: str, upper: str, why: str) -> None:
    run = {"q": list(ranking)}
    scored = scores([name], {"q": {"a": 1}}, run, exhaustive=False, unjudged="nonrelevant")
    assert (frac(lower), frac(upper)) == (scored.lower[name], scored.upper[name]), why


def test_a_relevant_label_can_lower_ndcg_so_all_relevant_is_not_its_upper_bound() -> None:
    run = {"q": ["a", "b", "x"]}
    scored = scores(["ndcg@3"], {"q": {"a": 1, "b": 0}}, run, exhaustive=False, unjudged="nonrelevant")
    assert ({"ndcg@3": (1 + D3) / (1 + D2)}, {"ndcg@3": Fraction(1)}) == (scored.lower, scored.upper)


def test_a_condensed_value_can_lie_outside_the_bounds_of_the_ranking_as_returned() -> None:
    run = {"q": ["x", "y", "a"]}
    scored = scores(["recall@2"], {"q": {"a": 1}}, run, exhaustive=False, unjudged="condense")
    assert [Fraction(0), Fraction(2, 3), Fraction(1)] == [
        scored.lower["recall@2"],
        scored.upper["recall@2"],
        scored.means["recall@2"],
    ]


def test_exhaustive_judgments_have_no_bounds() -> None:
    scored = scores(["recall@2"], {"q": {"a": 1}}, {"q": ["x", "a"]})
    assert ({}, {}) == (scored.lower, scored.upper) == (scored.rows[0].lower, scored.rows[0].upper)


def test_only_recall_rr_and_ndcg_have_bounds() -> None:
    names = ["recall@2", "rr@2", "hit@2", "precision@2", "ap@2", "ndcg@2", "r_precision", "judged@2"]
    scored = scores(names, {"q": {"a": 1}}, {"q": ["x", "a"]}, exhaustive=False, unjudged="nonrelevant")
    assert [f"{name}@2" for name in BOUNDED] == list(scored.lower) == list(scored.upper)
