"""What ``adapt_runs`` returns and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.fingerprint import sha256_json
from harness.scoring import adapt_runs

from .support import chunk_world

OUTSIDE = "mapping points outside the corpus"
INVALID = "unknown or invalid chunk ID"
WRONG = "unknown or wrong-split query"
NONEMPTY = "nonempty corpus and queries, mapping run required"
Change = Callable[[dict[str, Any]], object]


def test_a_document_stands_where_its_best_chunk_stood() -> None:
    runs = adapt_runs(**chunk_world())["document_runs"]
    assert runs == {"q1": ["b", "a"], "q2": ["c", "a", "b"], "q4": []}


def test_absent_queries_stay_absent_and_empty_ones_empty() -> None:
    adapted = adapt_runs(**chunk_world())
    assert ["q1", "q2", "q4"] == list(adapted["document_runs"]) == list(adapted["evidence"])
    assert adapted["document_runs"]["q4"] == []


def test_evidence_lists_every_chunk_rank_of_every_document() -> None:
    document_keys = ["document_id", "first_chunk_id", "first_chunk_rank", "chunk_ranks"]
    found = adapt_runs(**chunk_world())["evidence"]["q2"]
    assert list(found) == ["received_chunks", "distinct_documents", "documents"]
    assert (found["received_chunks"], found["distinct_documents"]) == (5, 3)
    assert [document_keys] * 3 == [list(document) for document in found["documents"]]
    assert [list(document.values()) for document in found["documents"]] == [
        ["c", "c2", 1, [1, 3]],
        ["a", "a1", 2, [2, 5]],
        ["b", "b1", 4, [4]],
    ]


def test_an_empty_ranking_has_empty_evidence() -> None:
    expected = {"received_chunks": 0, "distinct_documents": 0, "documents": []}
    assert expected == adapt_runs(**chunk_world())["evidence"]["q4"]


def test_documents_with_identical_text_stay_two_documents() -> None:
    inputs = chunk_world() | {"chunk_runs": {"q1": ["d1", "c1"]}}
    assert inputs["corpus"]["c"] == inputs["corpus"]["d"]
    assert adapt_runs(**inputs)["document_runs"]["q1"] == ["d", "c"]


def test_nothing_is_parsed_out_of_a_chunk_id() -> None:
    inputs = chunk_world() | {"chunk_to_doc": {"a": "b", "a#1": "c"}, "chunk_runs": {"q1": ["a#1", "a"]}}
    assert adapt_runs(**inputs)["document_runs"]["q1"] == ["c", "b"]


def test_there_is_no_cutoff() -> None:
    chunks = [f"k{number}" for number in range(500)]
    inputs = chunk_world()
    inputs["corpus"] = {f"doc{number}": "" for number in range(500)}
    inputs["chunk_to_doc"] = {chunk: f"doc{number}" for number, chunk in enumerate(chunks)}
    inputs["chunk_runs"] = {"q1": chunks}
    assert list(inputs["corpus"]) == adapt_runs(**inputs)["document_runs"]["q1"]


def test_the_hash_names_the_rule_and_the_mapping() -> None:
    inputs = chunk_world()
    expected = sha256_json({"adapter": "first-occurrence-document-v1", "chunk_to_doc": inputs["chunk_to_doc"]})
    assert expected == adapt_runs(**inputs)["adapter_sha256"]


def test_the_order_of_the_mapping_changes_nothing() -> None:
    inputs = chunk_world()
    turned = inputs | {"chunk_to_doc": dict(reversed(inputs["chunk_to_doc"].items()))}
    assert adapt_runs(**inputs) == adapt_runs(**turned)


def test_another_mapping_has_another_hash_and_the_run_has_no_part_in_it() -> None:
    inputs = chunk_world()
    own = adapt_runs(**inputs)["adapter_sha256"]
    assert own == adapt_runs(**inputs | {"chunk_runs": {}})["adapter_sha256"]
    inputs["chunk_to_doc"]["d1"] = "c"
    assert own != adapt_runs(**inputs)["adapter_sha256"]


REFUSALS: list[tuple[str, str, str, Change]] = [
    ("empty corpus", NONEMPTY, "corpus", lambda w: w.update(corpus={})),
    ("corpus is text", NONEMPTY, "corpus", lambda w: w.update(corpus="abc")),
    ("empty queries", NONEMPTY, "queries", lambda w: w.update(queries={})),
    ("runs are a list", NONEMPTY, "run", lambda w: w.update(chunk_runs=[])),
    ("int document", "document IDs must be nonempty text", "5", lambda w: w["corpus"].update({5: "x"})),
    ("int text", "corpus must map document IDs to text", "'a'", lambda w: w["corpus"].update(a=1)),
    ("query is None", "each query must be", "'q1'", lambda w: w["queries"].update(q1=None)),
    ("empty query id", "query IDs must be nonempty text", "empty", lambda w: w["queries"].update({"": {}})),
    ("unknown split", "split has no queries", "'train'", lambda w: w.update(split="train")),
    ("split is a list", "split has no queries", "[]", lambda w: w.update(split=[])),
    ("mapping is None", "chunk_to_doc must be a mapping", "None", lambda w: w.update(chunk_to_doc=None)),
    ("None chunk in mapping", INVALID, "None", lambda w: w["chunk_to_doc"].update({None: "a"})),
    ("empty chunk in mapping", INVALID, "'a'", lambda w: w["chunk_to_doc"].update({"": "a"})),
    ("unused chunk outside", OUTSIDE, "'d1'", lambda w: w["chunk_to_doc"].update(d1="nowhere")),
    ("used chunk outside", OUTSIDE, "'a1'", lambda w: w["chunk_to_doc"].update(a1="nowhere")),
    ("chunk leads to None", OUTSIDE, "'d1'", lambda w: w["chunk_to_doc"].update(d1=None)),
    ("chunk leads to a list", OUTSIDE, "'d1'", lambda w: w["chunk_to_doc"].update(d1=["a"])),
    ("wrong split", WRONG, "'dev'", lambda w: w["chunk_runs"].update(dev=[])),
    ("unknown query", WRONG, "'q9'", lambda w: w["chunk_runs"].update(q9=["a1"])),
    ("int query", WRONG, "3", lambda w: w["chunk_runs"].update({3: ["a1"]})),
    ("tuple", "ranking must be a list of chunk IDs", "'q1'", lambda w: w["chunk_runs"].update(q1=("a1",))),
    ("text", "ranking must be a list of chunk IDs", "'q1'", lambda w: w["chunk_runs"].update(q1="a1")),
    ("None", "ranking must be a list of chunk IDs", "'q1'", lambda w: w["chunk_runs"].update(q1=None)),
    ("unknown chunk", INVALID, "'z' at rank 1", lambda w: w["chunk_runs"].update(q1=["z"])),
    ("document for chunk", INVALID, "'a' at rank 1", lambda w: w["chunk_runs"].update(q1=["a"])),
    ("unknown at the end", INVALID, "rank 5", lambda w: w["chunk_runs"].update(q1=["a1", "a2", "b1", "c1", "z"])),
    ("int chunk", INVALID, "7 at rank 2", lambda w: w["chunk_runs"].update(q1=["a1", 7])),
    ("list chunk", INVALID, "rank 1", lambda w: w["chunk_runs"].update(q1=[["a1"]])),
    (
        "repeated chunk",
        "duplicate chunk ID",
        "'a1' at ranks 1 and 2",
        lambda w: w["chunk_runs"].update(q1=["a1", "a1"]),
    ),
    (
        "repeated at the end",
        "duplicate chunk ID",
        "'b1' at ranks 3 and 5 of query 'q1'",
        lambda w: w["chunk_runs"].update(q1=["a1", "a2", "b1", "c1", "b1"]),
    ),
]


@pytest.mark.parametrize(("words", "named", "change"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_bad_input_is_refused_by_name_and_left_as_it_was(words: str, named: str, change: Change) -> None:
    inputs = chunk_world() | {"split": "test"}
    change(inputs)
    before = deepcopy(inputs)
    with pytest.raises(ValueError, match=": ") as caught:
        adapt_runs(**inputs)
    head, _, detail = str(caught.value).partition(words)
    assert head == ""
    assert named in detail
    assert before == inputs


def test_accepted_input_is_left_as_it_was() -> None:
    inputs = chunk_world()
    before = deepcopy(inputs)
    adapt_runs(**inputs)["document_runs"]["q4"].append("x")
    assert before == inputs


@given(st.permutations(["a1", "a2", "b1", "c1", "c2", "d1"]))
def test_every_document_comes_once_in_the_order_of_its_first_chunk(chunks: list[str]) -> None:
    inputs = chunk_world() | {"chunk_runs": {"q1": chunks}}
    adapted = adapt_runs(**inputs)
    documents = adapted["evidence"]["q1"]["documents"]
    firsts = [document["first_chunk_rank"] for document in documents]
    ranks = sorted(rank for document in documents for rank in document["chunk_ranks"])
    assert list(dict.fromkeys(chunk[0] for chunk in chunks)) == adapted["document_runs"]["q1"]
    assert sorted(firsts) == firsts
    assert list(range(1, 7)) == ranks
