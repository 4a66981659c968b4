"""Everything that is said of parameter sets against a baseline, in one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.stats.bootstrap import RESAMPLES, Interval, interval
from harness.stats.correction import holm, max_t
from harness.stats.effort import DEFAULT, Effort
from harness.stats.panel import Differences, Panel
from harness.stats.sensitivity import ALPHA, Power, power
from harness.stats.signflip import PairedTest, sign_flips
from harness.stats.verdicts import Verdict, verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A parameter set against the baseline.

    Attributes:
        differences: question by question.
        test: the sign-flip test.
        holm: its p by Holm.
        max_t: its p by max-T, which the verdict goes by.
        interval: bootstrap interval of the mean difference; None when not asked for.
        power: what the questions could have shown.
        verdict: in words.
    """

    differences: Differences
    test: PairedTest
    holm: Fraction | float
    max_t: Fraction
    interval: Interval | None
    power: Power
    verdict: Verdict


def compare(
    panel: Panel,
    baseline: str,
    *,
    alpha: Fraction = ALPHA,
    effort: Effort = DEFAULT,
    intervals: bool = True,
    resamples: int = RESAMPLES,
) -> dict[str, Comparison]:
    """Return every other set against ``baseline``, by label.

    The baseline has to be chosen before the values are seen. Taking the best set as baseline, or the worst, makes
    every p too small.

    Raises:
        InputError: there is no set called ``baseline``.
    """
    panel.row(baseline)
    comparisons = panel.others(baseline)
    tests = sign_flips(comparisons, effort)
    by_holm = holm({label: test.p for label, test in tests.items()})
    by_max = max_t(panel, baseline, effort).adjusted
    spans: Mapping[str, Interval] = (
        {label: interval(d, resamples=resamples, seed=effort.seed) for label, d in comparisons.items()}
        if intervals
        else {}
    )
    return {
        label: Comparison(
            differences=differences,
            test=tests[label],
            holm=by_holm[label],
            max_t=by_max[label],
            interval=spans.get(label),
            power=power(differences, alpha=alpha),
            verdict=verdict(differences, tests[label].p, adjusted=by_max[label], alpha=alpha, effort=effort),
        )
        for label, differences in comparisons.items()
    }
