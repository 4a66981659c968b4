"""Shared work: each chunking, index, embedding, leg and rerank score once, whoever needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from harness.chunking import Chunking, ChunkParams, chunk_corpus
from harness.embedding import CachedEmbedder, EmbedderSpec, load_embedder
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.index import (
    GRAPH,
    ApproximateVectorRoute,
    Bm25Index,
    ExactVectorRoute,
    IndexStore,
    VectorIndex,
    write_bm25_tokens,
    write_vectors,
)
from harness.protocols import Embedder, Route, TokenLoss
from harness.records import Corpus, Leg
from harness.retrieval import CachedReranker, CrossEncoderReranker, Retriever, leg_depth
from harness.study.parameters import Bm25Params, ParameterSet, VectorParams
from harness.tokenizing import Tokenizer, make_tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRoute:
    """A route that is ready to be asked.

    Attributes:
        route: the route.
        index_sha256: fingerprint of its index on disk.
        sha256: fingerprint of index, weighting and search together.
        weights_sha256: fingerprint of the embedder, None for BM25.
        facts: counts from its index, by name.
        notes: sentences on what may mislead.
    """

    route: Route
    index_sha256: str
    sha256: str
    weights_sha256: str | None
    facts: Mapping[str, float]
    notes: tuple[str, ...]


class Workshop:
    """Everything the parameter sets of one study share."""

    def __init__(self, corpus: Corpus, questions: Sequence[str], store: IndexStore) -> None:
        self.corpus = corpus
        self.questions = tuple(questions)
        self.store = store
        self._embedders: dict[EmbedderSpec, CachedEmbedder] = {}
        self._rerankers: dict[str, CachedReranker] = {}

    def embedder(self, spec: EmbedderSpec) -> CachedEmbedder:
        """Return the embedder, loaded once."""
        if spec not in self._embedders:
            self._embedders[spec] = CachedEmbedder(load_embedder(spec))
        return self._embedders[spec]

    def reranker(self, name: str) -> CachedReranker:
        """Return the reranker, loaded once."""
        if name not in self._rerankers:
            self._rerankers[name] = CachedReranker(CrossEncoderReranker(name))
        return self._rerankers[name]

    def bench(self, params: ChunkParams) -> Bench:
        """Cut the corpus; what is opened on the bench is dropped with it."""
        chunking = chunk_corpus(self.corpus, params)
        if not chunking.chunks:
            raise InputError("the corpus gives no chunk under any splitter; is there any text in it?")
        return Bench(self, chunking)


class Bench:
    """Everything the parameter sets of one chunking share."""

    def __init__(self, workshop: Workshop, chunking: Chunking) -> None:
        self.workshop = workshop
        self.chunking = chunking
        self._tokens: dict[Tokenizer, Bm25Index] = {}
        self._routes: dict[Bm25Params | VectorParams, OpenRoute] = {}
        self._legs: dict[tuple[Bm25Params | VectorParams, int], list[Leg]] = {}

    def routes(self, parameters: ParameterSet) -> dict[str, OpenRoute]:
        """Return the routes a set asks, opened once each."""
        wanted = {"bm25": parameters.bm25, "vector": parameters.vector}
        return {
            name: self._open(params)
            for name, params in wanted.items()
            if params is not None and name in parameters.routes
        }

    def legs(self, parameters: ParameterSet) -> dict[str, list[Leg]]:
        """Return each route's legs for all questions, retrieved once per depth."""
        wanted = {"bm25": parameters.bm25, "vector": parameters.vector}
        return {name: self._retrieve(wanted[name], parameters.wanted_depth) for name in parameters.routes}

    def retriever(self, parameters: ParameterSet) -> Retriever:
        """Return what an application would search with under these parameters."""
        extras: dict[str, Any] = {}
        if parameters.fusion:
            extras["fusion"] = parameters.fusion.fusion()
        if parameters.rerank:
            extras["reranker"] = self.workshop.reranker(parameters.rerank.model)
        routes = {name: opened.route for name, opened in self.routes(parameters).items()}
        return Retriever(chunks=self.chunking.chunks, routes=routes, **extras)

    def _retrieve(self, params: Bm25Params | VectorParams | None, wanted: int) -> list[Leg]:
        assert params is not None
        route = self._open(params).route
        depth = leg_depth(route.size, wanted)
        if (params, depth) not in self._legs:
            self._legs[params, depth] = route.legs(self.workshop.questions, depth)
        return self._legs[params, depth]

    def _open(self, params: Bm25Params | VectorParams) -> OpenRoute:
        if params not in self._routes:
            self._routes[params] = (
                self._open_bm25(params) if isinstance(params, Bm25Params) else self._open_vector(params)
            )
        return self._routes[params]

    def _open_bm25(self, params: Bm25Params) -> OpenRoute:
        tokenizer = make_tokenizer(
            params.tokenizer, stop_words=params.stop_words or "none", stemmer=params.stemmer or "none"
        )
        ingredients = {"chunking": self.chunking.sha256, **tokenizer.fingerprint}
        entry = self.workshop.store.get_or_build(
            "bm25", ingredients, lambda path: write_bm25_tokens(path, self.chunking.chunks, tokenizer)
        )
        index = Bm25Index.open(entry.path, entry.facts, tokenizer)
        if not index.postings:
            raise InputError(
                Problem(
                    field="parameters.bm25.tokenizer",
                    message=f"no chunk yields a term under {params.tokenizer!r}; choose another tokenizer",
                )
            )
        route = index.route(variant=params.variant, k1=params.k1, b=params.b)
        weighting = {
            "engine": f"{params.engine} {version(params.engine)}",
            "variant": params.variant,
            "k1": params.k1,
            "b": params.b,
        }
        termless = [q for q in self.workshop.questions if not tokenizer(q)]
        return OpenRoute(
            route=route,
            index_sha256=entry.sha256,
            sha256=sha256_json({"index": entry.sha256, **weighting}),
            weights_sha256=None,
            facts={
                "bm25_chunks_without_terms": entry.facts["chunks_without_terms"],
                "bm25_questions_without_terms": len(termless),
            },
            notes=_termless_notes(params.tokenizer, entry.facts, len(termless)),
        )

    def _open_vector(self, params: VectorParams) -> OpenRoute:
        texts = [chunk.text for chunk in self.chunking.chunks]
        embedder: Embedder = self.workshop.embedder(params.embedder)
        if embedder.learns:
            embedder = embedder.fit(texts)
        fingerprint = dict(embedder.fingerprint)
        ingredients = {
            "chunking": self.chunking.sha256,
            "embedder": fingerprint,
            "chromadb": version("chromadb"),
            "graph": dict(GRAPH),
        }
        entry = self.workshop.store.get_or_build(
            "vector",
            ingredients,
            lambda path: {
                **write_vectors(path, embedder.encode(texts, "document")),
                **_loss_facts(embedder.token_loss(texts, "document")),
            },
        )
        index = VectorIndex.open(entry.path, entry.facts, embedder)
        facts = {f"vector_{name}": entry.facts[name] for name in ("chunks_without_vector", "chunks_truncated")}
        notes = _loss_notes(params.embedder.name, entry.facts)
        route: Route = ExactVectorRoute(index=index)
        if params.search == "approximate":
            approximate = ApproximateVectorRoute(index=index)
            recall = approximate.recall_against_exact(self.workshop.questions, 100)
            facts["vector_search_recall_at_100"] = recall if recall is not None else 0.0
            notes = (*notes, f"vector.search approximate finds {recall or 0:.4f} of the exact top 100")
            route = approximate
        return OpenRoute(
            route=route,
            index_sha256=entry.sha256,
            sha256=sha256_json({"index": entry.sha256, "search": params.search}),
            weights_sha256=sha256_json(fingerprint),
            facts=facts,
            notes=notes,
        )


def _loss_facts(loss: TokenLoss) -> dict[str, int]:
    return {"chunks_truncated": loss.truncated, "tokens": loss.tokens, "tokens_lost": loss.lost}


def _loss_notes(name: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    notes: list[str] = []
    if facts["chunks_truncated"]:
        share = facts["tokens_lost"] / facts["tokens"]
        notes.append(
            f"{facts['chunks_truncated']} of {facts['chunks']} chunks are longer than {name} reads; "
            f"{share:.1%} of all tokens were never embedded"
        )
    if facts["chunks_without_vector"]:
        notes.append(f"{facts['chunks_without_vector']} chunks have no vector and can't be found by the vector route")
    return tuple(notes)


def _termless_notes(tokenizer: str, facts: Mapping[str, Any], questions: int) -> tuple[str, ...]:
    notes: list[str] = []
    if facts["chunks_without_terms"]:
        notes.append(
            f"{facts['chunks_without_terms']} chunks yield no term under {tokenizer} and can't be found by BM25"
        )
    if questions:
        notes.append(f"{questions} questions yield no term under {tokenizer} and get no hit from BM25")
    return tuple(notes)
