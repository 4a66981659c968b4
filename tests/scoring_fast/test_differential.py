"""Against pytrec_eval: equal to 1e-12 but for the conventions named here, each with its number."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.judgments import Judgments
from harness.runs import read_run
from harness.scoring import parse_measures, score_run
from harness.scoring.conventions import Conventions
from harness.scoring.encoded import EncodedJudgments, score_encoded
from harness.scoring.scores import RunScores
from harness.scoring.texts import TextJudgments, score_texts

from .worlds import encode_run, examples

THEIRS = {
    "recall@3": "recall_3",
    "rr@9": "recip_rank",
    "hit@3": "success_3",
    "precision@3": "P_3",
    "ap@3": "map_cut_3",
    "ndcg@3": "ndcg_cut_3",
    "ndcg@9": "ndcg_cut_9",
    "r_precision": "Rprec",
}
_ASKED = {"recall.3", "recip_rank", "success.3", "P.3", "map_cut.3", "ndcg_cut.3,9", "Rprec"}
_DOCUMENTS = "abcdefgh"
_QUERIES = ("q1", "q2", "q3")
Scored = dict[str, dict[str, float]]


def theirs(grades: dict[str, dict[str, int]], run: Scored) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(grades, _ASKED).evaluate(run)
    return found


def order(run: Scored) -> dict[str, list[str]]:
    """Return the rankings that the tie rule gives."""
    return {query: sorted(row, key=lambda name: (row[name], name), reverse=True) for query, row in run.items()}


def ours(grades: dict[str, dict[str, int]], run: Scored) -> RunScores:
    return score_run(
        ledger=list(grades),
        judgments=Judgments(exhaustive=False, grades=grades),
        document_ids=_DOCUMENTS,
        run=order(run),
        conventions=Conventions(measures=parse_measures(list(THEIRS)), unjudged="nonrelevant"),
    )


_GRADES = st.dictionaries(
    st.sampled_from(_QUERIES), st.dictionaries(st.sampled_from(_DOCUMENTS), st.integers(-1, 3), min_size=1), min_size=1
)
# Halves and few of them, so that ties are common and single precision holds every score.
_RUNS = st.dictionaries(
    st.sampled_from(_QUERIES),
    st.dictionaries(st.sampled_from(_DOCUMENTS), st.integers(-3, 3).map(lambda number: number / 2)),
)


@given(_GRADES, _RUNS)
@settings(deadline=None, max_examples=examples(300))
def test_every_answered_query_with_a_relevant_document_agrees(grades: dict[str, dict[str, int]], run: Scored) -> None:
    run = {query: row for query, row in run.items() if query in grades}
    their = theirs(grades, run)
    for row in ours(grades, run).rows:
        if row.missing or not row.relevant:
            continue
        for name, other in THEIRS.items():
            value = row.values[name]
            assert value is not None
            assert math.isclose(float(value), their[row.query][other], rel_tol=0, abs_tol=1e-12), name


@given(_GRADES, _RUNS)
@settings(deadline=None, max_examples=examples(100))
def test_means_agree_where_nothing_is_missing_in_all_three_implementations(
    grades: dict[str, dict[str, int]], run: Scored
) -> None:
    grades = {query: row | {"h": 1} for query, row in grades.items()}
    run = {query: run.get(query, {"a": 1.0}) for query in grades}
    their = theirs(grades, run)
    judgments = Judgments(exhaustive=False, grades=grades)
    conventions = Conventions(measures=parse_measures(list(THEIRS)), unjudged="nonrelevant")
    common = {"ledger": list(grades), "judgments": judgments, "conventions": conventions}
    encoded = EncodedJudgments.encode(document_ids=_DOCUMENTS_LIST, **common)  # type: ignore[arg-type]
    array, missing = encode_run(order(run), encoded.ledger, dict(encoded.document_index))
    found = [
        ours(grades, run).means,
        score_encoded(encoded, array, missing=missing).means,
        score_texts(TextJudgments.prepare(document_ids=_DOCUMENTS, **common), order(run)).means,  # type: ignore[arg-type]
    ]
    for name, other in THEIRS.items():
        mean = float(np.mean([row[other] for row in their.values()]))
        for means in found:
            assert math.isclose(float(means[name] or 0), mean, rel_tol=0, abs_tol=1e-12), name


_DOCUMENTS_LIST = list(_DOCUMENTS)


def test_named_convention_a_missing_query_scores_0_here_and_is_left_out_there() -> None:
    grades, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}
    assert ours(grades, run).means["recall@3"] == pytest.approx(0.5)
    assert [row["recall_3"] for row in theirs(grades, run).values()] == [1.0]


def test_named_convention_a_query_without_relevant_documents_has_no_value_here_and_0_there() -> None:
    grades, run = {"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    assert ours(grades, run).means["recall@3"] == 1
    assert sorted(row["recall_3"] for row in theirs(grades, run).values()) == [0.0, 1.0]


def test_named_convention_scores_are_doubles_here_and_single_precision_there() -> None:
    grades, run = {"q1": {"a": 1}}, {"q1": {"a": 1.000000001, "b": 1.0}}
    assert ours(grades, run).means["rr@9"] == 1
    assert theirs(grades, run)["q1"]["recip_rank"] == 0.5


def test_named_convention_the_cutoff_of_rr_is_in_its_name_here_and_absent_there() -> None:
    grades, run = {"q1": {"a": 1}}, {"q1": {"a": 1.0, "b": 2.0, "c": 3.0}}
    (row,) = score_run(
        ledger=["q1"],
        judgments=Judgments(exhaustive=True, grades=grades),
        document_ids=_DOCUMENTS,
        run=order(run),
        conventions=Conventions(measures=parse_measures(["rr@2"])),
    ).rows
    assert row.values["rr@2"] == 0
    assert theirs(grades, run)["q1"]["recip_rank"] == pytest.approx(1 / 3)


def test_named_convention_nan_is_refused_here_and_sorted_there(tmp_path: Path) -> None:
    run = {"q1": {"a": float("nan"), "b": 1.0}}
    assert theirs({"q1": {"a": 1}}, run)["q1"]["recip_rank"] == 0.5
    path = tmp_path / "r.trec"
    path.write_text("q1 Q0 a 1 nan t\n", encoding="utf-8")
    with pytest.raises(Exception, match="score: must be finite"):
        read_run(path)
