"""The one search path, over hand-made legs: what it returns, explains and refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import chunks_of, route_of

from harness.protocols import PairScores
from harness.records import Explain, Hit, RoutePlace
from harness.retrieval import Retriever, Rrf, leg_depth

CHUNKS = chunks_of(*(f"text {place}" for place in range(30)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedReranker:
    """Logits as listed by text, 0 where absent."""

    logits: Mapping[str, float]

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return dict(self.logits)

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        return PairScores(
            logits=tuple(self.logits.get(text, 0.0) for text in texts), truncated=tuple(False for _ in texts)
        )


def retriever(
    vector: Sequence[int] = (), bm25: Sequence[int] = (), logits: Mapping[int, float] | None = None, **settings: Any
) -> Retriever:
    """Return a retriever; ``logits`` are by position."""
    if logits is not None:
        listed = {CHUNKS[position].text: logit for position, logit in logits.items()}
        settings["reranker"] = ListedReranker(logits=listed)
    return Retriever(chunks=CHUNKS, routes={"vector": route_of(*vector), "bm25": route_of(*bm25)}, **settings)


def positions(hits: Sequence[Hit]) -> list[int]:
    return [CHUNKS.index(hit.chunk) for hit in hits]


@pytest.mark.parametrize(
    ("size", "wanted", "depth"),
    [
        (1_000, 1, 256),
        (1_000, 256, 256),
        (1_000, 257, 512),
        (1_000, 513, 1_000),
        (5_000, 1_000, 1_024),
        (5_000, 1_025, 2_048),
        (300, 300, 300),
        (100, 5, 100),
        (100, 10_000, 100),
        (1, 1, 1),
        (0, 5, 0),
    ],
)
def test_legs_are_retrieved_to_few_depths(size: int, wanted: int, depth: int) -> None:
    assert leg_depth(size, wanted) == depth


def test_a_single_route_is_explained_by_itself() -> None:
    hits = retriever(vector=(4, 2, 9)).search("q", mode="vector", top_k=2)
    assert [(hit.chunk.id, hit.rank, hit.score) for hit in hits] == [("d4#0", 1, 1.0), ("d2#0", 2, 1 - 1 / 1024)]
    assert hits[1].explain == Explain(places=(RoutePlace(route="vector", rank=2, score=1 - 1 / 1024),))


def test_a_fused_hit_is_explained_route_by_route() -> None:
    hits = retriever(vector=(4, 2, 9), bm25=(7, 2)).search("q", mode="hybrid", top_k=4, fetch_k=4)
    assert positions(hits) == [2, 4, 7, 9]
    total = Fraction(1, 62) + Fraction(1, 62)
    score = 1 - 1 / 1024
    assert hits[0] == Hit(
        chunk=CHUNKS[2],
        rank=1,
        score=float(total),
        explain=Explain(
            places=(
                RoutePlace(route="vector", rank=2, score=score, contribution=Fraction(1, 62)),
                RoutePlace(route="bm25", rank=2, score=score, contribution=Fraction(1, 62)),
            ),
            fused_score=total,
        ),
    )
    assert [place.route for place in hits[2].explain.places] == ["bm25"]


def test_a_reranked_hit_remembers_where_it_came_from() -> None:
    hits = retriever(vector=(4, 2), bm25=(7,), logits={7: 5.5, 4: -1.0, 2: 0.25}).search(
        "q", mode="hybrid", top_k=2, fetch_k=3, rerank=3
    )
    assert [(p, hit.rank, hit.score) for p, hit in zip(positions(hits), hits, strict=True)] == [
        (7, 1, 5.5),
        (2, 2, 0.25),
    ]
    assert hits[0].explain == Explain(
        places=(RoutePlace(route="bm25", rank=1, score=1.0, contribution=Fraction(1, 61)),),
        fused_score=Fraction(1, 61),
        rank_before_rerank=2,
        rerank_score=5.5,
    )
    single = retriever(vector=(4, 2), logits={2: 1.0}).search("q", mode="vector", top_k=1, fetch_k=2, rerank=2)
    assert single[0].explain == Explain(
        places=(RoutePlace(route="vector", rank=2, score=1 - 1 / 1024),), rank_before_rerank=2, rerank_score=1.0
    )


def test_a_deeper_pool_can_push_the_right_answer_down() -> None:
    """Right answer: first by vectors, unknown to BM25. Rival: first by BM25, fourteenth by vectors."""
    right, rival = 0, 1
    found = retriever(vector=(right, *range(2, 14), rival, 14, 15), bm25=(rival, *range(16, 30)))
    shallow = found.search("q", mode="hybrid", top_k=3, fetch_k=10)
    deep = found.search("q", mode="hybrid", top_k=3, fetch_k=16)
    assert positions(shallow)[:2] == [right, rival]
    assert [hit.explain.fused_score for hit in shallow[:2]] == [Fraction(1, 61), Fraction(1, 61)]
    assert positions(deep)[:2] == [rival, right]
    assert [hit.explain.fused_score for hit in deep[:2]] == [Fraction(1, 61) + Fraction(1, 74), Fraction(1, 61)]


def test_reranking_moves_what_is_first() -> None:
    """The pool is deeper than top_k: the cross-encoder can lift what a list cut to top_k would have lost."""
    found = retriever(bm25=(0, 1), logits={0: 1.0, 1: 2.0})
    assert positions(found.search("q", mode="bm25", top_k=1)) == [0]
    assert positions(found.search("q", mode="bm25", top_k=1, fetch_k=2, rerank=2)) == [1]


def test_reranking_brings_in_nothing_that_was_not_retrieved() -> None:
    found = retriever(bm25=(0, 1, 2), logits={0: 1.0, 1: 2.0, 2: 3.0, 3: 99.0})
    assert positions(found.search("q", mode="bm25", top_k=3, fetch_k=3, rerank=3)) == [2, 1, 0]


def test_the_depth_of_reranking_counts() -> None:
    found = retriever(bm25=range(10), logits={position: float(position) for position in range(10)})
    at_3 = found.search("q", mode="bm25", top_k=3, fetch_k=10, rerank=3)
    at_10 = found.search("q", mode="bm25", top_k=3, fetch_k=10, rerank=10)
    assert (positions(at_3), positions(at_10)) == ([2, 1, 0], [9, 8, 7])


def test_equal_logits_keep_the_order_of_the_pool() -> None:
    found = retriever(bm25=(5, 3, 8, 1), logits={8: 1.0})
    assert positions(found.search("q", mode="bm25", top_k=4, fetch_k=4, rerank=4)) == [8, 5, 3, 1]


@pytest.mark.parametrize(
    ("threshold", "left"),
    [(None, [4, 2, 9]), (0.0, [4, 2, 9]), (1 - 1 / 1024, [4, 2]), (1.0, [4]), (1.5, [])],
)
def test_a_threshold_leaves_out_lower_scores(threshold: float | None, left: list[int]) -> None:
    hits = retriever(vector=(4, 2, 9)).search("q", mode="vector", top_k=3, threshold=threshold)
    assert positions(hits) == left
    assert [hit.rank for hit in hits] == list(range(1, len(left) + 1))


def test_a_threshold_looks_at_the_last_score() -> None:
    found = retriever(vector=(4, 2), bm25=(2,), logits={2: -3.0, 4: 0.5})
    fused = found.search("q", mode="hybrid", top_k=2, fetch_k=2, threshold=0.02)
    assert positions(fused) == [2]
    reranked = found.search("q", mode="hybrid", top_k=2, fetch_k=2, rerank=2, threshold=0.02)
    assert positions(reranked) == [4]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mode": "dense", "top_k": 1}, "mode must be one of bm25, vector, hybrid, found 'dense'"),
        ({"mode": "bm25", "top_k": 0}, "top_k must be at least 1, found 0"),
        ({"mode": "hybrid", "top_k": 3}, r"fetch_k must be at least top_k \(3\), found None"),
        ({"mode": "hybrid", "top_k": 3, "fetch_k": 2}, r"fetch_k must be at least top_k \(3\), found 2"),
        ({"mode": "bm25", "top_k": 3, "rerank": 3}, r"fetch_k must be at least top_k \(3\), found None"),
        (
            {"mode": "bm25", "top_k": 3, "fetch_k": 9, "rerank": 2},
            r"rerank depth must be at least top_k \(3\), found 2",
        ),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        retriever(vector=(0,), bm25=(0,), logits={}).search("q", **settings)


def test_what_is_not_there_can_not_be_asked() -> None:
    only = Retriever(chunks=CHUNKS, routes={"bm25": route_of(0)})
    with pytest.raises(ValueError, match="mode 'hybrid' needs the route 'vector'"):
        only.search("q", mode="hybrid", top_k=1, fetch_k=1)
    with pytest.raises(ValueError, match="has no reranker"):
        only.search("q", mode="bm25", top_k=1, fetch_k=1, rerank=1)
    assert positions(only.search("q", mode="bm25", top_k=1)) == [0]


def test_the_short_forms_ask_one_route() -> None:
    found = retriever(vector=(4, 2), bm25=(7, 1))
    assert found.vector_search("q", 1) == found.search("q", mode="vector", top_k=1)
    assert found.bm25_search("q", 2) == found.search("q", mode="bm25", top_k=2)


def test_no_hits_are_no_fault() -> None:
    found = retriever(logits={})
    assert found.search("q", mode="bm25", top_k=3) == ()
    assert found.search("q", mode="hybrid", top_k=3, fetch_k=3, rerank=3) == ()


LEGS = st.lists(st.integers(0, 29), unique=True, max_size=30)


@given(vector=LEGS, bm25=LEGS, small=st.integers(1, 20), more=st.integers(0, 20), top_k=st.integers(1, 20))
def test_a_shallower_pool_holds_the_first_of_a_deeper_one(
    vector: list[int], bm25: list[int], small: int, more: int, top_k: int
) -> None:
    """Route by route, the candidates for ``fetch_k`` are those ranked at most ``fetch_k`` for any larger one."""
    top_k = min(top_k, small)
    found = retriever(vector, bm25)

    def pool(fetch_k: int) -> set[tuple[str, int, int]]:
        hits = found.search("q", mode="hybrid", top_k=fetch_k, fetch_k=fetch_k)
        rest = found.assemble(
            "q",
            {"vector": found.routes["vector"].legs(["q"], 30)[0], "bm25": found.routes["bm25"].legs(["q"], 30)[0]},
            mode="hybrid",
            top_k=2 * fetch_k,
            fetch_k=fetch_k,
        )
        assert rest[: len(hits)] == hits
        return {(place.route, place.rank, CHUNKS.index(hit.chunk)) for hit in rest for place in hit.explain.places}

    assert pool(small) == {place for place in pool(small + more) if place[1] <= small}


@given(vector=LEGS, bm25=LEGS, top_k=st.integers(1, 20), more=st.integers(0, 20), weight=st.integers(1, 30))
def test_every_hybrid_hit_adds_up(vector: list[int], bm25: list[int], top_k: int, more: int, weight: int) -> None:
    fusion = Rrf(k=7, weights={"vector": Fraction(weight, 10)})
    hits = retriever(vector, bm25, fusion=fusion).search("q", mode="hybrid", top_k=top_k, fetch_k=top_k + more)
    assert len(hits) <= top_k
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    for hit in hits:
        parts = [place.contribution for place in hit.explain.places]
        assert hit.explain.fused_score == sum(part for part in parts if part is not None)
        assert hit.score == float(hit.explain.fused_score or 0)
        for place in hit.explain.places:
            legs = {"vector": vector, "bm25": bm25}[place.route]
            assert CHUNKS[legs[place.rank - 1]] == hit.chunk
            assert place.rank <= top_k + more
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
