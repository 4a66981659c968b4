"""Indexes: BM25 and vectors over the chunks of one chunking, and the isolated store they live in."""

from harness.index.bm25 import BM25_ENGINES, BM25_LAYOUT, BM25_VARIANTS, Bm25Index, write_bm25_tokens
from harness.index.store import IndexEntry, IndexStore
from harness.index.vector import (
    GRAPHS,
    ApproximateVectorRoute,
    ExactVectorRoute,
    VectorIndex,
    Written,
    write_vectors,
)

__all__ = [
    "BM25_ENGINES",
    "BM25_LAYOUT",
    "BM25_VARIANTS",
    "GRAPHS",
    "ApproximateVectorRoute",
    "Bm25Index",
    "ExactVectorRoute",
    "IndexEntry",
    "IndexStore",
    "VectorIndex",
    "Written",
    "write_bm25_tokens",
    "write_vectors",
]
