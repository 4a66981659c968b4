"""What the commands do: they open the rooms and pass things between them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from harness.cache.care import entries, prune, verify
from harness.errors import InputError
from harness.index import IndexStore
from harness.index.verifying import VERIFY_INDEX
from harness.parts import part_of
from harness.report import ablation_report, cache_report, plan_report, question_report
from harness.report.judged import judge
from harness.sheet import sweep_page
from harness.study.config import Study, read_study
from harness.study.halves import choosing_half
from harness.study.measured import quotes_of
from harness.study.naming import set_names
from harness.study.plan import plan_study
from harness.study.schema import ExecutionSection
from harness.sweep import CACHE, INDEXES, finished_before, require_directory, run_sweep
from harness.tracking import Archive, Tracker, default_uri
from harness.tuning import finished_halves, run_tuned
from harness.whereabouts import server_of
from harness.wording import shortened

Say = Callable[[str], None]


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
        *_evidence_line(study),
        *_selection_lines(study),
        f"  grid: {grid.points} points, {len(grid.sets)} parameter sets, {len(grid.collapsed)} collapsed, "
        f"{len(grid.skipped)} skipped",
        *(f"  note: {note}" for note in collection.notes),
    ]
    return "\n".join(lines)


def _selection_lines(study: Study) -> list[str]:
    section, tuning = study.schema.selection, study.tuning
    if section is None or tuning is None:
        return []
    queries = tuning.collection.queries
    answerable = sum(1 for query in queries if query.answerable)
    return [
        f"  selection: on split {section.tune_on}, {len(queries)} questions, {answerable} of them answerable; "
        f"by {section.measure}, rule {section.rule}",
        f"  baseline: {shortened(set_names(study.grid.sets)[tuning.baseline])}",
    ]


def _evidence_line(study: Study) -> list[str]:
    quotes = quotes_of(study.collection, study.schema.evaluation)
    return [f"  evidence: {len(quotes)} questions of the split have quotes, all found"] if quotes else []


def sweep_study(
    config: Path, directory: Path, out: Say, *, executor: str | None, workers: int | None, address: str | None
) -> int:
    """Run a study; what is given here wins over the config's ``execution``. Return the exit code."""
    study = read_study(config)
    how = _execution(study, executor, workers, address)
    require_directory(directory)
    if study.tuning:
        return run_tuned(study, directory, how, out)
    return run_sweep(part_of(study), directory, how, out).code


def _execution(study: Study, executor: str | None, workers: int | None, address: str | None) -> ExecutionSection:
    given = {"executor": executor, "workers": workers, "address": address}
    chosen = {name: value for name, value in given.items() if value is not None}
    values = study.schema.execution.model_dump() | chosen
    if address is not None and executor is None:
        values["executor"] = "dask"
    if values["executor"] != "dask" and address is None:
        values["address"] = None
    try:
        return ExecutionSection.model_validate(values)
    except ValidationError as error:
        faults = [f"--{fault['loc'][0] if fault['loc'] else 'executor'}: {fault['msg']}" for fault in error.errors()]
        raise InputError("\n".join(faults)) from None


def print_plan(config: Path, directory: Path) -> str:
    """Return what a sweep would do; nothing is written."""
    study = read_study(config)
    require_directory(directory)
    first = choosing_half(study) if study.tuning else study
    plan = plan_study(first, IndexStore(directory / INDEXES), directory / CACHE)
    if study.tuning is None:
        finished = finished_before(part_of(study), directory)
        return plan_report(study.schema.name, plan.stages, plan.sets, finished, plan.collapsed, plan.skipped)
    halves = finished_halves(study, directory)
    name = f"{study.schema.name}, split {first.collection.split}"
    told = plan_report(name, plan.stages, plan.sets, halves.chosen_on, plan.collapsed, plan.skipped)
    return told + _second_half(study, halves.reported_on)


def _second_half(study: Study, finished: int) -> str:
    assert study.tuning is not None
    baseline = shortened(set_names(study.grid.sets)[study.tuning.baseline])
    collection = study.collection
    return (
        f"\nThen split {collection.split}, {len(collection.queries)} questions, with the same indexes: the set that is "
        f"chosen and the baseline, {baseline}; at most 2 parameter sets, {finished} of them held.\n"
    )


def care_for_cache(what: str, directory: Path, older_than: float | None) -> tuple[str, int]:
    """List, verify or prune; return what to print and the exit code (1 when something is damaged).

    Raises:
        InputError: another word, or an age that makes no sense.
    """
    require_directory(directory)
    if older_than is not None and (what != "prune" or not older_than >= 0):
        raise InputError(f"--older-than: is for prune and must be a number of days, 0 or more, found {older_than:g}")
    found = entries(directory / INDEXES, directory / CACHE)
    if what == "list":
        return cache_report(found), 0
    if what == "verify":
        faults = [(entry, verify(entry, VERIFY_INDEX)) for entry in found]
        bad = [f"{entry.path}: {fault}" for entry, fault in faults if fault]
        return "\n".join([*bad, f"{len(found)} entries, {len(bad)} damaged or unfinished"]), 1 if bad else 0
    if what == "prune":
        gone = prune(found, older_than)
        freed = sum(entry.size for entry in gone) / 1e6
        return "\n".join(
            [*(f"deleted {entry.path}" for entry in gone), f"{len(gone)} deleted, {freed:.1f} MB freed"]
        ), 0
    raise InputError(f"cache: must be list, verify or prune, found {what!r}")


def print_report(
    sweep_id: str | None,
    study: str | None,
    directory: Path,
    baseline: str | None = None,
    measure: str | None = None,
    *,
    per_query: bool,
) -> str:
    """Return a past sweep's table, read from MLflow.

    Raises:
        TrackingError: there is no such sweep.
        InputError: no set has the name of the baseline, or no mean that of the measure.
    """
    require_directory(directory)
    tracker = Tracker(default_uri(directory), directory, create=False)
    sweep = tracker.read_sweep(sweep_id or tracker.latest_sweep(study))
    judged = judge(sweep, baseline, measure)
    return question_report(sweep, judged.measure) if per_query else ablation_report(sweep, judged)


def write_html(
    sweep_id: str | None,
    study: str | None,
    directory: Path,
    page: Path,
    baseline: str | None = None,
    measure: str | None = None,
) -> str:
    """Write a past sweep as one HTML file; return where it is.

    Raises:
        TrackingError: there is no such sweep.
        InputError: no set has the name of the baseline, no mean that of the measure, or the file can't be written.
    """
    require_directory(directory)
    uri = default_uri(directory)
    tracker = Tracker(uri, directory, create=False)
    found = sweep_id or tracker.latest_sweep(study)
    text = sweep_page(Archive(uri, directory), found, tracker.read_sweep(found), baseline, measure)
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--html {page}: can't be written ({error.strerror})") from None
    return f"{page}: {page.stat().st_size / 1e6:.1f} MB"


def run_ui(port: int, directory: Path, out: Say) -> int:
    """Run the MLflow server on the store until it is stopped; return its exit code. A server needs no second one."""
    require_directory(directory)
    uri = default_uri(directory)
    server = server_of(uri)
    if server:
        out(f"MLFLOW_TRACKING_URI names a server, which has a UI of its own; open {server}")
        return 0
    Tracker(uri, directory)
    out(f"MLflow on {uri}: http://127.0.0.1:{port} (Ctrl-C stops it)")
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", uri, "--workers", "1"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true"}
    # Jobs are for judging answers with a language model: nine more processes of a quarter of a gigabyte each.
    environment["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0
