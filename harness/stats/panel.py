"""Values of several parameter sets, question by question, as integers over one denominator."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.errors import InputError

Values = Mapping[str, Fraction | None]
"""Query id → value of one measure; None where the question has none."""

_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """How one parameter set differs from another, question by question.

    Attributes:
        queries: ids.
        units: for each query (value − value of the baseline) · ``denominator``.
        denominator: positive.
    """

    queries: tuple[str, ...]
    units: tuple[int, ...]
    denominator: int

    @classmethod
    def of(cls, differences: Mapping[str, Fraction]) -> Differences:
        """Put exact differences, query id → difference, on their common denominator; ids ascend.

        Raises:
            InputError: there is no question.
        """
        if not differences:
            raise InputError("a comparison needs at least one question, got none")
        queries = tuple(sorted(differences))
        common = common_denominator(differences.values())
        return cls(queries=queries, units=scaled([differences[q] for q in queries], common), denominator=common)

    @property
    def total(self) -> Fraction:
        """Sum of the differences: what the mean moved, counted in questions."""
        return Fraction(sum(self.units), self.denominator)

    @property
    def mean(self) -> Fraction:
        """Mean difference."""
        return Fraction(sum(self.units), self.denominator * len(self.units))

    @property
    def changed(self) -> tuple[str, ...]:
        """Ids of the questions that differ."""
        return tuple(query for query, unit in zip(self.queries, self.units, strict=True) if unit)

    @property
    def slack(self) -> int:
        """Up to how many units sums count as equal: 1e-12, which is 0 units unless the denominator is huge.

        The scorer's discounts are rounded at 1e-18, so sums of nDCG that are equal (1 and three times 1/3) come out
        different by that much. Taking them as different would make p smaller than it is.
        """
        return self.denominator // 10**12

    def without(self, query: str) -> Differences:
        """Return the same comparison with one question left out."""
        place = self.queries.index(query)
        return Differences(
            queries=self.queries[:place] + self.queries[place + 1 :],
            units=self.units[:place] + self.units[place + 1 :],
            denominator=self.denominator,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One measure of several parameter sets on the same questions.

    Attributes:
        sets: labels of the parameter sets.
        queries: ids of the questions with a value, ascending.
        units: shape (sets, queries): value · ``denominator``, exact.
        denominator: positive, common to all values.
        undefined: ids of the questions without a value, ascending; they are in nothing.
    """

    sets: tuple[str, ...]
    queries: tuple[str, ...]
    units: tuple[tuple[int, ...], ...]
    denominator: int
    undefined: tuple[str, ...] = ()

    def row(self, label: str) -> tuple[int, ...]:
        """Return the values of one set, in units.

        Raises:
            InputError: there is no such set.
        """
        if label not in self.sets:
            raise InputError(f"no parameter set is called {label!r}; there are: {', '.join(self.sets)}")
        return self.units[self.sets.index(label)]

    def mean(self, label: str) -> Fraction:
        """Return the mean of one set."""
        return Fraction(sum(self.row(label)), self.denominator * len(self.queries))

    def differences(self, label: str, baseline: str) -> Differences:
        """Return how ``label`` differs from ``baseline``."""
        units = [a - b for a, b in zip(self.row(label), self.row(baseline), strict=True)]
        return Differences(queries=self.queries, units=tuple(units), denominator=self.denominator)

    def others(self, baseline: str) -> dict[str, Differences]:
        """Return the differences of all other sets from ``baseline``, by label."""
        return {label: self.differences(label, baseline) for label in self.sets if label != baseline}


def align(values: Mapping[str, Values]) -> Panel:
    """Return the values of parameter sets, matched by query id.

    Args:
        values: label of the set → query id → value. The order of the questions doesn't matter.

    Raises:
        InputError: no set, no question with a value, sets with different questions, or a question that has a value
            in some sets only.
    """
    if not values:
        raise InputError("a comparison needs at least one parameter set, got none")
    first = next(iter(values))
    expected = values[first].keys()
    queries = sorted(expected)
    undefined = [query for query in queries if values[first][query] is None]
    for label, row in values.items():
        _refuse(label, "lacks", expected - row.keys(), first)
        _refuse(label, "has in excess", row.keys() - expected, first)
        _refuse(label, "disagrees on whether there is a value for", _unlike(row, undefined), first)
    defined = [query for query in queries if values[first][query] is not None]
    if not defined:
        raise InputError("a comparison needs a question with a value, got none")
    rows = [[value for query in defined if (value := row[query]) is not None] for row in values.values()]
    common = common_denominator(value for row in rows for value in row)
    return Panel(
        sets=tuple(values),
        queries=tuple(defined),
        units=tuple([scaled(row, common) for row in rows]),
        denominator=common,
        undefined=tuple(undefined),
    )


def common_denominator(values: Iterable[Fraction]) -> int:
    """Return the least common multiple of the denominators."""
    return math.lcm(*{value.denominator for value in values})


def scaled(values: Sequence[Fraction], denominator: int) -> tuple[int, ...]:
    """Return the values as multiples of 1/``denominator``, which must be a common one."""
    return tuple([value.numerator * (denominator // value.denominator) for value in values])


def mean_of(values: Sequence[Fraction]) -> Fraction:
    """Return the mean of at least one value, with one common denominator and one division."""
    common = common_denominator(values)
    return Fraction(sum(scaled(values, common)), common * len(values))


def _unlike(row: Values, undefined: Sequence[str]) -> set[str]:
    return {query for query, value in row.items() if value is None} ^ set(undefined)


def _refuse(label: str, how: str, queries: Iterable[str], first: str) -> None:
    names = sorted(queries)
    if names:
        rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        listed = ", ".join(map(repr, names[:_SHOWN]))
        raise InputError(
            f"parameter sets can be compared on the same questions only: {label!r} {how} {listed}{rest}, "
            f"measured by {first!r}"
        )
