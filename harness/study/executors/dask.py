"""Dask distributed: the same units on one machine or on many; a killed worker's units are run again by Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.study.executors.facts import library_facts
from harness.study.executors.table import Outcome


class Dask:
    """Runs units on a cluster that is there, or on one it starts on this machine."""

    def __init__(self, *, workers: int, address: str | None) -> None:
        """Find the package.

        Raises:
            InputError: ``distributed`` isn't installed.
        """
        try:
            import distributed
        except ImportError:
            raise InputError(
                "executor 'dask' needs the package distributed; install it with: "
                "pip install 'retriever-ablation-harness[distributed]'"
            ) from None
        self._distributed: Any = distributed
        self.workers = workers
        self.address = address

    def run(self, function: Callable[..., Any], shared: Any, units: Sequence[Any]) -> Iterator[Outcome[Any, Any]]:
        """Yield an outcome per unit, as they complete.

        Raises:
            InputError: the cluster can't be reached, or its workers can't give the same results.
            HarnessError: the cluster was lost on the way.
        """
        from harness.study.executors.dask_cluster import Desk, connected

        if not units:
            return
        with connected(self._distributed, self.address, self.workers) as client:
            check_workers(facts_of(client))
            yield from Desk(self._distributed, client, function, shared).work(units)


_THREADS = "--nthreads of the worker"


def facts_of(client: Any) -> Mapping[str, Mapping[str, str]]:
    """Return what each worker must have in common with this process, by the worker's address.

    Raises:
        InputError: a worker can't run this package.
    """
    try:
        found: Mapping[str, Mapping[str, str]] = client.run(library_facts)
    except Exception as error:  # Dask passes on whatever went wrong there as its bare base class
        raise InputError(f"a worker can't run this package ({error}); install the same version there") from None
    threads = client.nthreads()
    return {worker: {**facts, _THREADS: str(threads.get(worker))} for worker, facts in found.items()}


def check_workers(found: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse workers that could give other results.

    Args:
        found: address of each worker → its facts (see ``facts_of``).

    Raises:
        InputError: there is no worker, or one differs; the message names worker, package and versions.
    """
    if not found:
        raise InputError("the cluster has no worker; start one with: dask worker ADDRESS --nthreads 1")
    here = library_facts() | {_THREADS: "1"}
    faults = [
        f"worker {worker}: {name} is {facts.get(name)}, must be {wanted} as in this process"
        for worker, facts in found.items()
        for name, wanted in here.items()
        if facts.get(name) != wanted
    ]
    if faults:
        raise InputError("\n".join(faults))
