"""Reciprocal rank fusion: exact fractions, and the order of ties."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.records import Leg
from harness.retrieval import Rrf
from harness.study.parameters import FusionParams


def leg(*positions: int) -> Leg:
    return Leg(positions=positions, scores=tuple(float(-place) for place in range(len(positions))))


def fused(vector: tuple[int, ...], bm25: tuple[int, ...], **settings: object) -> list[tuple[int, Fraction]]:
    rrf = Rrf(**settings)  # type: ignore[arg-type]
    return [(hit.position, hit.score) for hit in rrf.fuse({"vector": leg(*vector), "bm25": leg(*bm25)})]


def test_scores_are_sums_of_exact_fractions() -> None:
    """Chunk 7 stands at ranks 1 and 2, chunk 8 at 2 and 1, chunk 9 at rank 3 of one route."""
    both = Fraction(1, 61) + Fraction(1, 62)
    assert both == Fraction(123, 3782)
    assert fused((7, 8, 9), (8, 7)) == [(7, both), (8, both), (9, Fraction(1, 63))]


@pytest.mark.parametrize(
    ("k", "vector", "bm25", "expected"),
    [
        (1, (0, 1), (), [(0, Fraction(1, 2)), (1, Fraction(1, 3))]),
        (1, (0,), (1, 0), [(0, Fraction(1, 2) + Fraction(1, 3)), (1, Fraction(1, 2))]),
        (60, (), (), []),
        (60, (), (3,), [(3, Fraction(1, 61))]),
    ],
)
def test_k_is_added_to_every_rank(
    k: int, vector: tuple[int, ...], bm25: tuple[int, ...], expected: list[tuple[int, Fraction]]
) -> None:
    assert fused(vector, bm25, k=k) == expected


RIGHT, RIVAL = 0, 1
VECTOR = (RIGHT, *range(100, 112), RIVAL, 112, 113)
"""The right answer first; its rival at rank 14."""
BM25 = (RIVAL, *range(200, 215))
"""The rival first; the right answer not at all."""


@pytest.mark.parametrize(
    ("fetch_k", "first", "second"),
    [
        (10, (RIGHT, Fraction(1, 61)), (RIVAL, Fraction(1, 61))),
        (13, (RIGHT, Fraction(1, 61)), (RIVAL, Fraction(1, 61))),
        (14, (RIVAL, Fraction(135, 4514)), (RIGHT, Fraction(1, 61))),
        (16, (RIVAL, Fraction(135, 4514)), (RIGHT, Fraction(1, 61))),
    ],
)
def test_a_deeper_pool_can_push_the_right_answer_down(
    fetch_k: int, first: tuple[int, Fraction], second: tuple[int, Fraction]
) -> None:
    """1/61 alone ties with 1/61; against 1/61 + 1/74 = 135/4514, which only a deeper pool holds, it loses."""
    assert Fraction(1, 61) + Fraction(1, 74) == Fraction(135, 4514)
    assert fused(VECTOR[:fetch_k], BM25[:fetch_k])[:2] == [first, second]


@pytest.mark.parametrize(
    ("k", "vector", "bm25", "order"),
    [
        # 1/61 + 1/63 is more than 2/62, so chunk 2 comes last; 1 and 3 tie, and 1 has its best rank in the vector route
        (60, (1, 2, 3), (3, 2, 1), [1, 3, 2]),
        # nothing in common: equal ranks tie all the way down, the vector route before BM25, whatever the positions
        (60, (8, 9), (2, 3), [8, 2, 9, 3]),
        # 1/(1+2) alone ties with 1/(1+5) + 1/(1+5): best ranks 2, 2 and 5 decide, although chunk 0 is in both routes
        (1, (11, 12, 13, 14, 0), (1, 2, 3, 4, 0), [11, 1, 12, 2, 0, 13, 3, 14, 4]),
    ],
)
def test_ties_go_by_best_rank_and_then_to_the_vector_route(
    k: int, vector: tuple[int, ...], bm25: tuple[int, ...], order: list[int]
) -> None:
    assert [position for position, _ in fused(vector, bm25, k=k)] == order


def test_ranks_say_where_each_route_put_the_chunk() -> None:
    hits = Rrf().fuse({"bm25": leg(8, 7), "vector": leg(7, 9)})
    assert [(hit.position, dict(hit.ranks)) for hit in hits] == [
        (7, {"vector": 1, "bm25": 2}),
        (8, {"bm25": 1}),
        (9, {"vector": 2}),
    ]


def test_one_route_alone_keeps_its_order() -> None:
    assert [hit.position for hit in Rrf().fuse({"bm25": leg(3, 1, 2)})] == [3, 1, 2]


def test_many_chunks_of_one_document_are_not_added_up() -> None:
    """Chunks 0 and 1 belong to a long document: each counts for itself, and none gains from the other."""
    assert fused((0, 1, 2), ()) == [(0, Fraction(1, 61)), (1, Fraction(1, 62)), (2, Fraction(1, 63))]


@pytest.mark.parametrize(
    ("weight", "exact"),
    [
        (0.7, Fraction(7, 10)),
        (0.1, Fraction(1, 10)),
        (1.0, Fraction(1)),
        (2.5, Fraction(5, 2)),
        (1e-05, Fraction(1, 100_000)),
    ],
)
def test_weights_mean_what_is_written(weight: float, exact: Fraction) -> None:
    rrf = FusionParams(method="rrf", k=60, weights=(("vector", weight), ("bm25", 1.0))).fusion()
    assert rrf.contribution("vector", 1) == exact / 61
    assert rrf.contribution("bm25", 1) == Fraction(1, 61)
    assert rrf.fuse({"vector": leg(4), "bm25": leg()})[0].score == exact / 61


def test_a_weight_can_decide_the_order() -> None:
    """3/10 of 1/61 is less than 7/10 of 1/66."""
    weights = {"vector": Fraction(3, 10), "bm25": Fraction(7, 10)}
    found = fused((1,), (10, 11, 12, 13, 14, 2), weights=weights)
    assert found[-1] == (1, Fraction(3, 610))
    assert found[-2] == (2, Fraction(7, 660))


def naive(vector: list[int], bm25: list[int], k: int, weights: Mapping[str, Fraction]) -> list[tuple[int, Fraction]]:
    """Return the definition, word for word."""
    ranks = {
        p: {r: places.index(p) + 1 for r, places in (("vector", vector), ("bm25", bm25)) if p in places}
        for p in {*vector, *bm25}
    }
    scores = {
        p: sum((weights[route] / Fraction(k + rank) for route, rank in held.items()), Fraction(0))
        for p, held in ranks.items()
    }

    def key(position: int) -> tuple[Fraction, int, bool, int]:
        held = ranks[position]
        best = min(held.values())
        return -scores[position], best, held.get("vector") != best, position

    return [(position, scores[position]) for position in sorted(ranks, key=key)]


LEGS = st.lists(st.integers(0, 11), unique=True, max_size=12)
WEIGHTS = st.integers(1, 40).map(lambda tenths: Fraction(tenths, 10))


@given(vector=LEGS, bm25=LEGS, k=st.integers(1, 70), by_vector=WEIGHTS, by_bm25=WEIGHTS)
def test_fusion_is_its_definition(
    vector: list[int], bm25: list[int], k: int, by_vector: Fraction, by_bm25: Fraction
) -> None:
    weights = {"vector": by_vector, "bm25": by_bm25}
    assert fused(tuple(vector), tuple(bm25), k=k, weights=weights) == naive(vector, bm25, k, weights)
