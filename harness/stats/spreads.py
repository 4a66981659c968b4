"""Which questions tell the parameter sets apart, and which can't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.stats.panel import Panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How far the sets lie apart on one question: ``least`` and ``most`` are the extreme values over all sets."""

    query: str
    least: Fraction
    most: Fraction

    @property
    def width(self) -> Fraction:
        """Largest minus smallest value."""
        return self.most - self.least


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """What the questions contribute to telling sets apart.

    Attributes:
        unsolved: ids on which every set has 0.
        solved: ids on which every set has the best value there is.
        alike: ids on which all sets have the same value; the two above are among them.
        spreads: of all others, widest first, then by id.
    """

    unsolved: tuple[str, ...]
    solved: tuple[str, ...]
    alike: tuple[str, ...]
    spreads: tuple[Spread, ...]


def deciding(panel: Panel, best: Mapping[str, Fraction] | None = None) -> Deciding:
    """Return which questions tell the sets apart.

    Args:
        panel: the values.
        best: query id → largest value it can have (see ``best.ceiling``); 1 where nothing is given.
    """
    common = panel.denominator
    extremes = {
        query: Spread(query=query, least=Fraction(min(column), common), most=Fraction(max(column), common))
        for query, column in zip(panel.queries, zip(*panel.units, strict=True), strict=True)
    }
    reachable = best or {}
    return Deciding(
        unsolved=tuple(query for query, found in extremes.items() if found.most == 0),
        solved=tuple(q for q, found in extremes.items() if found.least and found.least == reachable.get(q, 1)),
        alike=tuple(query for query, found in extremes.items() if not found.width),
        spreads=tuple(
            sorted((s for s in extremes.values() if s.width), key=lambda spread: (-spread.width, spread.query))
        ),
    )
