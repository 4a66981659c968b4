"""The adapter on arrays: a document stands where its first chunk stood. Tests hold it against ``adapt_runs``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.retrieval import NOTHING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def collapse(positions: NDArray[np.int32], document_of: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return document rankings.

    Args:
        positions: shape (q, w): chunks best first, ``NOTHING`` after a row's end.
        document_of: shape (chunks,): the document of each chunk.

    Returns:
        Shape (q, w): documents by first occurrence, ``NOTHING`` after a row's end.
    """
    import numpy as np

    if not positions.shape[1]:
        return positions
    documents = np.where(positions == NOTHING, NOTHING, document_of[positions])
    order = np.argsort(documents, axis=1, kind="stable")
    ordered = np.take_along_axis(documents, order, axis=1)
    repeats = np.zeros(documents.shape, dtype=bool)
    repeats[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    gone = np.empty_like(repeats)
    np.put_along_axis(gone, order, repeats, axis=1)
    gone |= documents == NOTHING
    kept = np.argsort(gone, axis=1, kind="stable")
    result = np.take_along_axis(documents, kept, axis=1)
    result[np.take_along_axis(gone, kept, axis=1)] = NOTHING
    return result
