"""Means of encoded runs: whatever the share of the work, each run has its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from harness.records import Judgments
from harness.scoring import Conventions, Measure, NamedMeasure, parse_measures
from harness.scoring.encoded import EncodedJudgments, means, score_many

HALF = Fraction(1, 2)


def encoded(*names: str, **options: Any) -> EncodedJudgments:
    """Two queries, of which a is the answer to the first and b to the second."""
    return EncodedJudgments.encode(
        ledger=["q1", "q2"],
        judgments=Judgments(exhaustive=options.pop("exhaustive", True), grades={"q1": {"a": 1}, "q2": {"b": 1}}),
        document_ids=["a", "b", "c"],
        conventions=Conventions(measures=parse_measures(names), **options),
    )


def runs(*orders: list[list[int]]) -> list[Any]:
    return [np.array(order, dtype=np.int32) for order in orders]


# q1 and q2 find theirs at ranks 1 and 1, 2 and 1, 3 and 2.
THREE = runs([[0, 1, 2], [1, 0, 2]], [[1, 0, 2], [1, 0, 2]], [[1, 2, 0], [0, 1, 2]])


@pytest.mark.parametrize("cells", [1, 6, 12, 1 << 18])
def test_runs_are_scored_some_at_a_time_and_come_out_in_order(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr(means, "_CELLS_AT_ONCE", cells)
    found = score_many(encoded("recall@1", "rr@3"), THREE)
    assert [tuple(score.means.values()) for score in found] == [(1, 1), (HALF, Fraction(3, 4)), (0, Fraction(5, 12))]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_all_measures_of_a_run_are_there_however_few_were_asked_for(place: int) -> None:
    judgments = encoded("recall@1", "rr@3", unjudged="nonrelevant", exhaustive=False)
    few = score_many(judgments, THREE, measures=["rr@3"])[place]
    whole = score_many(judgments, THREE)[place]
    assert list(few.means) == ["rr@3"]
    assert few.run_scores() == whole.run_scores()
    assert few.run_scores().means == dict(whole.means)
    assert few.run_scores().means["recall@1"] == [1, HALF, 0][place]
    assert (set(few.lower), set(few.run_scores().lower)) == ({"rr@3"}, {"recall@1", "rr@3"})


def test_a_measure_of_ones_own_is_given_whole_rankings_for_its_bounds_too() -> None:
    own = Measure(
        name="own",
        function=lambda ranking, cutoff: Fraction(0),
        takes_cutoff=True,
        view="document",
        description="0, at most a tenth of the length of the ranking",
        version=1,
        bounds=lambda ranking, cutoff, grade: (Fraction(0), Fraction(len(ranking.gains), 10)),
    )
    conventions = Conventions(measures=(NamedMeasure(measure=own, cutoff=1),), unjudged="nonrelevant")
    judgments = EncodedJudgments.encode(
        ledger=["q1"],
        judgments=Judgments(exhaustive=False, grades={"q1": {"a": 1}}),
        document_ids=["a", "b", "c"],
        conventions=conventions,
    )
    (found,) = score_many(judgments, runs([[0, 1, 2]]))
    assert (dict(found.means), dict(found.lower)) == ({"own@1": 0}, {"own@1": 0})
    assert dict(found.upper) == {"own@1": Fraction(3, 10)}


@pytest.mark.parametrize("cells", [1, 12, 1 << 18])
def test_runs_that_no_sum_can_hold_keep_their_order_too(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr(means, "_CELLS_AT_ONCE", cells)
    judgments = EncodedJudgments.encode(
        ledger=["q1", "q2"],
        judgments=Judgments(exhaustive=True, grades={"q1": {"a": 10**30}, "q2": {"b": 1}}),
        document_ids=["a", "b", "c"],
        conventions=Conventions(measures=parse_measures(["ndcg@3"])),
    )
    # Discounts of ranks 1 to 3, in multiples of 1e-18.
    first, second, third = 10**18, 630929753571457437, 5 * 10**17
    assert [score.means["ndcg@3"] for score in score_many(judgments, THREE)] == [
        Fraction(first + first, 2 * 10**18),
        Fraction(second + first, 2 * 10**18),
        Fraction(third + second, 2 * 10**18),
    ]
