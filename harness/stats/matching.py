"""Which parameter sets differ in one parameter only.

A grid isn't a full table: points that can't be run are skipped, points that come to the same are one set, and a
parameter that can't matter is absent (BM25 has no embedder). Comparing the mean of all sets with BM25 to the mean of
all with vectors would then compare different chunk sizes too. So only **matched** sets are compared: two sets match in
parameter P when both have it, with different values, and every other parameter that **both** have is equal. A
parameter that one of them lacks can't matter there, so that set stands for all values of it, as it does in the grid
as written.

Where leaving a parameter out is a choice with an effect, the caller writes it down as a value (None) instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Scalar = str | int | float | None
Parameters = Mapping[str, Scalar]
"""Parameter → value; what can't matter for the set is absent."""

Step = tuple[int, int]
"""Places of two matched sets: the one with the earlier value first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """All matched sets of a study.

    Attributes:
        values: parameter that varies → its values in the order they first occur.
        steps: parameter → matched sets.
        places: for each set: parameter → place of its value in ``values``.
    """

    values: Mapping[str, tuple[Scalar, ...]]
    steps: Mapping[str, tuple[Step, ...]]
    places: Sequence[Mapping[str, int]]

    def steps_between(self, parameter: str) -> dict[Step, list[Step]]:
        """Return matched sets by the places of their two values."""
        found: dict[Step, list[Step]] = defaultdict(list)
        for first, second in self.steps.get(parameter, ()):
            found[self.places[first][parameter], self.places[second][parameter]].append((first, second))
        return dict(sorted(found.items()))

    def squares(self, one: str, other: str) -> Iterator[tuple[Step, Step]]:
        """Yield pairs of steps in ``one``: the second is the first with ``other`` moved on to a later value.

        All four sets match: along each side of the square one parameter differs.
        """
        steps = set(self.steps.get(one, ()))
        moved: dict[int, list[int]] = defaultdict(list)
        for first, second in self.steps.get(other, ()):
            moved[first].append(second)
        for first, second in self.steps.get(one, ()):
            for step in ((a, b) for a in moved[first] for b in moved[second] if (a, b) in steps):
                if self._same_sides((first, second), step, one, other):
                    yield (first, second), step

    def _same_sides(self, step: Step, moved: Step, one: str, other: str) -> bool:
        places = self.places
        same = all(places[a][one] == places[b][one] for a, b in zip(step, moved, strict=True))
        return same and places[moved[0]][other] == places[moved[1]][other]


def match(parameters: Sequence[Parameters]) -> Matches:
    """Return the matched sets, given each set's parameters."""
    values = _values(parameters)
    places = [{name: values[name].index(value) for name, value in row.items() if name in values} for row in parameters]
    steps: dict[str, list[Step]] = {name: [] for name in values}
    for name, first, second in _steps(places, list(values)):
        steps[name].append((first, second))
    return Matches(values=values, steps={name: tuple(found) for name, found in steps.items()}, places=places)


def _values(parameters: Sequence[Parameters]) -> dict[str, tuple[Scalar, ...]]:
    """Return the parameters that take several values, with these."""
    names = dict.fromkeys(name for row in parameters for name in row)
    values = {name: tuple(dict.fromkeys(row[name] for row in parameters if name in row)) for name in names}
    return {name: found for name, found in values.items() if len(found) > 1}


def _steps(places: Sequence[Mapping[str, int]], names: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    import numpy as np

    if not names:
        return
    codes = np.array([[row.get(name, -1) for name in names] for row in places])
    for first, row in enumerate(codes):
        later = codes[first + 1 :]
        differing = (later != row) & (later >= 0) & (row >= 0)
        for place in np.flatnonzero(differing.sum(axis=1) == 1):
            column = int(differing[place].argmax())
            second = first + 1 + int(place)
            ordered = (first, second) if row[column] < later[place, column] else (second, first)
            yield names[column], *ordered
