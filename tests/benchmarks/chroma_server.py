"""Chroma as a server and in the process: ``python -m tests.benchmarks.chroma_server`` writes ``chroma_server``.

204,000 vectors of 512 dimensions are added, then 100 questions ask one by one for their nearest 100. Recall is held
against brute force. ``python -m tests.benchmarks.chroma_server 20000`` takes another number of vectors.

The vectors are generated: 24 directions mixed at random, and a tenth of noise. Nearest neighbours of independent random
components would be no nearer than any other vector, which no graph finds its way through, and no text is like that.
"""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.results import write_section
from tests.benchmarks.watching import Watch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VECTORS, DIMENSIONS, DIRECTIONS, QUESTIONS, DEPTH, BATCH = 204_000, 512, 24, 100, 100, 4_000


def rows(seed: int, count: int) -> NDArray[np.float32]:
    """Return unit vectors; the same for the same seed."""
    import numpy as np

    from harness.vectors import unit_on_grid

    directions = np.random.default_rng(0).standard_normal((DIRECTIONS, DIMENSIONS))
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((count, DIMENSIONS)) * 0.1 * DIRECTIONS**0.5
    return unit_on_grid(rng.standard_normal((count, DIRECTIONS)) @ directions + noise)


def stored(total: int) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield the first place and the vectors of each batch."""
    for start in range(0, total, BATCH):
        yield start, rows(start + 1, min(BATCH, total - start))


def asked() -> NDArray[np.float32]:
    """Return the questions' vectors."""
    return rows(-1 % 2**32, QUESTIONS)


@contextlib.contextmanager
def client_of(place: str) -> Iterator[Any]:
    """Yield a client of the server at a port, or one that has a folder in this process."""
    import chromadb
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if place.isdecimal():
        yield chromadb.HttpClient(host="127.0.0.1", port=int(place), settings=settings)
    else:
        client: Any = chromadb.PersistentClient(path=place, settings=settings)
        with client:
            yield client


def add(place: str, total: int) -> dict[str, Any]:
    """Add all vectors; return the seconds spent in Chroma."""
    from harness.index import GRAPHS

    seconds = 0.0
    with client_of(place) as client:
        hnsw = dict(GRAPHS["approximate"])
        collection = client.create_collection("chunks", embedding_function=None, configuration={"hnsw": hnsw})
        for start, batch in stored(total):
            ids = [str(start + place) for place in range(len(batch))]
            started = time.perf_counter()
            collection.add(ids=ids, embeddings=batch)
            seconds += time.perf_counter() - started
    return {"seconds": seconds}


def ask(place: str, total: int) -> dict[str, Any]:
    """Ask each question; return the seconds of the first, the milliseconds of the others, and what was found."""
    del total
    found, seconds = [], []
    with client_of(place) as client:
        collection = client.get_collection("chunks", embedding_function=None)
        for question in asked():
            started = time.perf_counter()
            answer = collection.query(query_embeddings=[question], n_results=DEPTH, include=["distances"])
            seconds.append(time.perf_counter() - started)
            found.append([int(name) for name in answer["ids"][0]])
    return {"first_s": seconds[0], "ms_each": 1000 * sum(seconds[1:]) / len(seconds[1:]), "found": found}


STEPS = {"add": add, "ask": ask}


def in_process(step: str, place: str, total: int, others: Mapping[str, int]) -> dict[str, Any]:
    """Run one step in a process of its own; return what it says, and the peaks of it and of ``others``."""
    command = [sys.executable, "-m", "tests.benchmarks.chroma_server", step, place, str(total)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with Watch({"client": process.pid, **others}) as watch:
        said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(process.returncode)
    return {**json.loads(said.splitlines()[-1]), **watch.peaks}


@contextlib.contextmanager
def server(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield the port and the process id of a Chroma server on this machine alone, which is stopped in any case."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chroma = Path(sys.executable).with_name("chroma")
    command = [str(chroma), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder.parent / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        for _ in range(600):
            if process.poll() is not None:
                raise SystemExit("the server has ended; is the port taken?")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        yield str(port), process.pid
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def nearest(total: int) -> list[set[int]]:
    """Return the places of the true nearest of each question, by brute force, a batch at a time."""
    import numpy as np

    from harness.vectors import dot_products

    best, places = np.empty((QUESTIONS, 0)), np.empty((QUESTIONS, 0), dtype=np.int64)
    for start, batch in stored(total):
        best = np.hstack([best, dot_products(asked(), batch)])
        places = np.hstack([places, np.tile(np.arange(start, start + len(batch)), (QUESTIONS, 1))])
        kept = np.argsort(-best, axis=1, kind="stable")[:, :DEPTH]
        best, places = np.take_along_axis(best, kept, 1), np.take_along_axis(places, kept, 1)
    return [set(row) for row in places.tolist()]


def measured(place: str, total: int, exact: list[set[int]], others: Mapping[str, int]) -> dict[str, Any]:
    """Add, ask, and compare."""
    added = in_process("add", place, total, others)
    answered = in_process("ask", place, total, others)
    shares = [len(held & set(row)) / len(held) for held, row in zip(exact, answered.pop("found"), strict=True)]
    return {"add": added, "ask": answered, "recall_at_100": sum(shares) / len(shares)}


def main() -> None:
    """Measure, print, and write ``build/bench.json``; or run one step of it."""
    from harness.threads import pin_threads

    pin_threads()
    if len(sys.argv) > 2:
        step, place, total = sys.argv[1:]
        print(json.dumps(STEPS[step](place, int(total))))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # else a server would outlive this process
    count = int(sys.argv[1]) if len(sys.argv) == 2 else VECTORS
    exact = nearest(count)
    found: dict[str, Any] = {"vectors": count}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "served").mkdir()
        with server(folder / "served") as (port, pid):
            found["server"] = measured(port, count, exact, {"server": pid})
        found["same process"] = measured(str(folder / "own"), count, exact, {})
    write_section("chroma_server" if count == VECTORS else f"chroma_server_{count}", found)


if __name__ == "__main__":
    main()
