"""Bootstrap interval of a mean difference: which values would other questions like these have given?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.stats.panel import Differences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 9_999

_CELLS = 1 << 22


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


def intervals(
    comparisons: Mapping[str, Differences], *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 1
) -> dict[str, Interval]:
    """Return ``interval`` of each, to the last few bits, in a fraction of the time.

    Each of them draws the same questions anyway. Here they are drawn once, and the means of all are one matrix product.

    Args:
        comparisons: label → differences, all on the same questions.
        confidence: as for ``interval``.
        resamples: as for ``interval``.
        seed: as for ``interval``.
    """
    import numpy as np

    found: dict[str, tuple[float | None, float | None]] = dict.fromkeys(comparisons, (None, None))
    spread = [label for label, differences in comparisons.items() if len(set(differences.units)) > 1]
    if spread:
        held = [comparisons[label] for label in spread]
        columns = np.array([[unit / d.denominator for unit in d.units] for d in held]).T
        means = np.concatenate([counts @ columns for counts in _draws(len(columns), resamples, seed)]) / len(columns)
        tail = 100 * (1 - confidence) / 2
        low, high = np.percentile(means, [tail, 100 - tail], axis=0)
        found |= {label: (float(a), float(b)) for label, a, b in zip(spread, low, high, strict=True)}
    return {
        label: Interval(low=low, high=high, confidence=confidence, resamples=resamples)
        for label, (low, high) in found.items()
    }


def _draws(questions: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield how often each question is drawn, a block of resamples at a time, in the order scipy draws them."""
    import numpy as np

    rng = np.random.Generator(np.random.PCG64(seed))
    block = max(1, _CELLS // questions)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = rng.integers(0, questions, (rows, questions)) + questions * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * questions).reshape(rows, questions).astype(np.float64)
