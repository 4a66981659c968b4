"""One line a question, one column a mode: where the first relevant document stands."""

from __future__ import annotations

from collections.abc import Iterator

from harness.report.ablation import shown_measures
from harness.report.markdown import number, table
from harness.summary import QueryRow, SetSummary, Sweep, shortened


def question_report(sweep: Sweep) -> str:
    """Return the table of questions as Markdown.

    Each mode is shown by one of its sets: the highest recall@k, then the highest mrr@k, then the first of the grid.
    """
    if not sweep.sets:
        return "No parameter set has finished.\n"
    chosen = representatives(sweep)
    recall = f"recall@{sweep.header.k}"
    rows = []
    for place, row in enumerate(sweep.sets[0].rows):
        cells = [_cell(summary.rows[place], recall) for summary in chosen.values()]
        rows.append([row.query, ", ".join(row.relevant) or "none", *cells, row.question])
    parts = [
        f"## Questions of study {sweep.header.study}, split {sweep.header.split}",
        "",
        table(["question", "relevant", *chosen, "text"], rows, left=2 + len(chosen) + 1),
        "",
        f"A cell: rank of the first relevant document · {recall}. A dash: not found. Columns:",
        *_legend(sweep, chosen),
        *_unsolved(sweep, recall),
    ]
    return "\n".join(parts) + "\n"


def representatives(sweep: Sweep) -> dict[str, SetSummary]:
    """Return one set for each mode (see ``question_report``)."""
    recall, mrr = shown_measures(sweep.header)[:2]
    chosen: dict[str, SetSummary] = {}
    for summary in sweep.sets:
        mode = str(summary.parameters["mode"])
        if mode not in chosen or _rank(summary, recall, mrr) > _rank(chosen[mode], recall, mrr):
            chosen[mode] = summary
    return chosen


def _rank(summary: SetSummary, *measures: str) -> tuple[float, ...]:
    return tuple(float(summary.means[m] or 0) for m in measures)


def _cell(row: QueryRow, recall: str) -> str:
    if row.missing:
        return "missing"
    value = row.values[recall]
    if value is None:
        return "not scored"
    return f"{row.first_relevant_rank or '–'} · {value}"


def _legend(sweep: Sweep, chosen: dict[str, SetSummary]) -> Iterator[str]:
    recall, mrr = shown_measures(sweep.header)[:2]
    for mode, summary in chosen.items():
        count = sum(1 for s in sweep.sets if s.parameters["mode"] == mode)
        yield (
            f"- {mode}: {shortened(summary.name)} ({recall} {number(summary.means[recall])}, "
            f"{mrr} {number(summary.means[mrr])}), the best of {count} sets"
        )


def _unsolved(sweep: Sweep, recall: str) -> Iterator[str]:
    never = [
        row.query
        for place, row in enumerate(sweep.sets[0].rows)
        if row.values[recall] is not None and not any(s.rows[place].values[recall] for s in sweep.sets)
    ]
    if never:
        yield f"\nSolved by no set at {recall}: {', '.join(never)}."
