"""BM25 by rank-bm25: the reference that the sparse engine is held against."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.records import Leg

if TYPE_CHECKING:
    from harness.index.bm25 import Bm25Index


@dataclass(frozen=True, kw_only=True)
class ReferenceBm25Route:
    """BM25 as a route, one question at a time. Order: score descending, then position in the index."""

    index: Bm25Index
    variant: str
    k1: float
    b: float

    @property
    def size(self) -> int:
        """Number of chunks."""
        return self.index.size

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        """Return one leg per question; a question without a known term gets an empty one."""
        return [self._leg(question, depth) for question in questions]

    @cached_property
    def _scorer(self) -> Any:
        return _scorer(self.variant, [list(held) for held in self.index.terms], self.k1, self.b)

    def _leg(self, question: str, depth: int) -> Leg:
        tokens = [token for token in self.index.tokenizer(question) if token in self.index.postings]
        matching = sorted({position for token in tokens for position in self.index.postings[token]})
        if not matching:
            return Leg(positions=(), scores=())
        scores = self._scorer.get_batch_scores(tokens, matching)
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
