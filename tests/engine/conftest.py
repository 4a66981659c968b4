"""A place to sweep in, and sweeps that went undisturbed, each made once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .command import Done, call, run
from .world import TWELVE, Run, children, parents, table_of, write_study


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an MLflow database without runs, to be copied: to make one takes seconds."""
    folder = tmp_path_factory.mktemp("empty")
    call("harness.tracking:Tracker", f"sqlite:///{folder}/mlflow.db", folder)
    return folder / "mlflow.db"


@pytest.fixture
def place(tmp_path: Path, empty_store: Path) -> Callable[[str], Path]:
    """Return folders to sweep in, by name, each with an empty database."""

    def make(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(empty_store, folder / "mlflow.db")
        return folder

    return make


@pytest.fixture
def sweep(tmp_path: Path) -> Callable[..., Done]:
    """Run ``harness sweep CONFIG --dir FOLDER`` in a process of its own."""

    def to_its_end(config: Path, folder: Path, *options: object, **how: Any) -> Done:
        return run("sweep", config, "--dir", folder, *options, logs=tmp_path / "logs", **how)

    return to_its_end


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A sweep of twelve sets that nothing disturbed.

    Attributes:
        config: its study.
        folder: where it was run; look, don't touch.
        done: how it ended.
        sets: its child runs.
        moments: how often it was about to change something on disk, from an empty database on.
    """

    config: Path
    folder: Path
    done: Done
    sets: tuple[Run, ...]
    moments: int

    @property
    def table(self) -> str:
        return table_of(self.done.out)

    @property
    def prints(self) -> list[tuple[Any, ...]]:
        return sorted(run.print for run in self.sets)


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Reference:
    root = tmp_path_factory.mktemp("reference")
    config = write_study(root / "study", TWELVE)
    folder = root / "out"
    folder.mkdir()
    shutil.copy(empty_store, folder / "mlflow.db")
    done = run("sweep", config, "--dir", folder, logs=root / "logs", kill_at=0)
    assert done.code == 0, done.err
    (parent,) = parents(folder)
    assert parent.status == "FINISHED"
    sets = tuple(children(folder))
    assert len({run.print for run in sets}) == 12
    assert {run.status for run in sets} == {"FINISHED"}
    (moments,) = (root / "logs").glob("*/moments")
    return Reference(config=config, folder=folder, done=done, sets=sets, moments=int(moments.read_text()))
