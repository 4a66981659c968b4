"""What a perfect reranker could make of what was retrieved: is it the order that holds a set back, or the retrieval?"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.report.judged import Judged
from harness.report.markdown import number
from harness.summary import SetSummary, Sweep
from harness.wording import shortened

CANDIDATES = "candidates"
ORACLE = "oracle"
"""The column: the main measure, had the set's candidates been put into the best order and cut at top_k."""


def has_oracles(sweep: Sweep, judged: Judged) -> bool:
    """Say whether there is an oracle of the main measure; older sweeps have none, nor has every measure."""
    return any(oracle(summary, judged.measure) is not None for summary in sweep.sets)


def oracle(summary: SetSummary, measure: str, pool: str = CANDIDATES) -> Fraction | None:
    """Return what the best order of a pool of candidates would score; None where it isn't known."""
    return summary.oracles.get(pool, {}).get(measure)


def oracle_span(group: tuple[SetSummary, ...], measure: str) -> str:
    """Return the oracle of sets that share a line; they can score the same and hold different candidates."""
    known = sorted({value for summary in group if (value := oracle(summary, measure)) is not None})
    if not known:
        return number(None)
    ends = dict.fromkeys([number(known[0]), number(known[-1])])
    return " to ".join(ends)


def oracle_words(sweep: Sweep, judged: Judged) -> Iterator[str]:
    """Yield what the column means, and what holds back the baseline and the highest set."""
    if not has_oracles(sweep, judged):
        return
    measure = judged.measure
    yield (
        f"**{ORACLE}** is {measure} had a perfect reranker ordered the set's candidates: what its routes retrieved, or "
        "what was reranked, cut at top_k. Up to it a better order helps; above it only retrieving more does."
    )
    best = max(sweep.sets, key=lambda s: (s.means[measure] or Fraction(0), -s.place))
    named = {s.name: s for s in sweep.sets}.get(judged.baseline)
    seen = dict.fromkeys(s.name for s in (named, best) if s is not None)
    for summary in (s for s in sweep.sets if s.name in seen):
        yield from _held_back(summary, judged, "Baseline" if summary.name == judged.baseline else "Highest")


def _held_back(summary: SetSummary, judged: Judged, role: str) -> Iterator[str]:
    measure = judged.measure
    score, reach = summary.means[measure], oracle(summary, measure)
    if score is None or reach is None:
        return
    told = f"{role}, {shortened(summary.name)}: {measure} {number(score)}, {ORACLE} {number(reach)}"
    routes = [route for route in summary.oracles if route != CANDIDATES]
    if len(routes) > 1 or "rerank.depth" in summary.parameters:
        alone = [f"{number(oracle(summary, measure, route))} from {route} alone" for route in routes]
        told += f" ({', '.join(alone)})"
    most = judged.ceilings.get(measure)
    if most is None:
        yield f"{told}."
        return
    order, retrieval = reach - score, most - reach
    yield (
        f"{told}, best possible {number(most)}: {number(order)} is lost by the order, {number(retrieval)} by what "
        f"wasn't retrieved{_larger(order, retrieval)}."
    )


def _larger(order: Fraction, retrieval: Fraction) -> str:
    if order == retrieval:
        return ""
    return ", the smaller part" if retrieval < order else ", the larger part"
