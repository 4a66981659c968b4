"""The path for text ids gives what the reference gives, and refuses what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.scoring import parse_measures, score_run
from harness.scoring.conventions import Conventions
from harness.scoring.texts import TextJudgments, score_texts

from .worlds import DOCUMENTS, World, examples, worlds

_SHALLOW = ("recall@2", "ndcg@2", "judged@2", "rr@1")


@given(st.one_of(worlds(), worlds(names=_SHALLOW)))
@settings(deadline=None, max_examples=examples(200))
def test_runs_score_as_in_the_reference(world: World) -> None:
    judgments = prepared(world)
    for run in world.runs:
        wanted = reference(world, run)
        found = score_texts(judgments, run)
        assert found.means == wanted.means
        assert found.lower == wanted.lower
        assert found.upper == wanted.upper
        assert list(found.means) == list(wanted.means)
        assert found.run_scores() == wanted


_ODD = st.one_of(st.sampled_from([*DOCUMENTS, "zzz", ""]), st.integers(), st.none(), st.lists(st.text()))


@given(worlds(names=_SHALLOW), st.dictionaries(st.sampled_from(["q1", "q2", "qx"]), st.lists(_ODD) | st.none()))
@settings(deadline=None, max_examples=examples(200))
def test_refusals_are_word_for_word_those_of_the_reference(world: World, run: Any) -> None:
    judgments = prepared(world)
    assert attempt(score_texts, judgments, run) == attempt(reference, world, run)


def attempt(score: Callable[[Any, Any], Any], *arguments: Any) -> Any:
    """Return the means, or the words of the refusal."""
    try:
        return score(*arguments).means
    except ValueError as error:
        return str(error)


def test_a_run_that_is_no_mapping_is_refused() -> None:
    conventions = Conventions(measures=parse_measures(["recall@1"]))
    world = World(ledger=("q1",), judgments=_judged(), conventions=conventions, runs=())
    with pytest.raises(ValueError, match="mapping run required"):
        score_texts(prepared(world), [])  # type: ignore[arg-type]


def _judged() -> Any:
    from harness.records import Judgments

    return Judgments(exhaustive=True, grades={"q1": {"a": 1}})


def prepared(world: World) -> TextJudgments:
    return TextJudgments.prepare(
        ledger=world.ledger,
        judgments=world.judgments,
        document_ids=DOCUMENTS,
        conventions=world.conventions,
    )


def reference(world: World, run: Any) -> Any:
    return score_run(
        ledger=world.ledger,
        judgments=world.judgments,
        document_ids=DOCUMENTS,
        run=run,
        conventions=world.conventions,
    )
