"""Seconds by turns, and ``build/bench.json``: one section a benchmark, with the machine it was measured on.

Every benchmark that takes no number takes ``--small``: it then goes through all of itself, on inputs that are too
small to measure anything, so that a test can see that it works.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

PATH = Path("build/bench.json")
Sides = Mapping[str, Callable[[], Any]]


def write_section(name: str, values: dict[str, Any]) -> None:
    """Replace one section of the file and print it."""
    PATH.parent.mkdir(exist_ok=True)
    content = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    content["machine"] = {
        "platform": platform.platform(),
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": sys.version.split()[0],
    }
    content[name] = values
    PATH.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({name: values}, indent=2, ensure_ascii=False))


def take_turns(sides: Sides, rounds: int = 7) -> dict[str, float]:
    """Return the median seconds of each side; they run one after the other in each round."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, work in sides.items():
            started = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(found) for name, found in seconds.items()}
