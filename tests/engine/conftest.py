"""A place to sweep in, and sweeps that went undisturbed, each made once."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .cluster import Cluster
from .command import Done, call, run, start
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


def undisturbed(root: Path, store: Path, parameters: dict[str, Any]) -> Reference:
    config = write_study(root / "study", parameters)
    folder = root / "out"
    folder.mkdir()
    shutil.copy(store, folder / "mlflow.db")
    done = run("sweep", config, "--dir", folder, logs=root / "logs", kill_at=0)
    assert done.code == 0, done.err
    (parent,) = parents(folder)
    assert parent.status == "FINISHED"
    sets = tuple(children(folder))
    assert len({run.print for run in sets}) == 12
    assert {run.status for run in sets} == {"FINISHED"}
    (moments,) = (root / "logs").glob("*/moments")
    return Reference(config=config, folder=folder, done=done, sets=sets, moments=int(moments.read_text()))


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Reference:
    """Twelve sets, vectors by a model that learns from the chunks: nothing goes through the cache."""
    return undisturbed(tmp_path_factory.mktemp("reference"), empty_store, TWELVE)


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Reference:
    """Twelve sets, vectors by a model whose vectors are kept in the cache."""
    root = tmp_path_factory.mktemp("embedded")
    return undisturbed(root, empty_store, TWELVE | {"vector": {"embedder": "packaged-multilingual"}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmed:
    """A sweep on workers, one of which was killed while it built an index; vectors come from a copy of the cache."""

    folder: Path
    done: Done
    killed: int


def with_vectors(study: Reference, store: Path, folder: Path) -> Path:
    """Make a folder with an empty database and the vectors of a study, but none of its indexes."""
    shutil.copytree(study.folder / ".harness" / "cache", folder / ".harness" / "cache")
    shutil.copy(store, folder / "mlflow.db")
    return folder


def sweep_and_kill_a_worker(study: Reference, root: Path, store: Path, *options: object) -> Harmed:
    """Sweep, and kill the first worker that is seen at building an index for vectors."""
    folder = with_vectors(study, store, root / "out")
    running = start("sweep", study.config, "--dir", folder, *options, logs=root / "logs")
    building = folder / ".harness" / "indexes" / ".building"
    seen: list[Path] = []
    while not seen:
        seen = list(building.glob("vector-*"))
        assert running.process.is_alive(), running.finish()
        time.sleep(0.001)
    worker = int(seen[0].name.split(".")[1])
    assert worker != running.process.pid
    os.kill(worker, signal.SIGKILL)
    return Harmed(folder=folder, done=running.finish(), killed=worker)


@pytest.fixture(scope="session")
def by_processes(embedded: Reference, empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Harmed:
    root = tmp_path_factory.mktemp("processes")
    return sweep_and_kill_a_worker(embedded, root, empty_store, "--executor", "processes", "--workers", 2)


@pytest.fixture(scope="session")
def by_dask(embedded: Reference, empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Harmed:
    """On a cluster that the sweep starts and ends itself."""
    root = tmp_path_factory.mktemp("dask")
    return sweep_and_kill_a_worker(embedded, root, empty_store, "--executor", "dask", "--workers", 2)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a scheduler with two workers, started as somebody else would start them."""
    with Cluster(tmp_path_factory.mktemp("cluster")) as started:
        started.add_workers(2)
        yield started.address
