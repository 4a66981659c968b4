"""A sweep that is killed, again and again, ends as one that never was: no set lost, none twice, none half written."""

from __future__ import annotations

import os
import random
import re
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
    assert sorted(run.print for run in children(folder)) == reference.prints
    assert {run.status for run in runs(folder)} == {"FINISHED"}
    (parent,) = parents(folder)
    assert f"Sweep: {parent.id}\n" in done.out
    assert {child.parent for child in children(folder)} == {parent.id}
    verified = run("cache", "verify", "--dir", folder, logs=logs)
    left = verified.out.splitlines()[:-1]
    assert all(line.endswith(": unfinished; prune deletes it") for line in left), left
    assert run("cache", "prune", "--dir", folder, logs=logs).code == 0
    verified = run("cache", "verify", "--dir", folder, logs=logs)
    assert (verified.code, verified.out) == (0, "4 entries, 0 damaged or unfinished\n")


def is_over(folder: Path) -> bool:
    return any(parent.status == "FINISHED" for parent in parents(folder))


def test_a_chain_of_kills_at_the_moments_of_writing(reference: Reference, place: Place, tmp_path: Path) -> None:
    """Each process kills itself just before one of its changes to the disk, MLflow's commits included."""
    draw, folder, logs = random.Random(KILLS), place("out"), tmp_path / "logs"
    each_set = reference.moments // 14
    fixed = [1, 9, each_set + 7, 2 * each_set, 3 * each_set + 2, 2 * each_set + 11, 3 * each_set - 5, 3 * each_set + 8]
    moments = fixed + [draw.randint(1, 5 * each_set) for _ in range(KILLS)]
    killed = 0
    for moment in moments:
        done = run("sweep", reference.config, "--dir", folder, logs=logs, kill_at=moment)
        if done.code == 0 or is_over(folder):
            break
        assert done.code == -signal.SIGKILL, done.err
        killed += 1
        check_what_is_there(folder, reference)
    assert killed >= len(fixed)
    if is_over(folder):
        return
    before = {child.id for child in children(folder, "FINISHED")}
    assert before, "the chain went past the first sets"
    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    assert before < {child.id for child in children(folder, "FINISHED")}, "what had finished is kept, run by run"
    assert f"going on: {len(before)} of 12 parameter sets were finished before\n" in done.err
    check_the_end(folder, done, reference, logs)


def test_a_kill_before_there_is_a_store(reference: Reference, tmp_path: Path) -> None:
    """The database is made by dozens of migrations; a process that dies among them leaves none."""
    folder, logs = tmp_path / "out", tmp_path / "logs"
    folder.mkdir()
    done = run("sweep", reference.config, "--dir", folder, logs=logs, kill_at=25)
    assert done.code == -signal.SIGKILL
    assert not (folder / "mlflow.db").exists()
    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    check_the_end(folder, done, reference, logs)


@pytest.mark.parametrize("seed", range(1 + KILLS // 20))
def test_a_chain_of_kills_at_any_time(reference: Reference, place: Place, tmp_path: Path, seed: int) -> None:
    draw, folder, logs = random.Random(seed), place("out"), tmp_path / "logs"
    for _ in range(4):
        running = start("sweep", reference.config, "--dir", folder, logs=logs)
        time.sleep(draw.uniform(0.1, 1.2))
        running.send(signal.SIGKILL)
        done = running.finish()
        check_what_is_there(folder, reference)
        if is_over(folder):
            return
        assert done.code == -signal.SIGKILL
    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    check_the_end(folder, done, reference, logs)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_says_how_to_go_on(reference: Reference, place: Place, tmp_path: Path, number: signal.Signals) -> None:
    folder, logs = place("out"), tmp_path / "logs"
    running = start("sweep", reference.config, "--dir", folder, logs=logs)
    while len(children(folder, "FINISHED")) < 3:
        assert running.process.is_alive(), running.finish()
        time.sleep(0.005)
    running.send(number)
    done = running.finish()
    assert done.code == 130, done
    kept = {child.id for child in children(folder)}
    assert {child.status for child in children(folder)} == {"FINISHED"}
    assert 3 <= len(kept) < 12
    told = f"stopped after {len(kept)} of 12 parameter sets; they are logged, and the same command goes on from there"
    assert told in done.err.splitlines()
    assert "Traceback" not in done.err
    assert [parent.status for parent in parents(folder)] == ["KILLED"]

    done = run("sweep", reference.config, "--dir", folder, logs=logs)
    assert f"going on: {len(kept)} of 12 parameter sets were finished before" in done.err.splitlines()
    assert kept < {child.id for child in children(folder)}
    check_the_end(folder, done, reference, logs)


def test_what_another_study_left_is_not_gone_on_with(reference: Reference, place: Place, tmp_path: Path) -> None:
    """One value of the config, or one byte of a document, makes it another sweep."""
    folder, logs = place("out"), tmp_path / "logs"
    running = start("sweep", reference.config, "--dir", folder, logs=logs)
    while len(children(folder, "FINISHED")) < 2:
        assert running.process.is_alive(), running.finish()
        time.sleep(0.005)
    running.send(signal.SIGKILL)
    running.finish()
    study = shutil.copytree(reference.config.parent, tmp_path / "study")
    document = study / "docs" / "kite.md"
    document.write_text(document.read_text().replace("near", "nigh"))
    done = run("sweep", study / reference.config.name, "--dir", folder, logs=logs)
    assert done.code == 0
    assert "going on" not in done.err
    assert sorted(parent.status for parent in parents(folder)) == ["FINISHED", "KILLED"]
    (finished,) = [parent.id for parent in parents(folder) if parent.status == "FINISHED"]
    assert len([child for child in children(folder) if child.parent == finished]) == 12


def test_a_sweep_that_has_ended_is_not_gone_on_with(reference: Reference, tmp_path: Path) -> None:
    folder = shutil.copytree(reference.folder, tmp_path / "out")
    done = run("sweep", reference.config, "--dir", folder, logs=tmp_path / "logs")
    assert (done.code, table_of(done.out)) == (0, reference.table)
    assert [parent.status for parent in parents(folder)] == ["FINISHED"] * 2
    ids = {parent.id for parent in parents(folder)}
    assert re.search(r"^Sweep: (\w+)$", done.out, re.MULTILINE)[1] in ids  # type: ignore[index]
    for parent in ids:
        found = sorted(child.print for child in children(folder) if child.parent == parent)
        assert found == reference.prints
