"""Worker processes on this machine, by loky; a killed worker's units are run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness.study.executors.attempt import attempt, failed
from harness.study.executors.table import ATTEMPTS, Outcome

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Processes:
    """A pool of processes, each with one thread for numerical libraries."""

    def __init__(self, *, workers: int) -> None:
        self.workers = workers

    def run(self, function: Callable[..., Any], shared: Any, units: Sequence[Any]) -> Iterator[Outcome[Any, Any]]:
        """Yield an outcome per unit, as they complete.

        When a worker dies, the pool is started anew for what is unfinished. The unit that was running may be the cause,
        so a unit is tried at most ``ATTEMPTS`` times.
        """
        tries = dict.fromkeys(range(len(units)), 0)
        while tries:
            yield from self._round(function, shared, units, tries)

    def _round(
        self, function: Callable[..., Any], shared: Any, units: Sequence[Any], tries: dict[int, int]
    ) -> Iterator[Outcome[Any, Any]]:
        from loky import ProcessPoolExecutor, as_completed
        from loky.process_executor import BrokenProcessPool

        pool = ProcessPoolExecutor(max_workers=min(self.workers, len(tries)), env=_ONE_THREAD)
        try:
            futures = {pool.submit(attempt, function, shared, units[place]): place for place in tries}
            for future in as_completed(futures):
                place = futures[future]
                try:
                    result = future.result()
                except BrokenProcessPool as error:
                    tries[place] += 1
                    if tries[place] < ATTEMPTS:
                        continue
                    result = failed(error)
                del tries[place]
                yield Outcome(unit=units[place], result=result)
        finally:
            pool.shutdown(wait=True, kill_workers=True)
