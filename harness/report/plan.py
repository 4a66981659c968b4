"""A plan as text."""

from __future__ import annotations

from typing import Protocol

from harness.report.markdown import table


class StageLike(Protocol):
    """One kind of work (see ``harness.study.plan.Stage``)."""

    name: str
    distinct: int
    held: int
    at_most: bool
    seconds: float
    unpaced: int


def plan_report(
    name: str, stages: tuple[StageLike, ...], sets: int, finished: int, collapsed: int, skipped: int
) -> str:
    """Return what a sweep would do, what is there already, and an estimate."""
    rows = [
        [
            stage.name,
            f"{'≤ ' if stage.at_most else ''}{stage.distinct}",
            str(stage.held),
            str(stage.distinct - stage.held),
        ]
        for stage in stages
        if stage.distinct
    ]
    rows.append(["parameter sets", str(sets), str(finished), str(sets - finished)])
    lines = [
        f"Plan of study {name} (nothing was done)",
        "",
        table(["stage", "distinct", "held", "to do"], rows),
        "",
        f"{collapsed} points of the grid are collapsed, {skipped} skipped.",
        *(_estimate(stage) for stage in stages if stage.seconds or stage.unpaced),
    ]
    return "\n".join(lines) + "\n"


def _estimate(stage: StageLike) -> str:
    parts = []
    if stage.seconds:
        parts.append(f"about {stage.seconds:.0f} s at the pace measured here before")
    if stage.unpaced:
        parts.append(f"{stage.unpaced} at a pace not measured yet")
    return f"Estimate, {stage.name}: {'; '.join(parts)}."
