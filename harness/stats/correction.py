"""Corrections for looking at many parameter sets at once: the chance of any false "differs" stays below alpha."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from harness.stats.effort import DEFAULT, Effort
from harness.stats.panel import Panel
from harness.stats.signs import Columns, all_codes, columns, drawn_codes, group_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

P = TypeVar("P", Fraction, float, Fraction | float)

_NEAR = 1e-9


def holm(ps: Mapping[str, P]) -> dict[str, P]:
    """Return Holm's adjusted p of each label: valid however the comparisons hang together, so a little too careful.

    The i-th smallest of m becomes the largest (m − j + 1) · p_j with j ≤ i, at most 1. Fractions stay fractions.

    Source: Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6(2),
    1979.
    """
    adjusted: dict[str, P] = {}
    highest: P | None = None
    for place, label in enumerate(sorted(ps, key=lambda label: ps[label])):
        value = min((len(ps) - place) * ps[label], type(ps[label])(1))
        highest = value if highest is None else max(highest, value)
        adjusted[label] = highest
    return {label: adjusted[label] for label in ps}


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxT:
    """Westfall and Young's adjusted p of several sets against one baseline.

    Attributes:
        adjusted: label → adjusted p, in (0, 1].
        patterns: number of sign patterns behind it, the observed one among them.
        complete: whether these are all there are, so that the adjusted p are exact.
        step_down: whether the step-down form was used.
    """

    adjusted: Mapping[str, Fraction]
    patterns: int
    complete: bool
    step_down: bool


def max_t(panel: Panel, baseline: str, effort: Effort = DEFAULT, *, step_down: bool = True) -> MaxT:
    """Return adjusted p of every other set against ``baseline``, from the distribution of the largest statistic.

    Each sign pattern is applied to all sets at once, and each set is compared with the largest statistic that chance
    gave to **any** set. Sets that do much the same thing so count for little more than one, which Holm can't know.

    The statistic is |sum of d| / sqrt(sum of d²). The root doesn't change when signs are flipped, and the statistic
    grows with |t| = |mean| / (sd / sqrt(n)), so this is max-|t|. The bare mean difference would be wrong here: chance
    moves the mean of a noisy set more, so a quiet set could never stand out. A set that equals the baseline
    everywhere has the statistic 0 and p = 1; a constant difference is no special case, as nothing is divided by the
    spread.

    Step-down: a set is compared with the largest statistic among itself and those less extreme, and no adjusted p is
    below that of a more extreme set. It finds at least as much as the single step, at the same error rate, because
    the joint distribution of some sets doesn't depend on what holds for the others.

    p is (b + 1)/(m + 1) with b of m random patterns (see ``signs``) at least as extreme, or exact when all patterns of
    the questions that change are no more than m + 1. Statistics within 1e-9 of each other count as equal, which can
    only make p larger.

    Source: Westfall and Young, Resampling-Based Multiple Testing, 1993, algorithm 4.1; Ge, Dudoit and Speed,
    "Resampling-based multiple testing for microarray data analysis", Test 12(1), 2003.

    Raises:
        InputError: there is no set called ``baseline``.
    """
    import numpy as np

    panel.row(baseline)
    comparisons = panel.others(baseline)
    if not comparisons:
        return MaxT(adjusted={}, patterns=0, complete=True, step_down=step_down)
    given = columns([differences.units for differences in comparisons.values()])
    changed = int(given.changed.sum())
    complete = changed <= effort.generators
    generators = changed if complete else effort.generators
    observed = np.abs(given.matrix.sum(axis=0, dtype=np.float64)) / given.norms
    order = np.argsort(observed, kind="stable")
    reached = observed[order] * (1 - _NEAR) - _NEAR
    counts = np.zeros(len(order), dtype=np.int64)
    codes = all_codes(given.changed) if complete else drawn_codes(len(given.changed), generators, effort.seed)
    for statistics in _statistics(given, order, codes, generators):
        largest = np.maximum.accumulate(statistics, axis=1) if step_down else statistics.max(axis=1, keepdims=True)
        counts += np.count_nonzero(largest >= reached, axis=0)
    ranked = np.maximum.accumulate(counts[::-1])[::-1]
    found = np.empty_like(ranked)
    found[order] = ranked
    patterns = 1 << generators
    return MaxT(
        adjusted={label: Fraction(int(count), patterns) for label, count in zip(comparisons, found, strict=True)},
        patterns=patterns,
        complete=complete,
        step_down=step_down,
    )


def _statistics(
    given: Columns, order: NDArray[np.intp], codes: NDArray[np.int64], generators: int
) -> Iterator[NDArray[np.float64]]:
    """Yield the statistics of all comparisons, least extreme first, under blocks of sign patterns."""
    import numpy as np

    scale = 1 / given.norms[order]
    for sums in group_sums(np.ascontiguousarray(given.matrix[:, order]), codes, generators):
        yield np.abs(sums) * scale
