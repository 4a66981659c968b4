"""The same study gives the same runs, wherever and however it is run."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

from .conftest import Reference
from .world import children, table_of

HARNESS = Path(sysconfig.get_path("scripts")) / "harness"


def test_the_installed_command_elsewhere_gives_the_same_runs(reference: Reference, tmp_path: Path) -> None:
    """From an empty folder, with another seed of hashes, time zone, locale and working directory."""
    folder = tmp_path / "out"
    folder.mkdir()
    dropped = ("MLFLOW_", "PYTHON", "LC_", "LANG")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    done = subprocess.run(
        [str(HARNESS), "sweep", os.path.relpath(reference.config, folder)],
        cwd=folder,
        env=environment | {"PYTHONHASHSEED": "31337", "TZ": "Asia/Kathmandu", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert table_of(done.stdout) == reference.table
    assert sorted(child.print for child in children(folder)) == reference.prints
