"""The sweep against the plain loop: ``python -m tests.benchmarks.sweep`` writes the section ``sweep``.

The plain loop does everything again for each parameter set: cut, embed, index, then one ``Retriever.search`` per
question, adapter and scores. It is timed on one set of each mode and chunk size and extrapolated to all sets; its
models stay loaded, which is in its favour. MLflow is left out on both sides.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.index import IndexStore
from harness.scoring import adapt_runs
from harness.scoring.scorer import score_chunk_view, score_run
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.parameters import ParameterSet
from harness.study.results import Scene, SetResult
from harness.study.workshop import Workshop
from harness.threads import pin_threads
from tests.benchmarks.results import write_section
from tests.benchmarks.world import write_study, write_world

GRID: dict[str, Any] = {
    "mode": ["bm25", "vector", "hybrid"],
    "chunk": {"splitter": "text", "size": [150, 200, 300], "overlap": 0},
    "bm25": {"engine": "sparse", "tokenizer": "char-bigram"},
    "fusion": {"k": [20, 40, 60, 80]},
    "top_k": [1, 2, 3, 5, 10],
    "fetch_k": [10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 100],
}
SMALL = GRID | {"fusion": {"k": [20, 60]}, "top_k": [1, 2, 10], "fetch_k": [10, 25]}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return wall-clock seconds and the result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def score(results: Sequence[SetResult] | Any) -> int:
    """Rank and score everything; return how many sets there were."""
    count = 0
    for result in results:
        _ = result.scored
        count += 1
    return count


def shared(study: Study, folder: Path, sets: Sequence[ParameterSet] | None = None) -> float:
    """Return the seconds of a sweep by the engine."""
    store = IndexStore(folder / "indexes")
    return timed(lambda: score(run_study(study, store, cache=folder / "cache", sets=sets)))[0]


def plain(study: Study, parameters: ParameterSet, cache: Path | None, loaded: Workshop) -> float:
    """Return the seconds of one parameter set when nothing is shared but the loaded model."""
    with tempfile.TemporaryDirectory() as folder:
        return timed(lambda: _plain(study, parameters, Path(folder), cache, loaded))[0]


def _plain(study: Study, parameters: ParameterSet, folder: Path, cache: Path | None, loaded: Workshop) -> None:
    queries = study.collection.queries
    questions = [query.text for query in queries]
    workshop = Workshop(study.collection.corpus, questions, IndexStore(folder), cache=cache, models=loaded.models)
    bench = workshop.bench(parameters.chunk)
    retriever = bench.retriever(parameters)
    scene = Scene(study, bench.chunking.chunks)
    runs = {
        query.id: [
            hit.chunk.id
            for hit in retriever.search(
                query.text, mode=parameters.mode, top_k=parameters.top_k, fetch_k=parameters.fetch_k
            )
        ]
        for query in queries
    }
    ledger, judgments = scene.ledger, study.collection.golden.judgments
    adapted = adapt_runs(scene.corpus, scene.queries, scene.chunk_to_doc, runs)
    ids, conventions = scene.corpus.keys(), study.conventions
    score_run(
        ledger=ledger, judgments=judgments, document_ids=ids, run=adapted["document_runs"], conventions=conventions
    )
    score_chunk_view(
        ledger=ledger,
        judgments=judgments,
        document_ids=ids,
        chunk_to_doc=scene.chunk_to_doc,
        chunk_runs=runs,
        conventions=conventions,
    )


def measure(folder: Path, *, small: bool = False) -> dict[str, Any]:
    """Measure everything and return the section."""
    documents, asked = (6, 4) if small else (340, 300)
    write_world(folder, documents=documents, characters=1000, questions=asked)
    study = read_study(write_study(folder, "grid", SMALL if small else GRID))
    sets = study.grid.sets
    sample = {(s.mode, s.chunk.size): s for s in sets}
    questions = [query.text for query in study.collection.queries]
    loaded = Workshop(study.collection.corpus, questions, IndexStore(folder / "unused"))
    for parameters in sets:
        if parameters.vector:
            loaded.embedder(parameters.vector.embedder).encode(["预热"], "query")
    cold = shared(study, folder / "a")
    warm = shared(study, folder / "a")
    cached_only = _with_cache_only(study, folder, "b", sets)
    half = [s for s in sets if not s.fusion or s.fusion.k == 60]
    cached_half = _with_cache_only(study, folder, "c", half)
    few = sets[::10]
    few_built = _with_cache_only(study, folder, "d", few)
    few_warm, all_warm = shared(study, folder / "a", few), shared(study, folder / "a")
    per_mode = {key: plain(study, s, None, loaded) for key, s in sample.items()}
    per_mode_cached = {key: plain(study, s, folder / "a" / "cache", loaded) for key, s in sample.items()}
    total, total_cached = _total(per_mode, sets), _total(per_mode_cached, sets)
    chunks = {s.chunk.size: None for s in sets}
    return {
        "parameter_sets": len(sets),
        "questions": len(questions),
        "chunkings": len(chunks),
        "plain_loop_s_extrapolated": total,
        "shared_cold_s": cold,
        "speedup_vs_plain_loop": total / cold,
        "plain_loop_embeddings_cached_s_extrapolated": total_cached,
        "shared_embeddings_cached_s": cached_only,
        "speedup_embeddings_cached": total_cached / cached_only,
        f"speedup_embeddings_cached_{len(half)}_sets": _total(per_mode_cached, half) / cached_half,
        "shared_all_cached_s": warm,
        "warm_fraction": warm / cold,
        "ms_per_extra_set": 1000 * (all_warm - few_warm) / (len(sets) - len(few)),
        "growth_sets": {"factor": len(sets) / len(few), "time": cached_only / few_built},
        "growth_sets_all_cached": {"factor": len(sets) / len(few), "time": all_warm / few_warm},
        "growth_chunks": _growth_of_chunks(folder, (1, 10) if small else (100, 1000)),
    }


def _total(per_mode: Mapping[tuple[str, int | None], float], sets: Sequence[ParameterSet]) -> float:
    """Return the plain loop's seconds for all sets, from those of one set of each mode and chunk size."""
    return sum(per_mode[s.mode, s.chunk.size] for s in sets)


def _with_cache_only(study: Study, folder: Path, name: str, sets: Sequence[ParameterSet]) -> float:
    """Vectors are in the cache, indexes are built anew."""
    store = IndexStore(folder / name / "indexes")
    return timed(lambda: score(run_study(study, store, cache=folder / "a" / "cache", sets=sets)))[0]


def _growth_of_chunks(folder: Path, sizes: tuple[int, int]) -> dict[str, float]:
    """Ten times the documents, cold, embedding included."""
    seconds = []
    for place, documents in enumerate(sizes):
        world = folder / f"growth{place}"
        write_world(world, documents=documents, characters=600, questions=100)
        parameters = GRID | {
            "chunk": {"splitter": "text", "size": 200, "overlap": 0},
            "fusion": {"k": 60},
            "top_k": 10,
            "fetch_k": [10, 25],
        }
        study = read_study(write_study(world, "growth", parameters))
        seconds.append(shared(study, world))
    return {"factor": 10.0, "time": seconds[1] / seconds[0]}


def main() -> None:
    """Measure, print, and write ``build/bench.json``."""
    pin_threads()
    with tempfile.TemporaryDirectory() as folder:
        write_section("sweep", measure(Path(folder), small="--small" in sys.argv))


if __name__ == "__main__":
    main()
