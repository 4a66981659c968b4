"""Try changes: pytest collects the tests once, and each change gets a fork of it in which nothing was scored yet.

A fork runs the tests that call the changed function, one after the other until one fails: the quick ones first, and
before them those that noticed a change lately. Time is counted in seconds of the processor, so that a busy machine
doesn't pass for an endless loop.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import resource
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from _pytest.runner import runtestprotocol

from .changing import ROOT, Change, install, recorders

Status = Literal["noticed", "timeout", "survived"]
_MEMORY = 8 << 30
_PLACE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What became of a change; ``by`` is the test that failed or didn't end."""

    change: Change
    status: Status
    by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a test does by itself: the seconds it takes, and the functions of the room that it calls."""

    seconds: float
    called: frozenset[str]


class Trial:
    """A plugin that takes the place of pytest's own loop over the tests.

    Attributes:
        changes: what to try once the tests are collected; it is given the digests of the files.
        noticed_by: name of a change → the test that noticed it before, which is then tried first.
        tell: called after each change.
        traces: the file that keeps what each test does by itself.
        grace: seconds that a test may take beyond five times what it takes without a change.
        fault: why nothing could be tried, if so.
    """

    def __init__(
        self,
        *,
        changes: Callable[[Digests], Sequence[Change]],
        noticed_by: Mapping[str, str],
        tell: Callable[[Tried], None],
        traces: Path,
        grace: float = 3,
    ) -> None:
        self.changes, self.noticed_by, self.tell, self.traces, self.grace = changes, noticed_by, tell, traces, grace
        self.fault: str | None = None

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the changes instead of running the tests once."""
        if session.testsfailed:
            self.fault = "the tests can't be collected"
            return True
        digests = Digests()
        changes = self.changes(digests)
        if changes:
            self._try(changes, {item.nodeid: item for item in session.items}, digests.of(None))
        return True

    def _try(self, changes: Sequence[Change], items: Mapping[str, pytest.Item], digest: str) -> None:
        traces = self._known_traces(digest) or self._trace(items)
        if self.fault:
            return
        self.traces.write_bytes(pickle.dumps((digest, traces)))
        lately: deque[str] = deque(maxlen=5)
        for change in changes:
            first = [self.noticed_by.get(change.name), *lately]
            tests = [test for test, trace in traces.items() if change.place in trace.called]
            tests.sort(key=lambda test: (first.index(test) if test in first else len(first), traces[test].seconds))
            limits = [5 * traces[test].seconds + self.grace for test in tests]
            status, by = run_changed(change, [items[test] for test in tests], limits)
            self.tell(Tried(change=change, status=status, by=by))
            if by is not None and by not in lately:
                lately.appendleft(by)

    def _known_traces(self, digest: str) -> dict[str, Trace] | None:
        known, traces = pickle.loads(self.traces.read_bytes()) if self.traces.is_file() else (None, None)
        return traces if known == digest else None

    def _trace(self, items: Mapping[str, pytest.Item]) -> dict[str, Trace]:
        """Run every test by itself on the sources as they are; a test that fails can't notice anything."""
        start = recorders()
        traces = {}
        for test, item in items.items():
            trace = _traced(start, item)
            if trace is None:
                self.fault = f"{test} fails before anything was changed"
                break
            traces[test] = trace
        print(f"{len(traces)} tests take {sum(trace.seconds for trace in traces.values()):.0f} s", flush=True)
        return traces


class Digests:
    """Digests of the files that an outcome rests on, as they were when the tests were collected."""

    def __init__(self) -> None:
        imported = {Path(getattr(module, "__file__", None) or "/") for module in [*sys.modules.values()]}
        own = {file for file in imported if file.is_relative_to(ROOT) and ".venv" not in file.parts}
        read = {*(ROOT / "tests" / "expected" / "measures").glob("*.json"), ROOT / "docs" / "scoring.md"}
        texts = {
            file.relative_to(ROOT).as_posix(): file.read_bytes() for file in own | read | {ROOT / "pyproject.toml"}
        }
        self._tests = {name: text for name, text in texts.items() if Path(name).name.startswith("test_")}
        self._others = [texts[name] for name in sorted(texts.keys() - self._tests.keys())]

    def of(self, by: str | None) -> str:
        """Return the digest for a change that a test noticed, or that no test did.

        What one test noticed holds as long as its file and all that isn't a test stay as they are.
        """
        name = by.partition("::")[0] if by else None
        tests = [self._tests[each] for each in sorted(self._tests) if name in (each, None)]
        return hashlib.sha256(b"\0".join([*self._others, *tests])).hexdigest()


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def _traced(start: Callable[[], set[str]], item: pytest.Item) -> Trace | None:
    def run(write: Callable[[bytes], object]) -> None:
        called, before = start(), time.process_time()
        if _passes(item, None):
            write(pickle.dumps(Trace(seconds=time.process_time() - before, called=frozenset(called))))

    _, written = forked(run)
    return pickle.loads(written) if written else None


def run_changed(change: Change, items: Sequence[pytest.Item], limits: Sequence[float]) -> tuple[Status, str | None]:
    """Return what becomes of a change when tests run, each within so many seconds, and the last test that ran."""

    def run(write: Callable[[bytes], object]) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        install(change)
        for place, (item, limit, following) in enumerate(zip(items, limits, [*items[1:], None], strict=True)):
            write(place.to_bytes(_PLACE))
            allow(limit)
            if not _passes(item, following):
                os._exit(1)

    code, written = forked(run)
    last = items[int.from_bytes(written[-_PLACE:])].nodeid if written else None
    if code == 0:
        return "survived", None
    return "timeout" if code in {-signal.SIGPROF, -signal.SIGALRM} else "noticed", last


def allow(seconds: float) -> None:
    """End this process once it has used the processor for so long from now on, or after twenty times that."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 20 * seconds)


def forked(run: Callable[[Callable[[bytes], Any]], None]) -> tuple[int, bytes]:
    """Return the exit code of a copy of this process that calls ``run``, and what it wrote."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            run(lambda data: os.write(writing, data))
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        written = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written
