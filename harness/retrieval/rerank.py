"""Cross-encoder reranking through sentence-transformers: raw logits, one pair at a time.

Raw, because a sigmoid squashes confident pairs into equal numbers; one at a time, because padding to a longer neighbour
changes the last bits of a score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.models import library_versions, load_cross_encoder, locate_model, model_sha256
from harness.protocols import PairScores
from harness.threads import model_threads


class CrossEncoderReranker:
    """A cross-encoder by hub name or local path; its weights are loaded at the first ``score``."""

    def __init__(self, name: str) -> None:
        """Locate the model's files.

        Raises:
            InputError: they can't be had.
        """
        self.name = name
        self._folder = locate_model(name)
        self._loaded: Any = None

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Weights by content, versions, threads."""
        return {
            "reranker": "cross-encoder",
            "weights": model_sha256(self._folder),
            "libraries": library_versions(),
            "threads": model_threads(),
        }

    @property
    def _model(self) -> Any:
        if self._loaded is None:
            self._loaded = load_cross_encoder(self._folder)
        return self._loaded

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        """Return one logit per text, and which pairs didn't fit into the model's limit.

        Raises:
            InputError: a logit isn't a finite number.
        """
        if not texts:
            return PairScores(logits=(), truncated=())
        logits = self._model.predict([(question, text) for text in texts], batch_size=1, show_progress_bar=False)
        if not all(math.isfinite(logit) for logit in logits):
            raise InputError(f"model '{self.name}': a pair's score is NaN or infinite, so there is no order to take")
        return PairScores(
            logits=tuple(float(logit) for logit in logits),
            truncated=tuple(self._is_truncated(question, text) for text in texts),
        )

    def _is_truncated(self, question: str, text: str) -> bool:
        limit = self._model.max_seq_length
        length = len(self._model.tokenizer(question, text, truncation=False, verbose=False)["input_ids"])
        return bool(limit and length > limit)
