"""The one search path: what evaluation scores is what an application would call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.protocols import PairScores, Reranker, Route
from harness.records import Chunk, Explain, Hit, Leg, RoutePlace
from harness.retrieval.fusion import ROUTE_ORDER, Rrf

MODES: Mapping[str, tuple[str, ...]] = {
    "bm25": ("bm25",),
    "vector": ("vector",),
    "hybrid": ("vector", "bm25"),
}
"""Mode → the routes it asks."""

SMALLEST_DEPTH = 256


def leg_depth(size: int, wanted: int) -> int:
    """Return the depth a leg is retrieved to.

    It depends on the index and the caller's own ``wanted`` alone: at least 256, then the next power of two, never more
    than the index holds. So the first ten of a leg are the same ten whoever else shares it.
    """
    depth = SMALLEST_DEPTH
    while depth < wanted:
        depth *= 2
    return min(depth, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retriever:
    """Routes over one chunking, fusion, and an optional reranker.

    Attributes:
        chunks: by position.
        routes: ``bm25`` and/or ``vector``.
        fusion: merges the routes in mode ``hybrid``.
        reranker: a cross-encoder, or None.
    """

    chunks: Sequence[Chunk]
    routes: Mapping[str, Route]
    fusion: Rrf = field(default_factory=Rrf)
    reranker: Reranker | None = None

    def bm25_search(self, question: str, depth: int) -> tuple[Hit, ...]:
        """Return the first ``depth`` hits of BM25 alone."""
        return self.search(question, mode="bm25", top_k=depth)

    def vector_search(self, question: str, depth: int) -> tuple[Hit, ...]:
        """Return the first ``depth`` hits of the vector route alone."""
        return self.search(question, mode="vector", top_k=depth)

    def search(
        self,
        question: str,
        *,
        mode: str,
        top_k: int,
        fetch_k: int | None = None,
        rerank: int | None = None,
        threshold: float | None = None,
    ) -> tuple[Hit, ...]:
        """Rank chunks for a question, which is used as written.

        Args:
            question: any text; one without a known term or vector has no hits on that route.
            mode: ``bm25``, ``vector`` or ``hybrid``.
            top_k: how many chunks to return at most.
            fetch_k: candidates per route that enter fusion or reranking; needed there, ignored elsewhere.
            rerank: how many candidates the cross-encoder re-scores, all of them; None leaves it out.
            threshold: hits with a lower final score are left out.

        Returns:
            Hits, best first. Their score is the logit, the fused score or the route's own, whichever came last.

        Raises:
            ValueError: an unknown mode, a route or reranker that isn't there, or sizes that contradict each other.
        """
        self._check(mode, top_k, fetch_k, rerank)
        wanted = max(top_k, fetch_k or 0)
        legs = {
            route: self.routes[route].legs([question], leg_depth(self.routes[route].size, wanted))[0]
            for route in MODES[mode]
        }
        return self.assemble(
            question, legs, mode=mode, top_k=top_k, fetch_k=fetch_k, rerank=rerank, threshold=threshold
        )

    def assemble(
        self,
        question: str,
        legs: Mapping[str, Leg],
        *,
        mode: str,
        top_k: int,
        fetch_k: int | None = None,
        rerank: int | None = None,
        threshold: float | None = None,
    ) -> tuple[Hit, ...]:
        """Do all of ``search`` but the retrieval of the legs, which may be longer than needed."""
        pooled = mode == "hybrid" or rerank is not None
        depth = fetch_k if pooled and fetch_k is not None else top_k
        cut = {route: legs[route].cut(depth) for route in MODES[mode]}
        candidates = self._fused(cut) if mode == "hybrid" else self._single(mode, cut[mode])
        if rerank is not None:
            candidates = self._reranked(question, candidates[:rerank])
        kept = [c for c in candidates[:top_k] if threshold is None or c[1] >= threshold]
        return tuple(
            Hit(chunk=self.chunks[position], rank=rank, score=score, explain=explain)
            for rank, (position, score, explain) in enumerate(kept, start=1)
        )

    def _check(self, mode: str, top_k: int, fetch_k: int | None, rerank: int | None) -> None:
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, found {mode!r}")
        absent = [route for route in MODES[mode] if route not in self.routes]
        if absent:
            raise ValueError(f"mode {mode!r} needs the route {absent[0]!r}, which this retriever doesn't have")
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, found {top_k}")
        if rerank is not None and self.reranker is None:
            raise ValueError("rerank was asked for, but this retriever has no reranker")
        if mode == "hybrid" or rerank is not None:
            if fetch_k is None or fetch_k < top_k:
                raise ValueError(f"fetch_k must be at least top_k ({top_k}), found {fetch_k}")
            if rerank is not None and rerank < top_k:
                raise ValueError(f"rerank depth must be at least top_k ({top_k}), found {rerank}")

    def _single(self, route: str, leg: Leg) -> list[_Candidate]:
        return [
            (position, score, Explain(places=(RoutePlace(route=route, rank=rank, score=score),)))
            for rank, (position, score) in enumerate(zip(leg.positions, leg.scores, strict=True), start=1)
        ]

    def _fused(self, legs: Mapping[str, Leg]) -> list[_Candidate]:
        return [
            (
                fused.position,
                float(fused.score),
                Explain(
                    places=tuple(
                        RoutePlace(
                            route=route,
                            rank=fused.ranks[route],
                            score=legs[route].scores[fused.ranks[route] - 1],
                            contribution=self.fusion.contribution(route, fused.ranks[route]),
                        )
                        for route in ROUTE_ORDER
                        if route in fused.ranks
                    ),
                    fused_score=fused.score,
                ),
            )
            for fused in self.fusion.fuse(legs)
        ]

    def _reranked(self, question: str, candidates: list[_Candidate]) -> list[_Candidate]:
        """Order by logit descending; equal logits keep the order they came in."""
        assert self.reranker is not None
        texts = [self.chunks[position].text for position, _, _ in candidates]
        scores: PairScores = self.reranker.score(question, texts)
        scored = [
            (
                position,
                logit,
                Explain(
                    places=explain.places,
                    fused_score=explain.fused_score,
                    rank_before_rerank=rank,
                    rerank_score=logit,
                ),
            )
            for rank, ((position, _, explain), logit) in enumerate(zip(candidates, scores.logits, strict=True), start=1)
        ]
        return sorted(scored, key=lambda candidate: -candidate[1])


_Candidate = tuple[int, float, Explain]
