"""One unit after the other, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from harness.study.executors.attempt import attempt
from harness.study.executors.table import Outcome


class Sequential:
    """The executor that needs nothing."""

    def run(self, function: Callable[..., Any], shared: Any, units: Sequence[Any]) -> Iterator[Outcome[Any, Any]]:
        """Yield an outcome per unit, in their order."""
        for unit in units:
            yield Outcome(unit=unit, result=attempt(function, shared, unit))
