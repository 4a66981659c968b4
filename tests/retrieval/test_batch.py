"""All questions at once, by arrays: hit for hit what fusion and assembly give one question at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.worlds import chunks_of

from harness.protocols import PairScores
from harness.records import Hit, Leg
from harness.retrieval import NOTHING, BatchRanking, LegMatrix, LegPair, Retriever, Rrf, rank_single, rerank_all

WEIGHTS = [
    Fraction(1),
    Fraction("0.7"),
    Fraction("0.3"),
    Fraction(2),
    Fraction("1e-05"),
    Fraction(1, 3),
    Fraction("3.5"),
]
FUSIONS = st.builds(
    lambda k, vector, bm25: Rrf(k=k, weights={"vector": vector, "bm25": bm25}),
    st.sampled_from([1, 2, 60, 1000]),
    st.sampled_from(WEIGHTS),
    st.sampled_from(WEIGHTS),
)


def leg(positions: Sequence[int], scores: Sequence[float] | None = None) -> Leg:
    return Leg(
        positions=tuple(positions), scores=tuple(scores or (1 - place / 1024 for place in range(len(positions))))
    )


@st.composite
def legs(draw: st.DrawFn, size: int, longest: int) -> Leg:
    """Draw a leg over ``size`` chunks, empty at times, whose scores fall and often tie."""
    count = draw(st.integers(0, min(size, longest)))
    order = draw(st.permutations(range(size)))[:count]
    steps = draw(st.lists(st.sampled_from([0, 0, 1, 3]), min_size=count, max_size=count))
    return leg(order, [float(-sum(steps[: place + 1])) for place in range(count)])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[int, list[Leg], list[Leg]]:
    """Draw the number of chunks, and both legs of a few questions."""
    size = draw(st.integers(1, 30))
    longest = draw(st.integers(0, size))
    rows = st.lists(st.tuples(legs(size, longest), legs(size, longest)), min_size=1, max_size=4)
    pairs = draw(rows)
    return size, [vector for vector, _ in pairs], [bm25 for _, bm25 in pairs]


def pair_of(size: int, vector: Sequence[Leg], bm25: Sequence[Leg]) -> LegPair:
    return LegPair(vector=LegMatrix.of(vector), bm25=LegMatrix.of(bm25), size=size)


Row = list[tuple[Any, ...]]


def rows_of(ranking: BatchRanking) -> list[Row]:
    """Return, for each question, position, score bits and route → rank and score bits of every hit."""
    found: list[Row] = []
    for row, positions in enumerate(ranking.positions.tolist()):
        held = [column for column, position in enumerate(positions) if position != NOTHING]
        assert held == list(range(len(held))), "what is missing stands at the end"
        found.append(
            [
                (
                    positions[column],
                    float(ranking.scores[row, column]).hex(),
                    {
                        route: (int(ranks[row, column]), float(ranking.route_scores[route][row, column]).hex())
                        for route, ranks in ranking.ranks.items()
                        if ranks[row, column]
                    },
                    None if ranking.before is None else int(ranking.before[row, column]),
                )
                for column in held
            ]
        )
    return found


def rows_by_search(
    searcher: Retriever, legs_by_question: Sequence[Mapping[str, Leg]], questions: Sequence[str], **how: Any
) -> list[Row]:
    """Return the same from the one search path, question by question."""
    found: list[Row] = []
    for question, legs_of_one in zip(questions, legs_by_question, strict=True):
        hits: tuple[Hit, ...] = searcher.assemble(question, legs_of_one, **how)
        found.append(
            [
                (
                    int(hit.chunk.document_id[1:]),
                    hit.score.hex(),
                    {place.route: (place.rank, place.score.hex()) for place in hit.explain.places},
                    hit.explain.rank_before_rerank,
                )
                for hit in hits
            ]
        )
    return found


def searcher(size: int, **settings: Any) -> Retriever:
    return Retriever(chunks=chunks_of(*(f"text {place}" for place in range(size))), routes={}, **settings)


@settings(max_examples=60)
@given(world=worlds(), fusion=FUSIONS, fetch_k=st.integers(1, 34), width=st.integers(1, 70))
def test_fusion_of_all_questions_is_fusion_of_each(
    world: tuple[int, list[Leg], list[Leg]], fusion: Rrf, fetch_k: int, width: int
) -> None:
    size, vector, bm25 = world
    ranking = pair_of(size, vector, bm25).fuse(fusion, fetch_k, width)
    expected = []
    for one, other in zip(vector, bm25, strict=True):
        cut = {"vector": one.cut(fetch_k), "bm25": other.cut(fetch_k)}
        expected.append(
            [
                (
                    fused.position,
                    float(fused.score).hex(),
                    {route: (rank, cut[route].scores[rank - 1].hex()) for route, rank in fused.ranks.items()},
                    None,
                )
                for fused in fusion.fuse(cut)[:width]
            ]
        )
    assert rows_of(ranking) == expected


@settings(max_examples=60)
@given(world=worlds(), fusion=FUSIONS, data=st.data())
def test_a_hybrid_ranking_is_the_one_search_path(
    world: tuple[int, list[Leg], list[Leg]], fusion: Rrf, data: st.DataObject
) -> None:
    """One pair of legs serves every ``fetch_k`` and ``top_k``, in any order."""
    size, vector, bm25 = world
    pair = pair_of(size, vector, bm25)
    both = [{"vector": one, "bm25": other} for one, other in zip(vector, bm25, strict=True)]
    for _ in range(3):
        top_k = data.draw(st.integers(1, 20))
        fetch_k = data.draw(st.integers(top_k, 34))
        expected = rows_by_search(
            searcher(size, fusion=fusion), both, ["?"] * len(both), mode="hybrid", top_k=top_k, fetch_k=fetch_k
        )
        assert rows_of(pair.fuse(fusion, fetch_k, top_k)) == expected


@settings(max_examples=60)
@given(world=worlds(), route=st.sampled_from(["vector", "bm25"]), depth=st.integers(1, 34))
def test_a_single_route_is_the_one_search_path(world: tuple[int, list[Leg], list[Leg]], route: str, depth: int) -> None:
    size, found, _ = world
    one = [{route: held} for held in found]
    expected = rows_by_search(searcher(size), one, ["?"] * len(one), mode=route, top_k=depth)
    assert rows_of(rank_single(route, LegMatrix.of(found), depth)) == expected


LOGITS = [-3.5, -0.0, 0.0, 0.5, 9.1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FewLogits:
    """Logits of a handful of values, by question and text, so that many are equal."""

    seed: int
    asked: list[tuple[str, int]] = field(default_factory=list)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"seed": self.seed}

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        self.asked.append((question, len(texts)))
        places = [(self.seed + 3 * len(question) + int(text.split()[1]) ** 2) % len(LOGITS) for text in texts]
        logits = [LOGITS[place] for place in places]
        return PairScores(logits=tuple(logits), truncated=tuple(False for _ in texts))


@settings(max_examples=60)
@given(
    world=worlds(), fusion=FUSIONS, seed=st.integers(0, 9), mode=st.sampled_from(["hybrid", "vector"]), data=st.data()
)
def test_a_reranked_ranking_is_the_one_search_path(
    world: tuple[int, list[Leg], list[Leg]], fusion: Rrf, seed: int, mode: str, data: st.DataObject
) -> None:
    size, vector, bm25 = world
    top_k = data.draw(st.integers(1, 12))
    depth = data.draw(st.integers(top_k, 20))
    fetch_k = data.draw(st.integers(top_k, 34))
    questions = ["?" * place for place in range(len(vector))]
    chunks = searcher(size).chunks
    reranker = FewLogits(seed=seed)
    if mode == "hybrid":
        pool = pair_of(size, vector, bm25).fuse(fusion, fetch_k, depth)
    else:
        pool = rank_single("vector", LegMatrix.of(vector), fetch_k).cut(depth)
    ranking = rerank_all(pool, questions, lambda text, held: reranker.score(text, [chunks[p].text for p in held]))
    both = [{"vector": one, "bm25": other} for one, other in zip(vector, bm25, strict=True)]
    plain = FewLogits(seed=seed)
    expected = rows_by_search(
        searcher(size, fusion=fusion, reranker=plain),
        both,
        questions,
        mode=mode,
        top_k=top_k,
        fetch_k=fetch_k,
        rerank=depth,
    )
    assert rows_of(ranking.cut(top_k)) == expected
    assert reranker.asked == plain.asked


def shuffled(count: int, size: int, seed: int) -> Leg:
    return leg([int(place) for place in np.random.default_rng(seed).permutation(size)[:count]])


@pytest.mark.parametrize("fetch_k", [127, 128, 129, 130, 256, 400])
@pytest.mark.parametrize("weights", [{}, {"vector": Fraction("0.7"), "bm25": Fraction("1.3")}])
@pytest.mark.parametrize("k", [1, 60])
def test_deep_pools_are_ordered_as_shallow_ones_are(fetch_k: int, weights: dict[str, Fraction], k: int) -> None:
    """On both sides of the depth up to which all places come from one table; legs long, short, empty and equal."""
    size = 300
    vector = [shuffled(300, size, 1), shuffled(200, size, 2), leg(()), shuffled(5, size, 3), shuffled(300, size, 4)]
    bm25 = [shuffled(300, size, 5), shuffled(131, size, 6), shuffled(260, size, 7), leg(()), shuffled(300, size, 4)]
    fusion = Rrf(k=k, weights=weights)
    both = [{"vector": one, "bm25": other} for one, other in zip(vector, bm25, strict=True)]
    for top_k in (1, 10, fetch_k):
        how = {"mode": "hybrid", "top_k": top_k, "fetch_k": fetch_k}
        expected = rows_by_search(searcher(size, fusion=fusion), both, ["?"] * len(both), **how)
        assert rows_of(pair_of(size, vector, bm25).fuse(fusion, fetch_k, top_k)) == expected
    assert len(expected[4]) == min(fetch_k, size)


def test_equal_fractions_tie_where_floats_would_not() -> None:
    """1/3 alone is 1/6 + 1/6, which no sum of rounded sixths needs to be; the better single rank goes first."""
    pair = pair_of(20, [leg((11, 12, 13, 14, 0))], [leg((1, 2, 3, 4, 0))])
    (row,) = rows_of(pair.fuse(Rrf(k=1), 5, 9))
    assert [hit[0] for hit in row] == [11, 1, 12, 2, 0, 13, 3, 14, 4]
    weighted = Rrf(k=1, weights={"vector": Fraction("0.1"), "bm25": Fraction("0.3")})
    # 0.1/2 at rank 1 is 0.3/6 at rank 5: a tie of 1/20, rank 1 first
    (row,) = rows_of(pair_of(20, [leg((7,))], [leg((1, 2, 3, 4, 5))]).fuse(weighted, 5, 9))
    assert [(hit[0], hit[1]) for hit in row[4:]] == [(7, (0.05).hex()), (5, (0.05).hex())]


def test_legs_of_different_lengths_are_filled_up() -> None:
    matrix = LegMatrix.of([leg(()), leg((3, 1), (0.5, 0.25))])
    assert matrix.positions.tolist() == [[NOTHING, NOTHING], [3, 1]]
    assert matrix.scores.tolist() == [[0, 0], [0.5, 0.25]]


def test_nothing_found_is_an_empty_row_of_any_width() -> None:
    for ranking in (
        pair_of(3, [leg(())], [leg(())]).fuse(Rrf(), 5, 5),
        rank_single("bm25", LegMatrix.of([leg(())]), 5),
        rerank_all(
            rank_single("bm25", LegMatrix.of([leg(())]), 5), ["?"], lambda _, held: PairScores(logits=(), truncated=())
        ),
    ):
        assert rows_of(ranking) == [[]]
    assert rows_of(pair_of(3, [leg(()), leg((2,))], [leg(()), leg(())]).fuse(Rrf(), 5, 5))[0] == []


def test_no_question_gives_no_row() -> None:
    assert rows_of(pair_of(3, [], []).fuse(Rrf(), 5, 5)) == []
    assert rows_of(rank_single("vector", LegMatrix.of([]), 5)) == []
