"""What flows between the rooms. All frozen; ids are text and are compared exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from harness.judgments import Judgments as Judgments  # noqa: PLC0414
from harness.quotes import Quote as Quote  # noqa: PLC0414


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document of a corpus.

    Attributes:
        id: unique in its corpus, NFC-normalised, never empty.
        title: as the source gives it; may be empty.
        text: all that is searched (the reader decides whether the title is part of it).
        source: where it was read: path relative to the corpus, ``:line`` added for line formats.
    """

    id: str
    title: str
    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question of a golden set.

    Attributes:
        id: unique, NFC-normalised.
        text: the question as written; it is never rewritten.
        split: name of the split it belongs to (``test``, ``dev``, ...).
        tags: free labels for breakdowns.
        intent: name shared by rephrasings of one question; they lie in one split.
        need: a sentence that fixes what counts as relevant.
        answerable: False when the corpus holds no answer, on purpose.
        evidence: pieces of its relevant documents that carry the answer; empty when none was written down.
    """

    id: str
    text: str
    split: str
    tags: tuple[str, ...] = ()
    intent: str | None = None
    need: str | None = None
    answerable: bool = True
    evidence: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Documents in reading order, with what identifies them.

    Attributes:
        documents: in the order of the reader (path order for folders, line order for files).
        sha256: over the bytes of the files read.
        blank: sources of documents that hold no text; they are kept, counted and never retrieved.
        notes: what was accepted although it is unusual, one sentence each.
    """

    documents: tuple[Document, ...]
    sha256: str
    blank: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSet:
    """Questions with their judgments.

    Attributes:
        queries: all splits, in file order.
        judgments: for every query.
        sha256: over the bytes of the files read.
        notes: what was accepted although it is unusual, one sentence each.
    """

    queries: tuple[Query, ...]
    judgments: Judgments
    sha256: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A contiguous piece of a document.

    Attributes:
        id: readable (``doc#3``) and unique, but never parsed.
        document_id: the document it was cut from.
        ordinal: 0-based position among the chunks of its document.
        start: first character in ``Document.text``.
        end: one past the last character; ``text == document.text[start:end]``.
        text: what is indexed.
    """

    id: str
    document_id: str
    ordinal: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """What one route returned for one query, best first.

    Attributes:
        positions: 0-based places of the chunks in the index, best first, each at most once.
        scores: one per position, larger is better.
    """

    positions: tuple[int, ...]
    scores: tuple[float, ...]

    def cut(self, depth: int) -> Leg:
        """Return the first ``depth`` hits."""
        return Leg(positions=self.positions[:depth], scores=self.scores[:depth])


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutePlace:
    """Where one route put a chunk.

    Attributes:
        route: ``bm25`` or ``vector``.
        rank: 1-based.
        score: the route's own score.
        contribution: what this place added to the fused score, None without fusion.
    """

    route: str
    rank: int
    score: float
    contribution: Fraction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """Why a hit stands where it stands.

    Attributes:
        places: one per route that returned the chunk, in route order (``vector``, ``bm25``).
        fused_score: sum of the contributions, None without fusion.
        rank_before_rerank: 1-based rank in the pool that was reranked, None without reranking.
        rerank_score: raw logit of the cross-encoder, None without reranking.
    """

    places: tuple[RoutePlace, ...]
    fused_score: Fraction | None = None
    rank_before_rerank: int | None = None
    rerank_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """Something on disk that was not what had been written.

    Attributes:
        path: the file or folder.
        what: what was found and what was done about it.
    """

    path: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One ranked chunk.

    Attributes:
        chunk: the chunk itself.
        rank: 1-based in the final ranking.
        score: the score the final ranking was ordered by (logit, fused score or route score).
        explain: how it came about.
    """

    chunk: Chunk
    rank: int
    score: float
    explain: Explain
