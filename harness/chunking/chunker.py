"""Corpus → chunks, with what was lost and what overlap came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise

from harness.chunking.fixed import fixed_spans
from harness.chunking.semantic import markdown_spans, text_spans
from harness.chunking.whole import document_spans
from harness.fingerprint import sha256_json, sha256_text
from harness.records import Chunk, Corpus, Document

SpanFunction = Callable[[str, int, int], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitterInfo:
    """A row of the table of splitters.

    Attributes:
        spans: text, size, overlap → ``(start, end)`` pairs in reading order.
        uses_size: False when size and overlap can't matter.
        exact_overlap: True when the overlap comes out exactly, False when it is only a ceiling.
        library: the distribution whose version shapes the result, or None.
        description: one line for the docs.
    """

    spans: SpanFunction
    uses_size: bool = True
    exact_overlap: bool = False
    library: str | None = None
    description: str


SPLITTERS: dict[str, SplitterInfo] = {
    "markdown": SplitterInfo(
        spans=markdown_spans,
        library="semantic-text-splitter",
        description="along Markdown headings, blocks and sentences; overlap is a ceiling",
    ),
    "text": SplitterInfo(
        spans=text_spans,
        library="semantic-text-splitter",
        description="along line breaks and sentences; overlap is a ceiling",
    ),
    "fixed": SplitterInfo(
        spans=fixed_spans, exact_overlap=True, description="a plain window with exactly this overlap"
    ),
    "document": SplitterInfo(spans=document_spans, uses_size=False, description="the whole document as one chunk"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkParams:
    """How to cut: a splitter's name, size and overlap in characters (None where they can't matter)."""

    splitter: str
    size: int | None = None
    overlap: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """All chunks of a corpus under one splitter.

    Attributes:
        params: how it was cut.
        chunks: in document order, then reading order; a chunk's place here is its position in every index.
        sha256: names corpus, parameters, splitter version and the chunks themselves.
        unreachable: ids of documents that were left without any chunk.
        overlap_mean: mean realised overlap in characters of neighbouring chunks (0.0 without neighbours).
        overlap_max: largest realised overlap in characters.
    """

    params: ChunkParams
    chunks: tuple[Chunk, ...]
    sha256: str
    unreachable: tuple[str, ...]
    overlap_mean: float
    overlap_max: int


def chunk_corpus(corpus: Corpus, params: ChunkParams) -> Chunking:
    """Cut every document of a corpus.

    Pieces of nothing but white space are left out. A chunk is named ``document#ordinal``.

    Raises:
        ValueError: the overlap isn't smaller than the size, or size is below 1.
    """
    info = SPLITTERS[params.splitter]
    size, overlap = params.size or 0, params.overlap or 0
    if info.uses_size and not 0 <= overlap < size:
        raise ValueError(f"overlap must be at least 0 and smaller than size {size}, found {overlap}")
    chunks = tuple(c for doc in corpus.documents for c in _chunks_of(doc, info, size, overlap))
    reached = {chunk.document_id for chunk in chunks}
    overlaps = [max(0, a.end - b.start) for a, b in pairwise(chunks) if a.document_id == b.document_id]
    return Chunking(
        params=params,
        chunks=chunks,
        sha256=_fingerprint(corpus, params, info, chunks),
        unreachable=tuple(doc.id for doc in corpus.documents if doc.id not in reached),
        overlap_mean=sum(overlaps) / len(overlaps) if overlaps else 0.0,
        overlap_max=max(overlaps, default=0),
    )


def _chunks_of(document: Document, info: SplitterInfo, size: int, overlap: int) -> Iterator[Chunk]:
    ordinal = 0
    for start, end in info.spans(document.text, size, overlap):
        piece = document.text[start:end]
        if not piece.strip():
            continue
        yield Chunk(
            id=f"{document.id}#{ordinal}",
            document_id=document.id,
            ordinal=ordinal,
            start=start,
            end=end,
            text=piece,
        )
        ordinal += 1


def _fingerprint(corpus: Corpus, params: ChunkParams, info: SplitterInfo, chunks: tuple[Chunk, ...]) -> str:
    return sha256_json(
        {
            "corpus": corpus.sha256,
            "splitter": params.splitter,
            "size": params.size,
            "overlap": params.overlap,
            "library": f"{info.library} {version(info.library)}" if info.library else None,
            "chunks": [[c.id, c.document_id, c.start, c.end, sha256_text(c.text)] for c in chunks],
        }
    )
