"""What each swept parameter does to a measure: main effects, two-way interactions, and the questions behind them.

A **main effect** of a parameter, from one value to another, is the mean over all matched sets (``matching``) of the
difference between the two, question by question. An **interaction** of two parameters is the mean over all matched
squares of how much the effect of the first changes when the second moves: (d − c) − (b − a), with a, b at the first
value of the second parameter and c, d at the other. 0 means that the effects simply add up. Both are exact.

Effects describe the sets that were run. Matched sets share questions and often rankings, so an effect over many of
them is no stronger evidence than its questions; these are counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from harness.errors import InputError
from harness.stats.matching import Matches, Parameters, Scalar, Step, match
from harness.stats.panel import Differences, Panel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What moving one parameter from one value to another does.

    Attributes:
        parameter: its name.
        before: the value it is moved from.
        after: the value it is moved to.
        pairs: number of matched pairs of sets.
        differences: for each question the mean over the pairs; ``differences.mean`` is the effect.
        changed: ids of the questions whose value differs in at least one pair.
    """

    parameter: str
    before: Scalar
    after: Scalar
    pairs: int
    differences: Differences
    changed: tuple[str, ...]

    @property
    def share(self) -> Fraction:
        """The share of questions whose value changes in at least one pair."""
        return Fraction(len(self.changed), len(self.differences.queries))


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """How much the effect of one parameter changes when another is moved.

    Attributes:
        parameters: the two names.
        before: the value each is moved from.
        after: the value each is moved to.
        squares: number of matched squares of four sets.
        differences: for each question the mean over the squares; ``differences.mean`` is the interaction.
        changed: ids of the questions on which the effects don't add up in at least one square.
    """

    parameters: tuple[str, str]
    before: tuple[Scalar, Scalar]
    after: tuple[Scalar, Scalar]
    squares: int
    differences: Differences
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TagMean:
    """A mean over the questions with one tag."""

    questions: int
    changed: int
    mean: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """All effects of a study on one measure.

    Attributes:
        effects: of all parameters between all values that some matched pair has, parameters in order of appearance.
        interactions: of all pairs of parameters that some matched square has.
        unmatched: parameters that vary, but of which no two sets match.
    """

    effects: tuple[Effect, ...]
    interactions: tuple[Interaction, ...]
    unmatched: tuple[str, ...]


def attribute(panel: Panel, parameters: Mapping[str, Parameters]) -> Attribution:
    """Return the effects of all parameters on the measure of ``panel``.

    Args:
        panel: the values.
        parameters: label of each set in ``panel`` → its parameters.

    Raises:
        InputError: a set has no parameters here.
    """
    lacking = [label for label in panel.sets if label not in parameters]
    if lacking:
        raise InputError(f"effects need the parameters of every set; none are given for {', '.join(lacking)}")
    matches = match([parameters[label] for label in panel.sets])
    matrix = _matrix(panel)
    return Attribution(
        effects=tuple(_effects(panel, matches, matrix)),
        interactions=tuple(_interactions(panel, matches, matrix)),
        unmatched=tuple(name for name, steps in matches.steps.items() if not steps),
    )


def by_tag(effect: Effect | Interaction, tags: Mapping[str, Sequence[str]]) -> dict[str, TagMean]:
    """Return an effect over the questions of each tag, tags ascending; a question counts once under each of its tags.

    Args:
        effect: the effect.
        tags: query id → tags; an absent question has none.
    """
    units: dict[str, list[int]] = defaultdict(list)
    changed: Counter[str] = Counter()
    moved = set(effect.changed)
    for query, unit in zip(effect.differences.queries, effect.differences.units, strict=True):
        for tag in dict.fromkeys(tags.get(query, ())):
            units[tag].append(unit)
            changed[tag] += query in moved
    common = effect.differences.denominator
    return {
        tag: TagMean(questions=len(found), changed=changed[tag], mean=Fraction(sum(found), common * len(found)))
        for tag, found in sorted(units.items())
    }


def _matrix(panel: Panel) -> NDArray[Any]:
    """Return the values in units: int64 when no sum over all pairs of sets can overflow, else Python integers."""
    import numpy as np

    largest = max(max(map(abs, row)) for row in panel.units)
    fits = 4 * largest * len(panel.sets) ** 2 < 1 << 62
    return np.array(panel.units, dtype=np.int64 if fits else object)


def _effects(panel: Panel, matches: Matches, matrix: NDArray[Any]) -> Iterator[Effect]:
    for name in matches.values:
        for (before, after), steps in matches.steps_between(name).items():
            differences, changed = _contrast(panel, matrix, [(b, a) for a, b in steps])
            yield Effect(
                parameter=name,
                before=matches.values[name][before],
                after=matches.values[name][after],
                pairs=len(steps),
                differences=differences,
                changed=changed,
            )


def _interactions(panel: Panel, matches: Matches, matrix: NDArray[Any]) -> Iterator[Interaction]:
    for one, other in combinations(matches.values, 2):
        for (low, high), squares in _grouped(matches, one, other).items():
            differences, changed = _contrast(panel, matrix, [(d, c, a, b) for (a, b), (c, d) in squares])
            yield Interaction(
                parameters=(one, other),
                before=(matches.values[one][low[0]], matches.values[other][low[1]]),
                after=(matches.values[one][high[0]], matches.values[other][high[1]]),
                squares=len(squares),
                differences=differences,
                changed=changed,
            )


def _grouped(matches: Matches, one: str, other: str) -> dict[tuple[Step, Step], list[tuple[Step, Step]]]:
    """Return matched squares by the places of the values at their first and last corner."""
    found: dict[tuple[Step, Step], list[tuple[Step, Step]]] = defaultdict(list)
    for step, moved in matches.squares(one, other):
        first, last = matches.places[step[0]], matches.places[moved[1]]
        found[(first[one], first[other]), (last[one], last[other])].append((step, moved))
    return dict(sorted(found.items()))


def _contrast(
    panel: Panel, matrix: NDArray[Any], terms: Sequence[tuple[int, ...]]
) -> tuple[Differences, tuple[str, ...]]:
    """Return the mean over terms of plus − minus (+ plus − minus …), and the questions where some term isn't 0.

    Args:
        panel: the values.
        matrix: the same as an array, sets × questions.
        terms: places of sets, added and subtracted in turn.
    """
    import numpy as np

    total: Any = 0
    moved = np.zeros(matrix.shape[1], dtype=bool)
    for start in range(0, len(terms), _BLOCK):
        places = np.array(terms[start : start + _BLOCK])
        values = matrix[places[:, 0]]
        for column in range(1, places.shape[1]):
            taken = matrix[places[:, column]]
            values = values - taken if column % 2 else values + taken
        total = total + values.sum(axis=0)
        moved |= (values != 0).any(axis=0)
    differences = Differences(
        queries=panel.queries,
        units=tuple(int(unit) for unit in total),
        denominator=panel.denominator * len(terms),
    )
    return differences, tuple(query for query, changed in zip(panel.queries, moved, strict=True) if changed)
