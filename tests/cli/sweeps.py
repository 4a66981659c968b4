"""Sweeps that several tests read and none changes, each made once."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.world import Done, Store, run, sweep_id_of, write_study

_MADE: dict[str, Path] = {}


@dataclass(frozen=True, kw_only=True)
class Swept:
    """A sweep that has ended."""

    config: Path
    folder: Path
    done: Done

    @property
    def sweep_id(self) -> str:
        return sweep_id_of(self.done.out)

    @property
    def store(self) -> Store:
        return Store(folder=self.folder)


_SWEPT: dict[str, Swept] = {}


def swept(factory: pytest.TempPathFactory) -> Swept:
    """Run the small study with the installed command, once."""
    if "small" not in _SWEPT:
        root = factory.mktemp("swept")
        config = write_study(root / "study")
        folder = root / "out"
        folder.mkdir()
        _SWEPT["small"] = Swept(config=config, folder=folder, done=run("sweep", config, "--dir", folder))
    return _SWEPT["small"]


def empty_store(factory: pytest.TempPathFactory) -> Path:
    """Return an MLflow database without runs, to be copied: to make one takes seconds."""
    if "empty" not in _MADE:
        from harness.tracking import Tracker, default_uri

        folder = factory.mktemp("empty")
        Tracker(default_uri(folder), folder)
        _MADE["empty"] = folder / "mlflow.db"
    return _MADE["empty"]


def copy_store(database: Path, folder: Path) -> Store:
    """Put a copy of an empty database into a new folder."""
    folder.mkdir(parents=True)
    shutil.copy(database, folder / "mlflow.db")
    return Store(folder=folder)
