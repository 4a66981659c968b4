"""BM25 over tokenized chunks, by rank-bm25.

On disk lie the terms of each chunk; variant, k1 and b are applied when the index is opened, since they only reweigh
the same counts. A chunk is a hit only if it shares a term with the question, which is not the same as "score > 0":
Okapi gives 0 or less to a term that half of the chunks hold, Plus gives every chunk something.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import DamagedError
from harness.fingerprint import sha256_file
from harness.records import Chunk, Leg
from harness.tokenizing import Tokenizer

BM25_VARIANTS: dict[str, str] = {
    "lucene": "idf = ln(1 + (N - n + 0.5) / (n + 0.5)), always positive (Apache Lucene)",
    "okapi": "idf = ln((N - n + 0.5) / (n + 0.5)), negative values replaced by 0.25 times the mean (rank-bm25)",
    "plus": "idf = ln((N + 1) / n), and a matching term counts at least delta = 1 (Lv and Zhai, 2011)",
}
_TERMS = "terms.jsonl"


def write_bm25_tokens(directory: Path, chunks: Sequence[Chunk], tokenizer: Tokenizer) -> Mapping[str, Any]:
    """Write the terms of every chunk, one JSON list a line; return the facts for the manifest."""
    path = directory / _TERMS
    empty = 0
    with path.open("w", encoding="utf-8") as stream:
        for chunk in chunks:
            terms = tokenizer(chunk.text)
            empty += not terms
            stream.write(json.dumps(terms, ensure_ascii=False) + "\n")
    return {"chunks": len(chunks), "chunks_without_terms": empty, "terms_sha256": sha256_file(path)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Index:
    """Terms and where they occur, opened from disk once for all variants.

    Attributes:
        terms: terms of each chunk, by position.
        postings: term → positions of the chunks that hold it, ascending.
        tokenizer: for the questions.
    """

    terms: tuple[tuple[str, ...], ...]
    postings: Mapping[str, tuple[int, ...]]
    tokenizer: Tokenizer

    @classmethod
    def open(cls, directory: Path, facts: Mapping[str, Any], tokenizer: Tokenizer) -> Bm25Index:
        """Read an index.

        Raises:
            DamagedError: the file isn't the one that was written.
        """
        path = directory / _TERMS
        if not path.exists() or sha256_file(path) != facts["terms_sha256"]:
            raise DamagedError(f"{path}: damaged (its checksum has changed); delete {directory} and run again")
        with path.open(encoding="utf-8") as stream:
            terms = tuple(tuple(json.loads(line)) for line in stream)
        postings: dict[str, list[int]] = {}
        for position, held in enumerate(terms):
            for term in dict.fromkeys(held):
                postings.setdefault(term, []).append(position)
        return cls(
            terms=terms,
            postings={term: tuple(positions) for term, positions in postings.items()},
            tokenizer=tokenizer,
        )

    def route(self, *, variant: str, k1: float, b: float) -> Bm25Route:
        """Return the ranking under one weighting."""
        scorer = _scorer(variant, [list(held) for held in self.terms], k1, b) if self.postings else None
        return Bm25Route(index=self, scorer=scorer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25Route:
    """BM25 as a route. Order: score descending, then position in the index."""

    index: Bm25Index
    scorer: Any

    @property
    def size(self) -> int:
        """Number of chunks."""
        return len(self.index.terms)

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        """Return one leg per question; a question without a known term gets an empty one."""
        return [self._leg(question, depth) for question in questions]

    def _leg(self, question: str, depth: int) -> Leg:
        tokens = [token for token in self.index.tokenizer(question) if token in self.index.postings]
        matching = sorted({position for token in tokens for position in self.index.postings[token]})
        if not matching:
            return Leg(positions=(), scores=())
        scores = self.scorer.get_batch_scores(tokens, matching)
        ranked = sorted(zip(matching, scores, strict=True), key=lambda hit: (-hit[1], hit[0]))[:depth]
        return Leg(
            positions=tuple(position for position, _ in ranked),
            scores=tuple(float(score) for _, score in ranked),
        )


def _scorer(variant: str, terms: list[list[str]], k1: float, b: float) -> Any:
    from rank_bm25 import BM25Okapi, BM25Plus

    class Lucene(BM25Okapi):  # type: ignore[misc]
        def _calc_idf(self, nd: Mapping[str, int]) -> None:
            for word, count in nd.items():
                self.idf[word] = math.log1p((self.corpus_size - count + 0.5) / (count + 0.5))

    classes = {"lucene": Lucene, "okapi": BM25Okapi, "plus": BM25Plus}
    smallest = sys.float_info.min  # with k1 = 0 an absent term would count 0/0; this gives the bits of the limit
    return classes[variant](terms, k1=max(k1, smallest), b=b)
