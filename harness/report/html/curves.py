"""What the curves show, as numbers: a mean against each swept parameter, and against the cutoff."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.report.judged import RATED, Judged
from harness.stats import Attribution, Differences, intervals
from harness.summary import Scalar, SetSummary, Sweep
from harness.wording import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of a parameter.

    Attributes:
        label: how the value reads.
        level: where the line stands: the mean at the first value, moved by the matched effect; None without one.
        low: lower end of the interval of that effect, on the same scale; None where there is no interval.
        high: the upper end.
        sets: the mean of every set with this value.
    """

    label: str
    level: float | None
    low: float | None
    high: float | None
    sets: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterCurve:
    """A mean against one parameter, values in order."""

    parameter: str
    points: tuple[Point, ...]


def reach_of(curves: Sequence[ParameterCurve]) -> tuple[float, float]:
    """Return the least and the largest value on any curve, so that all can have one scale."""
    values = [v for c in curves for p in c.points for v in (*p.sets, p.level, p.low, p.high) if v is not None]
    return min(values), max(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoffCurves:
    """One mean against the cutoff.

    Attributes:
        name: of the mean, without its cutoff.
        cutoffs: ascending.
        lines: the distinct lines of the sets, each with the place of its group.
        baseline: the baseline's line.
        low: lower ends of the intervals of the baseline's means.
        high: the upper ends.
        floor: in random order, where known.
        ceiling: the best the judgments allow.
    """

    name: str
    cutoffs: tuple[int, ...]
    lines: tuple[tuple[int, tuple[float, ...]], ...]
    baseline: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    floor: tuple[float, ...] | None
    ceiling: tuple[float, ...] | None


def ordered_values(sets: Sequence[SetSummary], parameter: str) -> list[Scalar]:
    """Return a parameter's values: numbers ascending, anything else as the grid has it."""
    values = list(dict.fromkeys(s.parameters[parameter] for s in sets if parameter in s.parameters))
    numbers = [value for value in values if isinstance(value, int | float)]
    return [*sorted(numbers)] if len(numbers) == len(values) else values


def parameter_curves(sweep: Sweep, judged: Judged, attribution: Attribution) -> list[ParameterCurve]:
    """Return a curve for each parameter with a matched effect."""
    effects = {(e.parameter, e.before, e.after): e for e in attribution.effects}
    spans = intervals({f"{place}": e.differences for place, e in enumerate(effects.values())})
    span_of = {key: spans[f"{place}"] for place, key in enumerate(effects)}
    found = []
    for parameter in dict.fromkeys(e.parameter for e in attribution.effects):
        values = ordered_values(sweep.sets, parameter)
        means = {v: [_mean(s, judged.measure) for s in sweep.sets if _has(s, parameter, v)] for v in values}
        start = sum(means[values[0]]) / len(means[values[0]])
        points = []
        for value in values:
            level: float | None = start if value == values[0] else None
            ends: list[float] = []
            for sign, key in ((1, (parameter, values[0], value)), (-1, (parameter, value, values[0]))):
                if key in effects and value != values[0]:
                    span = span_of[key]
                    level = start + sign * float(effects[key].differences.mean)
                    ends = [start + sign * end for end in (span.low, span.high) if end is not None]
            low, high = (min(ends), max(ends)) if ends else (None, None)
            points.append(
                Point(label=shown(parameter, value), level=level, low=low, high=high, sets=tuple(sorted(means[value])))
            )
        found.append(ParameterCurve(parameter=parameter, points=tuple(points)))
    return found


def groups_of(sweep: Sweep) -> tuple[str, list[str], list[int]]:
    """Return a parameter to colour by (the first that varies), its values, and the value's place for each set."""
    name = next(iter(sweep.header.varying), "mode")
    labels = [shown(name, s.parameters[name]) if name in s.parameters else "·" for s in sweep.sets]
    values = list(dict.fromkeys(labels))
    return name, values, [values.index(label) for label in labels]


def cutoff_curves(sweep: Sweep, judged: Judged) -> list[CutoffCurves]:
    """Return the means against the cutoff; nothing where there is only one."""
    cutoffs = tuple(sorted({*sweep.header.cutoffs, sweep.header.k}))
    base = next(s for s in sweep.sets if s.name == judged.baseline)
    if len(cutoffs) < 2 or judged.panel is None:
        return []
    _, _, places = groups_of(sweep)
    found = []
    for name in RATED:
        means = [f"{name}@{k}" for k in cutoffs]
        lines = dict.fromkeys(
            (place, tuple(_mean(s, mean) for mean in means)) for place, s in zip(places, sweep.sets, strict=True)
        )
        spans = intervals({mean: _levels(base, mean) for mean in means})
        levels = tuple(_mean(base, mean) for mean in means)
        ends = [(spans[m].low, spans[m].high) for m in means]
        found.append(
            CutoffCurves(
                name=name,
                cutoffs=cutoffs,
                lines=tuple(lines),
                baseline=levels,
                low=tuple(at if low is None else low for at, (low, _) in zip(levels, ends, strict=True)),
                high=tuple(at if high is None else high for at, (_, high) in zip(levels, ends, strict=True)),
                floor=_known(judged.floors.get(mean) for mean in means),
                ceiling=_known(judged.ceilings.get(mean) for mean in means),
            )
        )
    return found


def _known(values: Iterable[Fraction | None]) -> tuple[float, ...] | None:
    held = list(values)
    known = tuple(float(value) for value in held if value is not None)
    return known if len(known) == len(held) else None


def _levels(summary: SetSummary, mean: str) -> Differences:
    return Differences.of({q: value for q, value in summary.column(mean).items() if value is not None})


def _has(summary: SetSummary, parameter: str, value: Scalar) -> bool:
    return parameter in summary.parameters and summary.parameters[parameter] == value


def _mean(summary: SetSummary, mean: str) -> float:
    return float(summary.means.get(mean) or Fraction(0))
