"""A Dask cluster that is there, or a local one for the time of a sweep, and the units sent to it."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness.errors import HarnessError, InputError
from harness.study.executors.attempt import attempt, died, failed
from harness.study.executors.table import ATTEMPTS, Outcome


@contextlib.contextmanager
def connected(distributed: Any, address: str | None, workers: int) -> Iterator[Any]:
    """Yield a client, of the scheduler at ``address`` or of a local cluster of processes with one thread each.

    Raises:
        InputError: there is no scheduler at the address.
    """
    import dask

    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is said once, by an error
    if address is None:
        with (
            dask.config.set({"distributed.scheduler.allowed-failures": 0}),
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # a free port: another sweep may run here
                silence_logs=logging.CRITICAL,  # it reports a worker's death by tracebacks
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"no Dask scheduler answers at {address} ({reason}); start one with: dask scheduler") from None
    with client:
        yield client


class Desk:
    """Sends units to a cluster and takes in what comes back.

    When a worker dies, Dask suspects every unit that was on it. So a unit that was suspected is run again alone, when
    all others are done; if its workers go on dying, ``ATTEMPTS`` times in all, it fails. (A scheduler of one's own
    tries as often as its ``allowed-failures`` says before it reports a unit at all.)
    """

    def __init__(self, distributed: Any, client: Any, function: Callable[..., Any], shared: Any) -> None:
        self._distributed, self._client = distributed, client
        self._function, self._shared = function, shared
        self._deaths_each = 1 + int(client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures))
        self._sent: Any = None

    def work(self, units: Sequence[Any]) -> Iterator[Outcome[Any, Any]]:
        """Yield an outcome per unit, as they complete.

        Raises:
            HarnessError: the cluster was lost.
        """
        suspects: list[int] = []
        excused: set[int] = set()
        futures = [self._submit(unit) for unit in units]
        places = {future.key: place for place, future in enumerate(futures)}
        running = self._distributed.as_completed(futures)
        del futures
        for future in running:
            place = places.pop(future.key)
            result, alive = self._take(future)
            if alive:
                yield Outcome(unit=units[place], result=result)
            elif result.task != future.key and place not in excused:  # what all units share was lost with a worker
                excused.add(place)
                again = self._submit(units[place])
                places[again.key] = place
                running.add(again)
            else:
                suspects.append(place)
        for place in suspects:
            yield Outcome(unit=units[place], result=self._alone(units[place]))

    def _alone(self, unit: Any) -> Any:
        """Run a unit with no other beside it, whose worker has died already."""
        deaths = self._deaths_each
        while True:
            result, alive = self._take(self._submit(unit))
            if alive:
                return result
            deaths += self._deaths_each
            if deaths >= ATTEMPTS:
                return died(deaths, result)

    def _submit(self, unit: Any) -> Any:
        """Send a unit; what all units share is a task of its own, so that Dask makes it again where it is lost."""
        if self._sent is None or self._sent.status in ("error", "cancelled", "lost"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # it may be large
                self._sent = self._client.submit(_keep, self._shared, pure=False)
        return self._client.submit(attempt, self._function, self._sent, unit, pure=False)

    def _take(self, future: Any) -> tuple[Any, bool]:
        """Return a unit's result and True, or the error and False when its worker died."""
        try:
            return future.result(), True
        except self._distributed.KilledWorker as error:
            return error, False
        except (self._distributed.client.FutureCancelledError, OSError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            told = "what has finished is logged, and the same command goes on from there"
            raise HarnessError(f"the Dask cluster was lost ({reason}); {told}") from None
        except Exception as error:
            return failed(error), True


def _keep(shared: Any) -> Any:
    return shared
