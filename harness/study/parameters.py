"""One parameter set: the values that matter, and only those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.chunking import SPLITTERS, ChunkParams
from harness.embedding import EmbedderSpec
from harness.fingerprint import sha256_json
from harness.retrieval import MODES, Rrf

Scalar = str | int | float | None

_PROMPTS = ("vector.query_prompt", "vector.document_prompt")
_SECTIONS = ("mode", "chunk", "bm25", "vector", "fusion", "rerank", "top_k", "fetch_k")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Params:
    """How BM25 tokenizes and weighs. ``stop_words`` and ``stemmer`` are None unless the tokenizer is ``word``."""

    engine: str
    variant: str
    k1: float
    b: float
    tokenizer: str
    stop_words: str | None = None
    stemmer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorParams:
    """Which embedder, and how its vectors are searched."""

    embedder: EmbedderSpec
    search: str
    space: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionParams:
    """How routes are merged; weights as they were written."""

    method: str
    k: int
    weights: tuple[tuple[str, float], ...]

    def fusion(self) -> Rrf:
        """Return the fusion itself; a weight of 0.7 means exactly 7/10."""
        return Rrf(k=self.k, weights={route: Fraction(str(weight)) for route, weight in self.weights})


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankParams:
    """Which cross-encoder re-scores how many candidates."""

    model: str
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSet:
    """One point of a study. What can't matter is None, so equal sets are equal experiments."""

    mode: str
    chunk: ChunkParams
    bm25: Bm25Params | None
    vector: VectorParams | None
    fusion: FusionParams | None
    rerank: RerankParams | None
    top_k: int
    fetch_k: int | None

    @property
    def routes(self) -> tuple[str, ...]:
        """Routes that are asked."""
        return MODES[self.mode]

    @property
    def wanted_depth(self) -> int:
        """How many hits of a leg this set can use."""
        return max(self.top_k, self.fetch_k or 0)

    def flat(self) -> dict[str, Scalar]:
        """Return the parameters that matter under their dotted config names, in config order."""
        flat: dict[str, Scalar] = {"mode": self.mode, "chunk.splitter": self.chunk.splitter}
        if SPLITTERS[self.chunk.splitter].uses_size:
            flat |= {"chunk.size": self.chunk.size, "chunk.overlap": self.chunk.overlap}
        if self.bm25:
            flat |= _section("bm25", self.bm25)
        if self.vector:
            flat |= _embedder(self.vector.embedder)
            flat |= {"vector.search": self.vector.search, "vector.space": self.vector.space}
        if self.fusion:
            flat |= {"fusion.method": self.fusion.method, "fusion.k": self.fusion.k}
            flat |= {f"fusion.weights.{route}": weight for route, weight in self.fusion.weights}
        flat["rerank.model"] = self.rerank.model if self.rerank else None
        if self.rerank:
            flat["rerank.depth"] = self.rerank.depth
        flat["top_k"] = self.top_k
        if self.fetch_k is not None:
            flat["fetch_k"] = self.fetch_k
        return flat

    @property
    def sha256(self) -> str:
        """Fingerprint of the parameters that matter."""
        return sha256_json(self.flat())


def _section(name: str, params: Bm25Params) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "engine": params.engine,
        "variant": params.variant,
        "k1": params.k1,
        "b": params.b,
        "tokenizer": params.tokenizer,
        "stop_words": params.stop_words,
        "stemmer": params.stemmer,
    }
    return {f"{name}.{key}": value for key, value in values.items() if value is not None}


def _embedder(spec: EmbedderSpec) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"vector.embedder": spec.name}
    if spec.name == "lsa":
        return values | {"vector.dimensions": spec.dimensions, "vector.seed": spec.seed}
    if spec.query_prompt is not None:
        values["vector.query_prompt"] = spec.query_prompt
    if spec.document_prompt is not None:
        values["vector.document_prompt"] = spec.document_prompt
    return values


def varying(sets: list[ParameterSet] | tuple[ParameterSet, ...]) -> tuple[str, ...]:
    """Return the dotted names that take more than one value over the sets, in config order."""
    flats: list[Mapping[str, Scalar]] = [s.flat() for s in sets]
    names = dict.fromkeys(name for flat in flats for name in flat)
    differing = [name for name in names if len(_values(name, flats)) > 1]
    return tuple(sorted(differing, key=lambda name: _SECTIONS.index(name.partition(".")[0])))


def _values(name: str, flats: list[Mapping[str, Scalar]]) -> set[Scalar]:
    """A prompt that isn't given is a value too: it leaves the choice to the model."""
    if name in _PROMPTS:
        return {flat.get(name) for flat in flats if "vector.embedder" in flat}
    return {flat[name] for flat in flats if name in flat}
