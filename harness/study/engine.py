"""Runs a study: one loop over its parameter sets, with everything they share done once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.chunking import SPLITTERS, Chunking, ChunkParams
from harness.fingerprint import sha256_json
from harness.index import IndexStore
from harness.study.bench import Bench
from harness.study.config import Study
from harness.study.opening import OpenRoute, listed
from harness.study.parameters import ParameterSet
from harness.study.results import Scene, SetResult
from harness.study.workshop import Workshop


def run_study(
    study: Study,
    store: IndexStore,
    *,
    cache: Path | None = None,
    sets: Sequence[ParameterSet] | None = None,
) -> Iterator[SetResult]:
    """Yield the result of every parameter set, chunking by chunking, each in grid order.

    Args:
        study: a checked study.
        store: where indexes live.
        cache: folder of vectors and rerank scores by content; None keeps them in memory.
        sets: those to run; all of the study when left out.

    Raises:
        InputError: a parameter set turns out to be unusable on this corpus.
        StoreError: an index can't be read or written.
    """
    questions = [query.text for query in study.collection.queries]
    workshop = Workshop(study.collection.corpus, questions, store, cache=cache)
    for params, group in by_chunking(study.grid.sets if sets is None else sets).items():
        bench = workshop.bench(params)
        scene = Scene(study, bench.chunking.chunks)
        for parameters in group:
            yield run_set(parameters, bench, scene)


def by_chunking(sets: Sequence[ParameterSet]) -> dict[ChunkParams, list[ParameterSet]]:
    """Group sets by how they cut the corpus, in order of first use."""
    groups: dict[ChunkParams, list[ParameterSet]] = {}
    for parameters in sets:
        groups.setdefault(parameters.chunk, []).append(parameters)
    return groups


def run_set(parameters: ParameterSet, bench: Bench, scene: Scene) -> SetResult:
    """Search all questions under one parameter set."""
    routes = bench.routes(parameters)
    bench.prepare(parameters)
    started = time.perf_counter()
    ranking = bench.rank(parameters)
    seconds = time.perf_counter() - started
    facts, notes = _facts(scene.study, bench, routes, parameters)
    weights = {name: opened.weights_sha256 for name, opened in routes.items() if opened.weights_sha256}
    if parameters.rerank:
        weights["rerank"] = sha256_json(dict(bench.workshop.reranker(parameters.rerank.model).fingerprint))
    return SetResult(
        parameters=parameters,
        ranking=ranking,
        scene=scene,
        chunking_sha256=bench.chunking.sha256,
        indexes={name: opened.sha256 for name, opened in routes.items()},
        weights=weights,
        facts=facts,
        notes=notes,
        seconds=seconds,
        contents=_contents(bench, routes),
        legs=bench.leg_prints(parameters),
        pool=bench.pool(parameters) if parameters.rerank else ranking,
        pools=bench.pools(parameters),
    )


def _contents(bench: Bench, routes: Mapping[str, OpenRoute]) -> dict[str, str]:
    named = {"bm25": "tokens", "vector": "vectors"}
    return {"chunks": bench.chunks_print} | {named[route]: opened.content_sha256 for route, opened in routes.items()}


def _facts(
    study: Study, bench: Bench, routes: Mapping[str, OpenRoute], parameters: ParameterSet
) -> tuple[dict[str, float], tuple[str, ...]]:
    chunking = bench.chunking
    facts: dict[str, float] = {
        "chunks": len(chunking.chunks),
        "chunk_overlap_mean": chunking.overlap_mean,
        "chunk_overlap_max": chunking.overlap_max,
        "documents_without_chunks": len(chunking.unreachable),
    }
    notes = list(
        bench.notes(lambda: [*_unreachable_notes(study, chunking), *_uncut_notes(chunking), *_overlap_notes(chunking)])
    )
    for opened in routes.values():
        facts |= opened.facts
        notes.extend(opened.notes)
    if parameters.bm25:
        notes.extend(_termless_notes(study, parameters.bm25.tokenizer, routes["bm25"].termless))
    for name, places in bench.tied(parameters).items():
        facts[f"{name}_questions_all_tied"] = len(places)
        notes.extend(_tied_notes(study, name, places))
    if parameters.rerank:
        pairs, truncated = bench.workshop.reranker(parameters.rerank.model).tally()
        facts |= {"rerank_pairs": pairs, "rerank_pairs_truncated": truncated}
        if truncated:
            notes.append(f"{truncated} of {pairs} rerank pairs were longer than {parameters.rerank.model} reads")
    return facts, tuple(notes)


def _termless_notes(study: Study, tokenizer: str, places: Sequence[int]) -> Iterator[str]:
    if places:
        what = "1 question yields" if len(places) == 1 else f"{len(places)} questions yield"
        gets = "gets" if len(places) == 1 else "get"
        yield f"{what} no term under {tokenizer} and {gets} no hit from BM25: {listed(_ids(study, places))}"


def _tied_notes(study: Study, route: str, places: Sequence[int]) -> Iterator[str]:
    if places:
        what = "1 question gets" if len(places) == 1 else f"{len(places)} questions get"
        yield f"{what} the same score for every hit from {route}, so the tie rule alone orders them: " + listed(
            _ids(study, places)
        )


def _ids(study: Study, places: Sequence[int]) -> list[str]:
    queries = study.collection.queries
    return [queries[place].id for place in places]


def _uncut_notes(chunking: Chunking) -> Iterator[str]:
    params = chunking.params
    if SPLITTERS[params.splitter].uses_size and not any(chunk.ordinal for chunk in chunking.chunks):
        yield (
            f"chunk.size {params.size}: every document is one chunk under splitter {params.splitter}, "
            "so cutting made no difference"
        )


def _overlap_notes(chunking: Chunking) -> Iterator[str]:
    params = chunking.params
    if params.overlap and not SPLITTERS[params.splitter].exact_overlap:
        yield (
            f"chunk.size {params.size}: overlap {params.overlap} is a ceiling for splitter {params.splitter}; "
            f"it came out as {chunking.overlap_mean:.1f} characters on average"
        )


def _unreachable_notes(study: Study, chunking: Chunking) -> Iterator[str]:
    gone = set(chunking.unreachable)
    threshold = study.schema.evaluation.relevance_threshold
    grades = study.collection.golden.judgments.grades
    lost = [
        query.id
        for query in study.collection.queries
        if any(grade >= threshold and document in gone for document, grade in grades[query.id].items())
    ]
    if lost:
        yield f"relevant documents without any chunk can't be found: they count as missed for {', '.join(lost)}"
