"""A threshold is always shown with what it costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.scoring.abstention import above, abstention

_RELEVANT: dict[str, set[str]] = {"q1": {"a"}, "q2": {"b"}, "u1": set(), "u2": set()}
_RANKINGS = {"q1": ["a", "b"], "q2": ["a", "b"], "u1": ["a"]}
_SCORES = {"q1": [3.0, 1.0], "q2": [2.0, 1.0], "u1": [2.0]}


@pytest.mark.parametrize(
    ("threshold", "silent", "cost", "lost"),
    [(0.0, "1/2", "0", 0), (2.0, "1/2", "0", 1), (2.5, "1", "1/2", 1), (9.0, "1", "1", 2)],
)
def test_both_sides(threshold: float, silent: str, cost: str, lost: int) -> None:
    found = abstention(relevant=_RELEVANT, rankings=_RANKINGS, scores=_SCORES, threshold=threshold)
    assert (found.abstention, found.cost) == (Fraction(silent), Fraction(cost))
    assert (found.relevant_lost, found.relevant_returned) == (lost, 2)
    assert found.threshold == threshold


def test_no_question_of_a_kind_is_no_share() -> None:
    found = abstention(relevant={}, rankings={}, scores={}, threshold=1.0)
    assert (found.abstention, found.cost) == (None, None)


@given(st.floats(-5, 5), st.floats(0, 5))
def test_a_higher_threshold_silences_no_fewer(low: float, more: float) -> None:
    first = abstention(relevant=_RELEVANT, rankings=_RANKINGS, scores=_SCORES, threshold=low)
    second = abstention(relevant=_RELEVANT, rankings=_RANKINGS, scores=_SCORES, threshold=low + more)
    assert second.unanswerable_silent >= first.unanswerable_silent
    assert second.answerable_silent >= first.answerable_silent
    assert second.relevant_lost >= first.relevant_lost


@pytest.mark.parametrize(
    ("scores", "threshold", "words"),
    [
        ({"q": [1.0]}, 1.0, "query 'q' has 2, scores: 1"),
        ({}, 1.0, "query 'q' has 2, scores: none"),
        ({"q": [1.0, float("nan")]}, 1.0, "scores must be finite: nan for 'b' of query 'q'"),
        ({"q": [1.0, 1.0]}, float("inf"), "a threshold must be a finite number"),
        ({"q": [1.0, 1.0]}, True, "a threshold must be a finite number"),
    ],
)
def test_what_cannot_be_compared_is_refused(scores: Any, threshold: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        above(rankings={"q": ["a", "b"]}, scores=scores, threshold=threshold)
