"""Grid → distinct parameter sets; what was collapsed or skipped is listed, never dropped in silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from harness.chunking import SPLITTERS, ChunkParams
from harness.embedding import EMBEDDERS, EmbedderSpec
from harness.study.parameters import (
    Bm25Params,
    FusionParams,
    ParameterSet,
    RerankParams,
    Scalar,
    VectorParams,
)
from harness.study.schema import EmbedderSection, ParametersSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Collapsed:
    """A grid point that is the same experiment as a parameter set of the study.

    Attributes:
        point: the values of the axes at this point.
        into: the set it is.
    """

    point: tuple[tuple[str, Scalar], ...]
    into: ParameterSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A grid point that can't be run, and why."""

    point: tuple[tuple[str, Scalar], ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A study's points.

    Attributes:
        points: number of points of the grid as written.
        sets: distinct parameter sets, in grid order.
        collapsed: points that repeat a set.
        skipped: points that can't be run.
    """

    points: int
    sets: tuple[ParameterSet, ...]
    collapsed: tuple[Collapsed, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """One value for every parameter, whether it matters or not."""

    values: dict[str, Scalar]
    embedder: EmbedderSection


def expand(parameters: ParametersSection) -> Grid:
    """Expand the grid; the last parameter of the config varies fastest."""
    axes = _axes(parameters)
    shown = [name for name, values in axes.items() if len(values) > 1]
    sets: dict[ParameterSet, None] = {}
    collapsed: list[Collapsed] = []
    skipped: list[Skipped] = []
    points = 0
    for point in _points(axes):
        points += 1
        where = tuple((name, point.values[name]) for name in shown)
        candidate = _effective(point)
        reason = _impossible(candidate)
        if reason:
            skipped.append(Skipped(point=where, reason=reason))
        elif candidate in sets:
            collapsed.append(Collapsed(point=where, into=candidate))
        else:
            sets[candidate] = None
    return Grid(points=points, sets=tuple(sets), collapsed=tuple(collapsed), skipped=tuple(skipped))


def _axes(p: ParametersSection) -> dict[str, list[object]]:
    axes: dict[str, list[object]] = {"mode": [*p.mode]}
    axes |= {f"chunk.{name}": [*getattr(p.chunk, name)] for name in ("splitter", "size", "overlap")}
    bm25 = ("engine", "variant", "k1", "b", "tokenizer", "stop_words", "stemmer")
    axes |= {f"bm25.{name}": [*getattr(p.bm25, name)] for name in bm25}
    axes |= {f"vector.{name}": [*getattr(p.vector, name)] for name in ("embedder", "search", "space")}
    axes |= {"fusion.method": [*p.fusion.method], "fusion.k": [*p.fusion.k]}
    axes |= {f"fusion.weights.{route}": [*getattr(p.fusion.weights, route)] for route in ("vector", "bm25")}
    axes |= {"rerank.model": [*p.rerank.model], "rerank.depth": [*p.rerank.depth]}
    return axes | {"top_k": [*p.top_k], "fetch_k": [*p.fetch_k]}


def _points(axes: dict[str, list[object]]) -> Iterator[_Point]:
    for combination in product(*axes.values()):
        chosen = dict(zip(axes, combination, strict=True))
        embedder = chosen["vector.embedder"]
        assert isinstance(embedder, EmbedderSection)
        values: dict[str, Scalar] = {
            name: value.name if isinstance(value, EmbedderSection) else value  # type: ignore[misc]
            for name, value in chosen.items()
        }
        yield _Point(values=values, embedder=embedder)


def _effective(point: _Point) -> ParameterSet:
    v = point.values
    mode = str(v["mode"])
    rerank = v["rerank.model"] is not None
    pooled = mode == "hybrid" or rerank
    fetch_k = _int(v["fetch_k"]) if pooled else None
    return ParameterSet(
        mode=mode,
        chunk=_chunk(v),
        bm25=_bm25(v) if mode != "vector" else None,
        vector=_vector(point) if mode != "bm25" else None,
        fusion=_fusion(v) if mode == "hybrid" else None,
        rerank=_rerank(v, mode, fetch_k) if rerank else None,
        top_k=_int(v["top_k"]),
        fetch_k=fetch_k,
    )


def _impossible(candidate: ParameterSet) -> str | None:
    top_k, fetch_k = candidate.top_k, candidate.fetch_k
    if fetch_k is not None and fetch_k < top_k:
        return f"fetch_k {fetch_k} is smaller than top_k {top_k}"
    if candidate.rerank and candidate.rerank.depth < top_k:
        return f"rerank.depth {candidate.rerank.depth} is smaller than top_k {top_k}"
    return None


def _chunk(v: dict[str, Scalar]) -> ChunkParams:
    splitter = str(v["chunk.splitter"])
    if not SPLITTERS[splitter].uses_size:
        return ChunkParams(splitter=splitter)
    return ChunkParams(splitter=splitter, size=_int(v["chunk.size"]), overlap=_int(v["chunk.overlap"]))


def _bm25(v: dict[str, Scalar]) -> Bm25Params:
    words = v["bm25.tokenizer"] == "word"
    return Bm25Params(
        engine=str(v["bm25.engine"]),
        variant=str(v["bm25.variant"]),
        k1=_float(v["bm25.k1"]),
        b=_float(v["bm25.b"]),
        tokenizer=str(v["bm25.tokenizer"]),
        stop_words=str(v["bm25.stop_words"]) if words else None,
        stemmer=str(v["bm25.stemmer"]) if words else None,
    )


def _vector(point: _Point) -> VectorParams:
    embedder = point.embedder
    settings = {"dimensions": embedder.dimensions, "seed": embedder.seed}
    return VectorParams(
        embedder=EmbedderSpec(
            name=embedder.name,
            query_prompt=_prompt(embedder, embedder.query_prompt),
            document_prompt=_prompt(embedder, embedder.document_prompt),
            **{name: value for name, value in settings.items() if value is not None},
        ),
        search=str(point.values["vector.search"]),
        space=str(point.values["vector.space"]),
    )


def _prompt(embedder: EmbedderSection, prompt: str | None) -> str | None:
    """An empty prompt says something only where the model could declare another."""
    return None if prompt == "" and embedder.name in EMBEDDERS else prompt


def _fusion(v: dict[str, Scalar]) -> FusionParams:
    weights = tuple((route, _float(v[f"fusion.weights.{route}"])) for route in ("vector", "bm25"))
    return FusionParams(method=str(v["fusion.method"]), k=_int(v["fusion.k"]), weights=weights)


def _rerank(v: dict[str, Scalar], mode: str, fetch_k: int | None) -> RerankParams:
    """Cut the depth to the largest pool there can be: deeper settings are the same experiment."""
    pool = (fetch_k or 0) * (2 if mode == "hybrid" else 1)
    return RerankParams(model=str(v["rerank.model"]), depth=min(_int(v["rerank.depth"]), pool))


def _int(value: Scalar) -> int:
    assert isinstance(value, int)
    return value


def _float(value: Scalar) -> float:
    assert isinstance(value, int | float)
    return float(value)
