"""What a wrong metric would have said."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harness.records import Judgments
from harness.scoring import adapt_runs, evaluate
from harness.scoring.controls import Controls, run_controls

from .support import chunk_world, world

HALF = Fraction(1, 2)


def controls(chunk_runs: dict[str, list[str]], **changes: Any) -> Controls:
    base, chunks = world(), chunk_world()
    adapted = adapt_runs(base["corpus"], base["queries"], chunks["chunk_to_doc"], chunk_runs)
    inputs: dict[str, Any] = {
        "ledger": ["q1", "q2", "q3", "q4"],
        "judgments": Judgments(exhaustive=True, grades=base["qrels"]),
        "document_runs": adapted["document_runs"],
        "chunk_runs": chunk_runs,
        "chunk_to_doc": chunks["chunk_to_doc"],
        "k": 2,
    }
    return run_controls(**inputs | changes)


def test_dropping_missing_queries_flatters_the_means() -> None:
    found = controls({"q1": ["a1", "d1", "b1"], "q2": ["d1", "c1"], "q4": []})
    assert (found.dropping_missing_recall.wrong, found.dropping_missing_recall.right) == (Fraction(3, 4), HALF)
    assert (found.dropping_missing_rr.wrong, found.dropping_missing_rr.right) == (Fraction(3, 4), HALF)
    assert found.dropping_missing_recall.differs


def test_an_explicit_empty_ranking_is_not_dropped() -> None:
    found = controls({"q1": ["a1", "b1"], "q2": [], "q3": []})
    assert not found.dropping_missing_recall.differs
    assert found.dropping_missing_recall.wrong == Fraction(1, 3)


def test_hit_rate_hides_that_half_of_the_documents_are_lacking() -> None:
    control = controls({"q1": ["a1", "d1"]}, ledger=["q1"]).hit_rate_as_recall
    assert (control.wrong, control.right, control.differs) == (1, HALF, True)


def test_counting_occurrences_finds_one_document_twice() -> None:
    control = controls({"q1": ["a1", "a2", "d1"]}, ledger=["q1"]).occurrence_counting
    assert (control.wrong, control.right, control.differs) == (1, HALF, True)


def test_counting_occurrences_is_not_capped() -> None:
    control = controls({"q2": ["c1", "c2"]}, ledger=["q2"]).occurrence_counting
    assert (control.wrong, control.right) == (2, 1)


def test_raw_ids_are_accepted_only_when_no_document_comes_twice() -> None:
    accepted = controls({"q1": ["a1", "b1"], "q2": []}).raw_id_replacement
    refused = controls({"q2": ["c1", "d1", "c2"], "q1": ["a1", "a2"], "q4": ["d1"]}).raw_id_replacement
    assert (accepted.accepted, accepted.affected_queries, accepted.reason) == (True, (), None)
    assert (refused.accepted, refused.affected_queries) == (False, ("q1", "q2"))
    assert refused.reason == "duplicate document ID; deduplicate upstream explicitly"
    assert (accepted.differs, refused.differs) == (False, True)


def test_right_values_are_those_of_the_evaluator() -> None:
    runs = {"q1": ["a1", "a2", "d1", "b1"], "q2": ["d1", "c1"], "q4": ["a1"]}
    base = world()
    adapted = adapt_runs(base["corpus"], base["queries"], chunk_world()["chunk_to_doc"], runs)
    result = evaluate(**base | {"run": adapted["document_runs"]})
    found = controls(runs)
    assert result["recall_at_k"] == found.hit_rate_as_recall.right == found.occurrence_counting.right
    assert result["mrr_at_k"] == found.dropping_missing_rr.right


def test_no_eligible_query_leaves_nothing_to_compare() -> None:
    control = controls({"q4": ["a1"]}, ledger=["q4"]).hit_rate_as_recall
    assert (control.wrong, control.right, control.differs) == (None, None, False)


def test_a_run_without_any_eligible_query_has_no_dropped_mean() -> None:
    control = controls({}).dropping_missing_recall
    assert (control.wrong, control.right, control.differs) == (None, 0, True)


def test_the_threshold_decides_what_is_relevant() -> None:
    graded = Judgments(exhaustive=True, grades={"q1": {"a": 1, "b": 2}})
    found = controls({"q1": ["a1"]}, ledger=["q1"], judgments=graded, relevance_threshold=2)
    assert (found.hit_rate_as_recall.wrong, found.hit_rate_as_recall.right) == (0, 0)


@pytest.mark.parametrize("k", [0, True, 1.0])
def test_a_bad_cutoff_is_refused(k: object) -> None:
    with pytest.raises(ValueError, match="k must be a positive integer"):
        controls({}, k=k)


def test_each_control_says_in_words_what_is_wrong() -> None:
    found = controls({"q1": ["a1"]})
    said = [
        found.dropping_missing_recall,
        found.dropping_missing_rr,
        found.hit_rate_as_recall,
        found.occurrence_counting,
    ]
    assert [control.fault for control in said] == [
        "missing queries dropped from the mean of recall",
        "missing queries dropped from the mean of rr",
        "hit rate called recall",
        "a document counted once per chunk in the first k chunks",
    ]
