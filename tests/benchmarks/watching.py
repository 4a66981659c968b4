"""Peak memory of processes, read from outside while they work: nothing that holds one of them up can hide it.

Pages of files that are mapped count as resident, although the system drops them when it needs room. What a process
can't do without is its anonymous memory.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

_FIELDS = {"RssAnon": "anonymous_mb", "VmHWM": "resident_mb"}
_EVERY = 0.04


class Watch:
    """Looks at processes twenty-five times a second, as long as its block lasts; Linux only.

    Attributes:
        peaks: name → ``anonymous_mb`` and ``resident_mb``, the largest seen, in MiB; a name without a living process
            has none.
    """

    def __init__(self, pids: Mapping[str, int]) -> None:
        self.peaks: dict[str, dict[str, float]] = {}
        self._pids = pids
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            over = self._over.is_set()
            for name, pid in self._pids.items():
                for field, value in memory_of(pid).items():
                    peak = self.peaks.setdefault(name, {})
                    peak[field] = max(value, peak.get(field, 0.0))
            if over:
                return
            time.sleep(_EVERY)


def memory_of(pid: int) -> dict[str, float]:
    """Return the memory of a process now, in MiB; nothing where it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    held = dict(line.split(":", 1) for line in lines)
    return {name: int(held[field].split()[0]) / 1024 for field, name in _FIELDS.items() if field in held}
