"""What a set of questions can show, and how many questions a difference would need.

The normal approximation: a mean difference with standard error s is found significant (two-sided, level alpha) with
the wanted power when it is (z(1 − alpha/2) + z(power)) · s; at 5 % and 80 % that factor is 2.80. The spread is the one
that was observed between the two sets in question; another pair of sets has another. The approximation is good when
twenty or more questions change; below that the floor of the sign-flip test decides, and that is exact.

Source: Sakai, Laboratory Experiments in Information Retrieval, 2018, chapter 6 (for the paired t-test, which the
sign-flip test follows closely).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from harness.errors import InputError
from harness.stats.panel import Differences

ALPHA = Fraction(1, 20)
POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What one comparison could have shown.

    Attributes:
        questions: number of questions.
        changed: number of them on which the two sets differ.
        spread: standard deviation of the differences (n − 1); None with a single question.
        smallest: the smallest mean difference that would be found with the wanted power; None when the spread is 0
            or unknown.
        needed: about how many questions a mean difference as large as the observed one would need; None when there is
            none, or no spread.
        smallest_p: the smallest p that ``changed`` questions can give.
    """

    questions: int
    changed: int
    spread: float | None
    smallest: float | None
    needed: int | None
    smallest_p: Fraction


def power(differences: Differences, *, alpha: Fraction = ALPHA, wanted: float = POWER) -> Power:
    """Return what this comparison could have shown, from the spread of its own differences."""
    n = len(differences.units)
    changed = len(differences.changed)
    sd = spread(differences)
    enough = sd is not None and sd > 0
    mean = abs(float(differences.mean))
    return Power(
        questions=n,
        changed=changed,
        spread=sd,
        smallest=_factor(alpha, wanted) * sd / math.sqrt(n) if enough and sd is not None else None,
        needed=questions_needed(differences, mean, alpha=alpha, wanted=wanted) if enough and mean else None,
        smallest_p=smallest_p(changed),
    )


def spread(differences: Differences) -> float | None:
    """Return the standard deviation of the differences, with n − 1; None for a single question."""
    n, units = len(differences.units), differences.units
    if n < 2:
        return None
    variance = Fraction(n * sum(unit * unit for unit in units) - sum(units) ** 2, n * (n - 1))
    return math.sqrt(variance / differences.denominator**2)


def questions_needed(
    differences: Differences, difference: float, *, alpha: Fraction = ALPHA, wanted: float = POWER
) -> int:
    """Return about how many questions a mean ``difference`` needs, if they spread and change as these do.

    At least so many that, at the observed share of changed questions, enough change for the sign-flip test to reach
    ``alpha`` at all.

    Raises:
        InputError: the difference is 0, or these differences show no spread.
    """
    sd = spread(differences)
    if not difference or not sd:
        raise InputError("the number of questions needs a difference other than 0 and questions that differ in it")
    by_spread = (_factor(alpha, wanted) * sd / abs(difference)) ** 2
    share = Fraction(len(differences.changed), len(differences.units))
    return max(math.ceil(by_spread), math.ceil(fewest_changed(alpha) / share))


def smallest_p(changed: int) -> Fraction:
    """Return the smallest two-sided p of the sign-flip test: 2^(1 − c) for c changed questions, 1 for none.

    It takes all of them to change in the same direction: of 2^c sign patterns two are as extreme as that.
    """
    return Fraction(2, 1 << max(changed, 1))


def fewest_changed(alpha: Fraction = ALPHA) -> int:
    """Return how many questions must change before p can be at most ``alpha``: 6 for 5 %.

    Raises:
        InputError: ``alpha`` isn't in (0, 1].
    """
    if not 0 < alpha <= 1:
        raise InputError(f"alpha must be above 0 and at most 1, got {alpha}")
    changed = 1
    while smallest_p(changed) > alpha:
        changed += 1
    return changed


def _factor(alpha: Fraction, wanted: float) -> float:
    normal = NormalDist()
    return normal.inv_cdf(1 - float(alpha) / 2) + normal.inv_cdf(wanted)
