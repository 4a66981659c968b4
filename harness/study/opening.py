"""Opening a route: finding or building its index, and counting what a reader should know about it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.chunking import Chunking
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.index import (
    BM25_LAYOUT,
    GRAPHS,
    ApproximateVectorRoute,
    Bm25Index,
    ExactVectorRoute,
    VectorIndex,
    Written,
    write_bm25_tokens,
    write_vectors,
)
from harness.protocols import Embedder, Route, TokenLoss
from harness.study.parameters import Bm25Params, VectorParams
from harness.tokenizing import Tokenizer, make_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.study.workshop import Workshop

_ENGINE_LIBRARIES = {"rank-bm25": "rank-bm25", "sparse": "scipy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRoute:
    """A route that is ready to be asked.

    Attributes:
        route: the route.
        sha256: fingerprint of index, weighting and search together.
        content_sha256: of what lies in the index and what it made of the questions: terms or vectors themselves.
        weights_sha256: fingerprint of the embedder, None for BM25.
        facts: counts from its index, by name.
        notes: sentences on what may mislead.
        termless: places of the questions that yield no term.
    """

    route: Route
    sha256: str
    content_sha256: str
    weights_sha256: str | None
    facts: Mapping[str, float]
    notes: tuple[str, ...]
    termless: tuple[int, ...] = ()


def tokenizer_of(params: Bm25Params) -> Tokenizer:
    """Return the tokenizer a parameter set names."""
    return make_tokenizer(params.tokenizer, stop_words=params.stop_words or "none", stemmer=params.stemmer or "none")


def bm25_ingredients(chunking: Chunking, tokenizer: Tokenizer) -> dict[str, Any]:
    """Return everything that shapes the terms on disk."""
    return {"chunking": chunking.sha256, "layout": BM25_LAYOUT, **tokenizer.fingerprint}


def vector_ingredients(chunking: Chunking, fingerprint: Mapping[str, Any], search: str) -> dict[str, Any]:
    """Return everything that shapes the vectors on disk and the graph over them."""
    return {
        "chunking": chunking.sha256,
        "embedder": dict(fingerprint),
        "chromadb": version("chromadb"),
        "graph": dict(GRAPHS[search]),
    }


def open_bm25(workshop: Workshop, chunking: Chunking, params: Bm25Params) -> OpenRoute:
    """Open BM25 over a chunking.

    Raises:
        InputError: no chunk yields a term under the tokenizer.
    """
    tokenizer = tokenizer_of(params)
    index, entry = workshop.store.open_or_build(
        "bm25",
        bm25_ingredients(chunking, tokenizer),
        lambda path: write_bm25_tokens(path, chunking.chunks, tokenizer),
        lambda path, facts: Bm25Index.open(path, facts, tokenizer),
    )
    if not index.vocabulary:
        message = f"no chunk yields a term under {params.tokenizer!r}; choose another tokenizer"
        raise InputError(Problem(field="parameters.bm25.tokenizer", message=message))
    weighting = {
        "engine": f"{params.engine} {version(_ENGINE_LIBRARIES[params.engine])}",
        "variant": params.variant,
        "k1": params.k1,
        "b": params.b,
    }
    asked = [tokenizer(question) for question in workshop.questions]
    termless = tuple(place for place, terms in enumerate(asked) if not terms)
    return OpenRoute(
        route=index.route(variant=params.variant, k1=params.k1, b=params.b, engine=params.engine),
        sha256=sha256_json({"index": entry.sha256, **weighting}),
        content_sha256=sha256_json({"chunks": entry.facts["files"], "questions": [list(terms) for terms in asked]}),
        weights_sha256=None,
        facts={
            "bm25_chunks_without_terms": entry.facts["chunks_without_terms"],
            "bm25_questions_without_terms": len(termless),
        },
        notes=_termless_notes(params.tokenizer, index, chunking),
        termless=termless,
    )


def open_vector(workshop: Workshop, chunking: Chunking, params: VectorParams) -> OpenRoute:
    """Open the vector route over a chunking, embedding what isn't in the cache."""
    texts = [chunk.text for chunk in chunking.chunks]
    embedder: Embedder = workshop.embedder(params.embedder)
    if embedder.learns:
        embedder = embedder.fit(texts)
    written: Written | None = None

    def build(path: Path) -> Mapping[str, Any]:
        nonlocal written
        written = write_vectors(path, embedder.encode(texts, "document"), params.search)
        return {**written.facts, **_loss_facts(embedder.token_loss(texts, "document"))}

    index, entry = workshop.store.open_or_build(
        "vector",
        vector_ingredients(chunking, embedder.fingerprint, params.search),
        build,
        lambda path, facts: VectorIndex.open(path, facts, embedder, written),
    )
    asked = embedder.encode(workshop.questions, "query")
    facts = {f"vector_{name}": entry.facts[name] for name in ("chunks_without_vector", "chunks_truncated")}
    notes = _loss_notes(params.embedder.name, entry.facts)
    route: Route = ExactVectorRoute(index=index)
    if params.search == "approximate":
        approximate = ApproximateVectorRoute(index=index)
        recall = approximate.recall_against_exact(workshop.questions, 100)
        facts["vector_search_recall_at_100"] = recall if recall is not None else 0.0
        notes = (*notes, f"vector.search approximate finds {recall or 0:.4f} of the exact top 100")
        route = approximate
    return OpenRoute(
        route=route,
        sha256=sha256_json({"index": entry.sha256, "search": params.search}),
        content_sha256=sha256_json({"chunks": entry.facts["vectors_sha256"], "questions": _seal(asked)}),
        weights_sha256=sha256_json(dict(embedder.fingerprint)),
        facts=facts,
        notes=notes,
    )


def _seal(rows: NDArray[np.float32]) -> str:
    return hashlib.sha256(rows.astype("<f4", copy=False).tobytes()).hexdigest()


def _loss_facts(loss: TokenLoss) -> dict[str, int]:
    return {"chunks_truncated": loss.truncated, "tokens": loss.tokens, "tokens_lost": loss.lost}


def _loss_notes(name: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    notes: list[str] = []
    if facts["chunks_truncated"]:
        share = facts["tokens_lost"] / facts["tokens"]
        notes.append(
            f"{facts['chunks_truncated']} of {facts['chunks']} chunks are longer than {name} reads; "
            f"{share:.1%} of all tokens were never embedded"
        )
    if facts["chunks_without_vector"]:
        notes.append(f"{facts['chunks_without_vector']} chunks have no vector and can't be found by the vector route")
    return tuple(notes)


def _termless_notes(tokenizer: str, index: Bm25Index, chunking: Chunking) -> tuple[str, ...]:
    import numpy as np

    empty = [chunking.chunks[place].id for place in np.flatnonzero(np.diff(index.ends, prepend=0) == 0).tolist()]
    if not empty:
        return ()
    what = "1 chunk yields" if len(empty) == 1 else f"{len(empty)} chunks yield"
    return (f"{what} no term under {tokenizer} and can't be found by BM25: {listed(empty)}",)


def listed(names: Sequence[str], most: int = 10) -> str:
    """Return the first few names and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
