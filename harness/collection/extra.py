"""Libraries that only some formats need."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from harness.errors import Problem


def missing_extra(form: str, module: str, distribution: str, path: Path) -> Problem | None:
    """Return the problem that a format's library isn't installed, or None."""
    if find_spec(module) is not None:
        return None
    cure = "pip install 'retriever-ablation-harness[documents]'"
    message = f"format {form} needs the package {distribution}; install it with: {cure}"
    return Problem(file=str(path), message=message)
