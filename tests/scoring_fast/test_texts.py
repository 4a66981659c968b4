"""The path for text ids gives what the reference gives, and refuses what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import Judgments
from harness.scoring import Measure, NamedMeasure, parse_measures, score_run
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


@pytest.mark.parametrize(
    ("names", "exhaustive", "unjudged", "depth"),
    [
        (["recall@3", "rr@5", "judged@2"], True, "refuse", 5),
        (["recall@3", "rr@5", "judged@2"], False, "nonrelevant", 5),
        # Two relevant documents at most: r_precision looks at two ranks, and at one of the query that has one.
        (["r_precision"], True, "refuse", 2),
        (["r_precision", "recall@1"], True, "refuse", 2),
        (["r_precision", "recall@4"], True, "refuse", 4),
        (["chunk_hit@7", "recall@3"], True, "refuse", 3),
        (["chunk_hit@7"], True, "refuse", 0),
        # What is dropped makes room for later ranks; with exhaustive judgments nothing is.
        (["recall@3"], False, "condense", None),
        (["recall@3"], True, "condense", 3),
    ],
)
def test_rankings_are_read_as_far_as_the_measures_look(
    names: list[str], exhaustive: bool, unjudged: Any, depth: int | None
) -> None:
    judgments = TextJudgments.prepare(
        ledger=["q1", "q2"],
        judgments=Judgments(exhaustive=exhaustive, grades={"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"a": 1}}),
        document_ids=DOCUMENTS,
        conventions=Conventions(measures=parse_measures(names), unjudged=unjudged),
    )
    assert judgments.depth == depth


def test_a_measure_of_ones_own_is_given_whole_rankings() -> None:
    own = Measure(
        name="longest",
        function=lambda ranking, cutoff: Fraction(len(ranking.gains), cutoff),
        takes_cutoff=True,
        view="document",
        description="length of the ranking / k",
        version=1,
    )
    conventions = Conventions(measures=(NamedMeasure(measure=own, cutoff=1),))
    world = World(ledger=("q1",), judgments=_judged(), conventions=conventions, runs=())
    assert score_texts(prepared(world), {"q1": ["a", "b", "c"]}).means == {"longest@1": 3}


def _judged() -> Judgments:
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
