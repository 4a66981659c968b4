"""Prints of what stages made: of chunks, and of rankings row by row."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from harness.chunking import Chunking
from harness.fingerprint import sha256_json, sha256_text
from harness.stages import PRINT_LENGTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def chunks_print(chunking: Chunking) -> str:
    """Return the SHA-256 of the chunks themselves: ids, spans and texts, whatever file they came from."""
    return sha256_json([[c.id, c.start, c.end, sha256_text(c.text)] for c in chunking.chunks])


def row_prints(positions: NDArray[np.int32], scores: NDArray[np.float64]) -> tuple[str, ...]:
    """Return a print per row of places (shape (q, w)) and scores (the same shape, every bit of them)."""
    places, values = positions.astype("<i4", copy=False), scores.astype("<f8", copy=False)
    return tuple(
        hashlib.sha256(place.tobytes() + value.tobytes()).hexdigest()[:PRINT_LENGTH]
        for place, value in zip(places, values, strict=True)
    )
