"""Running a sweep from the first look at the store to the printed table."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import InputError, Problem, StoreError
from harness.parts import Part
from harness.progress import Progress, make_progress
from harness.report import ablation_report
from harness.report.judged import Judged, judge, with_intervals
from harness.sheet import judged_page
from harness.sources import Source, Sources, source_of
from harness.stopping import interrupt, to_the_end
from harness.study.config import Study
from harness.study.executors import Failed, make_executor
from harness.study.schema import ExecutionSection
from harness.study.units import (
    LARGEST_UNIT,
    Shared,
    UnitResult,
    build_index,
    failure_of,
    index_units,
    run_sets,
    set_units,
)
from harness.summary import SetFailure, SetSummary, Sweep
from harness.tracking import Archive, OpenSweep, Tracker, default_uri
from harness.whereabouts import where

INDEXES = Path(".harness/indexes")
CACHE = Path(".harness/cache")
LOCKS = Path(".harness/locks")
Say = Callable[[str], None]


@dataclass(kw_only=True)
class _Run:
    """A sweep under way."""

    part: Part
    tracker: Tracker
    sweep: OpenSweep
    execution: ExecutionSection
    directory: Path
    progress: Progress
    finished: list[SetSummary] = field(default_factory=list)
    failures: list[SetFailure] = field(default_factory=list)

    @property
    def sources(self) -> Mapping[str, str]:
        schema = self.part.study.schema
        return {"corpus": schema.corpus.path, "golden": schema.golden.place}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A sweep that has ended.

    Attributes:
        code: the exit code.
        sweep_id: id of its parent run.
        sets: the parameter sets that have finished.
    """

    code: int
    sweep_id: str
    sets: tuple[SetSummary, ...]


def run_sweep(part: Part, directory: Path, execution: ExecutionSection, out: Say) -> Ended:
    """Run a sweep and print its table.

    The exit code is 0: every parameter set has finished. 1: some failed; they are listed and recorded. 130: stopped
    (Ctrl-C, SIGTERM); what has finished is kept, and the same command goes on from there.

    Raises:
        InputError: the directory isn't there, or the executor can't be used.
        StoreError, TrackingError: store or MLflow can't be used.
    """
    require_directory(directory)
    header = part.header
    with _lock(directory, part.key) as lock, make_progress() as progress:
        tracker = Tracker(default_uri(directory), directory)
        sources = sources_of(part.study)
        sweep = tracker.start_sweep(header, part.study.resolved_yaml(), sources, key=part.key, lock=lock)
        run = _Run(
            part=part,
            tracker=tracker,
            sweep=sweep,
            execution=execution,
            directory=directory,
            progress=progress,
            finished=list(sweep.finished.values()),
        )
        found, judged, table, status = _carry_out(run)
        if status != "KILLED" and judged:
            _log_page(run, found, judged)
    out(table)
    for failure in run.failures:
        out(f"failed: {failure.name}: {failure.reason}")
    out(where(tracker, sweep, directory))
    code = {"FINISHED": 0, "FAILED": 1, "KILLED": 130}[status]
    return Ended(code=code, sweep_id=sweep.sweep_id, sets=tuple(run.finished))


def sources_of(study: Study) -> Sources:
    """Return the files a study is made from."""
    found: dict[str, Source] = {}
    for name, section in (("corpus", study.schema.corpus), ("golden", study.schema.golden)):
        for key in ("path", "topics", "qrels"):
            written = getattr(section, key, None)
            if written is not None:
                found[f"{name}.{key}"] = source_of(section.format, written, study.path)
    return Sources(study=str(study.path), sources=found)


def _carry_out(run: _Run) -> tuple[Sweep, Judged | None, str, str]:
    status = "FAILED"
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        _run_all(run)
        status = "FAILED" if run.failures else "FINISHED"
    except KeyboardInterrupt:
        status = "KILLED"
        run.progress.say(
            f"stopped after {len(run.finished)} of {run.part.header.planned} parameter sets; they are logged, and the "
            "same command goes on from there"
        )
    finally:
        ordered = tuple(sorted(run.finished, key=lambda summary: summary.place))
        looks = run.tracker.log_looks(run.sweep.sweep_id, run.part.header)
        found = Sweep(header=run.part.header, sets=ordered, looks=looks)
        judged = judge(found) if ordered else None
        table = ablation_report(found, judged)
        run.tracker.finish_sweep(run.sweep.sweep_id, run.part.header, status, table)
        signal.signal(signal.SIGTERM, before)
    return found, judged, table, status


def _log_page(run: _Run, found: Sweep, judged: Judged) -> None:
    """Log the sweep as a page too; whoever stops a sweep doesn't wait for it."""
    sweep_id = run.sweep.sweep_id
    archive = Archive(run.tracker.uri, run.directory)
    run.tracker.log_page(sweep_id, judged_page(archive, sweep_id, found, with_intervals(judged)))


def _run_all(run: _Run) -> None:
    part, done = run.part, run.sweep.finished
    places = [place for place in part.places if part.study.grid.sets[place].sha256 not in done]
    if done:
        run.progress.say(f"going on: {len(done)} of {part.header.planned} parameter sets were finished before")
    shared = Shared(
        study=part.study,
        store=(run.directory / INDEXES).resolve(),
        cache=(run.directory / CACHE).resolve(),
        key=part.key,
    )
    how = run.execution
    executor = make_executor(how.executor, workers=how.workers, address=how.address)
    alone = how.executor == "sequential"
    if not alone:
        indexes = index_units(part.study, places)
        run.progress.stage("indexes", len(indexes))
        for outcome in executor.run(build_index, shared, indexes):
            if isinstance(outcome.result, UnitResult):
                _report_damage(run, outcome.result)
            run.progress.advance()
    units = set_units(part.study, places, 1 if alone else LARGEST_UNIT)
    run.progress.stage("parameter sets", len(places))
    for outcome in executor.run(run_sets, shared, units):
        _log(run, outcome.unit.places, outcome.result)
        run.progress.advance(len(outcome.unit.places))


def _log(run: _Run, places: tuple[int, ...], result: UnitResult | Failed) -> None:
    if isinstance(result, Failed):
        result = UnitResult(failures=tuple(failure_of(run.part.study, place, result) for place in places))
    _report_damage(run, result)
    for record in result.records:
        with to_the_end():
            run.tracker.log_set(run.sweep, run.part.header, record, run.sources)
            run.finished.append(record.summary)
    for failure in result.failures:
        with to_the_end():
            run.tracker.log_failure(run.sweep, failure)
            run.failures.append(failure)
        run.progress.say(f"failed: {failure.name}: {failure.reason}")


def _report_damage(run: _Run, result: UnitResult) -> None:
    for damage in result.damage:
        run.progress.say(f"damaged: {damage.what}")


def finished_before(part: Part, directory: Path) -> int:
    """Return how many parameter sets a stopped sweep has finished already; nothing is written."""
    tracker = tracker_of(directory)
    return tracker.finished_of(part.header.study, part.key) if tracker else 0


def tracker_of(directory: Path) -> Tracker | None:
    """Return the tracking store; None where it is a file that isn't there yet, which is left so."""
    uri = default_uri(directory)
    if uri.startswith("sqlite:///") and not Path(uri.removeprefix("sqlite:///")).exists():
        return None
    return Tracker(uri, directory)


def require_directory(directory: Path) -> None:
    """Refuse a working directory that isn't there.

    Raises:
        InputError: no such folder.
    """
    if not directory.is_dir():
        raise InputError(Problem(message=f"--dir {directory}: no such folder; create it first"))


@contextlib.contextmanager
def _lock(directory: Path, key: str) -> Iterator[str | None]:
    """Hold the lock of a sweep while it runs; yield its name, or None when another process holds it."""
    from filelock import FileLock, Timeout

    path = (directory / LOCKS / f"{key[:24]}.lock").resolve()
    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        yield None
        return
    except OSError as error:
        raise StoreError(f"{path.parent}: can't be written ({error.strerror}); choose another folder: --dir") from None
    try:
        yield str(path)
    finally:
        lock.release()
