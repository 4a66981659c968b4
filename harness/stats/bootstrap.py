"""Bootstrap interval of a mean difference: which values would other questions like these have given?"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

from harness.stats.panel import Differences

RESAMPLES = 9_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval of the mean difference.

    Attributes:
        low: lower end; None when resampling can't tell.
        high: upper end; None when ``low`` is.
        confidence: share of such intervals that are meant to hold the true mean difference.
        method: ``BCa``, or ``percentile`` where BCa has no value.
        resamples: number of resamples.
        why: why there is no interval, or why the method isn't BCa; None when there is nothing to say.
    """

    low: float | None
    high: float | None
    confidence: float
    method: str
    resamples: int
    why: str | None = None


def interval(
    differences: Differences, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 1
) -> Interval:
    """Return the bootstrap interval of the mean difference: questions are drawn with replacement.

    Differences that are all alike (all 0 among them) resample to themselves. A width of 0 would claim certainty, so
    there is no interval then. With few changed questions an interval is too narrow; ``docs/statistics.md`` has the
    coverage.

    Source: Efron, "Better Bootstrap Confidence Intervals", JASA 82(397), 1987; computed by scipy.stats.bootstrap.
    """
    if len(set(differences.units)) == 1:
        why = "all questions differ by the same amount, so resampling them shows no spread"
        return Interval(low=None, high=None, confidence=confidence, method="BCa", resamples=resamples, why=why)
    floats = [unit / differences.denominator for unit in differences.units]
    low, high = _ends(floats, "BCa", confidence, resamples, seed)
    if math.isfinite(low) and math.isfinite(high):
        return Interval(low=low, high=high, confidence=confidence, method="BCa", resamples=resamples)
    low, high = _ends(floats, "percentile", confidence, resamples, seed)
    why = "BCa has no value here, so the plain percentiles are given"
    return Interval(low=low, high=high, confidence=confidence, method="percentile", resamples=resamples, why=why)


def _ends(floats: list[float], method: Any, confidence: float, resamples: int, seed: int) -> tuple[float, float]:
    import numpy as np
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        found = stats.bootstrap(
            (np.array(floats),),
            np.mean,
            confidence_level=confidence,
            n_resamples=resamples,
            method=method,
            vectorized=True,
            rng=np.random.Generator(np.random.PCG64(seed)),
        ).confidence_interval
    return float(found.low), float(found.high)
