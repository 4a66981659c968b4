"""Each distinct pair once per model: a reranker that remembers, and counts what was cut off."""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

from harness.protocols import Blobs, PairScores, Reranker

_LAYOUT = struct.Struct("<d?")


class CachedReranker:
    """Wraps a reranker whose scores depend on the pair alone.

    Scores are remembered for the life of the object, and on disk where a place is given.
    """

    def __init__(self, reranker: Reranker, blobs: Blobs | None = None) -> None:
        self._reranker = reranker
        self._blobs = blobs
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
            self._learn(question, new)
        known = [self._known[question, text] for text in texts]
        self._pairs += len(known)
        self._truncated += sum(truncated for _, truncated in known)
        return PairScores(logits=tuple(k[0] for k in known), truncated=tuple(k[1] for k in known))

    def tally(self) -> tuple[int, int]:
        """Return the pairs asked for since the last tally, and how many of them were truncated."""
        counted = (self._pairs, self._truncated)
        self._pairs = self._truncated = 0
        return counted

    def _learn(self, question: str, texts: list[str]) -> None:
        keys = {text: self._blobs.key(question, text) for text in texts} if self._blobs else {}
        held = self._blobs.get(list(keys.values())) if self._blobs else {}
        for text in texts:
            if keys and keys[text] in held:
                self._known[question, text] = _LAYOUT.unpack(held[keys[text]])
        absent = [text for text in texts if (question, text) not in self._known]
        if not absent:
            return
        started = time.perf_counter()
        fresh = self._reranker.score(question, absent)
        seconds = time.perf_counter() - started
        for text, logit, truncated in zip(absent, fresh.logits, fresh.truncated, strict=True):
            self._known[question, text] = (logit, truncated)
        if self._blobs:
            self._blobs.put({keys[text]: _LAYOUT.pack(*self._known[question, text]) for text in absent}, seconds)
