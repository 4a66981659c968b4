"""The ablation table, with what its numbers can and can't show printed under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from harness.report.candidates import ORACLE, has_oracles, oracle_span, oracle_words
from harness.report.judged import Judged, judge
from harness.report.markdown import number, table
from harness.report.splits import choice_sentence, looks_sentence
from harness.report.wrongs import control_lines
from harness.summary import SetSummary, Sweep, SweepHeader, Values, row_name
from harness.wording import shortened, shown

MEASURES = ("recall", "mrr", "ndcg", "hit")
_ABSENT = object()


def ablation_report(sweep: Sweep, judged: Judged | None = None) -> str:
    """Return the table and everything that belongs under it, as Markdown.

    Args:
        sweep: fresh, or read back.
        judged: what ``judge`` says of it, where that is at hand.
    """
    parts = [f"## Ablation of study {sweep.header.study}, split {sweep.header.split}", ""]
    if not sweep.sets:
        return "\n".join([*parts, "No parameter set has finished."]) + "\n"
    judged = judged or judge(sweep)
    parts.append(_table(sweep, judged))
    parts.extend(["", *_paragraphs(sweep, judged)])
    return "\n".join(parts).rstrip() + "\n"


def _table(sweep: Sweep, judged: Judged) -> str:
    header = sweep.header
    axes = header.varying or ("mode",)
    measures = shown_measures(header)
    several, reached = bool(judged.comparisons), has_oracles(sweep, judged)
    extra = [*([ORACLE] if reached else []), *(["verdict"] if several else [])]
    rows = [
        [
            *(_joined(group, axis) for axis in axes),
            *(number(group[0].means.get(m)) for m in measures),
            *([oracle_span(group, judged.measure)] if reached else []),
            *([judged.verdict(_spokesman(group, judged).name)] if several else []),
        ]
        for group in merge(sweep.sets, axes, measures)
    ]
    for words, values in (("random order", judged.floors), ("best possible", judged.ceilings)):
        if any(m in values for m in measures):
            dots = ["·"] * (len(axes) - 1)
            rows.append([words, *dots, *(_known(values, m) for m in measures), *("·" for _ in extra)])
    return table([*axes, *measures, *extra], rows, left=len(axes))


def _spokesman(group: Sequence[SetSummary], judged: Judged) -> SetSummary:
    """Return the set whose verdict stands for sets that agree on every question: the baseline if it is among them."""
    return next((s for s in group if s.name == judged.baseline), group[0])


def _known(values: Values, measure: str) -> str:
    return number(values[measure]) if measure in values else "·"


def shown_measures(header: SweepHeader) -> list[str]:
    """Return the columns of the table: four measures at ``k``, evidence@k where there are quotes, judged@k for gaps."""
    names = [f"{measure}@{header.k}" for measure in MEASURES]
    if "evidence" in header.hashes:
        names.append(f"evidence@{header.k}")
    return names if header.exhaustive else [*names, f"judged@{header.k}"]


def merge(sets: Sequence[SetSummary], axes: Sequence[str], measures: Sequence[str]) -> list[tuple[SetSummary, ...]]:
    """Put sets on one line that differ in one parameter and agree in every value of every question.

    Axes are merged from the last to the first, so a line never stands for more than a full block of the grid.
    """
    groups: list[tuple[SetSummary, ...]] = [(summary,) for summary in sets]
    for axis in reversed(axes):
        merged: dict[object, tuple[SetSummary, ...]] = {}
        for group in groups:
            others = tuple(tuple(dict.fromkeys(s.parameters.get(a, _ABSENT) for s in group)) for a in axes if a != axis)
            key = (others, len(group) if axis not in group[0].parameters else None, _values(group[0], measures))
            merged[key] = merged.get(key, ()) + group
        groups = list(merged.values())
    return sorted(groups, key=lambda group: group[0].place)


def _values(summary: SetSummary, measures: Sequence[str]) -> tuple[object, ...]:
    names = [row_name(m) for m in measures]
    return tuple(tuple(row.values[name] for name in names) for row in summary.rows)


def _joined(group: Sequence[SetSummary], axis: str) -> str:
    values = dict.fromkeys(shown(axis, s.parameters[axis]) for s in group if axis in s.parameters)
    return ", ".join(values) or "·"


def _paragraphs(sweep: Sweep, judged: Judged) -> Iterator[str]:
    if sweep.header.choice:
        yield choice_sentence(sweep.header.split, sweep.header.choice)
        yield ""
    yield from _reading(sweep)
    yield ""
    yield from _questions(sweep, judged)
    if sweep.header.exhaustive is False:
        yield ""
        yield from _bounds(sweep)
    controls = list(control_lines(sweep))
    if controls:
        yield ""
        yield from controls
    notes = list(_notes(sweep))
    if notes:
        yield ""
        yield from notes
    yield ""
    yield from _grid(sweep)
    yield ""
    yield _hashes(sweep)


def _reading(sweep: Sweep) -> Iterator[str]:
    header = sweep.header
    groups = merge(sweep.sets, header.varying or ("mode",), shown_measures(header))
    sentence = f"Document view: the top_k chunks collapsed to documents by first occurrence, cut at {header.k}."
    if any(len(group) > 1 for group in groups):
        sentence += " Several values in a cell: these sets scored the same on every question."
    if any(axis not in s.parameters for axis in header.varying for s in sweep.sets):
        sentence += " A dot: the parameter can't matter there"
        prompts = any(axis.endswith("_prompt") for axis in header.varying)
        sentence += ", or the prompt is the model's own." if prompts else "."
    if "evidence" in header.hashes:
        k, n = header.k, sweep.sets[0].valued(f"evidence@{header.k}")
        sentence += (
            f" **evidence@{k}** looks at chunks: does any of the first {k} contain a quote that carries the answer? "
            f"Its mean is over the **n = {n}** questions that have quotes."
        )
    yield sentence


def _questions(sweep: Sweep, judged: Judged) -> Iterator[str]:
    first = sweep.sets[0]
    n, asked = first.eligible, len(first.rows)
    measure = judged.measure
    if not n:
        yield f"**No question of the {asked} asked has a relevant document, so every mean is undefined.**"
        yield from _looks(sweep)
        return
    yield (
        f"**n = {n}** questions with a relevant document, of {asked} asked. One question is worth at most "
        f"1/{n} = {1 / n:.4f} of any mean, so a difference up to that can rest on a single question."
    )
    yield from _looks(sweep)
    values = [s.means[measure] for s in sweep.sets]
    known = [value for value in values if value is not None]
    spread = max(known) - min(known)
    if len(known) > 1 and not spread:
        yield f"All {len(known)} sets have {measure} {number(known[0])}: this mean doesn't tell them apart."
    elif len(known) > 1:
        yield (
            f"Over the {len(known)} sets {measure} spans {number(min(known))} to {number(max(known))}: "
            f"{_in_questions(spread, judged.questions)}."
            + ("" if sweep.header.choice else f" The best of {len(known)} sets is lucky to some degree.")
        )
    yield from judged.sentences()[1:]
    yield from oracle_words(sweep, judged)
    yield from _left_out(sweep)


def _looks(sweep: Sweep) -> Iterator[str]:
    if sweep.looks:
        yield looks_sentence(sweep.header.split, sweep.looks)


def _in_questions(spread: Fraction, n: int) -> str:
    count = spread * n
    text = str(count) if count.denominator == 1 else f"{float(count):.2f}"
    return f"a spread worth {text} question{'' if count == 1 else 's'}"


def _left_out(sweep: Sweep) -> Iterator[str]:
    none = sweep.sets[0].no_relevant
    if none:
        yield f"No relevant document, in no mean ({len(none)}): {', '.join(none)}."
    missing = Counter(query for s in sweep.sets for query in s.missing)
    for query, count in missing.items():
        yield f"Missing from the run, counted as 0: {query} (in {count} of {len(sweep.sets)} sets)."


def _bounds(sweep: Sweep) -> Iterator[str]:
    header = sweep.header
    yield (
        f"Judgments are partial; unjudged documents: {header.unjudged}. Whichever of the unjudged documents in the "
        f"top {header.k} are relevant, the means lie within:"
    )
    yield ""
    measures = [m for m in shown_measures(header) if m in sweep.sets[0].lower]
    rows = [
        [shortened(s.name), *(f"{number(s.lower.get(m))} … {number(s.upper.get(m))}" for m in measures)]
        for s in sweep.sets
    ]
    yield table(["set", *measures], rows)


def _notes(sweep: Sweep) -> Iterator[str]:
    notes = list(dict.fromkeys([*sweep.header.notes, *(note for s in sweep.sets for note in s.notes)]))
    if notes:
        yield "Notes:"
        yield from (f"- {note}" for note in notes)


def _grid(sweep: Sweep) -> Iterator[str]:
    header = sweep.header
    distinct = header.choice.sets if header.choice else header.planned
    line = f"Grid: {header.points} points, {distinct} distinct parameter sets"
    if header.collapsed:
        line += f", {len(header.collapsed)} points collapsed because what differs can't matter"
    if header.skipped:
        reasons = dict.fromkeys(point.fate for point in header.skipped)
        line += f", {len(header.skipped)} skipped ({'; '.join(reasons)})"
    yield f"{line}." if not header.choice else f"{line}; {header.planned} of them scored here."
    if len(sweep.sets) < header.planned:
        yield f"**Incomplete: {len(sweep.sets)} of {header.planned} parameter sets have finished.**"
    rankings = Counter(s.hashes["ranking"] for s in sweep.sets)
    same = sum(count for count in rankings.values() if count > 1)
    if same:
        yield f"{same} of {len(sweep.sets)} sets share their chunk rankings with another set, question by question."


def _hashes(sweep: Sweep) -> str:
    names = ("protocol", "conventions", "corpus", "golden", "evidence", "config")
    return " · ".join(f"{n} `{sweep.header.hashes[n][:12]}`" for n in names if n in sweep.header.hashes)
