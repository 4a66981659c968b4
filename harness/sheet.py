"""A logged sweep as one HTML page: what the store holds of it, handed to the report."""

from __future__ import annotations

from harness.report.html import Evidence, html_report
from harness.report.judged import Judged, judge, with_intervals
from harness.summary import Sweep
from harness.tracking import Archive


def sweep_page(
    archive: Archive, sweep_id: str, sweep: Sweep, baseline: str | None = None, measure: str | None = None
) -> str:
    """Return the page of a sweep.

    Args:
        archive: the store it was logged to.
        sweep_id: of the parent run.
        sweep: what ``Tracker.read_sweep`` gives, or the same while it is at hand.
        baseline: name of a set; see ``judge``.
        measure: name of a mean; see ``judge``.
    """
    return judged_page(archive, sweep_id, sweep, with_intervals(judge(sweep, baseline, measure)))


def judged_page(archive: Archive, sweep_id: str, sweep: Sweep, judged: Judged) -> str:
    """Return the page of a sweep that has been judged."""
    runs = archive.runs_of(sweep_id)
    evidence = Evidence(
        sweep_id=sweep_id, config=archive.sweep_config(sweep_id), runs=runs, rankings=archive.rankings(runs)
    )
    return html_report(sweep, judged, evidence)
