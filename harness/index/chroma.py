"""The one place that talks to Chroma: a persistent client per index directory, always closed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import DamagedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLLECTION = "chunks"
_READ_BATCH = 2000


@contextlib.contextmanager
def _client(directory: Path) -> Iterator[Any]:
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings

    try:
        client: Any = chromadb.PersistentClient(path=str(directory), settings=Settings(anonymized_telemetry=False))
    except Exception:
        SharedSystemClient.clear_system_cache()  # else what failed to start is handed out again for this path
        raise
    with client:
        yield client


def add_vectors(
    directory: Path, positions: Sequence[int], vectors: NDArray[np.float32], graph: Mapping[str, Any]
) -> None:
    """Create the collection and add the vectors, in batches as large as this client takes.

    Args:
        directory: an empty directory for this index alone.
        positions: place of each vector in the index; its decimal text is the id in Chroma.
        vectors: shape (n, d).
        graph: settings of the graph index (``space``, ``ef_construction``, ``max_neighbors``, ``ef_search``).
    """
    with _client(directory) as client:
        collection = client.create_collection(COLLECTION, embedding_function=None, configuration={"hnsw": dict(graph)})
        for batch in batches(len(positions), client.get_max_batch_size()):
            collection.add(ids=[str(p) for p in positions[batch]], embeddings=vectors[batch])


def batches(total: int, limit: int) -> Iterator[slice]:
    """Yield slices that cover ``range(total)``, none longer than ``limit``."""
    for start in range(0, total, limit):
        yield slice(start, min(start + limit, total))


@contextlib.contextmanager
def _collection(directory: Path) -> Iterator[Any]:
    try:
        with _client(directory) as client:
            yield client.get_collection(COLLECTION, embedding_function=None)
    except Exception as error:
        raise DamagedError(
            f"{directory}: Chroma can't read this index ({type(error).__name__}: {error}); delete it and run again"
        ) from None


def read_vectors(directory: Path, positions: Sequence[int]) -> Iterator[NDArray[np.float32]]:
    """Yield the vectors in the order of ``positions``, a batch of rows at a time.

    Raises:
        DamagedError: Chroma can't open the directory, or a vector is missing.
    """
    import numpy as np

    with _collection(directory) as collection:
        for batch in batches(len(positions), _READ_BATCH):
            wanted = [str(p) for p in positions[batch]]
            found = collection.get(ids=wanted, include=["embeddings"])
            place = {name: i for i, name in enumerate(found["ids"])}
            embeddings = np.asarray(found["embeddings"], dtype=np.float32)
            yield embeddings[[place[name] for name in wanted]]


def query_graph(directory: Path, queries: NDArray[np.float32], depth: int) -> list[list[tuple[int, float]]]:
    """Ask Chroma's graph index.

    Returns:
        For each query up to ``depth`` pairs of position and cosine distance, in Chroma's order.

    Raises:
        DamagedError: Chroma can't open the directory or search it.
    """
    with _collection(directory) as collection:
        found = collection.query(query_embeddings=queries, n_results=depth, include=["distances"])
    return [
        [(int(name), float(distance)) for name, distance in zip(names, distances, strict=True)]
        for names, distances in zip(found["ids"], found["distances"], strict=True)
    ]
