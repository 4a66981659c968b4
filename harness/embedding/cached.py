"""Each distinct text once per model and prompt: an embedder that remembers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.fingerprint import sha256_json
from harness.protocols import Blobs, Embedder, Role, TokenLoss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 128


class CachedEmbedder:
    """Wraps an embedder whose vectors depend on role and text alone.

    With a place on disk, vectors are kept there, in batches as they are computed, for all chunkings and studies;
    without one, they are kept for the life of the object.
    """

    def __init__(
        self, embedder: Embedder, open_blobs: Callable[[str, Mapping[str, Any]], Blobs | None] | None = None
    ) -> None:
        self._embedder = embedder
        self._open_blobs = open_blobs
        self._places: dict[str, Blobs] = {}

    @property
    def learns(self) -> bool:
        """Whether the embedder must be fitted first."""
        return self._embedder.learns

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """That of the embedder: remembering changes nothing."""
        return self._embedder.fingerprint

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        """That of the embedder."""
        return self._embedder.role_fingerprint(role)

    def fingerprint_after_fit(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """The same as before: there is nothing to learn."""
        return self.fingerprint

    def fit(self, texts: Sequence[str]) -> Embedder:
        """Fit the embedder; what it learns from other texts is remembered apart."""
        return CachedEmbedder(self._embedder.fit(texts), self._open_blobs)

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return what the embedder returns, computing only texts that are new."""
        import numpy as np

        if not texts:
            return self._embedder.encode(texts, role)
        place = self.place(role)
        rows: NDArray[np.float32] | None = None
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            found = self._rows(place, batch, role)
            if rows is None:
                rows = np.empty((len(texts), found.shape[1]), dtype=np.float32)
            rows[start : start + len(batch)] = found
        assert rows is not None
        return rows

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        """Count what the length limit cuts off."""
        return self._embedder.token_loss(texts, role)

    def place(self, role: Role) -> Blobs:
        """Return where the vectors of one role are kept; two roles with equal prompts share it."""
        ingredients = self.role_fingerprint(role)
        name = sha256_json(dict(ingredients))
        if name not in self._places:
            found = self._open_blobs("embeddings", ingredients) if self._open_blobs else None
            self._places[name] = found if found is not None else Memory()
        return self._places[name]

    def _rows(self, place: Blobs, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        import numpy as np

        keys = [place.key(text) for text in texts]
        held = place.get(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        if new:
            started = time.perf_counter()
            rows = self._embedder.encode(list(new.values()), role)
            seconds = time.perf_counter() - started
            fresh = {key: row.astype("<f4").tobytes() for key, row in zip(new, rows, strict=True)}
            place.put(fresh, seconds)
            held |= fresh
        return np.stack([np.frombuffer(held[key], dtype="<f4") for key in keys])


class Memory:
    """Blobs for the life of the object."""

    def __init__(self) -> None:
        self._held: dict[bytes, bytes] = {}

    def key(self, *parts: str) -> bytes:
        """Return the texts themselves, joined so that no two differ only in where they part."""
        return "".join(f"{len(part)}:{part}" for part in parts).encode("utf-8", "surrogatepass")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values that are there."""
        return {key: self._held[key] for key in keys if key in self._held}

    def put(self, items: Mapping[bytes, bytes], seconds: float) -> None:
        """Keep values."""
        del seconds
        self._held.update(items)
