"""What wrong ways to compute a mean would have said, beside what is right."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.report.markdown import table
from harness.summary import SetSummary, Sweep
from harness.wording import shortened


def control_lines(sweep: Sweep) -> Iterator[str]:
    """Yield the table of faults, only those that make a difference on these runs; nothing when none does."""
    faults: dict[tuple[str, str], list[tuple[SetSummary, Fraction | None, Fraction | None]]] = {}
    for summary in sweep.sets:
        for control in summary.controls:
            entry = (summary, control.wrong, control.right)
            faults.setdefault((control.fault, control.measure), []).append(entry)
    repeated = [summary for summary in sweep.sets if summary.repeated]
    if not faults and not repeated:
        return
    yield "What wrong metrics would have said on these runs (only where it differs):"
    yield ""
    rows = []
    for (fault, measure), hits in faults.items():
        worst = max(hits, key=lambda hit: abs((hit[1] or Fraction(0)) - (hit[2] or Fraction(0))))
        count = f"{len(hits)} of {len(sweep.sets)}"
        rows.append(
            [fault, measure, count, f"{_exact(worst[1])} instead of {_exact(worst[2])} ({shortened(worst[0].name)})"]
        )
    if repeated:
        worst_set = max(repeated, key=lambda summary: len(summary.repeated))
        count = f"{len(repeated)} of {len(sweep.sets)}"
        many = len(worst_set.repeated)
        holding = "1 ranking holds" if many == 1 else f"{many} rankings hold"
        told = f"refused: {holding} a document twice ({shortened(worst_set.name)})"
        rows.append(["chunk ids renamed to document ids, not collapsed", "all", count, told])
    yield table(["fault", "measure", "sets", "worst case"], rows, left=4)


def _exact(value: Fraction | None) -> str:
    return "undefined" if value is None else str(value)
