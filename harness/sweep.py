"""Running a sweep from the first look at the store to the printed table."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from harness.embedding import load_embedder
from harness.errors import InputError, Problem, StoreError
from harness.fingerprint import sha256_json
from harness.progress import Progress, make_progress
from harness.report import ablation_report
from harness.retrieval import CrossEncoderReranker
from harness.sheet import sweep_page
from harness.sources import Source, Sources, source_of
from harness.study.config import Study
from harness.study.executors import Failed, make_executor
from harness.study.executors.facts import library_facts
from harness.study.schema import ExecutionSection
from harness.study.summarise import header_of
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
from harness.summary import SetFailure, SetSummary, Sweep, SweepHeader
from harness.tracking import Archive, OpenSweep, Tracker, default_uri
from harness.whereabouts import where

INDEXES = Path(".harness/indexes")
CACHE = Path(".harness/cache")
LOCKS = Path(".harness/locks")
Say = Callable[[str], None]


@dataclass(kw_only=True)
class _Run:
    """A sweep under way."""

    study: Study
    header: SweepHeader
    key: str
    tracker: Tracker
    sweep: OpenSweep
    execution: ExecutionSection
    directory: Path
    progress: Progress
    finished: list[SetSummary] = field(default_factory=list)
    failures: list[SetFailure] = field(default_factory=list)

    @property
    def sources(self) -> Mapping[str, str]:
        return {"corpus": self.study.schema.corpus.path, "golden": self.study.schema.golden.place}


def run_sweep(study: Study, directory: Path, execution: ExecutionSection, out: Say) -> int:
    """Run a study and print its table; return the exit code.

    0: every parameter set has finished. 1: some failed; they are listed and recorded. 130: stopped (Ctrl-C, SIGTERM);
    what has finished is kept, and the same command goes on from there.

    Raises:
        InputError: the directory isn't there, or the executor can't be used.
        StoreError, TrackingError: store or MLflow can't be used.
    """
    require_directory(directory)
    header = header_of(study)
    key = sweep_key(study, header)
    with _lock(directory, key) as lock, make_progress() as progress:
        tracker = Tracker(default_uri(directory), directory)
        sweep = tracker.start_sweep(header, study.resolved_yaml(), sources_of(study), key=key, lock=lock)
        run = _Run(
            study=study,
            header=header,
            key=key,
            tracker=tracker,
            sweep=sweep,
            execution=execution,
            directory=directory,
            progress=progress,
            finished=list(sweep.finished.values()),
        )
        found, table, status = _carry_out(run)
        if status != "KILLED":
            _log_page(run, found)
    out(table)
    for failure in run.failures:
        out(f"failed: {failure.name}: {failure.reason}")
    out(where(tracker, sweep, directory, header.k))
    return {"FINISHED": 0, "FAILED": 1, "KILLED": 130}[status]


def sources_of(study: Study) -> Sources:
    """Return the files a study is made from."""
    found: dict[str, Source] = {}
    for name, section in (("corpus", study.schema.corpus), ("golden", study.schema.golden)):
        for key in ("path", "topics", "qrels"):
            written = getattr(section, key, None)
            if written is not None:
                found[f"{name}.{key}"] = source_of(section.format, written, study.path)
    return Sources(study=str(study.path), sources=found)


def _carry_out(run: _Run) -> tuple[Sweep, str, str]:
    status = "FAILED"
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        _run_all(run)
        status = "FAILED" if run.failures else "FINISHED"
    except KeyboardInterrupt:
        status = "KILLED"
        run.progress.say(
            f"stopped after {len(run.finished)} of {run.header.planned} parameter sets; they are logged, and the same "
            "command goes on from there"
        )
    finally:
        ordered = tuple(sorted(run.finished, key=lambda summary: summary.place))
        looks = run.tracker.log_looks(run.sweep.sweep_id, run.header)
        found = Sweep(header=run.header, sets=ordered, looks=looks)
        table = ablation_report(found)
        run.tracker.finish_sweep(run.sweep.sweep_id, run.header, status, table)
        signal.signal(signal.SIGTERM, before)
    return found, table, status


def _log_page(run: _Run, found: Sweep) -> None:
    """Log the sweep as a page too; whoever stops a sweep doesn't wait for it."""
    sweep_id = run.sweep.sweep_id
    run.tracker.log_page(sweep_id, sweep_page(Archive(run.tracker.uri, run.directory), sweep_id, found))


def _run_all(run: _Run) -> None:
    done = run.sweep.finished
    places = [place for place, s in enumerate(run.study.grid.sets) if s.sha256 not in done]
    if done:
        run.progress.say(f"going on: {len(done)} of {run.header.planned} parameter sets were finished before")
    shared = Shared(
        study=run.study,
        store=(run.directory / INDEXES).resolve(),
        cache=(run.directory / CACHE).resolve(),
        key=run.key,
    )
    how = run.execution
    executor = make_executor(how.executor, workers=how.workers, address=how.address)
    alone = how.executor == "sequential"
    if not alone:
        indexes = index_units(run.study, places)
        run.progress.stage("indexes", len(indexes))
        for outcome in executor.run(build_index, shared, indexes):
            if isinstance(outcome.result, UnitResult):
                _report_damage(run, outcome.result)
            run.progress.advance()
    units = set_units(run.study, places, 1 if alone else LARGEST_UNIT)
    run.progress.stage("parameter sets", len(places))
    for outcome in executor.run(run_sets, shared, units):
        _log(run, outcome.unit.places, outcome.result)
        run.progress.advance(len(outcome.unit.places))


def _log(run: _Run, places: tuple[int, ...], result: UnitResult | Failed) -> None:
    if isinstance(result, Failed):
        result = UnitResult(failures=tuple(failure_of(run.study, place, result) for place in places))
    _report_damage(run, result)
    for record in result.records:
        run.tracker.log_set(run.sweep, run.header, record, run.sources)
        run.finished.append(record.summary)
    for failure in result.failures:
        run.tracker.log_failure(run.sweep, failure)
        run.failures.append(failure)
        run.progress.say(f"failed: {failure.name}: {failure.reason}")


def _report_damage(run: _Run, result: UnitResult) -> None:
    for damage in result.damage:
        run.progress.say(f"damaged: {damage.what}")


def sweep_key(study: Study, header: SweepHeader) -> str:
    """Return the fingerprint of everything that can change a result: data, config, libraries, model files."""
    embedders = {s.vector.embedder for s in study.grid.sets if s.vector}
    rerankers = {s.rerank.model for s in study.grid.sets if s.rerank}
    weights = [dict(load_embedder(spec).fingerprint) for spec in embedders]
    weights += [dict(CrossEncoderReranker(name).fingerprint) for name in rerankers]
    return sha256_json(
        {
            "hashes": dict(header.hashes),
            "libraries": library_facts(),
            "weights": sorted(sha256_json(fingerprint) for fingerprint in weights),
        }
    )


def finished_before(study: Study, directory: Path) -> int:
    """Return how many parameter sets a stopped sweep of this study has finished already; nothing is written."""
    uri = default_uri(directory)
    if uri.startswith("sqlite:///") and not Path(uri.removeprefix("sqlite:///")).exists():
        return 0
    key = sweep_key(study, header_of(study))
    return Tracker(uri, directory).finished_of(study.schema.name, key)


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


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
