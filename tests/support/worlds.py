"""Small corpora and chunks, an embedder and routes whose every number is written in the test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.fingerprint import sha256_json
from harness.protocols import Role, TokenLoss
from harness.records import Chunk, Corpus, Document, Leg
from harness.vectors import unit_on_grid

ROOT = Path(__file__).parents[2]


def corpus_of(texts: Mapping[str, str]) -> Corpus:
    """Return a corpus with these documents (id → text)."""
    documents = tuple(Document(id=name, title="", text=text, source=name) for name, text in texts.items())
    return Corpus(documents=documents, sha256=sha256_json(list(texts.items())))


def chunks_of(*texts: str) -> tuple[Chunk, ...]:
    """Return one chunk per text; chunk ``n`` belongs to document ``dn``."""
    return tuple(
        Chunk(id=f"d{place}#0", document_id=f"d{place}", ordinal=0, start=0, end=len(text), text=text)
        for place, text in enumerate(texts)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEmbedder:
    """Vectors as listed, for searches whose cosines are known beforehand."""

    table: Mapping[str, Sequence[float]]

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"embedder": "table", "table": {text: list(row) for text, row in self.table.items()}}

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        return self.fingerprint

    @property
    def learns(self) -> bool:
        return False

    def fit(self, texts: Sequence[str]) -> TableEmbedder:
        return self

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        width = len(next(iter(self.table.values()), ()))
        return unit_on_grid(np.array([self.table[text] for text in texts], dtype=np.float64).reshape(len(texts), width))

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        return TokenLoss(texts=len(texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRoute:
    """A route that answers every question with the same written leg."""

    positions: tuple[int, ...]
    scores: tuple[float, ...]

    @property
    def size(self) -> int:
        return len(self.positions)

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        return [Leg(positions=self.positions, scores=self.scores).cut(depth) for _ in questions]


def route_of(*positions: int) -> WrittenRoute:
    """Return a route with these positions, best first; the scores fall from 1 in steps of 1/1024."""
    return WrittenRoute(positions=positions, scores=tuple(1 - place / 1024 for place in range(len(positions))))
