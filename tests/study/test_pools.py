"""The oracle of a set's candidates: the best order of what was retrieved, found by trying all of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.judgments import Judgments
from harness.retrieval import NOTHING
from harness.scoring.conventions import Conventions
from harness.scoring.encoded import EncodedJudgments
from harness.scoring.measures import parse_measures
from harness.scoring.scorer import score_run
from harness.study.pools import Oracles, Pool, best_order, union

DOCUMENTS = ("d0", "d1", "d2", "d3", "d4")
DOCUMENT_OF = np.array([0, 0, 1, 1, 2, 3, 4], dtype=np.int32)
"""Seven chunks; d0 and d1 have two each."""
MEASURES = ("recall@2", "rr@2", "ndcg@2", "hit@2")
LABELS = {"a": {"d0": 1, "d1": 3, "d2": -1, "d4": 2}, "b": {"d3": 1}, "c": {}}


def encoded(grades: dict[str, dict[str, int]], unjudged: str = "nonrelevant", threshold: int = 1) -> EncodedJudgments:
    return EncodedJudgments.encode(
        ledger=list(grades),
        judgments=Judgments(grades=grades, exhaustive=unjudged == "refuse"),
        document_ids=DOCUMENTS,
        conventions=Conventions(
            measures=parse_measures([*MEASURES, "recall@1", "rr@1", "ndcg@1", "hit@1"]),
            relevance_threshold=threshold,
            unjudged=unjudged,
        ),
    )


def pool(*rows: list[int]) -> Pool:
    width = max(map(len, rows))
    padded = [row + [NOTHING] * (width - len(row)) for row in rows]
    return Pool(key=str(rows), positions=np.array(padded, dtype=np.int32))


def test_the_best_order_is_by_grade_and_holds_each_document_once() -> None:
    """Chunks 5, 1, 4, 0, 2, 6 are d3, d0, d2, d0, d1, d4; for question a these are worth 0, 1, -1, 1, 3, 2."""
    candidates = pool([5, 1, 4, 0, 2, 6], [5, 1], [0])
    found = best_order(encoded(LABELS), candidates.positions, DOCUMENT_OF, 5)
    assert found.tolist() == [[1, 4, 0, -1, -1], [3, -1, -1, -1, -1], [-1, -1, -1, -1, -1]]
    assert best_order(encoded(LABELS), candidates.positions, DOCUMENT_OF, 1).tolist() == [[1], [3], [-1]]


def test_hand_worked() -> None:
    """Of a's three relevant documents the pool holds d0; b's only one is in it; c has none and is in no mean."""
    oracles = Oracles(encoded(LABELS), DOCUMENT_OF, [1, 2])
    found = oracles.of(pool([4, 1, 5], [4, 5], [4]), 5)
    assert found["recall@2"] == (Fraction(1, 3) + 1) / 2
    assert found["rr@1"] == found["hit@1"] == 1
    assert found["ndcg@1"] == (Fraction(1, 3) + 1) / 2


def test_it_is_cut_where_the_set_is_cut() -> None:
    oracles = Oracles(encoded(LABELS), DOCUMENT_OF, [2])
    candidates = pool([0, 2, 6], [5], [])
    assert oracles.of(candidates, 2)["recall@2"] == (Fraction(2, 3) + 1) / 2
    assert oracles.of(candidates, 1)["recall@2"] == (Fraction(1, 3) + 1) / 2


def test_what_only_one_of_two_routes_found_counts() -> None:
    oracles = Oracles(encoded(LABELS), DOCUMENT_OF, [2])
    lexical, dense = pool([0], [4], []), pool([2, 0], [NOTHING, 5], [3])
    both = Pool(key="both", positions=union([lexical.positions, dense.positions]))
    assert [oracles.of(one, 2)["recall@2"] for one in (lexical, dense, both)] == [
        Fraction(1, 3) / 2,
        (Fraction(2, 3) + 1) / 2,
        (Fraction(2, 3) + 1) / 2,
    ]


def test_an_empty_pool_reaches_nothing_and_no_question_no_value() -> None:
    assert Oracles(encoded(LABELS), DOCUMENT_OF, [2]).of(pool([], [], []), 3)["recall@2"] == 0
    assert Oracles(encoded({"c": {}}), DOCUMENT_OF, [2]).of(pool([0]), 3)["recall@2"] is None


@settings(max_examples=60)
@given(
    grades=st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), max_size=5),
    chunks=st.lists(st.integers(0, 6), unique=True, max_size=7),
    unjudged=st.sampled_from(["refuse", "nonrelevant", "condense"]),
    threshold=st.integers(1, 2),
    top_k=st.integers(1, 4),
)
def test_no_order_of_the_pool_scores_higher(
    grades: dict[str, int], chunks: list[int], unjudged: str, threshold: int, top_k: int
) -> None:
    judgments = encoded({"a": grades}, unjudged, threshold)
    found = Oracles(judgments, DOCUMENT_OF, [2]).of(pool(chunks), top_k)
    documents = sorted({DOCUMENTS[DOCUMENT_OF[chunk]] for chunk in chunks})
    scored = [
        score_run(
            ledger=["a"],
            judgments=judgments.judgments,
            document_ids=DOCUMENTS,
            run={"a": list(order[:top_k])},
            conventions=judgments.conventions,
        ).means
        for order in permutations(documents)
    ]
    for measure in MEASURES:
        values = [means[measure] for means in scored]
        assert found[measure] == (None if None in values else max(v for v in values if v is not None)), measure
