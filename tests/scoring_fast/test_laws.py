"""What must not change a score, and which way a change must push it. For all three implementations."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.judgments import Judgments
from harness.scoring import score_run
from harness.scoring.encoded import EncodedJudgments, score_encoded
from harness.scoring.texts import TextJudgments, score_texts

from .worlds import DOCUMENTS, World, encode_run, worlds

Means = Mapping[str, Fraction | None]
Scorer = Callable[[World, dict[str, list[str]], tuple[str, ...]], Any]
NAMES = ("recall@3", "rr@3", "hit@3", "ap@3", "ndcg@3", "precision@3", "judged@3")


def by_reference(world: World, run: dict[str, list[str]], documents: tuple[str, ...]) -> Any:
    return score_run(
        ledger=world.ledger,
        judgments=world.judgments,
        document_ids=documents,
        run=run,
        conventions=world.conventions,
    )


def by_integers(world: World, run: dict[str, list[str]], documents: tuple[str, ...]) -> Any:
    judgments = EncodedJudgments.encode(
        ledger=world.ledger, judgments=world.judgments, document_ids=documents, conventions=world.conventions
    )
    array, missing = encode_run(run, world.ledger, dict(judgments.document_index))
    return score_encoded(judgments, array, missing=missing)


def by_texts(world: World, run: dict[str, list[str]], documents: tuple[str, ...]) -> Any:
    judgments = TextJudgments.prepare(
        ledger=world.ledger, judgments=world.judgments, document_ids=documents, conventions=world.conventions
    )
    return score_texts(judgments, run)


IMPLEMENTATIONS = pytest.mark.parametrize("scorer", [by_reference, by_integers, by_texts])
_WORLDS = worlds(names=NAMES)
_QUICK = settings(deadline=None, max_examples=60)


@IMPLEMENTATIONS
@given(_WORLDS, st.randoms(use_true_random=False))
@_QUICK
def test_names_and_orders_of_mappings_change_nothing(scorer: Scorer, world: World, chance: random.Random) -> None:
    name = {document: f"x{place}" for place, document in enumerate(chance.sample(DOCUMENTS, len(DOCUMENTS)))}
    ledger = tuple(chance.sample(world.ledger, len(world.ledger)))
    grades = {query: {name[d]: g for d, g in row.items()} for query, row in world.judgments.grades.items()}
    shuffled = {query: dict(chance.sample(list(row.items()), len(row))) for query, row in grades.items()}
    other = World(
        ledger=ledger,
        judgments=Judgments(exhaustive=world.judgments.exhaustive, grades=shuffled),
        conventions=world.conventions,
        runs=(),
    )
    run = world.runs[0]
    renamed = {query: [name[d] for d in run[query]] for query in chance.sample(list(run), len(run))}
    documents = tuple(chance.sample(list(name.values()), len(name)))
    before, after = scorer(world, run, DOCUMENTS), scorer(other, renamed, documents)
    assert dict(after.means) == dict(before.means)
    assert dict(after.lower) == dict(before.lower)
    assert dict(after.upper) == dict(before.upper)


@IMPLEMENTATIONS
@given(_WORLDS)
@_QUICK
def test_documents_beyond_the_cutoff_change_nothing(scorer: Scorer, world: World) -> None:
    assume(world.conventions.unjudged != "condense")
    run = {query: row for query, row in world.runs[0].items() if len(row) >= 3}
    cut = {query: row[:3] for query, row in run.items()}
    assert dict(scorer(world, run, DOCUMENTS).means) == dict(scorer(world, cut, DOCUMENTS).means)


@IMPLEMENTATIONS
@given(_WORLDS)
@_QUICK
def test_a_relevant_document_put_first_never_lowers_a_score(scorer: Scorer, world: World) -> None:
    least = world.conventions.relevance_threshold
    better = {}
    for query, row in world.runs[0].items():
        best = [d for d, g in world.judgments.grades[query].items() if g >= least and d not in row]
        better[query] = best[:1] + row
    before, after = scorer(world, world.runs[0], DOCUMENTS).means, scorer(world, better, DOCUMENTS).means
    for name in ("recall@3", "rr@3", "hit@3"):
        if before[name] is not None:
            assert after[name] >= before[name]


@IMPLEMENTATIONS
@given(_WORLDS)
@_QUICK
def test_bounds_contain_the_value(scorer: Scorer, world: World) -> None:
    assume(world.conventions.unjudged == "nonrelevant")
    found = scorer(world, world.runs[0], DOCUMENTS)
    for name in found.lower:
        if found.means[name] is not None:
            assert found.lower[name] <= found.means[name] <= found.upper[name]


@IMPLEMENTATIONS
@given(_WORLDS)
@_QUICK
def test_values_lie_between_0_and_1(scorer: Scorer, world: World) -> None:
    for value in scorer(world, world.runs[0], DOCUMENTS).means.values():
        assert value is None or 0 <= value <= 1
