"""What every executor owes: an outcome for each unit, failures as values, and no unit lost with a worker."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError
from harness.study.executors import EXECUTORS, Failed, make_executor
from harness.study.executors.dask import check_workers
from harness.study.executors.facts import library_facts

from .cluster import Cluster
from .command import Done, run, start
from .conftest import Harmed, Reference, with_vectors
from .units import do
from .world import ONE, children, parents, runs, table_of, write_study

ALL = ["sequential", "processes", "dask", "cluster"]
WORKERS = ALL[1:]
DIED = "its worker process died 3 times"
Run = Callable[..., list[tuple[Any, Any]]]


@pytest.fixture
def outcomes(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    """Run units with an executor by name; return pairs of unit and result, failures as text, in the order they came."""

    def carry_out(kind: str, units: list[tuple[str, Any]], **shared: Any) -> list[tuple[Any, Any]]:
        address = request.getfixturevalue("cluster") if kind == "cluster" else None
        executor = make_executor("dask" if kind == "cluster" else kind, workers=2, address=address)
        found = executor.run(do, {"folder": str(tmp_path), **shared}, units)
        return [
            (one.unit, f"failed: {one.result.reason}" if isinstance(one.result, Failed) else one.result)
            for one in found
        ]

    return carry_out


def attempts(folder: Path) -> Counter[str]:
    return Counter((folder / "log").read_text(encoding="utf-8").splitlines())


SOUND = [*(("double", value) for value in range(6)), ("add", 5), ("fail", "no such thing"), ("fail silently", 0)]
EXPECTED = {
    **{("double", value): 2 * value for value in range(6)},
    ("add", 5): 105,
    ("fail", "no such thing"): "failed: ValueError: no such thing",
    ("fail silently", 0): "failed: RuntimeError",
}


def test_the_table_names_those_that_are_tested() -> None:
    assert sorted(EXECUTORS) == sorted(set(ALL) - {"cluster"})


@pytest.mark.parametrize("kind", ["sequential", "processes", "cluster"])
def test_every_unit_has_its_outcome(outcomes: Run, tmp_path: Path, kind: str) -> None:
    """Failures are values, with a reason in one line; nothing depends on the order of the units."""
    found = outcomes(kind, SOUND, base=100)
    assert len(found) == len(SOUND)
    assert dict(found) == EXPECTED
    assert set(attempts(tmp_path)) == {f"{name} {value}" for name, value in SOUND}
    if kind in ("sequential", "processes"):
        assert set(attempts(tmp_path).values()) == {1}
        assert dict(outcomes(kind, SOUND[::-1], base=100)) == EXPECTED
    if kind == "sequential":
        assert [unit for unit, _ in found] == SOUND


@pytest.mark.parametrize("kind", ["sequential", "processes", "cluster"])
def test_no_unit_no_outcome(outcomes: Run, kind: str) -> None:
    assert outcomes(kind, []) == []


def test_a_failure_carries_its_traceback(tmp_path: Path) -> None:
    (found,) = make_executor("processes", workers=1, address=None).run(do, {"folder": str(tmp_path)}, [("fail", "x")])
    assert isinstance(found.result, Failed)
    assert found.result.reason == "ValueError: x"
    assert "in fail\n" in found.result.detail
    assert "and a second line" in found.result.detail


@pytest.mark.parametrize("kind", WORKERS)
def test_the_death_of_a_worker_costs_nothing_but_time(outcomes: Run, tmp_path: Path, kind: str) -> None:
    """Two units kill their worker once; one kills every worker it gets, and fails alone, after three deaths.

    Dask can't tell which of a worker's units killed it, and runs some of the others again.
    """
    units = [("double", 1), ("die once", 0), ("die", 0), ("rest", 0.1), ("die once", 1)]
    units += [("rest", 0.1 + place / 100) for place in range(1, 7)]
    found = outcomes(kind, units)
    assert len(found) == len(units)
    expected = {unit: unit[1] for unit in units} | {("double", 1): 2, ("die", 0): f"failed: {DIED}"}
    assert dict(found) == expected
    tried = attempts(tmp_path)
    assert 2 <= tried["die 0"] <= 3
    assert set(tried) == {f"{name} {value}" for name, value in units}
    if kind == "processes":
        again = {"die 0": 3, "die once 0": 2, "die once 1": 2}
        assert {name: count for name, count in tried.items() if count > 1} == again


def test_a_crash_in_native_code_is_a_death_too(outcomes: Run, tmp_path: Path) -> None:
    assert dict(outcomes("processes", [("leave", 9), ("double", 2)])) == {
        ("leave", 9): f"failed: {DIED}",
        ("double", 2): 4,
    }
    assert attempts(tmp_path)["leave 9"] == 3


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(pids: list[int]) -> None:
    """Wait, long enough for any native call to return; the test fails, and says which, if one stays."""
    for _ in range(6000):
        if not any(is_there(pid) for pid in pids):
            return
        time.sleep(0.05)
    raise AssertionError(f"still there: {[pid for pid in pids if is_there(pid)]}")


def test_workers_end_with_the_run_or_when_it_is_given_up(tmp_path: Path) -> None:
    executor = make_executor("processes", workers=2, address=None)
    shared = {"folder": str(tmp_path)}
    pids = {one.result for one in executor.run(do, shared, [("where", place) for place in range(4)])}
    assert len(pids) == 2
    wait_until_gone(list(pids))
    given_up = executor.run(do, shared, [("where", 0), ("rest", 600.0), ("where", 2), ("rest", 601.0)])
    pid = next(given_up).result
    given_up.close()
    wait_until_gone([pid])
    never_taken = executor.run(do, shared, [("double", value) for value in range(20)])
    next(never_taken)
    never_taken.close()


def test_workers_do_not_outlive_a_sweep_that_is_killed(embedded: Reference, empty_store: Path, tmp_path: Path) -> None:
    folder = with_vectors(embedded, empty_store, tmp_path / "out")
    options = ("--executor", "processes", "--workers", 2)
    running = start("sweep", embedded.config, "--dir", folder, *options, logs=tmp_path / "logs")
    seen: list[Path] = []
    while not seen:
        assert running.process.is_alive(), running.finish()
        seen = list((folder / ".harness/indexes/.building").glob("vector-*"))
    running.send(signal.SIGKILL)
    assert running.finish().code == -signal.SIGKILL
    wait_until_gone([int(path.name.split(".")[1]) for path in seen])


THREADS = {"OMP": "1", "OPENBLAS": "1", "MKL": "1"}


def test_a_worker_has_one_thread(outcomes: Run, tiny_encoder: Path) -> None:
    ((_, found),) = outcomes("processes", [("threads", 0)], model=str(tiny_encoder))
    assert found == {"blas": [1], "variables": THREADS, "torch": 1}
    assert outcomes("cluster", [("threads", 0)]) == [(("threads", 0), {"blas": [1], "variables": THREADS})]


def test_workers_have_the_threads_of_the_sweep(outcomes: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever allows more threads allows them everywhere: their number is part of a vector's fingerprint."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    ((_, found),) = outcomes("processes", [("threads", 0)])
    assert found["variables"] == THREADS | {"OMP": "2"}


@pytest.mark.parametrize("executor", ["by_processes", "by_dask"])
def test_a_sweep_on_workers_gives_what_one_process_gives(
    request: pytest.FixtureRequest, embedded: Reference, tmp_path: Path, executor: str
) -> None:
    """Although a worker was killed while it built an index."""
    harmed: Harmed = request.getfixturevalue(executor)
    assert harmed.done.code == 0, harmed.done.err
    assert not is_there(harmed.killed)
    assert table_of(harmed.done.out) == embedded.table
    assert sorted(child.print for child in children(harmed.folder)) == embedded.prints
    assert {run.status for run in runs(harmed.folder)} == {"FINISHED"}
    verified = run("cache", "verify", "--dir", harmed.folder, logs=tmp_path)
    left = verified.out.splitlines()[:-1]
    assert all(line.endswith(": unfinished; prune deletes it") for line in left), left
    assert len(list((harmed.folder / ".harness/indexes").glob("*-*"))) == 4


def test_a_sweep_on_a_cluster_gives_what_one_process_gives(
    embedded: Reference, empty_store: Path, tmp_path: Path, sweep: Callable[..., Done], cluster: str
) -> None:
    """An address alone asks for Dask."""
    folder = with_vectors(embedded, empty_store, tmp_path / "out")
    done = sweep(embedded.config, folder, "--address", cluster)
    assert done.code == 0, done.err
    assert table_of(done.out) == embedded.table
    assert sorted(child.print for child in children(folder)) == embedded.prints


def chunks_in(index: Path) -> int:
    return int(json.loads((index / "manifest.json").read_text())["facts"]["chunks"])


def test_sets_of_a_unit_that_kills_its_workers_fail_alone(
    embedded: Reference, empty_store: Path, tmp_path: Path
) -> None:
    """Every worker that begins the larger of the two indexes for vectors, that of chunks of 30, is killed."""
    folder = with_vectors(embedded, empty_store, tmp_path / "out")
    doomed = max((embedded.folder / ".harness/indexes").glob("vector-*"), key=chunks_in).name
    options = ("--executor", "processes", "--workers", 2)
    running = start("sweep", embedded.config, "--dir", folder, *options, logs=tmp_path / "logs")
    killed: set[str] = set()
    while running.process.is_alive():
        for path in (folder / ".harness/indexes/.building").glob(f"{doomed}.*"):
            if path.name not in killed:
                os.kill(int(path.name.split(".")[1]), signal.SIGKILL)
                killed.add(path.name)
        time.sleep(0.001)
    done = running.finish()
    assert done.code == 1
    assert len(killed) == 2 * 3, "three times as an index, three times with its parameter sets"
    failed, kept = children(folder, "FAILED"), children(folder, "FINISHED")
    assert len(failed) == len(kept) == 6
    assert {run.tags["harness.error"] for run in failed} == {DIED}
    assert {run.print for run in kept} == {
        run.print for run in embedded.sets if "size=60" in run.tags["mlflow.runName"]
    }
    assert done.out.count(f": {DIED}\n") == 6
    assert not (folder / ".harness/indexes" / doomed).exists()

    again = run("sweep", embedded.config, "--dir", folder, logs=tmp_path / "logs")
    assert again.code == 0, again.err
    assert table_of(again.out) == embedded.table
    assert sorted(run.print for run in children(folder)) == embedded.prints
    assert {run.id for run in kept} < {run.id for run in children(folder)}


def test_facts_name_what_could_change_a_result() -> None:
    from importlib.metadata import version
    from platform import python_version

    facts = library_facts()
    assert facts["python"] == python_version()
    assert facts["threads"] == "1"
    for name in ("numpy", "scipy", "scikit-learn", "rank-bm25", "chromadb", "torch", "sentence-transformers"):
        assert facts[name] == version(name)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"numpy": "1.0"}, ["numpy is 1.0, must be"]),
        ({"python": "3.99.0"}, ["python is 3.99.0, must be"]),
        ({"harness": "9.9"}, ["harness is 9.9, must be"]),
        ({"threads": "8"}, ["threads is 8, must be 1 as in this process"]),
        ({"--nthreads of the worker": "2"}, ["--nthreads of the worker is 2, must be 1"]),
        ({"torch": "absent", "scipy": "0"}, ["torch is absent, must be", "scipy is 0, must be"]),
    ],
)
def test_workers_that_differ_are_refused(changed: dict[str, str], told: list[str]) -> None:
    sound = library_facts() | {"--nthreads of the worker": "1"}
    found = {"tcp://first": sound, "tcp://second": sound | changed}
    if not told:
        check_workers(found)
        return
    with pytest.raises(InputError) as caught:
        check_workers(found)
    lines = str(caught.value).splitlines()
    assert len(lines) == len(told)
    for words in told:
        assert any(line.startswith("worker tcp://second: ") and words in line for line in lines)


def test_a_cluster_without_a_worker_is_refused() -> None:
    with pytest.raises(InputError, match="no worker; start one with: dask worker"):
        check_workers({})


def test_a_cluster_that_can_not_be_used_is_refused_readably(place: Callable[[str], Path], tmp_path: Path) -> None:
    """An address without a scheduler; a worker with two threads and another version of a package; one without ours."""
    logs, empty, unfit = tmp_path / "logs", place("empty"), place("unfit")
    config = write_study(tmp_path / "study", ONE)
    nobody = start("sweep", config, "--dir", empty, "--address", "tcp://127.0.0.1:1", logs=logs)
    shadow = tmp_path / "shadow" / "rank_bm25-9.9.dist-info"
    shadow.mkdir(parents=True)
    (shadow / "METADATA").write_text("Metadata-Version: 2.1\nName: rank-bm25\nVersion: 9.9\n")
    (tmp_path / "absent" / "harness").mkdir(parents=True)
    (tmp_path / "absent" / "harness" / "__init__.py").touch()
    command = ("sweep", config, "--dir", unfit, "--address")
    with Cluster(tmp_path) as cluster:
        cluster.add_workers(1, "--nthreads", "2", path=shadow.parent)
        done = run(*command, cluster.address, logs=logs)
        cluster.add_workers(2, path=tmp_path / "absent")
        without = run(*command, cluster.address, logs=logs)
    assert without.code == 2
    assert "error: a worker can't run this package (" in without.err
    assert "install the same version there" in without.err
    assert done.code == 2
    assert ": rank-bm25 is 9.9, must be " in done.err
    assert ": --nthreads of the worker is 2, must be 1 as in this process" in done.err
    assert "Traceback" not in done.err
    done = nobody.finish()
    assert done.code == 2
    assert "error: no Dask scheduler answers at tcp://127.0.0.1:1 (" in done.err
    assert "start one with: dask scheduler" in done.err
    assert "Traceback" not in done.err
    for folder in (empty, unfit):
        assert children(folder) == []
    done = run("sweep", config, "--dir", unfit, logs=logs)
    assert done.code == 0
    assert [parent.status for parent in parents(unfit)] == ["FINISHED"]
