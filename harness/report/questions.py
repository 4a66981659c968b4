"""One line a question, one column a mode: where the first relevant document stands."""

from __future__ import annotations

from collections.abc import Iterator

from harness.report.markdown import number, table
from harness.summary import QueryRow, SetSummary, Sweep, row_name
from harness.wording import shortened


def question_report(sweep: Sweep, measure: str | None = None) -> str:
    """Return the table of questions as Markdown; ``measure`` is the study's main one when left out.

    Each mode is shown by one of its sets: the highest main measure, then the highest mrr@k, then the first of the grid.
    """
    if not sweep.sets:
        return "No parameter set has finished.\n"
    main = measure or sweep.header.main_measure
    chosen = representatives(sweep, main)
    rows = []
    for place, row in enumerate(sweep.sets[0].rows):
        cells = [_cell(summary.rows[place], row_name(main)) for summary in chosen.values()]
        rows.append([row.query, ", ".join(row.relevant) or "none", *cells, row.question])
    parts = [
        f"## Questions of study {sweep.header.study}, split {sweep.header.split}",
        "",
        table(["question", "relevant", *chosen, "text"], rows, left=2 + len(chosen) + 1),
        "",
        f"A cell: rank of the first relevant document · {main}. A dash: not found. Columns:",
        *_legend(sweep, chosen, main),
        *_unsolved(sweep, main),
    ]
    return "\n".join(parts) + "\n"


def representatives(sweep: Sweep, main: str) -> dict[str, SetSummary]:
    """Return one set for each mode (see ``question_report``)."""
    measures = _telling(sweep, main)
    chosen: dict[str, SetSummary] = {}
    for summary in sweep.sets:
        mode = str(summary.parameters["mode"])
        if mode not in chosen or _rank(summary, measures) > _rank(chosen[mode], measures):
            chosen[mode] = summary
    return chosen


def _telling(sweep: Sweep, main: str) -> list[str]:
    """Return the means that choose a mode's set: the main measure, then mrr."""
    return list(dict.fromkeys([main, f"mrr@{sweep.header.k}"]))


def _rank(summary: SetSummary, measures: list[str]) -> tuple[float, ...]:
    return tuple(float(summary.means[m] or 0) for m in measures)


def _cell(row: QueryRow, name: str) -> str:
    if row.missing:
        return "missing"
    value = row.values[name]
    if value is None:
        return "not scored"
    return f"{row.first_relevant_rank or '–'} · {value}"


def _legend(sweep: Sweep, chosen: dict[str, SetSummary], main: str) -> Iterator[str]:
    measures = _telling(sweep, main)
    for mode, summary in chosen.items():
        count = sum(1 for s in sweep.sets if s.parameters["mode"] == mode)
        yield (
            f"- {mode}: {shortened(summary.name)} ({', '.join(f'{m} {number(summary.means[m])}' for m in measures)}), "
            f"the best of {count} sets"
        )


def _unsolved(sweep: Sweep, main: str) -> Iterator[str]:
    name = row_name(main)
    never = [
        row.query
        for place, row in enumerate(sweep.sets[0].rows)
        if row.values[name] is not None and not any(s.rows[place].values[name] for s in sweep.sets)
    ]
    if never:
        yield f"\nSolved by no set at {main}: {', '.join(never)}."
