"""Where a result was computed: versions, machine, and the state of the code."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from harness import __version__


@cache
def environment() -> dict[str, Any]:
    """Return Python, machine, threads and every installed distribution with its version."""
    packages = {d.metadata["Name"]: d.version for d in distributions() if d.metadata["Name"]}
    return {
        "harness": __version__,
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "machine": platform.machine(),
        "threads": os.environ.get("OMP_NUM_THREADS", ""),
        "packages": dict(sorted(packages.items(), key=lambda item: item[0].lower())),
    }


@cache
def git_state(directory: Path) -> dict[str, str]:
    """Return commit and whether the tree was dirty, for the checkout ``directory`` lies in; empty outside of one."""
    commit = _git(directory, "rev-parse", "HEAD")
    if commit is None:
        return {}
    changed = _git(directory, "status", "--porcelain", "--untracked-files=no")
    return {"git.commit": commit, "git.dirty": "true" if changed else "false"}


def _git(directory: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *words], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
