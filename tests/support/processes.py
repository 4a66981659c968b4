"""Python in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

from support.worlds import ROOT


def _environment(hash_seed: int, extra: Mapping[str, str]) -> dict[str, str]:
    paths = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"
    return os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": str(hash_seed)} | dict(extra)


def start_python(code: str, *arguments: object, hash_seed: int = 0, **extra: str) -> subprocess.Popen[str]:
    """Start ``code`` with ``arguments`` in ``sys.argv[1:]``; ``extra`` goes to its environment."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env=_environment(hash_seed, extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def run_python(code: str, *arguments: object, hash_seed: int = 0, **extra: str) -> str:
    """Run ``code`` to its end and return what it printed."""
    process = start_python(code, *arguments, hash_seed=hash_seed, **extra)
    printed, complaints = process.communicate(timeout=300)
    assert process.returncode == 0, complaints
    return printed
