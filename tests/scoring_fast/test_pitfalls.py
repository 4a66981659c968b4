"""Faults of measures that were reported of neighbouring tools, asked of the two fast implementations."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from harness.judgments import Judgments
from harness.runs import read_run
from harness.scoring import parse_measures
from harness.scoring.conventions import Conventions
from harness.scoring.encoded import EncodedJudgments, score_encoded
from harness.scoring.texts import TextJudgments, score_texts

from .worlds import encode_run


def means(
    names: Sequence[str], grades: Mapping[str, Mapping[str, int]], run: Mapping[str, list[str]]
) -> dict[str, Fraction | None]:
    """Return the means, which both implementations agree on."""
    documents = sorted({d for row in grades.values() for d in row} | {d for row in run.values() for d in row})
    judgments = Judgments(exhaustive=True, grades=grades)
    conventions = Conventions(measures=parse_measures(names))
    encoded = EncodedJudgments.encode(
        ledger=list(grades), judgments=judgments, document_ids=documents, conventions=conventions
    )
    array, missing = encode_run(dict(run), encoded.ledger, dict(encoded.document_index))
    found = dict(score_encoded(encoded, array, missing=missing).means)
    texts = TextJudgments.prepare(
        ledger=list(grades), judgments=judgments, document_ids=documents, conventions=conventions
    )
    assert dict(score_texts(texts, run).means) == found
    return found


def one(name: str, relevant: str, ranking: str) -> Fraction | None:
    return means([name], {"q": dict.fromkeys(relevant, 1)}, {"q": list(ranking)})[name]


def near(value: Fraction | None, wanted: float) -> bool:
    return value is not None and abs(float(value) - wanted) < 5e-5


def test_a_document_twice_is_refused_by_the_core_and_repaired_by_name_only(tmp_path: Path) -> None:  # M1
    with pytest.raises(ValueError, match="duplicate document ID"):
        one("recall@2", "a", "aa")
    path = tmp_path / "r.trec"
    path.write_text("q Q0 a 1 2 t\nq Q0 a 2 1 t\n", encoding="utf-8")
    run = read_run(path, on_duplicate="keep-best")
    assert "1 duplicate dropped" in run.notes[0]
    found = means(["recall@2", "ndcg@2", "ap@2"], {"q": {"a": 1}}, run.rankings)
    assert set(found.values()) == {1}


def test_short_lists_are_not_rewarded() -> None:  # M2
    assert near(one("ndcg@10", "abcde", "a"), 0.3392)
    assert near(one("ndcg@10", "abcde", "uvwxyabcde"), 0.5410)


def test_a_missing_query_stays_in_every_mean() -> None:  # M3
    names = ["recall@1", "rr@1", "hit@1", "precision@1", "ap@1", "ndcg@1", "r_precision"]
    found = means(names, {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"]})
    assert set(found.values()) == {Fraction(1, 2)}


def test_a_run_without_any_hit_scores_0() -> None:  # M4
    assert set(means(["recall@3", "rr@3", "ndcg@3", "ap@3"], {"q1": {"a": 1}}, {"q1": []}).values()) == {0}


def test_a_query_without_relevant_documents_is_in_no_mean() -> None:  # M5
    names = ["recall@1", "rr@1", "hit@1", "precision@1", "ap@1", "ndcg@1", "r_precision"]
    found = means(names, {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": ["a"], "q2": ["a"]})
    assert set(found.values()) == {1}


@pytest.mark.parametrize("order", list(itertools.permutations(["d1", "d2", "d3"])))
def test_a_constant_scorer_has_one_value_in_all_orders(tmp_path: Path, order: tuple[str, ...]) -> None:  # M6
    path = tmp_path / "r.trec"
    path.write_text("".join(f"q Q0 {name} 1 1 t\n" for name in order), encoding="utf-8")
    found = means(["rr@3", "ndcg@3", "ap@3"], {"q": {"d1": 1}}, read_run(path).rankings)
    assert found["rr@3"] == found["ap@3"] == Fraction(1, 3)
    assert near(found["ndcg@3"], 0.5)


@pytest.mark.parametrize("ranking", list(itertools.permutations("abc")))
def test_one_relevant_document_makes_ap_the_reciprocal_rank(ranking: tuple[str, ...]) -> None:  # M7
    assert one("ap@3", "b", "".join(ranking)) == one("rr@3", "b", "".join(ranking))


def test_the_order_of_ties_does_not_move_between_reads(tmp_path: Path) -> None:  # M8
    names = [f"d{place:02}" for place in range(20)]
    rankings = set()
    for shift in range(20):
        path = tmp_path / "r.csv"
        rows = [f"q,{name},1.0" for name in names[shift:] + names[:shift]]
        path.write_text("\n".join(["query,document,score", *rows]), encoding="utf-8")
        rankings.add(tuple(read_run(path).rankings["q"]))
    assert rankings == {tuple(reversed(names))}


_SEEDED = (
    "from tests.scoring_fast.test_pitfalls import one; print(one('rr@5', 'c', 'abcde'), one('ndcg@5', 'c', 'abcde'))"
)


def test_the_hash_seed_changes_nothing() -> None:  # M9
    root = Path(__file__).parents[2]
    said = set()
    for seed in range(4):
        environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": f"{root}"}
        command = [sys.executable, "-c", _SEEDED]
        said.add(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert said == {"1/3 1/2\n"}


def test_a_perfect_ranking_is_1() -> None:  # M10
    assert one("ndcg@3", "abc", "abc") == 1


def test_the_gain_is_linear() -> None:  # M11
    found = means(["ndcg@4"], {"q": {"a": 2, "b": 3, "c": 0, "d": 1}}, {"q": list("abcd")})
    assert near(found["ndcg@4"], 0.9079)


def test_reciprocal_rank_looks_at_the_first_relevant_document() -> None:  # M12
    assert one("rr@3", "bc", "abc") == Fraction(1, 2)


def test_average_precision_divides_by_all_relevant_documents() -> None:  # M13
    assert one("ap@3", "abcde", "abc") == Fraction(3, 5)


def test_precision_divides_by_k() -> None:  # M14
    assert one("precision@10", "a", "a") == Fraction(1, 10)


def test_recall_hit_and_rr_at_1_are_three_numbers() -> None:  # M15
    found = means(["rr@1", "recall@1", "hit@1"], {"q": dict.fromkeys("abcde", 1)}, {"q": ["a"]})
    assert found == {"rr@1": 1, "recall@1": Fraction(1, 5), "hit@1": 1}


def test_reranking_moves_recall_at_1() -> None:  # M16
    assert (one("recall@1", "a", "xa"), one("recall@1", "a", "ax")) == (0, 1)


def test_relevant_documents_that_were_never_retrieved_count() -> None:  # M17
    assert near(one("ndcg@10", "ab", "a"), 0.6131)


def test_two_cutoffs_are_two_values() -> None:  # M18
    ranking = list("uvwxyza")
    assert means(["rr@5", "rr@10"], {"q": {"a": 1}}, {"q": ranking}) == {"rr@5": 0, "rr@10": Fraction(1, 7)}


def test_a_document_named_like_the_query_counts() -> None:  # I3
    ids = [str(number) for number in range(10)]
    found = means(["recall@10", "ndcg@10"], {"0": dict.fromkeys(ids, 1)}, {"0": ids})
    assert set(found.values()) == {1}
