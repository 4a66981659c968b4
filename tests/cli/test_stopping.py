"""A sweep that is stopped keeps what has finished, and the same command goes on from there."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.sweeps import copy_store, empty_store
from cli.world import Store, finish, start, sweep_id_of, write_study
from harness.commands import sweep_study

SETS = 24
MANY = {"name": "many", "mode": "bm25", "k1": str([place / 8 for place in range(1, SETS + 1)]), "top_k": "3"}


def until(process: subprocess.Popen[str], reached: Callable[[], bool]) -> None:
    """Wait for a condition; the process must not end before."""
    while not reached():
        if process.poll() is not None:
            raise AssertionError(finish(process))
        time.sleep(0.002)


def hold_at_a_half_written_run(process: subprocess.Popen[str], store: Store, finished: int) -> None:
    """Halt the process between the beginning and the end of a child run, with some runs finished."""
    while True:
        until(process, lambda: store.count("FINISHED") >= finished and store.count("RUNNING") == 2)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        if store.count("RUNNING") == 2:
            return
        process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_in_the_middle_of_writing_leaves_only_whole_runs(
    store: Store, tmp_path: Path, stop: signal.Signals
) -> None:
    config = write_study(tmp_path / "study", **MANY)
    process = start("sweep", config, "--dir", store.folder)
    hold_at_a_half_written_run(process, store, 3)
    process.send_signal(stop)
    process.send_signal(signal.SIGCONT)
    done = finish(process)
    assert done.code == 130
    assert "Traceback" not in done.out + done.err

    sweep_id = sweep_id_of(done.out)
    children = store.children(sweep_id)
    assert store.client.get_run(sweep_id).info.status == "KILLED"
    assert {child.info.status for child in children} == {"FINISHED"}
    assert 3 <= len(children) < SETS
    for child in children:
        summary = json.loads(store.artifact(child.info.run_id, "summary.json"))
        assert summary["name"] == child.info.run_name
        assert len(summary["rows"]) == 4

    told = f"{len(children)} of {SETS} parameter sets"
    assert f"stopped after {told}; they are logged, and the same command goes on from there" in done.err
    assert f"**Incomplete: {told} have finished.**" in done.out
    assert f"**Incomplete: {told} have finished.**" in store.artifact(sweep_id, "ablation.md")


@dataclass(frozen=True, kw_only=True)
class Killed:
    """A sweep that was killed while a child run was half written.

    Attributes:
        config: its study.
        store: where it was killed; the sweep may be taken up here.
        snapshot: its database as the kill left it.
    """

    config: Path
    store: Store
    snapshot: Path


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    folder = tmp_path_factory.mktemp("killed")
    store = copy_store(empty_store(tmp_path_factory), folder / "out")
    config = write_study(folder / "study", **MANY)
    process = start("sweep", config, "--dir", store.folder)
    hold_at_a_half_written_run(process, store, 3)
    process.kill()
    assert finish(process).code == -signal.SIGKILL
    assert store.count("RUNNING") == 2  # also rolls back what was being written
    return Killed(config=config, store=store, snapshot=Path(shutil.copy(store.folder / "mlflow.db", folder)))


def sweep_here(config: Path, folder: Path) -> str:
    """Sweep in this process and return what was printed."""
    printed: list[str] = []
    assert sweep_study(config, folder, printed.append, executor=None, workers=None, address=None) == 0
    return "\n".join(printed)


def test_a_killed_sweep_is_finished_by_the_same_command(killed: Killed, capsys: pytest.CaptureFixture[str]) -> None:
    """F8: what was half written is gone, what had finished is kept, and the sweep ends FINISHED."""
    store = killed.store
    [parent] = store.parents("many")
    before = store.children(parent.info.run_id)
    kept = {child.info.run_id for child in before if child.info.status == "FINISHED"}
    assert parent.info.status == "RUNNING"
    assert sorted(child.info.status for child in before) == ["FINISHED"] * len(kept) + ["RUNNING"]

    out = sweep_here(killed.config, store.folder)
    assert f"going on: {len(kept)} of {SETS} parameter sets were finished before" in capsys.readouterr().err
    assert sweep_id_of(out) == parent.info.run_id
    assert [run.info.run_id for run in store.parents("many")] == [parent.info.run_id]
    children = store.children(parent.info.run_id)
    assert store.client.get_run(parent.info.run_id).info.status == "FINISHED"
    assert {child.info.status for child in children} == {"FINISHED"}
    assert {child.info.run_id for child in before} & {child.info.run_id for child in children} == kept
    assert len({child.data.tags["parameters_sha256"] for child in children}) == len(children) == SETS
    assert "Incomplete" not in out
    assert f"This test split has been scored {SETS} times by {SETS} parameter sets." in out


def test_runs_of_a_dead_process_are_closed_by_the_next_sweep_of_the_study(killed: Killed, tmp_path: Path) -> None:
    """F8: another config under the study's name can't go on with them, and they would say RUNNING for ever."""
    store = copy_store(killed.snapshot, tmp_path / "out")
    [dead] = store.parents("many")
    edited = write_study(tmp_path / "study", **MANY | {"k1": "1.5"})
    new = sweep_id_of(sweep_here(edited, store.folder))
    assert new != dead.info.run_id
    assert store.client.get_run(dead.info.run_id).info.status == "KILLED"
    assert {child.info.status for child in store.children(dead.info.run_id)} == {"FINISHED", "KILLED"}
    assert {run.info.status for run in [store.client.get_run(new), *store.children(new)]} == {"FINISHED"}
