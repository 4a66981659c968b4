"""A sweep that is killed, again and again, ends as one that never was: no set lost, none twice, none half written."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .command import Done, run, start
from .conftest import Reference
from .world import children, parents, runs, table_of

KILLS = int(os.environ.get("HARNESS_KILLS", "0"))
"""How many more kills, for a longer run: ``HARNESS_KILLS=60 pytest tests/engine/test_resume.py``."""

Place = Callable[[str], Path]


def check_what_is_there(folder: Path, reference: Reference) -> None:
    """Whenever a sweep is killed: what says FINISHED is right, and nothing says it twice."""
    done = [run.print for run in children(folder, "FINISHED")]
    assert set(done) <= set(reference.prints)
    assert len(done) == len(set(done))
    assert len(parents(folder)) <= 1


def check_the_end(folder: Path, done: Done, reference: Reference, logs: Path) -> None:
    assert done.code == 0, done.err
    assert table_of(done.out) == reference.table
    (parent,) = parents(folder)
    assert f"Sweep: {parent.id}\n" in done.out
    check_the_store(folder, reference, logs)


def check_the_store(folder: Path, reference: Reference, logs: Path) -> None:
    assert sorted(run.print for run in children(folder)) == reference.prints
    assert {run.status for run in runs(folder)} == {"FINISHED"}
    (parent,) = parents(folder)
    assert {child.parent for child in children(folder)} == {parent.id}
    verified = run("cache", "verify", "--dir", folder, logs=logs)
    left = verified.out.splitlines()[:-1]
    assert all(line.endswith(": unfinished; prune deletes it") for line in left), left
    assert run("cache", "prune", "--dir", folder, logs=logs).code == 0
    verified = run("cache", "verify", "--dir", folder, logs=logs)
    assert (verified.code, verified.out) == (0, "4 entries, 0 damaged or unfinished\n")


def is_over(folder: Path) -> bool:
    return any(parent.status == "FINISHED" for parent in parents(folder))


def kill_at_moments(reference: Reference, folder: Path, logs: Path, moments: list[int]) -> int:
    """Have each process kill itself just before one of its changes to the disk; return how many were killed."""
    for killed, moment in enumerate(moments):
        done = run("sweep", reference.config, "--dir", folder, logs=logs, kill_at=moment)
        if done.code == 0 or is_over(folder):
            return killed
        assert done.code == -signal.SIGKILL, done.err
        check_what_is_there(folder, reference)
    return len(moments)


def kill_at_any_time(reference: Reference, folder: Path, logs: Path, times: list[float]) -> None:
    """Kill each process from outside after some seconds."""
    for seconds in times:
        if is_over(folder):
            return
        running = start("sweep", reference.config, "--dir", folder, logs=logs)
        time.sleep(seconds)
        running.send(signal.SIGKILL)
        running.finish()
        check_what_is_there(folder, reference)


def test_a_chain_of_kills(reference: Reference, empty_store: Path, tmp_path: Path) -> None:
    """Before there is a database, at moments of writing (MLflow's commits included), and at any time."""
    folder, logs, draw = tmp_path / "out", tmp_path / "logs", random.Random(KILLS)
    folder.mkdir()
    assert kill_at_moments(reference, folder, logs, [25]) == 1
    assert not (folder / "mlflow.db").exists(), "it is made by dozens of migrations, and is there when all are done"
    shutil.copy(empty_store, folder)

    each_set = reference.moments // 14
    moments = [1, 9, each_set + 7, 2 * each_set, 3 * each_set + 2, 2 * each_set + 11, 3 * each_set - 5]
    moments += [draw.randint(1, 5 * each_set) for _ in range(KILLS)]
    assert kill_at_moments(reference, folder, logs, moments) >= 7
    kill_at_any_time(reference, folder, logs, [draw.uniform(0.1, 1.2) for _ in range(3 + KILLS // 10)])
    if is_over(folder):  # the last kill came too late
        check_the_store(folder, reference, logs)
        assert table_of(run("report", "--dir", folder, logs=logs).out + "\nMLflow store: ") == reference.table
        return
    before = {child.id for child in children(folder, "FINISHED")}
    assert before, "the chain went past the first sets"
    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    assert before <= {child.id for child in children(folder)}, "what had finished is kept, run by run"
    assert f"going on: {len(before)} of 12 parameter sets were finished before\n" in done.err
    check_the_end(folder, done, reference, logs)


def test_a_sweep_killed_when_all_its_sets_were_finished(reference: Reference, place: Place, tmp_path: Path) -> None:
    for before_the_end in (24, 20, 28, 16, 32):
        folder, logs = place(f"out{before_the_end}"), tmp_path / "logs"
        run("sweep", reference.config, "--dir", folder, logs=logs, kill_at=reference.moments - before_the_end)
        before = {child.id for child in children(folder, "FINISHED")}
        if len(before) == 12 and not is_over(folder):
            break
    else:
        pytest.fail("none of these moments lies between the last set's end and the sweep's")
    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    assert {child.id for child in children(folder)} == before
    assert "going on: 12 of 12 parameter sets were finished before\n" in done.err
    check_the_end(folder, done, reference, logs)


def test_stops_say_how_to_go_on(reference: Reference, place: Place, tmp_path: Path) -> None:
    folder, logs = place("out"), tmp_path / "logs"
    kept: set[str] = set()
    for number, finished in ((signal.SIGINT, 2), (signal.SIGTERM, 5)):
        running = start("sweep", reference.config, "--dir", folder, logs=logs)
        while len(children(folder, "FINISHED")) < finished:
            assert running.process.is_alive(), running.finish()
            time.sleep(0.005)
        running.send(number)
        done = running.finish()
        assert done.code == 130, done
        assert kept < {child.id for child in children(folder)}
        kept = {child.id for child in children(folder)}
        assert {child.status for child in children(folder)} == {"FINISHED"}
        assert finished <= len(kept) < 12
        told = (
            f"stopped after {len(kept)} of 12 parameter sets; they are logged, and the same command goes on from there"
        )
        assert told in done.err.splitlines()
        assert "Traceback" not in done.err
        assert [parent.status for parent in parents(folder)] == ["KILLED"]
    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    assert f"going on: {len(kept)} of 12 parameter sets were finished before" in done.err.splitlines()
    assert kept < {child.id for child in children(folder)}
    check_the_end(folder, done, reference, logs)
