"""The seams between rooms: what a study asks of an embedder, a route and a reranker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from harness.records import Leg

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Role = Literal["query", "document"]
"""Which side of a search a text stands on; models may prefix the two differently."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLoss:
    """What a model's length limit cut off.

    Attributes:
        texts: how many texts were looked at.
        truncated: how many were longer than the limit.
        tokens: tokens of all texts together.
        lost: tokens beyond the limit.
    """

    texts: int = 0
    truncated: int = 0
    tokens: int = 0
    lost: int = 0


class Blobs(Protocol):
    """A place for small values by content."""

    def key(self, *parts: str) -> bytes:
        """Return the key of a value that was computed from these texts."""

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values that are there and sound."""

    def put(self, items: Mapping[bytes, bytes], seconds: float) -> None:
        """Keep values that took ``seconds`` to compute."""


class Embedder(Protocol):
    """Texts → unit vectors. A text's vector depends on the model, the role and the text alone."""

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Everything that shapes a vector: weights by content, prompts, limits, versions, threads."""

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        """Everything that shapes the vectors of one role; equal for two roles that are treated alike."""

    @property
    def learns(self) -> bool:
        """True when the embedder must be fitted to the chunks first (``fit``)."""

    def fingerprint_after_fit(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """Return the fingerprint that ``fit(texts)`` will have, without fitting."""

    def fit(self, texts: Sequence[str]) -> Embedder:
        """Return an embedder that has learnt from ``texts``; one that doesn't learn returns itself."""

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return shape (n, d): unit rows on the grid of ``harness.vectors``; zeros for no vector."""

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        """Count what the model's length limit cuts off."""


class Route(Protocol):
    """One way to rank the chunks of an index."""

    @property
    def size(self) -> int:
        """Number of chunks that can be returned at all."""

    def legs(self, questions: Sequence[str], depth: int) -> list[Leg]:
        """Return one leg per question, at most ``depth`` long.

        Equal questions get equal legs, bit for bit, whatever else is asked in the same call; a shallower leg
        is the beginning of a deeper one wherever the search is exact.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScores:
    """A cross-encoder's answer for one question.

    Attributes:
        logits: raw scores, one per text, larger is better.
        truncated: for each text, whether the pair was longer than the model's limit.
    """

    logits: tuple[float, ...]
    truncated: tuple[bool, ...]


class Reranker(Protocol):
    """Scores question and text together."""

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Everything that shapes a score."""

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        """Return raw logits; a pair's logit depends on the model and the pair alone."""
