"""Units of work that an executor may be given, importable by name in a worker."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def do(shared: dict[str, Any], unit: tuple[str, Any]) -> Any:
    """Do what a unit says; a line in the file ``log`` for each attempt."""
    kind, value = unit
    with (Path(shared["folder"]) / "log").open("a", encoding="utf-8") as log:
        log.write(f"{kind} {value}\n")
    return DEEDS[kind](shared, value)


def double(_: dict[str, Any], value: int) -> int:
    return 2 * value


def add(shared: dict[str, Any], value: int) -> int:
    return int(shared["base"]) + value


def fail(_: dict[str, Any], value: str) -> None:
    raise ValueError(f"{value}\nand a second line")


def fail_silently(_: dict[str, Any], value: object) -> None:
    del value
    raise RuntimeError


def leave(_: dict[str, Any], value: int) -> None:
    """End the process the way a crash in native code does."""
    os._exit(value)


def die(_: dict[str, Any], value: object) -> None:
    del value
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(shared: dict[str, Any], value: int) -> int:
    """Be killed at the first attempt."""
    marker = Path(shared["folder"]) / f"died-{value}"
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def rest(_: dict[str, Any], value: float) -> float:
    time.sleep(value)
    return value


def where(_: dict[str, Any], value: object) -> int:
    time.sleep(0.2)
    return os.getpid()


def threads(shared: dict[str, Any], value: object) -> dict[str, Any]:
    """Return what would let numerical libraries use more than one thread here."""
    import numpy as np
    from threadpoolctl import threadpool_info

    np.ones((4, 4)) @ np.ones((4, 4))
    found: dict[str, Any] = {"blas": sorted({library["num_threads"] for library in threadpool_info()})}
    found["variables"] = {name: os.environ.get(f"{name}_NUM_THREADS") for name in ("OMP", "OPENBLAS", "MKL")}
    if shared.get("model"):
        from harness.embedding import EmbedderSpec, load_embedder

        load_embedder(EmbedderSpec(name=str(shared["model"]))).encode(["pump"], "query")
        found["torch"] = sys.modules["torch"].get_num_threads()
        found["blas"] = sorted({library["num_threads"] for library in threadpool_info()})
    return found


DEEDS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "double": double,
    "add": add,
    "fail": fail,
    "fail silently": fail_silently,
    "leave": leave,
    "die": die,
    "die once": die_once,
    "rest": rest,
    "where": where,
    "threads": threads,
}
