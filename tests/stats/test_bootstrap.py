"""The interval is scipy's, and says when resampling can't tell."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats as scipy_stats

from harness.stats import interval, intervals
from tests.stats.plain import RR, of


def test_it_is_what_scipy_gives_and_the_same_each_time() -> None:
    chance = random.Random(1)
    values = [chance.choice(RR) - chance.choice(RR) for _ in range(40)]
    found = interval(of(*values), resamples=999, seed=3)
    theirs = scipy_stats.bootstrap(
        (np.array([float(v) for v in values]),),
        np.mean,
        n_resamples=999,
        method="percentile",
        rng=np.random.Generator(np.random.PCG64(3)),
    ).confidence_interval
    assert (found.low, found.high) == (theirs.low, theirs.high)
    assert found == interval(of(*values), resamples=999, seed=3)
    assert found.low is not None
    assert found.high is not None
    assert found.low < float(of(*values).mean) < found.high


@pytest.mark.parametrize("values", [[0, 0, 0], [Fraction(1, 3)] * 5, [1]])
def test_equal_differences_claim_no_certainty(values: list[Fraction]) -> None:
    found = interval(of(*values))
    assert (found.low, found.high) == (None, None)


def test_a_higher_confidence_is_wider() -> None:
    values = of(1, 0, 0, 0, Fraction(1, 2), Fraction(-1, 3), 0, 1, 0, 0)
    wide, narrow = interval(values, confidence=0.99, resamples=999), interval(values, confidence=0.8, resamples=999)
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


@pytest.mark.parametrize("resamples", [999, 4_000])
def test_many_at_once_are_the_same_intervals(resamples: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the draws come in several blocks."""
    monkeypatch.setattr("harness.stats.bootstrap._CELLS", 40 * 1_500)
    chance = random.Random(2)
    given_ = {f"s{place}": of(*(chance.choice(RR) - chance.choice(RR) for _ in range(40))) for place in range(5)} | {
        "constant": of(*[Fraction(1, 3)] * 40)
    }
    found = intervals(given_, resamples=resamples, seed=3)
    assert list(found) == list(given_)
    for label, differences in given_.items():
        alone = interval(differences, resamples=resamples, seed=3)
        assert (found[label].low, found[label].high) == (pytest.approx(alone.low), pytest.approx(alone.high))
        assert (found[label].confidence, found[label].resamples) == (alone.confidence, alone.resamples)
