"""A Dask scheduler and workers as processes of their own, on this machine's loopback alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from support.worlds import ROOT


class Cluster:
    """A scheduler that reports a unit at the first death of its worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self._start("dask_scheduler", "--scheduler-file", str(file), "--no-show", "--no-dashboard")
        self._wait(lambda: file.exists() and file.read_text().endswith("}"))
        self.address: str = json.loads(file.read_text())["address"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def add_workers(self, count: int, *options: str, path: Path | None = None) -> None:
        """Start workers and wait until the scheduler knows them; ``path`` goes first where they look for modules."""
        local = str(self.folder / f"work-{len(self.processes)}")
        options = ("--nworkers", str(count), "--local-directory", local, "--no-dashboard", *options)
        self._start(
            "dask_worker",
            self.address,
            *(("--nthreads", "1") if "--nthreads" not in options else ()),
            *options,
            path=path,
        )
        from distributed import Client

        with Client(self.address) as client:
            client.wait_for_workers(count, timeout=120)

    def _start(self, module: str, *arguments: str, path: Path | None = None) -> None:
        paths = [str(path)] if path else []
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([*paths, str(ROOT), str(ROOT / "tests")]),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        }
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", "127.0.0.1", *arguments]
        if module == "dask_scheduler":
            command += ["--port", "0"]
        with (self.folder / f"{module}-{len(self.processes)}.log").open("wb") as log:
            self.processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=self.folder))

    def _wait(self, reached: object) -> None:
        while not reached():  # type: ignore[operator]
            assert self.processes[0].poll() is None, "the scheduler ended"
            time.sleep(0.02)
