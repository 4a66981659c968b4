"""Faults people reported of neighbouring tools, as small cases with the right value."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from harness.scoring import evaluate

from .support import ROOT, scores

HALF = Fraction(1, 2)


def _mean(name: str, grades: dict[str, int], ranking: str) -> Fraction:
    value = scores([name], {"q": grades}, {"q": list(ranking)}).means[name]
    assert value is not None
    return value


@pytest.mark.parametrize("name", ["recall@2", "ndcg@2", "ap@2"])
def test_m1_a_repeated_hit_is_refused_not_counted(name: str) -> None:
    with pytest.raises(ValueError, match="duplicate document ID; deduplicate upstream explicitly"):
        _mean(name, {"a": 1}, "aa")
    assert _mean(name, {"a": 1}, "a") == 1


def test_m2_a_short_list_does_not_score_higher_ndcg() -> None:
    grades = dict.fromkeys("abcde", 1)
    assert round(float(_mean("ndcg@10", grades, "a")), 4) == 0.3392
    assert round(float(_mean("ndcg@10", grades, "vwxyzabcde")), 4) == 0.5410


def test_m3_a_query_without_results_stays_in_every_mean() -> None:
    names = ["recall@1", "rr@1", "hit@1", "precision@1", "ap@1", "ndcg@1", "r_precision"]
    scored = scores(names, {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"]})
    assert dict.fromkeys(names, HALF) == scored.means
    assert (scored.missing_queries, scored.total_queries) == (("q2",), 2)


def test_m4_a_run_whose_only_query_is_empty_scores_zero() -> None:
    names = ["recall@5", "rr@5", "hit@5", "precision@5", "ap@5", "ndcg@5", "r_precision"]
    scored = scores(names, {"q1": {"a": 1}}, {"q1": []})
    assert dict.fromkeys(names, Fraction(0)) == scored.means
    assert scored.missing_queries == ()


def test_m5_a_query_without_relevant_documents_is_excluded_alike_by_all_measures() -> None:
    names = ["recall@1", "rr@1", "hit@1", "precision@1", "ap@1", "ndcg@1", "r_precision"]
    alone = scores(names, {"q1": {"a": 1}}, {"q1": ["x", "a"]})
    both = scores(names, {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": ["x", "a"], "q2": ["a"]})
    assert alone.means == both.means
    assert both.no_relevant_queries == ("q2",)
    assert set(both.rows[1].values.values()) == {None}


def test_m6_all_measures_read_one_order() -> None:
    names = ["rr@3", "ndcg@3", "ap@3"]
    expected = [Fraction(1, 3), HALF, Fraction(1, 3)]
    for order in permutations(["d1", "d2", "d3"]):
        grades = {document: int(document == "d1") for document in order}
        scored = scores(names, {"q": grades}, {"q": ["d3", "d2", "d1"]})
        assert expected == list(scored.means.values())


@pytest.mark.parametrize("ranking", ["".join(order) for order in permutations("abc")])
def test_m7_average_precision_is_reciprocal_rank_with_one_relevant_document(ranking: str) -> None:
    assert _mean("rr@3", {"a": 1}, ranking) == _mean("ap@3", {"a": 1}, ranking)


def test_m8_scoring_reads_the_order_and_never_sorts() -> None:
    ranking = [f"d{number}" for number in (3, 1, 2, 20, 10, 5)]
    values = {scores(["rr@6"], {"q": {"d10": 1}}, {"q": ranking}).means["rr@6"] for _ in range(5)}
    assert values == {Fraction(1, 5)}


def test_m9_values_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from tests.scoring.support import scores\n"
        "s = scores(['rr@3', 'ndcg@3'], {'q': {'gold': 1, 'x': 0}}, {'q': ['x', 'y', 'gold']})\n"
        "print(s.means, s.conventions_sha256)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in "012345"
    }
    assert len(outputs) == 1
    assert "Fraction(1, 3)" in outputs.pop()


def test_m10_a_perfect_binary_ranking_is_exactly_one() -> None:
    assert _mean("ndcg@5", {"a": 1, "b": 1, "c": 0}, "abc") == 1


def test_m11_gains_are_linear() -> None:
    value = float(_mean("ndcg@4", {"a": 2, "b": 3, "c": 0, "d": 1}, "abcd"))
    assert round(value, 4) == 0.9079
    assert round(value, 4) != 0.8354


def test_m12_reciprocal_rank_is_that_of_the_first_relevant_document() -> None:
    assert _mean("rr@5", {"a": 1, "b": 1}, "xab") == HALF


def test_m13_average_precision_divides_by_all_relevant_documents() -> None:
    assert _mean("ap@3", dict.fromkeys("abcde", 1), "abc") == Fraction(3, 5)


def test_m14_precision_divides_by_k() -> None:
    assert _mean("precision@10", {"a": 1}, "a") == Fraction(1, 10)


def test_m15_rr_recall_and_hit_are_three_things() -> None:
    grades = dict.fromkeys("abcde", 1)
    found = [_mean(name, grades, "a") for name in ("rr@1", "recall@1", "hit@1")]
    assert found == [1, Fraction(1, 5), 1]


def test_m16_reordering_moves_recall_when_the_list_is_longer_than_k() -> None:
    assert (_mean("recall@1", {"a": 1}, "xa"), _mean("recall@1", {"a": 1}, "ax")) == (0, 1)


def test_m17_relevant_documents_that_were_never_retrieved_still_count() -> None:
    assert round(float(_mean("ndcg@10", {"a": 1, "b": 1}, "ax")), 4) == 0.6131


def test_m18_two_cutoffs_are_two_columns() -> None:
    scored = scores(["rr@5", "rr@10"], {"q": {"g": 1}}, {"q": list("abcdefg")})
    assert scored.means == {"rr@5": Fraction(0), "rr@10": Fraction(1, 7)}


def test_a_document_whose_id_is_the_query_id_is_kept() -> None:
    inputs: dict[str, Any] = {
        "corpus": {str(number): "" for number in range(10)},
        "queries": {"0": {"text": "", "split": "test"}},
        "qrels": {"0": {str(number): 1 for number in range(10)}},
        "run": {"0": [str(number) for number in range(10)]},
    }
    assert evaluate(**inputs, k=10)["recall_at_k"] == 1
