"""Each distinct text once per role: an embedder that remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.protocols import Embedder, Role, TokenLoss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CachedEmbedder:
    """Wraps an embedder whose vectors depend on role and text alone; remembers them for the life of the object."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[tuple[Role, str], NDArray[np.float32]] = {}

    @property
    def learns(self) -> bool:
        """Whether the embedder must be fitted first."""
        return self._embedder.learns

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """That of the embedder: remembering changes nothing."""
        return self._embedder.fingerprint

    def fit(self, texts: Sequence[str]) -> Embedder:
        """Fit the embedder; what it learns from other texts is remembered apart."""
        return CachedEmbedder(self._embedder.fit(texts))

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return what the embedder returns, computing only texts that are new."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if (role, text) not in self._known]
        if new:
            for text, row in zip(new, self._embedder.encode(new, role), strict=True):
                self._known[role, text] = row
        if not texts:
            return self._embedder.encode(texts, role)
        return np.stack([self._known[role, text] for text in texts])

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        """Count what the length limit cuts off."""
        return self._embedder.token_loss(texts, role)
