"""The exact measures against an independent float implementation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import Judgments
from harness.scoring.conventions import Conventions
from harness.scoring.measures import MEASURES, parse_measures
from harness.scoring.scorer import score_chunk_view

from .plain import plain, plain_chunks
from .strategies import DOCUMENT_MEASURES, DOCUMENTS, Situation, situations
from .support import scores

CHUNK_MEASURES = ("chunk_hit", "chunk_rr", "chunk_ndcg_retrieved")


def _agree(exact: Fraction | None, near: float | None) -> bool:
    if exact is None or near is None:
        return exact is near
    return abs(float(exact) - near) < 1e-12


def test_every_measure_is_compared_but_those_with_a_test_file_of_their_own() -> None:
    assert {*DOCUMENT_MEASURES, "r_precision", "judged", *CHUNK_MEASURES, "evidence"} == set(MEASURES)


@settings(deadline=None)
@given(situations())
def test_document_measures_agree_with_plain_floats(case: Situation) -> None:
    names = [*(f"{name}@{case.k}" for name in DOCUMENT_MEASURES), "r_precision"]
    scored = scores(names, {"q": case.grades}, {"q": case.ranking}, relevance_threshold=case.threshold)
    for name in names:
        near = plain(name.partition("@")[0], case.grades, case.ranking, case.k, case.threshold)
        assert _agree(scored.rows[0].values[name], near), name


@settings(deadline=None)
@given(situations(), st.lists(st.sampled_from(DOCUMENTS), max_size=6))
def test_chunk_measures_agree_with_plain_floats(case: Situation, documents: list[str]) -> None:
    table = {f"{document}#{place}": document for place, document in enumerate(documents)}
    names = [f"{name}@{case.k}" for name in CHUNK_MEASURES]
    scored = score_chunk_view(
        ledger=["q"],
        judgments=Judgments(exhaustive=True, grades={"q": case.grades}),
        document_ids=list(DOCUMENTS),
        chunk_to_doc=table,
        chunk_runs={"q": list(table)},
        conventions=Conventions(measures=parse_measures(names), relevance_threshold=case.threshold),
    )
    for name in names:
        near = plain_chunks(name.partition("@")[0], case.grades, documents, case.k, case.threshold)
        assert _agree(scored.rows[0].values[name], near), name


@given(situations())
def test_the_first_relevant_rank_is_not_cut(case: Situation) -> None:
    ranks = [
        rank for rank, document in enumerate(case.ranking, start=1) if case.grades.get(document, 0) >= case.threshold
    ]
    scored = scores(["rr@1"], {"q": case.grades}, {"q": case.ranking}, relevance_threshold=case.threshold)
    assert (ranks or [None])[0] == scored.rows[0].first_relevant_rank


@pytest.mark.parametrize("grades", [{"a": 1}, {"a": 3, "b": 1}, {"a": 1, "b": 1, "c": 1}])
def test_a_perfect_ranking_is_exactly_one(grades: dict[str, int]) -> None:
    assert scores(["ndcg@10", "ap@10"], {"q": grades}, {"q": list(grades)}).means == {
        "ndcg@10": Fraction(1),
        "ap@10": Fraction(1),
    }
