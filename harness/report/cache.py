"""What is kept on disk, as text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from harness.report.markdown import table


class EntryLike(Protocol):
    """Something that is kept (see ``harness.cache.care.Entry``)."""

    @property
    def kind(self) -> str:
        """What it is."""

    @property
    def path(self) -> Path:
        """Where it is."""

    @property
    def size(self) -> int:
        """Bytes."""

    @property
    def used(self) -> float:
        """Last use, seconds since 1970."""

    @property
    def holds(self) -> str:
        """What shaped it."""


def cache_report(entries: Sequence[EntryLike]) -> str:
    """Return one line an entry, and the sum."""
    if not entries:
        return "nothing is kept here yet"
    rows = [[e.kind, e.path.name, e.holds, _day(e.used), f"{e.size / 1e6:.1f}"] for e in entries]
    total = sum(entry.size for entry in entries) / 1e6
    return table(["kind", "entry", "holds", "last used (UTC)", "MB"], rows, left=4) + (
        f"\n\n{len(entries)} entries, {total:.1f} MB"
    )


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")
