"""The command in processes of its own that start at once: forked from a server that has imported everything.

Each is a real process with its own working directory, environment and output files; it can be killed from outside at
any time, or from inside at the n-th moment at which something on disk is about to change.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

from support.worlds import ROOT

PRELOADED = [
    "engine.warm",
    "chromadb",
    "harness.commands",
    "harness.sweep",
    "mlflow.store.tracking.sqlalchemy_store",
    "mlflow.tracking",
    "rank_bm25",
    "rjieba",
    "scipy.sparse",
    "semantic_text_splitter",
    "sklearn.decomposition",
    "sklearn.feature_extraction.text",
    "engine.warmed",
]
_WRITES = (
    *("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.utime", "shutil.rmtree"),
    *("tempfile.mkdtemp", "tempfile.mkstemp", "sqlite3.connect", "fcntl.flock"),
)
_NUMBERS = count()


@cache
def _context() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A command that has ended; ``code`` is minus the signal that ended it."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A command that was started."""

    process: Any
    logs: Path

    @property
    def err(self) -> str:
        """What it has said so far."""
        return (self.logs / "err").read_text(encoding="utf-8") if (self.logs / "err").exists() else ""

    def send(self, number: signal.Signals) -> None:
        """Send a signal; a process that is over already doesn't get it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, number)

    def finish(self) -> Done:
        """Wait for its end."""
        self.process.join(300)
        assert self.process.exitcode is not None, f"still running: {self.err}"
        out = (self.logs / "out").read_text(encoding="utf-8")
        return Done(code=self.process.exitcode, out=out, err=self.err)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    arguments: tuple[str, ...]
    logs: Path
    cwd: Path
    kill_at: int | None = None
    terminal: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


def start(
    *arguments: object,
    logs: Path,
    cwd: Path | None = None,
    kill_at: int | None = None,
    terminal: str | None = None,
    **environment: str,
) -> Running:
    """Start the command.

    Args:
        arguments: as in a shell.
        logs: where a folder for its output is made.
        cwd: its working directory.
        kill_at: the process kills itself at the n-th moment at which it is about to change something on disk; with 0
            it only counts them, and writes the number to the file ``moments``.
        terminal: name of a terminal that takes its standard error.
        environment: what to add to the environment.
    """
    folder = logs / f"run-{next(_NUMBERS)}"
    folder.mkdir(parents=True)
    job = _Job(
        arguments=tuple(map(str, arguments)),
        logs=folder,
        cwd=cwd or ROOT,
        kill_at=kill_at,
        terminal=terminal,
        environment=environment,
    )
    process = _context().Process(target=_carry_out, args=(job,))
    process.start()
    return Running(process=process, logs=folder)


def run(*arguments: object, logs: Path, **how: Any) -> Done:
    """Run the command to its end."""
    return start(*arguments, logs=logs, **how).finish()


def call(name: str, *arguments: object) -> None:
    """Call ``module:function`` in a process of its own."""
    process = _context().Process(target=_call, args=(name, arguments))
    process.start()
    process.join(300)
    assert process.exitcode == 0


def _call(name: str, arguments: tuple[object, ...]) -> None:
    module, _, function = name.partition(":")
    getattr(import_module(module), function)(*arguments)


def _carry_out(job: _Job) -> None:
    """Be the command, in the forked process."""
    os.chdir(job.cwd)
    os.environ.update(job.environment)
    for number, name in ((1, str(job.logs / "out")), (2, job.terminal or str(job.logs / "err"))):
        target = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644)
        os.dup2(target, number)
        os.close(target)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    sys.argv = ["harness", *job.arguments]
    sys.orig_argv = [sys.executable, *sys.argv]
    from harness.entry import main

    moments = _watch(job.kill_at) if job.kill_at is not None else None
    try:
        main()
    finally:
        if moments is not None:
            (job.logs / "moments").write_text(str(next(moments)))


def _watch(kill_at: int) -> Any:
    """Count the moments at which something on disk is about to change, and end this process at one of them."""
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    moments = count()

    def pass_by(*_: object) -> None:
        if next(moments) + 1 == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        if name in _WRITES or (name == "open" and _writes(*arguments)):
            pass_by()

    sys.addaudithook(hook)
    event.listen(Engine, "commit", pass_by)
    return moments


def _writes(path: object, mode: object, flags: object) -> bool:
    del mode
    return path != os.devnull and isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
