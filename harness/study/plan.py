"""What a sweep would do, worked out without doing it: nothing is written, no model is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.cache import BlobCache
from harness.chunking import Chunking, chunk_corpus
from harness.embedding import EmbedderSpec, load_embedder
from harness.index import IndexStore
from harness.protocols import Embedder, Role
from harness.retrieval import CrossEncoderReranker, leg_depth
from harness.study.config import Study
from harness.study.engine import by_chunking
from harness.study.opening import bm25_ingredients, tokenizer_of, vector_ingredients
from harness.study.parameters import Bm25Params, ParameterSet, VectorParams


@dataclass(kw_only=True)
class Stage:
    """One kind of work.

    Attributes:
        name: what is counted.
        distinct: how many there are.
        held: how many of them the store or the cache holds already.
        at_most: True when ``distinct`` is an upper bound, and ``held`` a guess.
        seconds: estimate of what is left, at the pace at which this machine did such work before.
        unpaced: how many have no pace yet.
    """

    name: str
    distinct: int = 0
    held: int = 0
    at_most: bool = False
    seconds: float = 0.0
    unpaced: int = 0

    def add(self, count: int, pace: float | None) -> None:
        """Add work to the estimate."""
        if not pace:
            self.unpaced += count
        else:
            self.seconds += count / pace


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A study's distinct work.

    Attributes:
        stages: in the order they are done.
        sets: distinct parameter sets.
        collapsed: points that repeat a set.
        skipped: points that can't be run.
    """

    stages: tuple[Stage, ...]
    sets: int
    collapsed: int
    skipped: int


@dataclass(kw_only=True)
class _Sums:
    chunkings: Stage = field(default_factory=lambda: Stage(name="chunkings"))
    chunks: Stage = field(default_factory=lambda: Stage(name="chunks"))
    texts: Stage = field(default_factory=lambda: Stage(name="texts to embed"))
    bm25: Stage = field(default_factory=lambda: Stage(name="BM25 indexes"))
    vector: Stage = field(default_factory=lambda: Stage(name="vector indexes"))
    legs: Stage = field(default_factory=lambda: Stage(name="legs (a route asked all questions)"))
    pairs: Stage = field(default_factory=lambda: Stage(name="pairs to rerank", at_most=True))


def plan_study(study: Study, store: IndexStore, cache: Path) -> Plan:
    """Count the distinct work of a study, and what of it is done already."""
    sums = _Sums()
    planner = _Planner(study, store, cache, sums)
    for params, sets in by_chunking(study.grid.sets).items():
        planner.count(chunk_corpus(study.collection.corpus, params), sets)
    planner.count_texts()
    return Plan(
        stages=(sums.chunkings, sums.chunks, sums.texts, sums.bm25, sums.vector, sums.legs, sums.pairs),
        sets=len(study.grid.sets),
        collapsed=len(study.grid.collapsed),
        skipped=len(study.grid.skipped),
    )


class _Planner:
    def __init__(self, study: Study, store: IndexStore, cache: Path, sums: _Sums) -> None:
        self.study, self.store, self.cache, self.sums = study, store, cache, sums
        self.questions = [query.text for query in study.collection.queries]
        self._embedders: dict[EmbedderSpec, Embedder] = {}
        self._texts: dict[EmbedderSpec, dict[str, None]] = {}

    def count(self, chunking: Chunking, sets: list[ParameterSet]) -> None:
        self.sums.chunkings.distinct += 1
        self.sums.chunks.distinct += len(chunking.chunks)
        for params in {(s.bm25.tokenizer, s.bm25.stop_words, s.bm25.stemmer): s.bm25 for s in sets if s.bm25}.values():
            self._index(self.sums.bm25, "bm25", bm25_ingredients(chunking, tokenizer_of(params)))
        for spec, search in dict.fromkeys((s.vector.embedder, s.vector.search) for s in sets if s.vector):
            self._vector(chunking, spec, search)
        size = len(chunking.chunks)
        legs = {(route, leg_depth(size, s.wanted_depth)) for s in sets for route in _routes(s)}
        self.sums.legs.distinct += len(legs)
        for name in dict.fromkeys(s.rerank.model for s in sets if s.rerank):
            self._pairs(name, chunking, [s for s in sets if s.rerank and s.rerank.model == name])

    def count_texts(self) -> None:
        """Count each text once for each place it is kept in, which models and roles with equal prompts share."""
        places: dict[Path, BlobCache] = {}
        keys: dict[Path, dict[bytes, None]] = {}
        for spec, texts in self._texts.items():
            wanted: dict[Role, list[str]] = {"document": list(texts), "query": self.questions}
            for role, of_role in wanted.items():
                place = BlobCache(self.cache, "embeddings", self._embedder(spec).role_fingerprint(role))
                places.setdefault(place.path, place)
                keys.setdefault(place.path, {}).update(dict.fromkeys(place.key(text) for text in of_role))
        for path, place in places.items():
            held = place.held(list(keys[path]))
            self.sums.texts.distinct += len(keys[path])
            self.sums.texts.held += held
            self.sums.texts.add(len(keys[path]) - held, place.pace())

    def _index(self, stage: Stage, kind: str, ingredients: Mapping[str, object]) -> None:
        stage.distinct += 1
        stage.held += self.store.locate(kind, ingredients)[0].is_dir()

    def _vector(self, chunking: Chunking, spec: EmbedderSpec, search: str) -> None:
        texts = [chunk.text for chunk in chunking.chunks]
        embedder = self._embedder(spec)
        ingredients = vector_ingredients(chunking, embedder.fingerprint_after_fit(texts), search)
        self._index(self.sums.vector, "vector", ingredients)
        if embedder.learns:
            return
        self._texts.setdefault(spec, {}).update(dict.fromkeys(texts))

    def _pairs(self, name: str, chunking: Chunking, sets: list[ParameterSet]) -> None:
        depth = max(s.rerank.depth for s in sets if s.rerank)
        pools = len({(s.mode, s.bm25, s.vector, s.fusion, s.fetch_k if s.fusion else None) for s in sets})
        distinct = min(pools * depth, len(chunking.chunks)) * len(self.questions)
        self.sums.pairs.distinct += distinct
        place = BlobCache(self.cache, "rerank", CrossEncoderReranker(name).fingerprint)
        held = min(place.count(), distinct)
        self.sums.pairs.held += held
        self.sums.pairs.add(distinct - held, place.pace())

    def _embedder(self, spec: EmbedderSpec) -> Embedder:
        if spec not in self._embedders:
            self._embedders[spec] = load_embedder(spec)
        return self._embedders[spec]


def _routes(parameters: ParameterSet) -> list[Bm25Params | VectorParams]:
    return [route for route in (parameters.bm25, parameters.vector) if route is not None]
