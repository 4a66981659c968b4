"""The table of parameter sets: values, differences, verdicts, floor and ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from harness.report.ablation import shown_measures
from harness.report.candidates import CANDIDATES, ORACLE, has_oracles, oracle
from harness.report.html.text import cell, esc, figure, table
from harness.report.judged import Judged
from harness.report.markdown import number, p_text
from harness.stats import Interval, Word
from harness.summary import SetSummary, Sweep, Values
from harness.wording import shown

_KINDS = {
    Word.DIFFERS: "differs",
    Word.CANT_TELL: "same",
    Word.ONE_QUESTION: "one",
    Word.RESTS_ON_ONE: "one",
}


def sets_table(sweep: Sweep, judged: Judged) -> str:
    """Return one row a set, floor and ceiling at the end."""
    axes = sweep.header.varying or ("mode",)
    measures = shown_measures(sweep.header)
    width = _reach(judged)
    reached = has_oracles(sweep, judged)
    values = [*(f"#{m}" for m in measures), *([f"#{ORACLE}"] if reached else [])]
    headers = ["#set", *axes, *values, "#difference", "95 % interval", "#p", "verdict"]
    rows = [
        "".join(_row(place, summary, axes, measures, judged, width=width, reached=reached))
        for place, summary in enumerate(sweep.sets, 1)
    ]
    foot = "".join(
        _bound(text, len(axes), measures, known, 5 if reached else 4)
        for text, known in (("best possible", judged.ceilings), ("random order", judged.floors))
        if known
    )
    return table(headers, rows, kind="sets", foot=foot, sortable=True)


def _row(
    place: int,
    summary: SetSummary,
    axes: Sequence[str],
    measures: Sequence[str],
    judged: Judged,
    *,
    width: float,
    reached: bool,
) -> Iterator[str]:
    yield f'<td class="n id" data-v="{place}" title="{esc(summary.name)}">{place}</td>'
    for axis in axes:
        value = summary.parameters.get(axis)
        yield (
            cell("·", kind="absent")
            if axis not in summary.parameters
            else cell(esc(shown(axis, value)), value=value if isinstance(value, int | float) else None)
        )
    for measure in measures:
        yield figure(summary.means.get(measure))
    if reached:
        yield _oracle(summary, judged.measure)
    found = judged.comparisons.get(summary.name)
    if found is None:
        word = judged.verdict(summary.name)
        yield cell("") + cell("") + cell("") + cell(f'<span class="word base">{esc(word)}</span>' if word else "")
        return
    corrected = max(found.max_t, found.test.p)
    yield figure(found.differences.mean, signed=True)
    yield cell(_span(found.interval, found.differences.mean, width), kind="span")
    yield cell(p_text(corrected), value=corrected, kind="n")
    worse = " worse" if found.verdict.significant and found.test.mean < 0 else ""
    yield cell(f'<span class="word {_KINDS[found.verdict.word]}{worse}">{esc(judged.verdict(summary.name))}</span>')


def _oracle(summary: SetSummary, measure: str) -> str:
    """Return the oracle of the set's candidates; what each route would reach alone shows when pointed at."""
    value = oracle(summary, measure)
    alone = [f"{pool} {number(oracle(summary, measure, pool))}" for pool in summary.oracles if pool != CANDIDATES]
    title = esc(f"best order of the candidates of each route: {', '.join(alone)}")
    return cell(f'<span title="{title}">{number(value)}</span>', value=value, kind="n")


def _bound(text: str, axes: int, measures: Sequence[str], values: Values, rest: int) -> str:
    cells = "".join(figure(values.get(measure)) for measure in measures)
    return f'<tr><td></td><th scope="row" colspan="{axes}">{esc(text)}</th>{cells}<td colspan="{rest}"></td></tr>'


def _reach(judged: Judged) -> float:
    """Return the largest distance from 0 of any difference or end of an interval."""
    ends = [abs(float(c.differences.mean)) for c in judged.comparisons.values()]
    spans = [c.interval for c in judged.comparisons.values() if c.interval is not None]
    ends += [abs(end) for span in spans for end in (span.low, span.high) if end is not None]
    return max([*ends, 1e-9])


def _span(interval: Interval | None, mean: Fraction, width: float) -> str:
    """Return the difference and its interval as a drawing on one scale for all rows, and as text."""

    def x(value: float) -> float:
        return round(50 + 46 * value / width, 1)

    bar, words = "", "no interval: all questions differ alike"
    if interval is not None and interval.low is not None and interval.high is not None:
        bar = f'<path class="bar" d="M{x(interval.low)} 6H{x(interval.high)}"/>'
        words = f"{interval.low:+.4f} to {interval.high:+.4f}".replace("-", "−")
    return (
        f'<svg class="forest" viewBox="0 0 100 12" role="img" aria-label="{words}"><title>{words}</title>'
        f'<path class="zero" d="M50 0V12"/>{bar}<circle cx="{x(float(mean))}" cy="6" r="2.6"/></svg>'
    )
