"""Real servers of MLflow, on a port that is free."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.world import environment, start


def free_port() -> int:
    """Return a port of this machine that nobody listens at."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextlib.contextmanager
def harness_ui(folder: Path) -> Iterator[str]:
    """Lend the address of ``harness ui`` on a store."""
    port = free_port()
    with _answering(start("ui", "--port", port, "--dir", folder, stdout=subprocess.DEVNULL), port) as address:
        yield address


@contextlib.contextmanager
def tracking_server(folder: Path) -> Iterator[str]:
    """Lend the address of an ``mlflow server`` that keeps runs and artifacts in a folder."""
    port = free_port()
    command = [sys.executable, "-m", "mlflow", "server", "--workers", "1", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", str(folder / "kept")]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(MLFLOW_DISABLE_TELEMETRY="true"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with _answering(process, port) as address:
        yield address


@contextlib.contextmanager
def _answering(process: subprocess.Popen[str], port: int) -> Iterator[str]:
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{address}/health", process)
        yield address
    finally:
        _stop(process)


def _wait(address: str, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert process.poll() is None, process.stderr.read() if process.stderr else "it ended"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"{address} doesn't answer")


def _stop(process: subprocess.Popen[str]) -> None:
    import psutil

    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    for member in reversed(family):
        member.terminate()
    psutil.wait_procs(family, timeout=20)
    process.communicate(timeout=20)
