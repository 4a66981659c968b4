"""Each distinct pair once: a reranker that remembers, and counts what was cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.protocols import PairScores, Reranker


class CachedReranker:
    """Wraps a reranker whose scores depend on the pair alone; remembers them for the life of the object."""

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._known: dict[tuple[str, str], tuple[float, bool]] = {}
        self._pairs = 0
        self._truncated = 0

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """That of the reranker: remembering changes nothing."""
        return self._reranker.fingerprint

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        """Return what the reranker returns, computing only pairs that are new."""
        new = [text for text in dict.fromkeys(texts) if (question, text) not in self._known]
        if new:
            fresh = self._reranker.score(question, new)
            for text, logit, truncated in zip(new, fresh.logits, fresh.truncated, strict=True):
                self._known[question, text] = (logit, truncated)
        known = [self._known[question, text] for text in texts]
        self._pairs += len(known)
        self._truncated += sum(truncated for _, truncated in known)
        return PairScores(logits=tuple(k[0] for k in known), truncated=tuple(k[1] for k in known))

    def tally(self) -> tuple[int, int]:
        """Return the pairs asked for since the last tally, and how many of them were truncated."""
        counted = (self._pairs, self._truncated)
        self._pairs = self._truncated = 0
        return counted
