"""Every benchmark goes through all of itself, on inputs too small to measure anything."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
COMMANDS = {
    "score encoded texts files cold --small": None,  # the packages of the part ``others`` come with ``make bench``
    "bm25 --small": "bm25",
    "mlflow_writes --small": "mlflow",
    "sweep --small": "sweep",
    "memory 20 --sizes 200 190 --workers 2": "memory_20_2_chunkings",
    "stats --small": "stats",
    "chroma_server 200": "chroma_server_200",
}
"""What is run → the section it writes; None where it prints alone."""

HELPERS = {"__init__", "results", "score_cold", "stats_simulations", "watching", "world"}


def numbers(found: Any) -> Iterator[float]:
    """Yield every number in a section."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for one in found:
            yield from numbers(one)
    elif isinstance(found, int | float):
        yield found


def test_all_are_run_here() -> None:
    files = {path.stem for path in (ROOT / "tests" / "benchmarks").glob("*.py")}
    assert {command.split()[0] for command in COMMANDS} == files - HELPERS


@pytest.mark.parametrize(("command", "section"), COMMANDS.items(), ids=[command.split()[0] for command in COMMANDS])
def test_it_goes_through(command: str, section: str | None, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", *f"tests.benchmarks.{command}".split()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout[done.stdout.index("{\n") :])
    held = list(numbers(printed))
    assert len(held) >= 3
    assert all(map(math.isfinite, held))
    written = tmp_path / "build" / "bench.json"
    if section is None:
        assert not written.exists()
    else:
        kept = json.loads(written.read_text(encoding="utf-8"))
        assert kept.pop("machine")
        assert kept == printed
        assert set(printed) == {section}
    assert [path.name for path in tmp_path.iterdir()] == ([] if section is None else ["build"])
