"""A plain window over characters, with exactly the overlap that was asked for."""

from __future__ import annotations

from collections.abc import Iterator


def fixed_spans(text: str, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` windows of ``size`` characters, each ``size - overlap`` after the last.

    The last window ends with the text and may be shorter; no window lies wholly inside its predecessor.
    """
    step = size - overlap
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        yield start, end
        if end == len(text):
            return
        start += step
