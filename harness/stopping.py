"""Stopping a sweep: SIGTERM works as Ctrl-C does, and what is being written is written to its end."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Handle a signal as Ctrl-C is handled."""
    raise KeyboardInterrupt


@contextlib.contextmanager
def to_the_end() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM while a run is written, and stop right after.

    Raised in the middle, they would land in the clean-up of a database cursor, which swallows them.
    """
    arrived: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda got, _frame: arrived.append(got)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if arrived:
        raise KeyboardInterrupt
