"""Peak memory of a sweep over 120,000 chunks: ``python -m tests.benchmarks.memory`` writes the section ``memory``.

``python -m tests.benchmarks.memory 34000`` takes that many documents instead (6 chunks each) and writes
``memory_34000``. ``--sizes 200 190`` cuts them in two ways; ``--workers 2`` lets a Dask cluster of so many workers on
this machine run the study too, on the indexes that are held by then. Each process is watched by itself.

The chunks' vectors (512 dimensions) are generated into the cache beforehand instead of being embedded, which would take
a quarter of an hour; everything else is what any sweep does but MLflow, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.results import write_section
from tests.benchmarks.watching import Watch
from tests.benchmarks.world import write_study, write_world

DOCUMENTS, CHARACTERS, QUESTIONS = 20_000, 1_000, 100
PARAMETERS: dict[str, Any] = {
    "mode": ["bm25", "vector", "hybrid"],
    "bm25": {"engine": "sparse", "tokenizer": "char-bigram"},
    "top_k": [5, 10],
    "fetch_k": [10, 25],
}


def prepare(study_file: Path, folder: Path, address: str) -> dict[str, Any]:
    """Fill the cache with generated unit vectors; return the number of chunks of each chunking."""
    import numpy as np

    from harness.cache import BlobCache
    from harness.chunking import chunk_corpus
    from harness.embedding import EmbedderSpec, load_embedder
    from harness.study.config import read_study
    from harness.study.engine import by_chunking
    from harness.vectors import unit_on_grid

    del address
    study = read_study(study_file)
    embedder = load_embedder(EmbedderSpec(name="packaged-multilingual"))
    place = BlobCache(folder / "cache", "embeddings", embedder.role_fingerprint("document"))
    rng = np.random.default_rng(0)
    counts = []
    for params in by_chunking(study.grid.sets):
        texts = [chunk.text for chunk in chunk_corpus(study.collection.corpus, params).chunks]
        counts.append(len(texts))
        for start in range(0, len(texts), 5000):
            batch = texts[start : start + 5000]
            rows = unit_on_grid(rng.standard_normal((len(batch), 512)))
            place.put({place.key(t): row.astype("<f4").tobytes() for t, row in zip(batch, rows, strict=True)}, 1.0)
    return {"chunks": counts}


def read(study_file: Path, folder: Path, address: str) -> dict[str, Any]:
    """Read and check documents and questions, the first part of any sweep."""
    from harness.study.config import read_study

    del folder, address
    started = time.perf_counter()
    read_study(study_file)
    return {"seconds": time.perf_counter() - started}


def sweep(study_file: Path, folder: Path, address: str) -> dict[str, Any]:
    """Run the study, in this process or on the cluster at ``address``; its own seconds of a core are this process's."""
    from harness.study.config import read_study
    from harness.study.executors import Failed, make_executor
    from harness.study.units import LARGEST_UNIT, Shared, build_index, index_units, run_sets, set_units

    started = time.perf_counter()
    study = read_study(study_file)
    places = range(len(study.grid.sets))
    shared = Shared(study=study, store=folder / "indexes", cache=folder / "cache", key="memory")
    executor = make_executor("dask" if address else "sequential", workers=1, address=address or None)
    outcomes = [*executor.run(build_index, shared, index_units(study, places))] if address else []
    outcomes += executor.run(run_sets, shared, set_units(study, places, LARGEST_UNIT if address else 1))
    faults = [one.result for one in outcomes if isinstance(one.result, Failed) or one.result.failures]
    if faults:
        raise SystemExit(f"not every set could be run: {faults[0]}")
    return {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time()}


STEPS = {step.__name__: step for step in (prepare, read, sweep)}


def in_process(
    step: str, study_file: Path, folder: Path, address: str = "", others: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Run one step in a process of its own; return what it says, and the peaks of it and of ``others``."""
    command = [sys.executable, "-m", "tests.benchmarks.memory", step, str(study_file), str(folder), address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with Watch({"process": process.pid, **(others or {})}) as watch:
        said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(process.returncode)
    return {**json.loads(said.splitlines()[-1]), **watch.peaks}


def on_cluster(workers: int, study_file: Path, folder: Path) -> dict[str, Any]:
    """Run the study on a scheduler and workers of this machine."""
    sys.path.append(str(Path(__file__).parents[1]))
    from distributed import Client

    from tests.engine.cluster import Cluster

    with Cluster(folder) as cluster:
        cluster.add_workers(workers)
        with Client(cluster.address) as client:
            found = sorted(client.run(os.getpid).values())
        others = {f"worker {number}": pid for number, pid in enumerate(found, 1)}
        others["scheduler"] = cluster.processes[0].pid
        return in_process("sweep", study_file, folder, cluster.address, others)


def main() -> None:
    """Measure, print, and write ``build/bench.json``; or run one step of it."""
    from harness.threads import pin_threads

    pin_threads()
    if len(sys.argv) > 1 and sys.argv[1] in STEPS:
        print(json.dumps(STEPS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=int, nargs="?", default=DOCUMENTS)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200], help="characters of a chunk, one chunking each")
    parser.add_argument("--workers", type=int, default=0, help="of a Dask cluster that runs the study too")
    given = parser.parse_args()
    names = ["memory", *([str(given.documents)] if given.documents != DOCUMENTS else [])]
    names += [f"{len(given.sizes)}_chunkings"] if len(given.sizes) > 1 else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_world(folder, documents=given.documents, characters=CHARACTERS, questions=QUESTIONS)
        chunk = {"splitter": "fixed", "size": given.sizes, "overlap": 0}
        study_file = write_study(folder, "memory", {**PARAMETERS, "chunk": chunk})
        found = {"chunks": in_process("prepare", study_file, folder)["chunks"]}
        found |= {kind: in_process(step, study_file, folder) for kind, step in (("read", "read"), ("cold", "sweep"))}
        found["warm"] = in_process("sweep", study_file, folder)
        if given.workers:
            found["cluster"] = on_cluster(given.workers, study_file, folder)
        write_section("_".join(names), found)


if __name__ == "__main__":
    main()
