"""The reference scorer: counts, policies, refusals and the chunk view."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from harness.records import Judgments
from harness.scoring import as_jsonable
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measures
from harness.scoring.scorer import score_chunk_view, score_run

from .support import scores

HALF = Fraction(1, 2)
Change = Callable[[dict[str, Any]], object]


def request() -> dict[str, Any]:
    return {
        "ledger": ["q1", "q2", "q3"],
        "judgments": Judgments(exhaustive=True, grades={"q1": {"a": 1}, "q2": {"b": 2}, "q3": {}, "dev": {}}),
        "document_ids": {"a", "b", "c"},
        "run": {"q1": ["c", "a"], "q3": ["a"]},
        "conventions": Conventions(measures=parse_measures(["recall@1", "rr@5", "judged@5"])),
    }


def chunk_request() -> dict[str, Any]:
    inputs = request()
    del inputs["run"]
    return inputs | {
        "chunk_to_doc": {"a1": "a", "a2": "a", "b1": "b", "c1": "c"},
        "chunk_runs": {"q1": ["c1", "a2", "a1"], "q3": ["a1"]},
        "conventions": Conventions(
            measures=parse_measures(["chunk_hit@1", "chunk_rr@3", "chunk_ndcg_retrieved@3", "recall@1"])
        ),
    }


def test_rows_follow_the_ledger_and_counts_add_up() -> None:
    scored = score_run(**request())
    assert [row.query for row in scored.rows] == ["q1", "q2", "q3"]
    assert (scored.total_queries, scored.eligible_queries) == (3, 2)
    assert (scored.missing_queries, scored.no_relevant_queries) == (("q2",), ("q3",))
    assert scored.means == {"recall@1": Fraction(0), "rr@5": Fraction(1, 4), "judged@5": Fraction(1)}
    assert scored.judged_share == 1
    assert scored.view == "document"
    assert scored.conventions_sha256 == request()["conventions"].sha256


def test_a_row_says_what_was_returned_and_where_the_first_relevant_document_stood() -> None:
    first, second, third = score_run(**request()).rows
    assert (first.missing, first.returned, first.relevant, first.first_relevant_rank) == (False, 2, 1, 2)
    assert (second.missing, second.returned, second.relevant, second.first_relevant_rank) == (True, 0, 1, None)
    assert third.values == {"recall@1": None, "rr@5": None, "judged@5": Fraction(1)}


def test_no_eligible_query_gives_null_means() -> None:
    scored = scores(["recall@1", "ndcg@1"], {"q": {"a": 0}}, {"q": ["a"]})
    assert (scored.means, scored.eligible_queries) == ({"recall@1": None, "ndcg@1": None}, 0)


@pytest.mark.parametrize(
    ("policy", "recall", "rr", "judged"),
    [("nonrelevant", Fraction(0), Fraction(1, 3), HALF), ("condense", Fraction(1), HALF, HALF)],
)
def test_the_unjudged_policy_decides_where_judged_documents_stand(
    policy: str, recall: Fraction, rr: Fraction, judged: Fraction
) -> None:
    run = {"q": ["b", "x", "a"]}
    names = ["recall@2", "rr@3", "judged@2"]
    scored = scores(names, {"q": {"a": 1, "b": 0}}, run, exhaustive=False, unjudged=policy)
    assert list(scored.means.values()) == [recall, rr, judged]
    assert (scored.rows[0].returned, scored.rows[0].judged) == (3, 2)
    assert scored.judged_share == Fraction(2, 3)


def test_nothing_returned_has_no_judged_share() -> None:
    scored = scores(["judged@5"], {"q": {"a": 1}}, {}, exhaustive=False, unjudged="nonrelevant")
    assert (scored.judged_share, scored.means) == (None, {"judged@5": None})


def test_the_threshold_decides_for_binary_measures_only() -> None:
    grades = {"q": {"a": 1, "b": 2}}
    scored = scores(["recall@1", "ndcg@1"], grades, {"q": ["a"]}, relevance_threshold=2)
    assert scored.means == {"recall@1": Fraction(0), "ndcg@1": HALF}


def test_partial_judgments_are_refused_unless_a_policy_is_chosen() -> None:
    with pytest.raises(ValueError, match="exhaustive qrels required: these judgments are partial"):
        scores(["recall@1"], {"q": {"a": 1}}, {"q": ["a"]}, exhaustive=False)


def test_the_chunk_view_counts_every_chunk_of_a_relevant_document() -> None:
    scored = score_chunk_view(**chunk_request())
    row = scored.rows[0]
    assert (row.returned, row.relevant, row.first_relevant_rank) == (3, 1, 2)
    assert row.values["chunk_hit@1"] == 0
    assert row.values["chunk_rr@3"] == HALF
    assert row.values["chunk_ndcg_retrieved@3"] == Fraction(1130929753571457437, 1630929753571457437)
    assert (scored.view, list(row.values)) == ("chunk", ["chunk_hit@1", "chunk_rr@3", "chunk_ndcg_retrieved@3"])
    assert (scored.missing_queries, scored.no_relevant_queries) == (("q2",), ("q3",))


def test_the_chunk_view_has_no_bounds_and_condenses_chunks_of_unjudged_documents() -> None:
    inputs = chunk_request()
    inputs["judgments"] = Judgments(exhaustive=False, grades={"q1": {"a": 1}, "q2": {}, "q3": {}})
    inputs["conventions"] = Conventions(measures=parse_measures(["chunk_rr@3"]), unjudged="condense")
    scored = score_chunk_view(**inputs)
    assert (scored.means, scored.lower, scored.upper) == ({"chunk_rr@3": Fraction(1)}, {}, {})
    assert [(row.returned, row.judged) for row in scored.rows] == [(3, 2), (0, 0), (1, 0)]
    assert scored.judged_share == HALF


COMMON: list[tuple[str, str, str, Change]] = [
    ("empty ledger", "nonempty corpus and queries, mapping run required", "ledger", lambda w: w.update(ledger=[])),
    ("ledger is text", "nonempty corpus and queries", "'q1'", lambda w: w.update(ledger="q1")),
    ("ledger repeats", "the ledger must hold each query once", "'q1'", lambda w: w["ledger"].append("q1")),
    ("int in ledger", "query IDs must be nonempty text", "3", lambda w: w["ledger"].append(3)),
    ("no documents", "nonempty corpus and queries", "document IDs", lambda w: w.update(document_ids=set())),
    ("no judgments", "qrels must cover every query", "'q9'", lambda w: w["ledger"].append("q9")),
    ("judgments are a dict", "qrels must cover every query", "{}", lambda w: w.update(judgments={})),
    (
        "row is a list",
        "qrels must cover every query",
        "'q1'",
        lambda w: w.update(judgments=Judgments(exhaustive=True, grades={"q1": ["a"]})),  # type: ignore[dict-item]
    ),
    ("judged stranger", "unjudged or unknown documents", "'z'", lambda w: w["judgments"].grades["q1"].update(z=0)),
    ("grade is True", "qrels labels must be integer", "True", lambda w: w["judgments"].grades["q1"].update(a=True)),
    ("grade is 1.0", "qrels labels must be integer", "1.0", lambda w: w["judgments"].grades["q1"].update(a=1.0)),
    ("no conventions", "conventions must be a Conventions", "None", lambda w: w.update(conventions=None)),
]
DOCUMENT: list[tuple[str, str, str, Change]] = [
    ("run is a list", "mapping run required", "run", lambda w: w.update(run=[])),
    ("other split", "unknown or wrong-split query", "'dev' in the run; it belongs", lambda w: w["run"].update(dev=[])),
    ("unknown query", "unknown or wrong-split query", "'q9'", lambda w: w["run"].update(q9=[])),
    ("tuple", "ranking must be a list of document IDs", "'q1'", lambda w: w["run"].update(q1=("a",))),
    ("int", "ranking must be a list of document IDs", "rank 1", lambda w: w["run"].update(q1=[1])),
    ("twice", "duplicate document ID; deduplicate upstream", "1 and 3", lambda w: w["run"].update(q1=["c", "a", "c"])),
    ("stranger", "unknown document ID", "'z' at rank 3", lambda w: w["run"].update(q1=["a", "b", "z"])),
]
CHUNK: list[tuple[str, str, str, Change]] = [
    ("unused outside", "mapping points outside the corpus", "'b1'", lambda w: w["chunk_to_doc"].update(b1="z")),
    ("chunk twice", "duplicate chunk ID", "'a1'", lambda w: w["chunk_runs"].update(q1=["a1", "c1", "a1"])),
    ("unknown chunk", "unknown or invalid chunk ID", "'z'", lambda w: w["chunk_runs"].update(q1=["a1", "z"])),
    ("other split", "unknown or wrong-split query", "'dev'", lambda w: w["chunk_runs"].update(dev=[])),
]
CASES = [
    pytest.param(function, build, *row[1:], id=f"{function.__name__}: {row[0]}")
    for function, build, rows in (
        (score_run, request, COMMON + DOCUMENT),
        (score_chunk_view, chunk_request, COMMON + CHUNK),
    )
    for row in rows
]


@pytest.mark.parametrize(("function", "build", "words", "named", "change"), CASES)
def test_bad_input_is_refused_by_name_and_left_as_it_was(
    function: Any, build: Any, words: str, named: str, change: Change
) -> None:
    inputs = build()
    change(inputs)
    before = deepcopy(inputs)
    with pytest.raises(ValueError, match=": ") as caught:
        function(**inputs)
    assert words in str(caught.value)
    assert named in str(caught.value)
    assert before == inputs


def test_document_ids_may_come_as_a_list() -> None:
    assert score_run(**request()) == score_run(**request() | {"document_ids": ["a", "b", "c"]})


def test_scores_can_be_written_as_json() -> None:
    content = as_jsonable(score_run(**request()))
    assert content["means"] == {"recall@1": "0", "rr@5": "1/4", "judged@5": "1"}
    assert content["rows"][1]["values"] == {"recall@1": "0", "rr@5": "0", "judged@5": None}
