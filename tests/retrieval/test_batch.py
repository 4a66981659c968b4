"""All questions at once, from arrays: hit for hit what ``Retriever.search`` gives one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import chunks_of

from harness.protocols import PairScores
from harness.records import Leg
from harness.retrieval import NOTHING, BatchRanking, LegMatrix, LegPair, Retriever, Rrf, rank_single, rerank_all

SIZE = 14
CHUNKS = chunks_of(*(f"text {place}" for place in range(SIZE)))


class Written:
    """A route whose leg for each question is written down."""

    def __init__(self, legs: Sequence[Leg]) -> None:
        self.written = legs
        self.size = SIZE

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        return [self.written[int(question)].cut(depth) for question in questions]


class Listed:
    """Logits as listed, by question and text."""

    def __init__(self, logits: Mapping[tuple[str, str], float]) -> None:
        self.logits = logits

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {}

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        return PairScores(
            logits=tuple(self.logits[question, text] for text in texts), truncated=tuple(False for _ in texts)
        )


@st.composite
def legs(draw: st.DrawFn, questions: int) -> list[Leg]:
    """Draw a leg for each question, its scores falling, ties included."""
    drawn: list[Leg] = []
    for _ in range(questions):
        positions = draw(st.lists(st.integers(0, SIZE - 1), unique=True, max_size=SIZE))
        steps = draw(st.lists(st.sampled_from([0.0, 0.1, 0.25]), min_size=len(positions), max_size=len(positions)))
        scores = [1.0 - sum(steps[: place + 1]) for place in range(len(positions))]
        drawn.append(Leg(positions=tuple(positions), scores=tuple(scores)))
    return drawn


def rows(ranking: BatchRanking) -> list[list[tuple[Any, ...]]]:
    """Return position, score, places and rank before reranking of every hit, question by question."""
    found: list[list[tuple[Any, ...]]] = []
    for row, positions in enumerate(ranking.positions.tolist()):
        held = []
        for column, position in enumerate(positions):
            if position == NOTHING:
                assert all(later == NOTHING for later in positions[column:])
                break
            places = {
                route: (int(ranks[row, column]), float(ranking.route_scores[route][row, column]))
                for route, ranks in ranking.ranks.items()
                if ranks[row, column]
            }
            before = None if ranking.before is None else int(ranking.before[row, column])
            held.append((position, float(ranking.scores[row, column]), places, before))
        found.append(held)
    return found


def searched(retriever: Retriever, questions: int, **settings: Any) -> list[list[tuple[Any, ...]]]:
    """Return the same of ``Retriever.search``."""
    return [
        [
            (
                CHUNKS.index(hit.chunk),
                hit.score,
                {place.route: (place.rank, place.score) for place in hit.explain.places},
                hit.explain.rank_before_rerank,
            )
            for hit in retriever.search(str(question), **settings)
        ]
        for question in range(questions)
    ]


WEIGHTS = st.sampled_from([Fraction(1), Fraction(7, 10), Fraction(3, 10), Fraction(5, 2), Fraction(1, 100_000)])


@given(data=st.data(), questions=st.integers(0, 4), k=st.sampled_from([1, 2, 60]), fetch_k=st.integers(1, 16))
def test_fusing_all_at_once_is_fusing_one_by_one(data: st.DataObject, questions: int, k: int, fetch_k: int) -> None:
    vector, bm25 = data.draw(legs(questions)), data.draw(legs(questions))
    fusion = Rrf(k=k, weights={"vector": data.draw(WEIGHTS), "bm25": data.draw(WEIGHTS)})
    top_k = data.draw(st.integers(1, fetch_k))
    pair = LegPair(vector=LegMatrix.of(vector), bm25=LegMatrix.of(bm25), size=SIZE)
    retriever = Retriever(chunks=CHUNKS, routes={"vector": Written(vector), "bm25": Written(bm25)}, fusion=fusion)
    expected = searched(retriever, questions, mode="hybrid", top_k=top_k, fetch_k=fetch_k)
    assert rows(pair.fuse(fusion, fetch_k, top_k)) == expected


@given(data=st.data(), questions=st.integers(0, 4), depth=st.integers(1, 16))
def test_one_route_at_once_is_one_by_one(data: st.DataObject, questions: int, depth: int) -> None:
    bm25 = data.draw(legs(questions))
    retriever = Retriever(chunks=CHUNKS, routes={"bm25": Written(bm25)})
    expected = searched(retriever, questions, mode="bm25", top_k=depth)
    assert rows(rank_single("bm25", LegMatrix.of(bm25), depth)) == expected


@given(
    data=st.data(),
    questions=st.integers(0, 3),
    fetch_k=st.integers(1, 10),
    more=st.integers(0, 10),
    hybrid=st.booleans(),
)
def test_reranking_all_at_once_is_reranking_one_by_one(
    data: st.DataObject, questions: int, fetch_k: int, more: int, hybrid: bool
) -> None:
    vector, bm25 = data.draw(legs(questions)), data.draw(legs(questions))
    logit = st.sampled_from([-3.5, -0.0, 0.0, 0.5, 9.1, 11.3])
    logits = {(str(q), chunk.text): data.draw(logit) for q in range(questions) for chunk in CHUNKS}
    top_k = data.draw(st.integers(1, fetch_k))
    depth = top_k + more
    retriever = Retriever(
        chunks=CHUNKS, routes={"vector": Written(vector), "bm25": Written(bm25)}, reranker=Listed(logits)
    )
    mode = "hybrid" if hybrid else "vector"
    expected = searched(retriever, questions, mode=mode, top_k=top_k, fetch_k=fetch_k, rerank=depth)
    pair = LegPair(vector=LegMatrix.of(vector), bm25=LegMatrix.of(bm25), size=SIZE)
    pool = pair.fuse(Rrf(), fetch_k, depth) if hybrid else rank_single("vector", pair.vector, fetch_k).cut(depth)
    names = [str(question) for question in range(questions)]

    def score(question: str, positions: list[int]) -> PairScores:
        return Listed(logits).score(question, [CHUNKS[position].text for position in positions])

    assert rows(rerank_all(pool, names, score).cut(top_k)) == expected


@pytest.mark.parametrize("fetch_k", [100, 127, 128, 129, 400])
def test_fusing_deep_pools_is_exact_too(fetch_k: int) -> None:
    """Deep pools have more pairs of ranks than fit into a table; the order is still that of the fractions."""
    size = 500
    vector = [Leg(positions=tuple(range(450)), scores=tuple(1 - place / 500 for place in range(450)))]
    bm25 = [Leg(positions=tuple(range(499, 49, -1)), scores=tuple(9 - place / 100 for place in range(450)))]
    pair = LegPair(vector=LegMatrix.of(vector), bm25=LegMatrix.of(bm25), size=size)
    fusion = Rrf(weights={"bm25": Fraction(7, 10)})
    found = pair.fuse(fusion, fetch_k, 2 * fetch_k)
    expected = fusion.fuse({"vector": vector[0].cut(fetch_k), "bm25": bm25[0].cut(fetch_k)})
    assert [position for position in found.positions[0].tolist() if position != NOTHING] == [
        hit.position for hit in expected
    ]
    assert found.scores[0].tolist()[: len(expected)] == [float(hit.score) for hit in expected]


def test_legs_of_different_lengths_are_filled_up() -> None:
    matrix = LegMatrix.of([Leg(positions=(), scores=()), Leg(positions=(3, 1), scores=(0.5, 0.25))])
    assert matrix.positions.tolist() == [[NOTHING, NOTHING], [3, 1]]
    assert matrix.scores.tolist() == [[0, 0], [0.5, 0.25]]
