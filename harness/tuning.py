"""Tuning on one split and reporting on another: two sweeps, with a choice between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.errors import TrackingError
from harness.parts import Part, part_of
from harness.report import ablation_report
from harness.study.config import Study
from harness.study.halves import choice_of, choosing_half, reporting_half
from harness.study.schema import ExecutionSection
from harness.summary import SetSummary, Sweep
from harness.sweep import Say, finished_before, require_directory, run_sweep, tracker_of

_ROLE = "choosing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """How far both halves of a study with a selection have come, for a plan.

    Attributes:
        chosen_on: parameter sets that are finished on the split that chooses.
        reported_on: those on the split that reports.
    """

    chosen_on: int
    reported_on: int


def run_tuned(study: Study, directory: Path, execution: ExecutionSection, out: Say) -> int:
    """Score every parameter set on one split, choose, score the chosen set and the baseline on the other.

    The sweep that chose is used again until one that reports has finished: whatever was stopped or has failed, the same
    command goes on from there, and chooses the same. Returns the exit code of the sweep that ended last.

    Raises:
        InputError: the directory isn't there, the executor can't be used, or there is nothing to choose by.
        StoreError, TrackingError: store or MLflow can't be used.
    """
    require_directory(directory)
    choosing = part_of(choosing_half(study), role=_ROLE)
    before = _waiting(choosing, directory)
    if before is not None:
        sweep_id, sweep = before
        out(ablation_report(sweep))
        out(f"Sweep: {sweep_id} (finished before; it chooses)\n")
        sets = sweep.sets
    else:
        ended = run_sweep(choosing, directory, execution, out)
        if ended.code:
            out(_not_chosen(study.schema.evaluation.split, ended.code))
            return ended.code
        sweep_id, sets = ended.sweep_id, ended.sets
        out("")
    return run_sweep(_reporting(study, sweep_id, sets), directory, execution, out).code


def _not_chosen(split: str, code: int) -> str:
    what = "a parameter set failed" if code == 1 else "the sweep was stopped"
    return (
        f"Nothing was chosen and split {split} wasn't scored: {what}, and the rule needs all sets. The same command "
        "goes on from there."
    )


def _reporting(study: Study, sweep_id: str, sets: tuple[SetSummary, ...]) -> Part:
    return part_of(reporting_half(study), choice_of(study, sweep_id, sets))


def _waiting(choosing: Part, directory: Path) -> tuple[str, Sweep] | None:
    """Return a finished sweep that could choose and on which no finished sweep rests yet, if all of it is there."""
    tracker = tracker_of(directory)
    if tracker is None:
        return None
    for sweep_id in tracker.waiting_sweeps(choosing.header.study, choosing.key):
        try:
            sweep = tracker.read_sweep(sweep_id)
        except TrackingError:
            continue
        if len(sweep.sets) == choosing.header.planned:
            return sweep_id, sweep
    return None


def finished_halves(study: Study, directory: Path) -> Halves:
    """Return what a stopped run of this study has finished already; nothing is written."""
    choosing = part_of(choosing_half(study), role=_ROLE)
    before = _waiting(choosing, directory)
    return Halves(
        chosen_on=len(before[1].sets) if before else finished_before(choosing, directory),
        reported_on=finished_before(part_of(reporting_half(study)), directory),
    )
