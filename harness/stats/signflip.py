"""The paired randomisation test of one parameter set against another: flip the sign of each question's difference.

If two sets were equally good, it would be chance which of them did better on a question, so each difference could as
well have the other sign. The two-sided p is the share of the 2^n sign patterns whose mean difference is at least as
far from 0 as the one that was seen. What was seen is one of them, so p is never 0, and nothing is assumed about how
differences are distributed. Sums within 1e-12 of each other count as equal (``Differences.slack``), which can only
make p larger.

Source: Fisher, The Design of Experiments, 1935, section 21; for retrieval: Smucker, Allan and Carterette, "A
Comparison of Statistical Significance Tests for Information Retrieval Evaluation", CIKM 2007.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

from harness.stats.counting import Magnitudes, halved, listed_sums, packed, packed_bits, summed
from harness.stats.effort import DEFAULT, Effort
from harness.stats.panel import Differences, Panel
from harness.stats.signs import columns, extreme_counts


class Method(Enum):
    """How a p was found."""

    COUNTED = "counted"
    """All sign patterns were counted: p is exact."""
    SUMMED = "summed in float64"
    """All sign patterns were counted with rounding: relative error below 1e-12."""
    SAMPLED = "sampled"
    """Counting is past the bounds of work: p is (b + 1)/(m + 1) with b of m random patterns at least as extreme."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """A set against a baseline.

    Attributes:
        mean: mean difference; above 0 when the set is better than the baseline.
        wins: questions on which the set is better.
        losses: questions on which it is worse.
        ties: questions on which both have the same value.
        p: two-sided, in (0, 1]; a float only when ``method`` is ``SUMMED``.
        method: how p was found.
        patterns: m + 1, the number of random sign patterns with the observed one; None unless ``method`` is
            ``SAMPLED``.
        standard_error: of p, from sampling alone; None unless ``method`` is ``SAMPLED``.
    """

    mean: Fraction
    wins: int
    losses: int
    ties: int
    p: Fraction | float
    method: Method
    patterns: int | None = None
    standard_error: float | None = None

    @property
    def floor(self) -> Fraction:
        """The smallest p that this many changed questions can give, see ``sensitivity.smallest_p``."""
        return Fraction(2, 1 << max(self.wins + self.losses, 1))


def sign_flip(differences: Differences, effort: Effort = DEFAULT) -> PairedTest:
    """Return the two-sided paired randomisation test of one comparison.

    The first way that is within ``effort`` is taken: count as a fraction, count in float64, draw sign patterns.
    """
    return sign_flips({"": differences}, effort)[""]


def sign_flip_all(panel: Panel, baseline: str, effort: Effort = DEFAULT) -> dict[str, PairedTest]:
    """Return the test of every other set against ``baseline``; p is not corrected for their number.

    Raises:
        InputError: there is no set called ``baseline``.
    """
    panel.row(baseline)
    return sign_flips(panel.others(baseline), effort)


def sign_flips(comparisons: Mapping[str, Differences], effort: Effort = DEFAULT) -> dict[str, PairedTest]:
    """Return the test of each comparison; all are about the same questions.

    Those past the bounds of work share the same random sign patterns.
    """
    exact = {label: exact_p(differences, effort) for label, differences in comparisons.items()}
    rest = {label: comparisons[label] for label, p in exact.items() if p is None}
    sampled = sampled_p(rest, effort)
    return {label: _test(d, exact[label], sampled.get(label), effort) for label, d in comparisons.items()}


def exact_p(differences: Differences, effort: Effort = DEFAULT) -> Fraction | float | None:
    """Return p as a fraction, else as a float with a relative error below 1e-12; None when both take too much work."""
    units, slack = differences.units, differences.slack
    total = abs(sum(units))
    if total <= slack:
        return Fraction(1)
    unit = math.gcd(*units)
    magnitudes = tuple(sorted([abs(value) // unit for value in units if value]))
    most = (sum(map(abs, units)) - total + slack) // 2
    return _exact(magnitudes, most // unit, effort)


@lru_cache(maxsize=4096)
def _exact(magnitudes: Magnitudes, most: int, effort: Effort) -> Fraction | float | None:
    if packed_bits(magnitudes, most) <= effort.bits:
        return packed(magnitudes, most)
    if listed_sums(magnitudes) <= effort.sums:
        return halved(magnitudes, most)
    if most < effort.cells and most * len(magnitudes) <= effort.additions:
        return summed(magnitudes, most)
    return None


def forget() -> None:
    """Drop p-values that are kept because many sets of a study differ from the baseline in the same way."""
    _exact.cache_clear()


def sampled_p(comparisons: Mapping[str, Differences], effort: Effort = DEFAULT) -> dict[str, Fraction]:
    """Return (b + 1)/(m + 1) for each comparison, from the same random sign patterns for all.

    Of m patterns other than the observed one b are at least as extreme; see ``signs`` for how they are drawn.

    Source: Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 4.2; Phipson and Smyth,
    "Permutation P-values Should Never Be Zero", 2010.
    """
    if not comparisons:
        return {}
    counts = extreme_counts(columns([d.units for d in comparisons.values()]), effort.generators, effort.seed)
    return {label: Fraction(int(count), effort.patterns) for label, count in zip(comparisons, counts, strict=True)}


def _test(differences: Differences, exact: Fraction | float | None, drawn: Fraction | None, e: Effort) -> PairedTest:
    units = differences.units
    wins, losses = sum(unit > 0 for unit in units), sum(unit < 0 for unit in units)
    p: Fraction | float
    if exact is not None:
        p, method = exact, Method.COUNTED if isinstance(exact, Fraction) else Method.SUMMED
    else:
        assert drawn is not None
        p, method = drawn, Method.SAMPLED
    sampled = method is Method.SAMPLED
    return PairedTest(
        mean=differences.mean,
        wins=wins,
        losses=losses,
        ties=len(units) - wins - losses,
        p=p,
        method=method,
        patterns=e.patterns if sampled else None,
        standard_error=math.sqrt(p * (1 - p) / e.patterns) if sampled else None,
    )
