"""Simulations behind ``docs/statistics.md``: coverage, error rates, power. Seeds are fixed, so they repeat."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import stats

from harness.stats import (
    Differences,
    Effort,
    Panel,
    align,
    holm,
    interval,
    max_t,
    questions_needed,
    sign_flip,
    sign_flip_all,
)

RR = [Fraction(0), *(Fraction(1, rank) for rank in range(1, 11))]
ALPHA = Fraction(1, 20)
ROUNDS = 1000


def differences(values: Sequence[Fraction]) -> Differences:
    return Differences.of({f"q{place:04d}": value for place, value in enumerate(values)})


def draw(chance: random.Random, questions: int, changed: float, lift: float = 0.0) -> list[Fraction]:
    """Differences of reciprocal ranks: a share ``changed`` is another rank, of these a share ``lift`` a better one."""
    values = []
    for _ in range(questions):
        first, second = chance.choice(RR), chance.choice(RR)
        difference = second - first if chance.random() < changed else Fraction(0)
        values.append(abs(difference) if chance.random() < lift else difference)
    return values


def coverage(questions: int, changed: float, lift: float, rounds: int) -> dict[str, Any]:
    """How often the 95 % interval, and for comparison BCa, holds the mean of what the differences are drawn from."""
    chance = random.Random(11)
    pairs = [b - a for a in RR for b in RR]
    truth = changed * lift * float(sum(abs(d) for d in pairs)) / len(pairs)
    held = bca = known = 0
    for number in range(rounds):
        sample = differences(draw(chance, questions, changed, lift))
        found = interval(sample, resamples=1999, seed=number)
        if found.low is not None and found.high is not None:
            known += 1
            held += found.low <= truth <= found.high
            bca += bca_holds(sample, truth, number)
    return {
        "questions": questions,
        "changed": changed,
        "lift": lift,
        "covered": held / known,
        "covered_by_bca": bca / known,
        "no_interval": 1 - known / rounds,
    }


def bca_holds(sample: Differences, truth: float, seed: int) -> bool:
    """Return whether scipy's own choice of interval holds the true mean."""
    floats = np.array([unit / sample.denominator for unit in sample.units])
    rng = np.random.default_rng(seed)
    low, high = stats.bootstrap((floats,), np.mean, n_resamples=1999, vectorized=True, rng=rng).confidence_interval
    return bool(low <= truth <= high)


def null_study(chance: random.Random, questions: int, sets: int) -> Panel:
    """Sets that are as good as the baseline and hang together: neighbours share most of their differences."""
    rows = {"base": [Fraction(1, 2)] * questions}
    current = draw(chance, questions, 0.3)
    for number in range(sets):
        fresh = draw(chance, questions, 0.3)
        current = [new if chance.random() < 0.3 else old for old, new in zip(current, fresh, strict=True)]
        rows[f"s{number}"] = [Fraction(1, 2) + value / 2 for value in current]
    return align({label: {f"q{q:04d}": v for q, v in enumerate(row)} for label, row in rows.items()})


def familywise(questions: int, sets: int, rounds: int) -> dict[str, Any]:
    """How often any of several sets that are no better comes out at p ≤ 0.05."""
    chance = random.Random(12)
    wrong = dict.fromkeys(("plain", "holm", "max_t", "max_t_single_step"), 0)
    for number in range(rounds):
        panel = null_study(chance, questions, sets)
        effort = Effort(generators=10, seed=number)
        plain = {label: test.p for label, test in sign_flip_all(panel, "base").items()}
        wrong["plain"] += min(plain.values()) <= ALPHA
        wrong["holm"] += min(holm(plain).values()) <= ALPHA
        wrong["max_t"] += min(max_t(panel, "base", effort).adjusted.values()) <= ALPHA
        single = max_t(panel, "base", effort, step_down=False).adjusted
        wrong["max_t_single_step"] += min(single.values()) <= ALPHA
    rates = {name: count / rounds for name, count in wrong.items()}
    return {"questions": questions, "sets": sets, "rounds": rounds, **rates}


def power_held(changed: float, lift: float, rounds: int) -> dict[str, Any]:
    """How often a difference is found with as many questions as ``questions_needed`` asks for; 0.8 is promised.

    The spread and the mean come from 20,000 questions of the same kind.
    """
    chance = random.Random(13)
    many = differences(draw(chance, 20_000, changed, lift))
    needed = questions_needed(many, float(many.mean))
    effort = Effort(generators=10)
    tests = (sign_flip(differences(draw(chance, needed, changed, lift)), effort) for _ in range(rounds))
    found = sum(test.p <= ALPHA and test.mean > 0 for test in tests)
    return {"changed": changed, "lift": lift, "questions": needed, "found": found / rounds}


def simulations(rounds: int) -> dict[str, Any]:
    """All of them; ``rounds`` is how many studies most are made of."""
    return {
        "coverage_of_95_percent_intervals": [
            coverage(questions, changed, lift, rounds)
            for questions, changed, lift in (
                (20, 0.2, 0.0),
                (20, 0.2, 0.5),
                (20, 0.8, 0.5),
                (50, 0.2, 0.5),
                (50, 0.8, 0.5),
                (300, 0.2, 0.5),
            )
        ],
        "any_false_difference_at_5_percent": [
            familywise(20, 10, rounds),
            familywise(60, 30, rounds),
            familywise(200, 30, rounds * 3 // 10),
        ],
        "found_at_80_percent_power": [
            power_held(changed, lift, 2 * rounds)
            for changed, lift in ((0.2, 0.95), (0.2, 0.5), (0.5, 0.9), (0.5, 0.3), (0.9, 0.2))
        ],
    }
