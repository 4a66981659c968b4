"""Peak memory of a sweep over 120,000 chunks: ``python -m tests.benchmarks.memory`` writes the section ``memory``.

``python -m tests.benchmarks.memory 33400`` takes that many documents instead (6 chunks each) and writes
``memory_33400``.

The chunks' vectors (512 dimensions) are generated into the cache beforehand instead of being embedded, which would take
a quarter of an hour; everything else is what any sweep does, in a process of its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.results import write_section
from tests.benchmarks.world import write_study, write_world

DOCUMENTS, CHARACTERS, QUESTIONS, SIZE = 20_000, 1_000, 100, 200
PARAMETERS: dict[str, Any] = {
    "mode": ["bm25", "vector", "hybrid"],
    "chunk": {"splitter": "fixed", "size": SIZE, "overlap": 0},
    "bm25": {"engine": "sparse", "tokenizer": "char-bigram"},
    "top_k": [5, 10],
    "fetch_k": [10, 25],
}


def prepare(study_file: Path, folder: Path) -> int:
    """Fill the cache with generated unit vectors; return the number of chunks."""
    import numpy as np

    from harness.cache import BlobCache
    from harness.chunking import chunk_corpus
    from harness.embedding import EmbedderSpec, load_embedder
    from harness.study.config import read_study
    from harness.vectors import unit_on_grid

    study = read_study(study_file)
    chunking = chunk_corpus(study.collection.corpus, study.grid.sets[0].chunk)
    embedder = load_embedder(EmbedderSpec(name="packaged-multilingual"))
    place = BlobCache(folder / "cache", "embeddings", embedder.role_fingerprint("document"))
    rng = np.random.default_rng(0)
    texts = [chunk.text for chunk in chunking.chunks]
    for start in range(0, len(texts), 5000):
        batch = texts[start : start + 5000]
        rows = unit_on_grid(rng.standard_normal((len(batch), 512)))
        place.put({place.key(t): row.astype("<f4").tobytes() for t, row in zip(batch, rows, strict=True)}, 1.0)
    return len(texts)


def sweep(study_file: Path, folder: Path) -> dict[str, float]:
    """Run the study and return seconds and peak memory of this process."""
    from harness.index import IndexStore
    from harness.study.config import read_study
    from harness.study.engine import run_study

    started = time.perf_counter()
    study = read_study(study_file)
    read = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for result in run_study(study, IndexStore(folder / "indexes"), cache=folder / "cache"):
        _ = result.scored
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": time.perf_counter() - started, "peak_mb": peak, "peak_mb_after_reading": read}


def in_process(step: str, study_file: Path, folder: Path) -> Any:
    """Run one step in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.memory", step, str(study_file), str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure, print, and write ``build/bench.json``; or run one step of it."""
    from harness.threads import pin_threads

    pin_threads()
    if len(sys.argv) == 4:
        step = {"prepare": prepare, "sweep": sweep}[sys.argv[1]]
        print(json.dumps(step(Path(sys.argv[2]), Path(sys.argv[3]))))
        return
    documents = int(sys.argv[1]) if len(sys.argv) == 2 else DOCUMENTS
    section = "memory" if documents == DOCUMENTS else f"memory_{documents}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_world(folder, documents=documents, characters=CHARACTERS, questions=QUESTIONS)
        study_file = write_study(folder, "memory", PARAMETERS)
        chunks = in_process("prepare", study_file, folder)
        cold = in_process("sweep", study_file, folder)
        warm = in_process("sweep", study_file, folder)
        vectors = chunks * 512 * 4 / 2**20
        write_section(section, {"chunks": chunks, "vectors_mb": vectors, "cold": cold, "warm": warm})


if __name__ == "__main__":
    main()
