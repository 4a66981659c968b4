"""Progress: a bar with counts and remaining time on a terminal, plain lines where output isn't one."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol, Self


class Progress(Protocol):
    """One stage after the other, each with a known number of steps."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""

    def stage(self, name: str, total: int) -> None:
        """Begin a stage."""

    def advance(self, steps: int = 1) -> None:
        """Count steps of the stage."""

    def say(self, line: str) -> None:
        """Print a line without disturbing the bar."""


def make_progress() -> Progress:
    """Return bars when standard error is a terminal, lines otherwise."""
    return _Bars() if sys.stderr.isatty() else _Lines()


class _Lines:
    def __init__(self) -> None:
        self._name, self._total, self._done = "", 0, 0
        self._started = self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def stage(self, name: str, total: int) -> None:
        self._name, self._total, self._done = name, total, 0
        self._started = self._last = time.monotonic()
        if total:
            self.say(f"{name}: {total} to do")

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        now = time.monotonic()
        if now - self._last > 2 or self._done == self._total:
            self._last = now
            left = (now - self._started) / self._done * (self._total - self._done)
            self.say(f"{self._name}: {self._done}/{self._total}, about {left:.0f} s left")

    def say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class _Bars:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns: tuple[Any, ...] = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self._bars = RichProgress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
        self._task: Any = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def stage(self, name: str, total: int) -> None:
        if total:
            self._task = self._bars.add_task(name, total=total)

    def advance(self, steps: int = 1) -> None:
        self._bars.advance(self._task, steps)

    def say(self, line: str) -> None:
        self._bars.console.print(line, markup=False, highlight=False)
