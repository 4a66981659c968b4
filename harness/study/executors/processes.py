"""Worker processes on this machine, by loky; the unit of a killed worker is run again."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, Queue
from typing import Any

from harness.study.executors.attempt import attempt, died, failed
from harness.study.executors.table import ATTEMPTS, Outcome

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


class Processes:
    """Processes whose numerical libraries have as many threads as those of this one: one, unless told otherwise."""

    def __init__(self, *, workers: int) -> None:
        self.workers = workers

    def run(self, function: Callable[..., Any], shared: Any, units: Sequence[Any]) -> Iterator[Outcome[Any, Any]]:
        """Yield an outcome per unit, as they complete.

        Each worker is a pool of its own, so that the death of one is the fault of the unit it had, and of no other. It
        gets its next unit whether or not the outcome before has been taken, up to a few outcomes.
        """
        waiting, done = deque(units), Queue[Outcome[Any, Any]](maxsize=2 * self.workers)
        lanes = [_Lane(function, shared, waiting, done) for _ in range(min(self.workers, len(units)))]
        try:
            for lane in lanes:
                lane.start()
            for _ in units:
                yield done.get()
        finally:
            waiting.clear()
            for lane in lanes:
                lane.stop()
            while any(lane.is_alive() for lane in lanes):
                with contextlib.suppress(Empty):  # a lane may wait for room
                    done.get(timeout=0.05)


class _Lane(threading.Thread):
    """One worker after the other, all with the same queue of units; a worker that dies has a successor."""

    def __init__(
        self, function: Callable[..., Any], shared: Any, waiting: deque[Any], done: Queue[Outcome[Any, Any]]
    ) -> None:
        super().__init__(daemon=True)
        self._function, self._shared, self._waiting, self._done = function, shared, waiting, done
        self._pool: Any = None
        self._stopped = False
        self._lock = threading.Lock()

    def run(self) -> None:
        """Do units until none waits."""
        while not self._stopped:
            try:
                unit = self._waiting.popleft()
            except IndexError:
                break
            self._done.put(Outcome(unit=unit, result=self._do(unit)))

    def stop(self) -> None:
        """End the worker, whatever it is at."""
        with self._lock:
            self._stopped = True
            if self._pool is not None:
                self._pool.shutdown(wait=True, kill_workers=True)

    def _do(self, unit: Any) -> Any:
        from loky.process_executor import BrokenProcessPool

        tries = 0
        while True:
            try:
                return self._submit(unit).result()
            except BrokenProcessPool as error:
                tries += 1
                if tries == ATTEMPTS or self._stopped:
                    return died(tries, error)
                self._pool = None
            except Exception as error:
                return failed(error)

    def _submit(self, unit: Any) -> Any:
        from loky import ProcessPoolExecutor

        with self._lock:
            if self._stopped:
                raise InterruptedError("stopped")
            if self._pool is None:
                threads = {name: os.environ.get(name, "1") for name in _THREADS}
                self._pool = ProcessPoolExecutor(
                    max_workers=1, env=threads, initializer=_end_with, initargs=(os.getpid(),)
                )
            return self._pool.submit(attempt, self._function, self._shared, unit)


def _end_with(parent: int) -> None:
    """Prepare a worker to end when the process that started it is gone: nobody would tell it."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
