"""What all parameter sets of one chunking share: open indexes, legs, and fused or reranked candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.chunking import Chunking
from harness.protocols import PairScores
from harness.retrieval import NOTHING, BatchRanking, LegMatrix, LegPair, Retriever, leg_depth, rank_single, rerank_all
from harness.study.contents import chunks_print, row_prints
from harness.study.opening import OpenRoute, open_bm25, open_vector
from harness.study.parameters import Bm25Params, FusionParams, ParameterSet, VectorParams
from harness.study.pools import CANDIDATES, Pool, union

if TYPE_CHECKING:
    from harness.study.workshop import Workshop

RouteParams = Bm25Params | VectorParams
_SHARED_WIDTH = 16
"""How many fused candidates are kept for sets with other values of ``top_k``; wider rankings are fused again."""


class Bench:
    """Everything the parameter sets of one chunking share."""

    def __init__(self, workshop: Workshop, chunking: Chunking) -> None:
        self.workshop = workshop
        self.chunking = chunking
        self._routes: dict[RouteParams, OpenRoute] = {}
        self._legs: dict[tuple[RouteParams, int], LegMatrix] = {}
        self._pairs: dict[tuple[VectorParams, Bm25Params, int, int], LegPair] = {}
        self._fused: dict[tuple[int, FusionParams, int], BatchRanking] = {}
        self._leg_prints: dict[tuple[RouteParams, int], tuple[str, ...]] = {}
        self._notes: tuple[str, ...] | None = None

    def routes(self, parameters: ParameterSet) -> dict[str, OpenRoute]:
        """Return the routes a set asks, opened once each."""
        return {name: self.open(params) for name, params in _route_params(parameters).items()}

    def notes(self, work_out: Callable[[], Iterable[str]]) -> tuple[str, ...]:
        """Return what is to be said about the chunking, worked out once."""
        if self._notes is None:
            self._notes = tuple(work_out())
        return self._notes

    def prepare(self, parameters: ParameterSet) -> None:
        """Do the shared work a set needs: legs of both routes, and ranks across them."""
        wanted = parameters.wanted_depth
        if parameters.mode == "hybrid":
            pair = self._pair(parameters)
            _ = pair.bm25_rank_of_vector, pair.vector_rank_of_bm25
        else:
            for params in _route_params(parameters).values():
                self._retrieve(params, wanted)

    def pool(self, parameters: ParameterSet) -> BatchRanking:
        """Return what a set ranks or reranks: the candidates of its routes, fused where there are two."""
        return self.candidates(parameters, parameters.rerank.depth if parameters.rerank else parameters.top_k)

    def pools(self, parameters: ParameterSet) -> dict[str, Pool]:
        """Return the candidates of each route a set asks, and under ``CANDIDATES`` those it puts in order itself."""
        depth = parameters.fetch_k or parameters.top_k
        found = {
            name: Pool(
                key=(params, depth), positions=self._retrieve(params, parameters.wanted_depth).positions[:, :depth]
            )
            for name, params in _route_params(parameters).items()
        }
        keys = tuple(pool.key for pool in found.values())
        if parameters.rerank:
            reranked = (keys, parameters.fusion, parameters.rerank.depth)
            return found | {CANDIDATES: Pool(key=reranked, positions=self.pool(parameters).positions)}
        return found | {CANDIDATES: Pool(key=keys, positions=union([pool.positions for pool in found.values()]))}

    def leg_prints(self, parameters: ParameterSet) -> dict[str, tuple[str, ...]]:
        """Return, by route, a print per question of the whole leg; worked out once per leg."""
        found: dict[str, tuple[str, ...]] = {}
        for name, params in _route_params(parameters).items():
            leg = self._retrieve(params, parameters.wanted_depth)
            key = (params, leg_depth(self.open(params).route.size, parameters.wanted_depth))
            if key not in self._leg_prints:
                self._leg_prints[key] = row_prints(leg.positions, leg.scores)
            found[name] = self._leg_prints[key]
        return found

    @cached_property
    def chunks_print(self) -> str:
        """SHA-256 of the chunks themselves."""
        return chunks_print(self.chunking)

    def rank(self, parameters: ParameterSet) -> BatchRanking:
        """Rank all questions: the same hits as ``Retriever.search``, question by question."""
        if not parameters.rerank:
            return self.candidates(parameters, parameters.top_k)
        pool = self.pool(parameters)
        reranker = self.workshop.reranker(parameters.rerank.model)
        reranker.tally()  # a set that failed half-way may have left pairs that aren't this one's
        chunks = self.chunking.chunks

        def score(question: str, positions: list[int]) -> PairScores:
            return reranker.score(question, [chunks[position].text for position in positions])

        return rerank_all(pool, self.workshop.questions, score).cut(parameters.top_k)

    def tied(self, parameters: ParameterSet) -> dict[str, list[int]]:
        """Return, for each route, the places of the questions whose hits all have one score, two or more of them."""
        legs = {
            name: self._retrieve(params, parameters.wanted_depth) for name, params in _route_params(parameters).items()
        }
        return {name: _tied(leg) for name, leg in legs.items()}

    def retriever(self, parameters: ParameterSet) -> Retriever:
        """Return what an application would search with under these parameters."""
        extras: dict[str, Any] = {}
        if parameters.fusion:
            extras["fusion"] = parameters.fusion.fusion()
        if parameters.rerank:
            extras["reranker"] = self.workshop.reranker(parameters.rerank.model)
        routes = {name: opened.route for name, opened in self.routes(parameters).items()}
        return Retriever(chunks=self.chunking.chunks, routes=routes, **extras)

    def candidates(self, parameters: ParameterSet, width: int) -> BatchRanking:
        """Return the first ``width`` candidates of a set's routes, fused where there are two, before any reranking."""
        depth = parameters.fetch_k or parameters.top_k
        if parameters.fusion:
            return self._fuse(parameters, depth, width).cut(width)
        (route, params), *_ = _route_params(parameters).items()
        return rank_single(route, self._retrieve(params, parameters.wanted_depth), depth).cut(width)

    def _fuse(self, parameters: ParameterSet, depth: int, width: int) -> BatchRanking:
        """Return fused candidates, ``width`` or more where there are as many; sets that cut them share them."""
        assert parameters.fusion is not None
        pair = self._pair(parameters)
        key = (id(pair), parameters.fusion, depth)
        if key not in self._fused or self._fused[key].positions.shape[1] < min(width, 2 * depth):
            self._fused[key] = pair.fuse(parameters.fusion.fusion(), depth, max(width, _SHARED_WIDTH))
        return self._fused[key]

    def _pair(self, parameters: ParameterSet) -> LegPair:
        vector, bm25, wanted = parameters.vector, parameters.bm25, parameters.wanted_depth
        assert vector is not None
        assert bm25 is not None
        depths = [leg_depth(self.open(params).route.size, wanted) for params in (vector, bm25)]
        key = (vector, bm25, depths[0], depths[1])
        if key not in self._pairs:
            self._pairs[key] = LegPair(
                vector=self._retrieve(vector, wanted),
                bm25=self._retrieve(bm25, wanted),
                size=len(self.chunking.chunks),
            )
        return self._pairs[key]

    def _retrieve(self, params: RouteParams, wanted: int) -> LegMatrix:
        route = self.open(params).route
        depth = leg_depth(route.size, wanted)
        if (params, depth) not in self._legs:
            self._legs[params, depth] = LegMatrix.of(route.legs(self.workshop.questions, depth))
        return self._legs[params, depth]

    def open(self, params: RouteParams) -> OpenRoute:
        """Return a route, its index found or built."""
        if params not in self._routes:
            if isinstance(params, Bm25Params):
                self._routes[params] = open_bm25(self.workshop, self.chunking, params)
            else:
                self._routes[params] = open_vector(self.workshop, self.chunking, params)
        return self._routes[params]


def _route_params(parameters: ParameterSet) -> dict[str, RouteParams]:
    held = {"vector": parameters.vector, "bm25": parameters.bm25}
    return {name: params for name, params in held.items() if params is not None}


def _tied(leg: LegMatrix) -> list[int]:
    """Return the rows whose hits, two or more, all have one score, so that nothing but the tie rule orders them."""
    import numpy as np

    if leg.positions.shape[1] < 2:
        return []
    hits = (leg.positions != NOTHING).sum(axis=1)
    last = np.take_along_axis(leg.scores, np.maximum(hits - 1, 0)[:, None], axis=1)[:, 0]
    rows: list[int] = np.flatnonzero((hits > 1) & (leg.scores[:, 0] == last)).tolist()
    return rows
