"""Running one unit so that its failure is a value."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from harness.study.executors.table import Failed


def attempt(function: Callable[..., Any], shared: Any, unit: Any) -> Any:
    """Return the unit's result, or ``Failed`` when it raises; a stop by the user is passed on."""
    try:
        return function(shared, unit)
    except Exception as error:
        return failed(error)


def failed(error: BaseException) -> Failed:
    """Return an error as a value."""
    first = (str(error).strip().splitlines() or [""])[0]
    return Failed(
        reason=f"{type(error).__name__}: {first}" if first else type(error).__name__,
        detail="".join(traceback.format_exception(error)),
    )


def died(times: int, error: BaseException) -> Failed:
    """Return the end of a unit whose worker died each time as a value."""
    return Failed(reason=f"its worker process died {times} times", detail=failed(error).detail)
