"""Faults that only a thorough check sees, and sums that 64 bits can't hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness.records import Judgments
from harness.scoring import Conventions, parse_measures
from harness.scoring.encoded import EncodedJudgments, score_encoded, score_encoded_chunks
from harness.scoring.texts import TextJudgments, score_texts

DUPLICATE = "duplicate document ID; deduplicate upstream explicitly"


def request(**options: Any) -> dict[str, Any]:
    return {
        "ledger": ["q1", "q2"],
        "judgments": Judgments(exhaustive=True, grades={"q1": {"a": 1}, "q2": {"b": 1}}),
        "document_ids": ["a", "b", "c"],
        "conventions": Conventions(measures=parse_measures(["recall@2", "chunk_hit@2"])),
    } | options


def rows(*values: list[int]) -> Any:
    return np.array(values, dtype=np.int32)


def refusal(call: Callable[..., object], *arguments: Any, **options: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - all of its words are compared
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (rows([0, 0], [1, 1]), "'a' at ranks 1 and 2 of query 'q1'"),
        (rows([0, 1, 1], [0, 1, 2]), "'b' at ranks 2 and 3 of query 'q1'"),
        (rows([0, 1, 2], [2, 0, 2]), "'c' at ranks 1 and 3 of query 'q2'"),
    ],
)
def test_a_document_that_occurs_twice_is_found_wherever_it_stands(run: Any, words: str) -> None:
    assert refusal(score_encoded, EncodedJudgments.encode(**request()), run) == f"{DUPLICATE}: {words}"


def test_one_item_is_too_many_for_a_missing_query() -> None:
    judgments = EncodedJudgments.encode(**request())
    words = refusal(score_encoded, judgments, rows([0], [1]), missing=np.array([False, True]))
    assert words.endswith("query 'q2' is called missing but has 1 items")


def test_a_chunk_beyond_the_names_is_called_by_its_number() -> None:
    judgments = EncodedJudgments.encode(**request())
    words = refusal(score_encoded_chunks, judgments, rows([0, 1], [1, 1]), np.array([0, 1]), chunk_ids=["x"])
    assert words == "duplicate chunk ID: 1 at ranks 1 and 2 of query 'q2'"


def test_what_cannot_be_looked_up_is_no_document() -> None:
    words = refusal(score_texts, TextJudgments.prepare(**request()), {"q1": ["a", ["b"]]})
    assert words == "ranking must be a list of document IDs: ['b'] at rank 2 of query 'q1'"


def test_without_a_relevant_document_r_precision_looks_at_no_rank() -> None:
    grades = {"q1": {"a": 0}, "q2": {}}
    conventions = Conventions(measures=parse_measures(["r_precision"]))
    prepared = request(judgments=Judgments(exhaustive=True, grades=grades), conventions=conventions)
    assert TextJudgments.prepare(**prepared).depth == 0


def test_a_sum_beyond_64_bits_is_exact() -> None:
    # The common multiple of the ranks 1 to 42 is about 2.19e17: 43 of them are more than 2^63.
    documents, ledger = [f"d{number}" for number in range(42)], [f"q{number}" for number in range(43)]
    judgments = EncodedJudgments.encode(
        ledger=ledger,
        judgments=Judgments(exhaustive=True, grades={query: {"d0": 1} for query in ledger}),
        document_ids=documents,
        conventions=Conventions(measures=parse_measures(["rr@42"])),
    )
    assert dict(score_encoded(judgments, rows(*[list(range(42)) for _ in ledger])).means) == {"rr@42": 1}


def test_sums_over_denominators_with_a_large_common_multiple_are_exact() -> None:
    # The common multiple of these sizes is about 2.3e18, and each of the 16 queries adds it once: more than 2^63.
    sizes = [*range(30, 44), 47, 53]
    documents, ledger = [f"d{number}" for number in range(53)], [f"q{size}" for size in sizes]
    grades = {f"q{size}": dict.fromkeys(documents[:size], 1) for size in sizes}
    names = ["recall@53", "ap@53", "judged@53"]
    judgments = EncodedJudgments.encode(
        ledger=ledger,
        judgments=Judgments(exhaustive=False, grades=grades),
        document_ids=documents,
        conventions=Conventions(measures=parse_measures(names), unjudged="nonrelevant"),
    )
    found = score_encoded(judgments, rows(*[[*range(size), *[-1] * (53 - size)] for size in sizes]))
    assert dict(found.means) == dict.fromkeys(names, 1)
    assert dict(found.upper) == {"recall@53": 1}
