"""Scores over quotes: rows, counts and refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harness.quotes import Quote
from harness.scoring import Conventions, Measure, NamedMeasure, QueryScores, RunScores, parse_measures, score_evidence

CONVENTIONS = Conventions(measures=parse_measures(["evidence@1", "recall@1", "evidence@2"]))


def request() -> dict[str, Any]:
    """q1 finds the second of its two quotes' chunks at rank 2, q2 is left out, q3 has no quotes."""
    return {
        "ledger": ["q1", "q2", "q3"],
        "quotes": {
            "q1": [Quote(document="a", text="x"), Quote(document="a", text="y")],
            "q2": [Quote(document="b", text="z")],
        },
        "holding": {"q1": frozenset({"a1", "a2"}), "q2": frozenset({"b1"})},
        "chunk_ids": {"a1", "a2", "b1"},
        "chunk_runs": {"q1": ["b1", "a2"], "q3": ["a1"]},
        "conventions": CONVENTIONS,
    }


def row(query: str, **facts: Any) -> QueryScores:
    return QueryScores(query=query, judged=facts["returned"], lower={}, upper={}, **facts)


def test_rows_and_means_are_over_the_questions_with_quotes() -> None:
    assert score_evidence(**request()) == RunScores(
        view="evidence",
        conventions_sha256=CONVENTIONS.sha256,
        rows=(
            row(
                "q1",
                missing=False,
                returned=2,
                relevant=2,
                first_relevant_rank=2,
                values={"evidence@1": Fraction(0), "evidence@2": Fraction(1)},
            ),
            row(
                "q2",
                missing=True,
                returned=0,
                relevant=1,
                first_relevant_rank=None,
                values={"evidence@1": Fraction(0), "evidence@2": Fraction(0)},
            ),
            row(
                "q3",
                missing=False,
                returned=1,
                relevant=0,
                first_relevant_rank=None,
                values={"evidence@1": None, "evidence@2": None},
            ),
        ),
        means={"evidence@1": Fraction(0), "evidence@2": Fraction(1, 2)},
        lower={},
        upper={},
        total_queries=3,
        eligible_queries=2,
        missing_queries=("q2",),
        no_relevant_queries=("q3",),
        judged_share=None,
    )


def test_a_measure_sees_chunks_with_a_quote_as_gains_of_1_and_every_chunk_as_judged() -> None:
    seen = []
    own = Measure(
        name="own",
        function=lambda ranking, cutoff: seen.append(ranking) or Fraction(0),
        takes_cutoff=True,
        view="evidence",
        description="looks on",
        version=1,
    )
    inputs = request() | {"conventions": Conventions(measures=(NamedMeasure(measure=own, cutoff=1),))}
    inputs["chunk_runs"] = {"q1": ["b1", "a2", "a1"]}
    score_evidence(**inputs)
    first = seen[0]
    assert (first.gains, first.relevant_ranks, first.relevant) == ((0, 1, 1), (2, 3), 2)
    assert (first.ideal, first.judged) == ((1, 1), (True, True, True))


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ({"q1": ["b1", "zz"]}, "unknown or invalid chunk ID: 'zz' at rank 2 of query 'q1' isn't in the mapping"),
        ({"q9": []}, "unknown or wrong-split query: 'q9' in the run; no query has this ID"),
    ],
)
def test_what_is_unknown_is_named_with_its_place(runs: dict[str, list[str]], words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - all of its words are compared
        score_evidence(**request() | {"chunk_runs": runs})
    assert str(caught.value) == words


def test_the_first_measure_that_is_asked_for_twice_is_named() -> None:
    with pytest.raises(ValueError, match=r"each measure may be asked for once: recall@1 occurs more than once"):
        Conventions(measures=parse_measures(["recall@1", "rr@1", "rr@1", "recall@1"]))
