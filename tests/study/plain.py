"""The plain way to the same hits: everything from scratch, one question at a time, nothing shared or remembered.

BM25 is always that of the reference engine, whatever the parameter set says: another engine must give the same bits.
"""

from __future__ import annotations

from pathlib import Path

from harness.chunking import chunk_corpus
from harness.embedding import load_embedder
from harness.index import (
    ApproximateVectorRoute,
    Bm25Index,
    ExactVectorRoute,
    VectorIndex,
    write_bm25_tokens,
    write_vectors,
)
from harness.protocols import Embedder, Route
from harness.records import Corpus, Hit, Query
from harness.retrieval import CrossEncoderReranker, Retriever, Rrf
from harness.study.parameters import ParameterSet
from harness.tokenizing import make_tokenizer


def plain_retriever(
    corpus: Corpus, parameters: ParameterSet, folder: Path, embedder: Embedder | None = None
) -> Retriever:
    """Build what an application would search with under these parameters, loading the embedder unless it is given."""
    chunks = chunk_corpus(corpus, parameters.chunk).chunks
    routes: dict[str, Route] = {}
    if parameters.bm25:
        bm25 = parameters.bm25
        words = {"stop_words": bm25.stop_words or "none", "stemmer": bm25.stemmer or "none"}
        tokenizer = make_tokenizer(bm25.tokenizer, **words)
        (folder / "bm25").mkdir(parents=True)
        facts = write_bm25_tokens(folder / "bm25", chunks, tokenizer)
        index = Bm25Index.open(folder / "bm25", facts, tokenizer)
        routes["bm25"] = index.route(engine="rank-bm25", variant=bm25.variant, k1=bm25.k1, b=bm25.b)
    if parameters.vector:
        texts = [chunk.text for chunk in chunks]
        embedder = (embedder or load_embedder(parameters.vector.embedder)).fit(texts)
        facts = write_vectors(folder / "vector", embedder.encode(texts, "document"), parameters.vector.search).facts
        vectors = VectorIndex.open(folder / "vector", facts, embedder)
        kinds = {"exact": ExactVectorRoute, "approximate": ApproximateVectorRoute}
        routes["vector"] = kinds[parameters.vector.search](index=vectors)
    return Retriever(
        chunks=chunks,
        routes=routes,
        fusion=parameters.fusion.fusion() if parameters.fusion else Rrf(),
        reranker=CrossEncoderReranker(parameters.rerank.model) if parameters.rerank else None,
    )


def plain_hits(
    retriever: Retriever, parameters: ParameterSet, queries: tuple[Query, ...]
) -> dict[str, tuple[Hit, ...]]:
    """Ask the questions one by one."""
    return {
        query.id: retriever.search(
            query.text,
            mode=parameters.mode,
            top_k=parameters.top_k,
            fetch_k=parameters.fetch_k,
            rerank=parameters.rerank.depth if parameters.rerank else None,
        )
        for query in queries
    }
