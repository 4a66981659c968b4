"""What the commands do: they open the rooms and pass things between them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from harness.errors import InputError, Problem
from harness.index import IndexStore
from harness.report import ablation_report, question_report
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.summarise import header_of, summary_of
from harness.summary import SetSummary, Sweep
from harness.tracking import Tracker, default_uri

Say = Callable[[str], None]
STORE = ".harness/indexes"


def check_study(config: Path) -> str:
    """Return what a sound study consists of.

    Raises:
        InputError: every problem that was found.
    """
    study = read_study(config)
    collection, grid = study.collection, study.grid
    answerable = sum(1 for query in collection.queries if query.answerable)
    lines = [
        f"{config}: no problems",
        f"  corpus: {len(collection.corpus.documents)} documents",
        f"  golden set: {len(collection.golden.queries)} questions, {len(collection.queries)} in split "
        f"{collection.split}, {answerable} of them answerable",
        f"  grid: {grid.points} points, {len(grid.sets)} parameter sets, {len(grid.collapsed)} collapsed, "
        f"{len(grid.skipped)} skipped",
        *(f"  note: {note}" for note in collection.notes),
    ]
    return "\n".join(lines)


def run_sweep(config: Path, directory: Path, out: Say, progress: Say) -> int:
    """Run a study and print its table; return the exit code.

    A stopped sweep (Ctrl-C, SIGTERM) keeps what has finished, prints it and returns 130.
    """
    study = read_study(config)
    _require_directory(directory)
    header = header_of(study)
    tracker = Tracker(default_uri(directory), directory)
    sources = {"corpus": study.schema.corpus.path, "golden": study.schema.golden.path}
    sweep_id = tracker.start_sweep(header, study.resolved_yaml(), sources)
    signal.signal(signal.SIGTERM, _interrupt)
    finished: list[SetSummary] = []
    status = "FAILED"
    try:
        _run_sets(study, tracker, sweep_id, finished, directory, progress)
        status = "FINISHED"
    except KeyboardInterrupt:
        status = "KILLED"
        progress(f"stopped after {len(finished)} of {header.planned} parameter sets; they are logged")
    finally:
        ordered = tuple(sorted(finished, key=lambda summary: summary.place))
        table = ablation_report(Sweep(header=header, sets=ordered))
        tracker.finish_sweep(sweep_id, header, status, table)
    out(table)
    out(_where(tracker, sweep_id, directory))
    return 0 if status == "FINISHED" else 130


def _run_sets(
    study: Study,
    tracker: Tracker,
    sweep_id: str,
    finished: list[SetSummary],
    directory: Path,
    progress: Say,
) -> None:
    header = header_of(study)
    sources = {"corpus": study.schema.corpus.path, "golden": study.schema.golden.path}
    started = last = time.monotonic()
    for result in run_study(study, IndexStore(directory / STORE)):
        summary = summary_of(study, result)
        tracker.log_set(
            sweep_id,
            header,
            summary,
            config=study.resolved_yaml(result.parameters),
            hits=result.hits,
            evidence=result.adapted["evidence"],
            sources=sources,
            seconds=result.seconds,
        )
        finished.append(summary)
        now = time.monotonic()
        if now - last > 2 or len(finished) == header.planned:
            last = now
            left = (now - started) / len(finished) * (header.planned - len(finished))
            progress(f"{len(finished)}/{header.planned} parameter sets, about {left:.0f} s left")


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _require_directory(directory: Path) -> None:
    if not directory.is_dir():
        raise InputError(Problem(message=f"--dir {directory}: no such folder; create it first"))


def _where(tracker: Tracker, sweep_id: str, directory: Path) -> str:
    experiment = tracker.experiment_of(sweep_id)
    option = "" if directory == Path() else f" --dir {directory}"
    return (
        f"MLflow store: {tracker.uri}\n"
        f"Sweep: {sweep_id}\n"
        f"Open it: make ui (or: harness ui{option}), then\n"
        f"  {ui_link('http://127.0.0.1:5000', experiment, sweep_id)}\n"
        f"Print it again: harness report {sweep_id}{option} [--per-query]"
    )


def ui_link(server: str, experiment: str, sweep_id: str) -> str:
    """Return the address at which MLflow shows a sweep's runs in a flat, comparable list."""
    from urllib.parse import quote

    wanted = quote(f"tags.sweep_id = '{sweep_id}' and tags.`harness.kind` = 'set'")
    return f"{server}/#/experiments/{experiment}/runs?workflowType=machine_learning&searchFilter={wanted}"


def print_report(sweep_id: str | None, study: str | None, directory: Path, *, per_query: bool) -> str:
    """Return a past sweep's table, read from MLflow.

    Raises:
        TrackingError: there is no such sweep.
    """
    _require_directory(directory)
    tracker = Tracker(default_uri(directory), directory)
    sweep = tracker.read_sweep(sweep_id or tracker.latest_sweep(study))
    return question_report(sweep) if per_query else ablation_report(sweep)


def run_ui(port: int, directory: Path, out: Say) -> int:
    """Run the MLflow server on the store until it is stopped; return its exit code."""
    _require_directory(directory)
    uri = default_uri(directory)
    Tracker(uri, directory)
    out(f"MLflow on {uri}: http://127.0.0.1:{port} (Ctrl-C stops it)")
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", uri, "--workers", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true"}
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0
