"""Runs a study: one loop over its parameter sets, with everything they share done once."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.chunking import SPLITTERS, Chunking, ChunkParams
from harness.fingerprint import sha256_json
from harness.index import IndexStore
from harness.records import Hit, Leg
from harness.scoring import adapt_runs
from harness.scoring.controls import run_controls
from harness.scoring.scorer import score_chunk_view, score_run
from harness.study.config import Study, corpus_table, query_table
from harness.study.parameters import ParameterSet
from harness.study.results import Fingerprints, SetResult
from harness.study.workshop import Bench, OpenRoute, Workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """The collection in the shapes the exact core takes, made once."""

    corpus: Mapping[str, str]
    queries: Mapping[str, Mapping[str, str]]
    ledger: tuple[str, ...]


def run_study(study: Study, store: IndexStore) -> Iterator[SetResult]:
    """Yield the result of every parameter set, chunking by chunking, each in grid order.

    Raises:
        InputError: a parameter set turns out to be unusable on this corpus.
        StoreError: an index can't be read or written.
    """
    queries = study.collection.queries
    workshop = Workshop(study.collection.corpus, [query.text for query in queries], store)
    tables = _Tables(
        corpus=corpus_table(study.collection),
        queries=query_table(study.collection),
        ledger=tuple(query.id for query in queries),
    )
    for params, sets in by_chunking(study.grid.sets).items():
        bench = workshop.bench(params)
        chunk_to_doc = {chunk.id: chunk.document_id for chunk in bench.chunking.chunks}
        for parameters in sets:
            yield _run_set(study, parameters, bench, tables, chunk_to_doc)


def by_chunking(sets: tuple[ParameterSet, ...]) -> dict[ChunkParams, list[ParameterSet]]:
    """Group sets by how they cut the corpus, in order of first use."""
    groups: dict[ChunkParams, list[ParameterSet]] = {}
    for parameters in sets:
        groups.setdefault(parameters.chunk, []).append(parameters)
    return groups


def _run_set(
    study: Study,
    parameters: ParameterSet,
    bench: Bench,
    tables: _Tables,
    chunk_to_doc: Mapping[str, str],
) -> SetResult:
    routes = bench.routes(parameters)
    legs = bench.legs(parameters)
    started = time.perf_counter()
    hits = _rank(study, parameters, bench, legs)
    facts, notes = _facts(study, bench, routes, parameters)
    chunk_runs = {query: [hit.chunk.id for hit in found] for query, found in hits.items()}
    adapted = adapt_runs(tables.corpus, tables.queries, chunk_to_doc, chunk_runs, study.schema.evaluation.split)
    judgments = study.collection.golden.judgments
    documents = score_run(
        ledger=tables.ledger,
        judgments=judgments,
        document_ids=tables.corpus.keys(),
        run=adapted["document_runs"],
        conventions=study.conventions,
    )
    chunks = score_chunk_view(
        ledger=tables.ledger,
        judgments=judgments,
        document_ids=tables.corpus.keys(),
        chunk_to_doc=chunk_to_doc,
        chunk_runs=chunk_runs,
        conventions=study.conventions,
    )
    controls = run_controls(
        ledger=tables.ledger,
        judgments=judgments,
        document_runs=adapted["document_runs"],
        chunk_runs=chunk_runs,
        chunk_to_doc=chunk_to_doc,
        k=study.schema.evaluation.k,
        relevance_threshold=study.schema.evaluation.relevance_threshold,
    )
    return SetResult(
        parameters=parameters,
        hits=hits,
        adapted=adapted,
        documents=documents,
        chunks=chunks,
        controls=controls,
        fingerprints=_fingerprints(parameters, bench, routes, hits, adapted["adapter_sha256"]),
        facts=facts,
        notes=notes,
        seconds=time.perf_counter() - started,
    )


def _rank(
    study: Study, parameters: ParameterSet, bench: Bench, legs: Mapping[str, list[Leg]]
) -> dict[str, tuple[Hit, ...]]:
    retriever = bench.retriever(parameters)
    return {
        query.id: retriever.assemble(
            query.text,
            {route: found[place] for route, found in legs.items()},
            mode=parameters.mode,
            top_k=parameters.top_k,
            fetch_k=parameters.fetch_k,
            rerank=parameters.rerank.depth if parameters.rerank else None,
        )
        for place, query in enumerate(study.collection.queries)
    }


def _fingerprints(
    parameters: ParameterSet,
    bench: Bench,
    routes: Mapping[str, OpenRoute],
    hits: Mapping[str, tuple[Hit, ...]],
    adapter_sha256: str,
) -> Fingerprints:
    weights = {name: opened.weights_sha256 for name, opened in routes.items() if opened.weights_sha256}
    if parameters.rerank:
        reranker = bench.workshop.reranker(parameters.rerank.model)
        weights["rerank"] = sha256_json(dict(reranker.fingerprint))
    return Fingerprints(
        chunking=bench.chunking.sha256,
        indexes={name: opened.sha256 for name, opened in routes.items()},
        weights=weights,
        run=sha256_json({q: [[hit.chunk.id, hit.score.hex()] for hit in found] for q, found in hits.items()}),
        ranking=sha256_json({q: [hit.chunk.id for hit in found] for q, found in hits.items()}),
        adapter=adapter_sha256,
    )


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
    notes = [*_unreachable_notes(study, chunking), *_overlap_notes(chunking)]
    for opened in routes.values():
        facts |= opened.facts
        notes.extend(opened.notes)
    if parameters.rerank:
        pairs, truncated = bench.workshop.reranker(parameters.rerank.model).tally()
        facts |= {"rerank_pairs": pairs, "rerank_pairs_truncated": truncated}
        if truncated:
            notes.append(f"{truncated} of {pairs} rerank pairs were longer than {parameters.rerank.model} reads")
    return facts, tuple(notes)


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
