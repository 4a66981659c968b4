"""A Dask cluster that is there, or a local one for the time of a sweep."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from harness.errors import InputError
from harness.study.executors.table import ATTEMPTS


@contextlib.contextmanager
def connected(distributed: Any, address: str | None, workers: int) -> Iterator[Any]:
    """Yield a client, of the scheduler at ``address`` or of a local cluster of processes with one thread each.

    Raises:
        InputError: there is no scheduler at the address.
    """
    import dask

    dask.config.set({"distributed.scheduler.allowed-failures": ATTEMPTS - 1})
    if address is None:
        with (
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
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
