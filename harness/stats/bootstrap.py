"""Bootstrap interval of a mean difference: which values would other questions like these have given?"""

from __future__ import annotations

from dataclasses import dataclass

from harness.stats.panel import Differences

RESAMPLES = 9_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval of the mean difference.

    Attributes:
        low: lower end; None when resampling can't tell.
        high: upper end; None when ``low`` is.
        confidence: share of such intervals that are meant to hold the true mean difference.
        resamples: number of resamples.
    """

    low: float | None
    high: float | None
    confidence: float
    resamples: int


def interval(
    differences: Differences, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 1
) -> Interval:
    """Return the percentile bootstrap interval of the mean difference: questions are drawn with replacement.

    Differences that are all alike (all 0 among them) resample to themselves. A width of 0 would claim certainty, so
    there is no interval then.

    Percentiles and not BCa: where most questions don't change, BCa covers less, and it has no value at all for some
    inputs. With few changed questions any of them is too narrow; ``docs/statistics.md`` has the coverage.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13; computed by
    scipy.stats.bootstrap.
    """
    if len(set(differences.units)) == 1:
        return Interval(low=None, high=None, confidence=confidence, resamples=resamples)
    import numpy as np
    from scipy import stats

    floats = np.array([unit / differences.denominator for unit in differences.units])
    found = stats.bootstrap(
        (floats,),
        np.mean,
        confidence_level=confidence,
        n_resamples=resamples,
        method="percentile",
        vectorized=True,
        rng=np.random.Generator(np.random.PCG64(seed)),
    ).confidence_interval
    return Interval(low=float(found.low), high=float(found.high), confidence=confidence, resamples=resamples)
