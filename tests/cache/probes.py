"""Models whose every answer is a plain function of the text, and that write down what they are asked."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.cache import BlobCache
from harness.embedding import CachedEmbedder
from harness.protocols import PairScores, Role, TokenLoss
from harness.vectors import unit_on_grid

WIDTH = 4


def vector_of(text: str, prompt: str = "") -> NDArray[np.float32]:
    """Return the vector of a text: the first digits of a hash; white space has none."""
    if not text.strip():
        return np.zeros(WIDTH, dtype=np.float32)
    digest = hashlib.sha256((prompt + text).encode("utf-8", "surrogatepass")).digest()
    return unit_on_grid(np.array([[byte + 1 for byte in digest[:WIDTH]]], dtype=np.float64))[0]


class Counting:
    """An embedder that keeps a list of the texts it was asked for, by role."""

    learns = False

    def __init__(self, name: str = "counting", *, query_prompt: str = "q: ", document_prompt: str = "") -> None:
        self.name = name
        self.prompts: dict[Role, str] = {"query": query_prompt, "document": document_prompt}
        self.asked: dict[Role, list[str]] = {"query": [], "document": []}

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"embedder": self.name, "prompts": dict(self.prompts)}

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        return {"embedder": self.name, "prompt": self.prompts[role]}

    def fingerprint_after_fit(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return self.fingerprint

    def fit(self, texts: Sequence[str]) -> Counting:
        return self

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.asked[role].extend(texts)
        return np.array([vector_of(text, self.prompts[role]) for text in texts], dtype=np.float32).reshape(-1, WIDTH)

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        return TokenLoss(texts=len(texts))


def logit_of(question: str, text: str) -> float:
    return float.fromhex(f"0x1.{hashlib.sha256(repr((question, text)).encode()).hexdigest()[:13]}p0") - 1.5


class CountingReranker:
    """A reranker that keeps a list of the pairs it was asked for; pairs with a long text are truncated."""

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.asked: list[tuple[str, str]] = []

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {"reranker": self.name}

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        self.asked.extend((question, text) for text in texts)
        return PairScores(
            logits=tuple(logit_of(question, text) for text in texts),
            truncated=tuple(len(text) > 8 for text in texts),
        )


def remembering(model: Counting, root: Path, opened: list[BlobCache] | None = None) -> CachedEmbedder:
    """Return the model with a place on disk; the files it opens are added to ``opened``."""

    def open_blobs(kind: str, ingredients: Mapping[str, Any]) -> BlobCache:
        blobs = BlobCache(root, kind, ingredients)
        if opened is not None:
            opened.append(blobs)
        return blobs

    return CachedEmbedder(model, open_blobs)


def files(root: Path, kind: str = "embeddings") -> list[Path]:
    return sorted((root / kind).glob("*.sqlite"))


def change(path: Path, statement: str, *values: object) -> None:
    """Change a file by SQL, behind the cache's back."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount == 1


def rows(path: Path) -> int:
    """Return how many values a file holds."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM rows").fetchone()[0])


def computed(path: Path) -> int:
    """Return how many values were ever computed for a file."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT COALESCE(SUM(count), 0) FROM pace").fetchone()[0])
