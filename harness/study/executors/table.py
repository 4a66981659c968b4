"""Name → executor, and what every executor gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")

ATTEMPTS = 3
"""How often a unit is tried when the worker that had it dies."""

EXECUTORS: dict[str, str] = {
    "sequential": "one unit after the other, in this process",
    "processes": "worker processes on this machine (loky)",
    "dask": "a Dask distributed cluster, on this machine or on many",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A unit that could not be done.

    Attributes:
        reason: the error in one line.
        detail: the traceback, for the log.
    """

    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Unit, Result]):
    """A unit with its result, or with the reason why there is none."""

    unit: Unit
    result: Result | Failed


class Executor(Protocol):
    """Runs one function over independent units."""

    def run(self, function: Callable[..., Any], shared: Any, units: Sequence[Any]) -> Iterator[Outcome[Any, Any]]:
        """Yield an outcome per unit, in the order they complete.

        Args:
            function: ``function(shared, unit)``, importable by name in a worker.
            shared: what all units need; it is sent to each worker once where the executor can do so.
            units: picklable, independent of each other.
        """


def make_executor(name: str, *, workers: int, address: str | None) -> Executor:
    """Return an executor by name.

    Args:
        name: key of ``EXECUTORS``.
        workers: number of processes (``processes``, and ``dask`` without an address).
        address: scheduler of a running cluster; None starts one on this machine.

    Raises:
        InputError: the package an executor needs isn't installed, or the cluster can't be used.
    """
    if name == "processes":
        from harness.study.executors.processes import Processes

        return Processes(workers=workers)
    if name == "dask":
        from harness.study.executors.dask import Dask

        return Dask(workers=workers, address=address)
    from harness.study.executors.sequential import Sequential

    return Sequential()
