"""Floors and ceilings against the scorer itself over every ranking of a small corpus."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.scoring import parse_measure
from harness.scoring.measures import MEASURES
from harness.scoring.measures.discount import discounts
from harness.scoring.measures.labelled import Judged, label
from harness.stats import Question, ceiling, floor, mean_ceiling, mean_floor, oracle
from harness.stats.question import NAMES
from tests.stats.plain import NDCG

TABLE = discounts(64)
Grades = dict[str, int]


def named(name: str, k: int) -> str:
    return name if name == "r_precision" else f"{name}@{k}"


def score(measure: str, ranking: tuple[str, ...], grades: Mapping[str, int], threshold: int) -> Fraction:
    labelled = label([grades.get(d, 0) for d in ranking], Judged.of(grades, threshold), threshold, condense=False)
    value = parse_measure(measure).value(labelled)
    assert value is not None
    return value


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[str], Grades, int]:
    """A corpus, grades and a threshold that at least one document reaches."""
    documents = [f"d{n}" for n in range(draw(st.integers(1, 6)))]
    threshold = draw(st.integers(1, 2))
    grades = {d: draw(st.integers(-1, 3)) for d in documents if draw(st.booleans())}
    grades[draw(st.sampled_from(documents))] = draw(st.integers(threshold, 3))
    return documents, grades, threshold


def measures() -> Iterator[str]:
    yield from (named(name, k) for name in NAMES for k in (1, 2, 3, 8))


@settings(max_examples=25)
@given(questions())
def test_floor_and_ceiling_are_mean_and_maximum_over_all_rankings(given_: tuple[list[str], Grades, int]) -> None:
    documents, grades, threshold = given_
    question = Question.of(grades, documents=len(documents), threshold=threshold)
    for measure in measures():
        values = [score(measure, ranking, grades, threshold) for ranking in permutations(documents)]
        assert floor(measure, question, discounts=TABLE) == sum(values) / len(values), measure
        assert ceiling(measure, question, discounts=TABLE) == max(values), measure


@settings(max_examples=25)
@given(questions(), st.randoms(use_true_random=False))
def test_the_oracle_is_the_best_order_of_the_pool(given_: tuple[list[str], Grades, int], chance: random.Random) -> None:
    documents, grades, threshold = given_
    pool = [*chance.sample(documents, chance.randint(0, len(documents))), "not in the corpus"]
    for measure in measures():
        best = max(score(measure, ranking, grades, threshold) for ranking in permutations(pool))
        found = oracle(measure, grades, pool, documents=len(documents), threshold=threshold, discounts=TABLE)
        assert found == best, measure


def test_hand_worked() -> None:
    """Ten documents, two of them relevant."""
    question = Question(documents=10, relevant=2, gains=(1, 1))
    assert floor("hit@3", question) == 1 - Fraction(8 * 7 * 6, 10 * 9 * 8) == Fraction(8, 15)
    assert floor("recall@3", question) == Fraction(3, 10)
    assert floor("precision@3", question) == Fraction(1, 5)
    assert floor("precision@20", question) == Fraction(1, 10)
    assert floor("mrr@2", question) == floor("rr@2", question) == Fraction(1, 5) + Fraction(8, 45) / 2
    assert floor("r_precision", question) == Fraction(1, 5)
    assert floor("ap@1", question) == Fraction(1, 10)
    shares = 1 + NDCG[2]
    assert floor("ndcg@2", question, discounts=TABLE) == Fraction(2, 10) * shares / shares == Fraction(1, 5)
    assert ceiling("recall@1", question) == Fraction(1, 2)
    assert ceiling("precision@3", question) == Fraction(2, 3)
    assert ceiling("ndcg@3", question, discounts=TABLE) == ceiling("rr@3", question) == 1


def test_a_large_corpus_is_exact_too() -> None:
    question = Question.of({"a": 2, "b": 1, "c": 1}, documents=100_000)
    assert floor("recall@10", question) == Fraction(1, 10_000)
    assert 0 < floor("ndcg@10", question, discounts=TABLE) < Fraction(1, 1000)
    assert 0 < floor("rr@10", question) < floor("hit@10", question) < Fraction(3, 10_000)


def test_means_are_over_questions() -> None:
    given_ = [Question.of({"a": 1}, documents=4), Question.of({"a": 1, "b": 1, "c": 1}, documents=4)]
    assert mean_floor("hit@1", given_) == Fraction(1, 2)
    assert mean_ceiling("recall@1", given_) == Fraction(2, 3)
    for mean in (mean_floor, mean_ceiling):
        with pytest.raises(InputError, match="at least one question"):
            mean("hit@1", [])


def test_any_scale_of_the_discounts_will_do() -> None:
    question = Question.of({"a": 3, "b": 1}, documents=7)
    halves = [2 * factor for factor in TABLE]
    assert floor("ndcg@3", question, discounts=TABLE) == floor("ndcg@3", question, discounts=halves)


@pytest.mark.parametrize("measure", ["judged@3", "hit", "r_precision@3", "recall@0", "recall@03", "chunk_hit@1", ""])
def test_other_measures_are_refused(measure: str) -> None:
    for work in (floor, ceiling):
        with pytest.raises(InputError, match=r"floor and ceiling are known for hit@k, .*; got"):
            work(measure, Question.of({"a": 1}, documents=2))


def test_what_has_no_floor_is_refused() -> None:
    question = Question.of({"a": 1}, documents=5)
    with pytest.raises(InputError, match="nDCG needs discounts for 3 ranks, got 0"):
        floor("ndcg@3", question)
    with pytest.raises(InputError, match="no document reaches grade 2"):
        Question.of({"a": 1}, documents=5, threshold=2)
    with pytest.raises(InputError, match="2 documents have a positive grade, but the corpus has 1"):
        Question.of({"a": 1, "b": 1}, documents=1)


def test_every_measure_of_documents_has_a_floor_and_a_ceiling() -> None:
    """judged@k has none: it depends on who was judged, not on how well documents are ranked."""
    assert {name for name, measure in MEASURES.items() if measure.view == "document"} - {"judged"} == set(NAMES)
