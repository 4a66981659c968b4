"""Every error the harness raises on purpose.

    HarnessError
    ├── InputError      what a person wrote can't be used: config, corpus, golden set, model name
    │                   (exit code 2; carries every problem found, not just the first)
    ├── StoreError      an index or store on disk can't be read or written (exit code 3)
    │   └── DamagedError   an index on disk isn't what was written; it is put aside and built again
    └── TrackingError   MLflow can't be reached or doesn't hold what was asked for (exit code 3)

The exact core (``harness.scoring``) raises plain ``ValueError`` instead: it depends on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from harness.frozen import Frozen


class Problem(Frozen):
    """One thing that is wrong with an input.

    Attributes:
        message: what was wanted, what was found, what to do.
        file: path as the reader was given it, or None when no file is to blame.
        line: 1-based line in ``file``, or None.
        field: dotted field (``parameters.chunk.size``), or None.
    """

    message: str
    file: str | None = None
    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if place and self.line is not None:
            place = f"{place}:{self.line}"
        parts = [part for part in (f"{place}:" if place else "", self.field or "", self.message) if part]
        return " ".join(parts)


class HarnessError(Exception):
    """Base of the tree; ``exit_code`` is what the command line ends with."""

    exit_code = 1


class InputError(HarnessError):
    """Something a person wrote can't be used. ``problems`` holds all that was found."""

    exit_code = 2

    def __init__(self, problems: Iterable[Problem] | Problem | str) -> None:
        if isinstance(problems, str):
            problems = [Problem(message=problems)]
        elif isinstance(problems, Problem):
            problems = [problems]
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class StoreError(HarnessError):
    """An index or a store on disk can't be read or written."""

    exit_code = 3


class DamagedError(StoreError):
    """An index on disk isn't what was written."""


class TrackingError(HarnessError):
    """MLflow can't be reached, or doesn't hold what was asked for."""

    exit_code = 3
