"""The encoded scorer gives what the reference gives, and refuses what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import Judgments
from harness.scoring import parse_measures, score_chunk_view, score_run
from harness.scoring.conventions import Conventions
from harness.scoring.encoded import (
    EncodedJudgments,
    EncodedRuns,
    lookup,
    score_encoded,
    score_encoded_chunks,
    score_many,
    score_many_chunks,
)

from .worlds import CHUNK_NAMES, DOCUMENTS, World, encode_run, examples, worlds


def encoded(world: World) -> EncodedJudgments:
    return EncodedJudgments.encode(
        ledger=world.ledger,
        judgments=world.judgments,
        document_ids=DOCUMENTS,
        conventions=world.conventions,
    )


@given(worlds())
@settings(deadline=None, max_examples=examples(300))
def test_document_runs_score_as_in_the_reference(world: World) -> None:
    judgments = encoded(world)
    pairs = [encode_run(run, world.ledger, dict(judgments.document_index)) for run in world.runs]
    many = score_many(judgments, [array for array, _ in pairs], missing=[missing for _, missing in pairs])
    for run, (array, missing), found in zip(world.runs, pairs, many, strict=True):
        wanted = score_run(
            ledger=world.ledger,
            judgments=world.judgments,
            document_ids=DOCUMENTS,
            run=run,
            conventions=world.conventions,
        )
        assert dict(found.means) == dict(wanted.means)
        assert dict(found.lower) == dict(wanted.lower)
        assert dict(found.upper) == dict(wanted.upper)
        assert found.run_scores() == wanted
        assert score_encoded(judgments, array, missing=missing).run_scores() == wanted
        assert list(found.means) == list(wanted.means)


@given(worlds(), st.data())
@settings(deadline=None, max_examples=examples(50))
def test_a_large_table_behind_its_sieve_finds_the_same(world: World, data: st.DataObject) -> None:
    plain = encoded(world)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "_DENSE_CELLS", 0)
        sparse = encoded(world)
    assert plain.lookup.table is not None
    assert sparse.lookup.table is None
    run = data.draw(st.sampled_from(world.runs))
    array, missing = encode_run(run, world.ledger, dict(plain.document_index))
    found = score_encoded(sparse, array, missing=missing)
    assert found.run_scores() == score_encoded(plain, array, missing=missing).run_scores()


_CHUNKS = {f"{document}{number}": document for document in "abcde" for number in (1, 2)}


@given(worlds(names=CHUNK_NAMES, ids=tuple(_CHUNKS)))
@settings(deadline=None, max_examples=examples(200))
def test_chunk_runs_score_as_in_the_reference(world: World) -> None:
    judgments = encoded(world)
    table = np.array([judgments.document_index[document] for document in _CHUNKS.values()], dtype=np.int32)
    index = {chunk: at for at, chunk in enumerate(_CHUNKS)}
    pairs = [encode_run(run, world.ledger, index) for run in world.runs]
    many = score_many_chunks(judgments, [a for a, _ in pairs], table, missing=[m for _, m in pairs])
    for run, (array, missing), found in zip(world.runs, pairs, many, strict=True):
        wanted = score_chunk_view(
            ledger=world.ledger,
            judgments=world.judgments,
            document_ids=DOCUMENTS,
            chunk_to_doc=_CHUNKS,
            chunk_runs=run,
            conventions=world.conventions,
        )
        assert dict(found.means) == dict(wanted.means)
        assert found.run_scores() == wanted
        assert score_encoded_chunks(judgments, array, table, missing=missing).run_scores() == wanted


@given(worlds(grades=st.sampled_from([0, 1, 10**12, 10**40])))
@settings(deadline=None, max_examples=examples(50))
def test_grades_of_any_size_stay_exact(world: World) -> None:
    judgments = encoded(world)
    for run in world.runs:
        array, missing = encode_run(run, world.ledger, dict(judgments.document_index))
        wanted = score_run(
            ledger=world.ledger,
            judgments=world.judgments,
            document_ids=DOCUMENTS,
            run=run,
            conventions=world.conventions,
        )
        assert score_encoded(judgments, array, missing=missing).run_scores() == wanted


def small(**options: Any) -> EncodedJudgments:
    arguments: dict[str, Any] = {
        "ledger": ["q1", "q2"],
        "judgments": Judgments(exhaustive=True, grades={"q1": {"a": 1}, "q2": {"b": 1}}),
        "document_ids": ["a", "b", "c"],
        "conventions": Conventions(measures=parse_measures(["recall@2", "rr@2", "chunk_hit@2"])),
    }
    return EncodedJudgments.encode(**(arguments | options))


def refusal(call: Callable[..., object], *arguments: Any, **options: Any) -> str:
    """Return the words with which a call is refused."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - all of its words are compared
        call(*arguments, **options)
    return str(caught.value)


DUPLICATE = "duplicate document ID; deduplicate upstream explicitly"
UNKNOWN = "unknown document ID"
RANKING = "ranking must be a list of document IDs"
SHAPE = "a run must be an array of whole numbers, one row per query of the ledger"
TABLE = "chunk_document must be a one-dimensional array of whole numbers"
SEQUENCE = "document IDs must be a sequence, whose order numbers them"


def rows(*values: list[int], kind: Any = np.int32) -> Any:
    return np.array(values, dtype=kind)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (rows([0, 1, 0], [1, -1, -1]), f"{DUPLICATE}: 'a' at ranks 1 and 3 of query 'q1'"),
        (rows([0, 1], [1, 1]), f"{DUPLICATE}: 'b' at ranks 1 and 2 of query 'q2'"),
        (rows([0, 3], [1, 2]), f"{UNKNOWN}: 3 at rank 2 of query 'q1' isn't in the corpus of 3"),
        (rows([0, -2], [1, 2]), f"{UNKNOWN}: -2 at rank 2 of query 'q1' isn't in the corpus of 3"),
        (rows([0, 1], [-1, 2]), f"{RANKING}: -1 at rank 1 of query 'q2' stands before 2 at rank 2"),
        (rows([0, -1, -1, 2], [1, -1, -1, -1]), f"{RANKING}: -1 at rank 2 of query 'q1' stands before 2 at rank 4"),
        (rows([0, 1]), f"{SHAPE}: wanted shape (2, width), got an array of shape (1, 2)"),
        (np.array([0, 1]), f"{SHAPE}: wanted shape (2, width), got an array of shape (2,)"),
        (rows([0, 1], [1, 2], kind=np.float64), f"{SHAPE}: wanted int32, got float64"),
        (rows([0, 1], [1, 0], kind=np.bool_), f"{SHAPE}: wanted int32, got bool"),
        (rows([0, 1], [1, 0], kind=np.uint8), f"{SHAPE}: wanted int32, got uint8"),
        ([[0, 1], [1, 0]], f"{SHAPE}: wanted shape (2, width), got [[0, 1], [1, 0]]"),
    ],
)
def test_faulty_runs_are_refused(run: Any, words: str) -> None:
    assert refusal(score_encoded, small(), run) == words


def test_a_duplicate_comes_before_an_unknown_document_as_in_the_reference() -> None:
    faulty = rows([9, 0, 0], [0, 1, 2])
    assert refusal(score_encoded, small(), faulty) == f"{DUPLICATE}: 'a' at ranks 2 and 3 of query 'q1'"
    assert refusal(score_encoded, small(), rows([9, 9], [0, 1])) == f"{DUPLICATE}: 9 at ranks 1 and 2 of query 'q1'"


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ([np.array([True, False])], "query 'q1' is called missing but has 2 items"),
        ([np.array([True])], "wanted bool of shape (2,), got bool of shape (1,)"),
        ([np.array([1, 0])], "wanted bool of shape (2,), got int64 of shape (2,)"),
        ([None, np.array([False, True])], "1 runs, 2 masks"),
    ],
)
def test_faulty_masks_are_refused(missing: Any, words: str) -> None:
    found = refusal(score_many, small(), [rows([0, 1], [1, 0])], missing=missing)
    assert found == f"missing must be one truth value per query of the ledger: {words}"


def test_masks_stand_beside_their_runs() -> None:
    empty = rows([0], [-1])
    found = score_many(small(), [empty, empty, empty], missing=[None, np.array([False, True]), None])
    assert [score.missing_queries for score in found] == [(), ("q2",), ()]


@pytest.mark.parametrize(
    ("run", "table", "words"),
    [
        (rows([0, 1], [1, 1]), np.array([0, 1]), "duplicate chunk ID: 'y' at ranks 1 and 2 of query 'q2'"),
        (
            rows([0, 2], [1, 0]),
            np.array([0, 1]),
            "unknown or invalid chunk ID: 2 at rank 2 of query 'q1' isn't in the mapping of 2",
        ),
        (
            rows([0, -2, -2], [1, 0, -1]),
            np.array([0, 1]),
            "unknown or invalid chunk ID: -2 at rank 2 of query 'q1' isn't in the mapping of 2",
        ),
        (
            rows([0, 1], [1, 0]),
            np.array([0, 3]),
            "mapping points outside the corpus: chunk 1 leads to 3, which isn't in the corpus of 3",
        ),
        (
            rows([0, 1], [1, 0]),
            np.array([-1, 3]),
            "mapping points outside the corpus: chunk 0 leads to -1, which isn't in the corpus of 3",
        ),
        (rows([0, 1], [1, 0]), np.array([[0, 1]]), f"{TABLE}: got array([[0, 1]])"),
        (rows([0, 1], [1, 0]), [0, 1], f"{TABLE}: got [0, 1]"),
        (rows([0, 1], [1, 0]), np.array([True, False]), f"{TABLE}: got array([ True, False])"),
    ],
)
def test_faulty_chunk_runs_are_refused(run: Any, table: Any, words: str) -> None:
    assert refusal(score_encoded_chunks, small(), run, table, chunk_ids=["x", "y"]) == words


def test_chunks_without_names_are_called_by_their_numbers() -> None:
    found = refusal(score_encoded_chunks, small(), rows([0, 1], [1, 1]), np.array([0, 1]))
    assert found == "duplicate chunk ID: 1 at ranks 1 and 2 of query 'q2'"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"document_ids": ["a", "b", "a"]}, "document IDs must be unique: 'a' at places 0 and 2"),
        ({"document_ids": {"a": 1, "b": 1}}, f"{SEQUENCE}: got {{'a': 1, 'b': 1}}"),
        ({"document_ids": "ab"}, f"{SEQUENCE}: got 'ab'"),
        ({"document_ids": ["a", 1, "b"]}, "document IDs must be nonempty text: an ID at place 1 is 1"),
        ({"document_ids": ["a", ["b"]]}, "document IDs must be nonempty text: an ID at place 1 is ['b']"),
        ({"document_ids": ["a", "", "b"]}, "document IDs must be nonempty text: an ID at place 1 is empty"),
        (
            {"document_ids": ["a", "\ud800", "b"]},
            "document IDs must be nonempty text: an ID at place 1 holds a lone surrogate, which UTF-8 can't write: "
            "'\\ud800'",
        ),
        (
            {"document_ids": ["a"]},
            "unjudged or unknown documents: document 'b', judged for query 'q2', isn't in the corpus",
        ),
        ({"ledger": []}, "nonempty corpus and queries, mapping run required: the ledger is []"),
        ({"ledger": ["q1", "q1"]}, "the ledger must hold each query once: 'q1' occurs twice"),
        ({"ledger": ["q9"]}, "qrels must cover every query: 'q9' has no judgments"),
        (
            {"judgments": Judgments(exhaustive=False, grades={"q1": {}, "q2": {}})},
            "unjudged or unknown documents: exhaustive qrels required: these judgments are partial; "
            "choose unjudged: nonrelevant or condense by name",
        ),
    ],
)
def test_what_cannot_be_encoded_is_refused(options: dict[str, Any], words: str) -> None:
    assert refusal(small, **options) == words


def test_means_can_be_asked_for_by_name() -> None:
    judgments = small()
    run = rows([0, 1], [1, 0])
    (found,) = score_many(judgments, [run], measures=["rr@2"])
    assert dict(found.means) == {"rr@2": 1}
    assert list(found.run_scores().means) == ["recall@2", "rr@2"]
    found_chunks = score_many_chunks(judgments, [run], np.array([0, 1]), measures=[])
    assert [dict(found.means) for found in found_chunks] == [{}]
    words = "measure not in the conventions"
    assert refusal(score_many, judgments, [run], measures=["ndcg@2"]) == f"{words}: 'ndcg@2'; they hold recall@2, rr@2"
    documents_only = small(conventions=Conventions(measures=parse_measures(["recall@2"])))
    found_words = refusal(score_many_chunks, documents_only, [run], np.array([0, 1]), measures=["rr@2"])
    assert found_words == f"{words}: 'rr@2'; they hold none of this view"


def test_stacked_runs_are_copies_and_belong_to_their_judgments() -> None:
    judgments = small()
    run = rows([0, 1], [1, 0])
    stacked = EncodedRuns.stack(judgments, [run])
    run[:] = 0
    kinds = (stacked.cells.dtype, stacked.lengths.dtype, stacked.missing.dtype)
    assert kinds == (np.dtype(np.int32), np.dtype(np.int32), np.dtype(np.bool_))
    assert (stacked.cells.tolist(), len(stacked)) == ([[[0, 1]], [[1, 0]]], 1)
    assert dict(score_many(judgments, stacked)[0].means) == {"recall@2": 1, "rr@2": 1}
    assert refusal(score_many, small(), stacked) == (
        "runs were encoded for other judgments: stack them with the judgments they are scored against"
    )


def test_widths_may_differ_and_no_run_is_no_score() -> None:
    judgments = small()
    runs = [rows([0], [1]), rows([2, 0, 1], [1, -1, -1]), np.zeros((2, 0), dtype=np.int64)]
    assert [score.means["rr@2"] for score in score_many(judgments, runs)] == [1, 3 / 4, 0]
    assert score_many(judgments, []) == []
