"""The paired tests beside scipy's: ``python -m tests.benchmarks.stats`` writes ``stats``.

225 parameter sets against a baseline on 300 questions, one thread. scipy.stats.permutation_test is used as well as it
can be: one-sample differences (``permutation_type="samples"``), vectorized, all sets in one call so that they share
the signs, 9,999 resamples, the best of a few batch sizes. (A few sets a call would make it look several times
slower.) The drawn p of this product use 16,384 patterns. Sides take turns in one run, medians of processor time are
reported; a number such as ``exact_vs_scipy`` says how many times faster this product's p-values of all sets are.
Values are compared first.

Then simulations: do intervals cover, does max-T keep its error rate, is the power that is promised there?
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from threadpoolctl import threadpool_limits

from harness.scoring.measures.discount import SCALE, discounts
from harness.stats import (
    Differences,
    Effort,
    Method,
    Panel,
    align,
    attribute,
    compare,
    exact_p,
    interval,
    max_t,
    sampled_p,
)
from harness.stats.signflip import forget, sign_flips
from tests.benchmarks.results import write_section
from tests.benchmarks.stats_simulations import ROUNDS, simulations

SETS, QUESTIONS, RESAMPLES = 225, 300, 9_999
BATCHES = (25, 50, 100, 200)

LEVELS = {
    "hit": [Fraction(0), Fraction(1)],
    "rr": [Fraction(0), *(Fraction(1, rank) for rank in range(1, 11))],
    "ndcg": [Fraction(0), *(Fraction(factor, SCALE) for factor in discounts(10)[:10])],
}


def take_turns(sides: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the median seconds of processor time of each side; they run one after the other in each round.

    Everything here has one thread, so processor time is wall-clock time on an idle machine, and on a busy one it is
    what the work itself takes.
    """
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, work in sides.items():
            started = time.process_time()
            work()
            seconds[name].append(time.process_time() - started)
    return {name: statistics.median(found) for name, found in seconds.items()}


def world(levels: Sequence[Fraction], sets: int, seed: int = 1, changed: float = 0.5) -> Panel:
    """The baseline and sets that give half of the questions another value, drawn evenly from ``levels``."""
    chance = random.Random(seed)
    base = [chance.choice(levels) for _ in range(QUESTIONS)]
    rows = [base] + [[chance.choice(levels) if chance.random() < changed else v for v in base] for _ in range(sets)]
    return align({f"s{s}": {f"q{q}": value for q, value in enumerate(row)} for s, row in enumerate(rows)})


def floats(comparisons: dict[str, Differences]) -> NDArray[np.float64]:
    """Return differences as scipy is given them: shape (sets, questions)."""
    return np.array([[unit / d.denominator for unit in d.units] for d in comparisons.values()])


def scipy_p(differences: NDArray[np.float64], batch: int) -> NDArray[np.float64]:
    """Return two-sided p of several sets in one call."""

    def total(sample: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return sample.sum(axis=axis)

    found: NDArray[np.float64] = stats.permutation_test(
        (differences,),
        total,
        permutation_type="samples",
        vectorized=True,
        axis=-1,
        batch=batch,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(1),
    ).pvalue
    return found


def fresh(work: Callable[[], Any]) -> Callable[[], Any]:
    """Return the same work without what was computed before."""

    def run() -> Any:
        forget()
        return work()

    return run


def agree(comparisons: dict[str, Differences]) -> None:
    """Stop unless counted, drawn and scipy's p lie as near to each other as drawing allows."""
    counted = [float(p) for d in comparisons.values() if (p := exact_p(d)) is not None]
    drawn = [float(p) for p in sampled_p(comparisons).values()]
    assert len(counted) == len(drawn) == len(comparisons)
    for others in (drawn, scipy_p(floats(comparisons), BATCHES[0])):
        assert max(abs(a - b) for a, b in zip(others, counted, strict=True)) < 5 * 0.5 / RESAMPLES**0.5


def timings(sets: int) -> dict[str, Any]:
    """All sets against the baseline, every way."""
    panels = {name: world(levels, sets) for name, levels in LEVELS.items()}
    rr, hit, ndcg = (panels[name].others("s0") for name in ("rr", "hit", "ndcg"))
    agree(rr)
    given = floats(rr)
    batch = min(BATCHES, key=lambda size: take_turns({"": lambda: scipy_p(given, size)}, 1)[""])
    found = take_turns(
        {
            "scipy": lambda: scipy_p(given, batch),
            "mc": lambda: sampled_p(rr),
            "mc_ndcg": lambda: sampled_p(ndcg),
            "exact": fresh(lambda: [exact_p(d) for d in rr.values()]),
            "hit": fresh(lambda: [exact_p(d) for d in hit.values()]),
            "max_t": lambda: max_t(panels["rr"], "s0"),
            "compare": fresh(lambda: compare(panels["ndcg"], "s0", intervals=False)),
            "interval": lambda: interval(rr["s1"]),
        },
        rounds=5,
    )
    whole = found["scipy"]
    return {
        "mc_vs_scipy": whole / found["mc"],
        "exact_vs_scipy": whole / found["exact"],
        "mc_ndcg_vs_scipy": whole / found["mc_ndcg"],
        "max_t_vs_scipy": whole / found["max_t"],
        "scipy_s": whole,
        "scipy_batch": batch,
        "mc_s": found["mc"],
        "mc_ndcg_s": found["mc_ndcg"],
        "exact_rr_s": found["exact"],
        "exact_hit_fractions_s": found["hit"],
        "max_t_s": found["max_t"],
        "compare_ndcg_without_intervals_s": found["compare"],
        "one_interval_s": found["interval"],
        "mc_peak_mb": peak(lambda: sampled_p(rr)),
        "max_t_peak_mb": peak(lambda: max_t(panels["rr"], "s0")),
        "exact_peak_mb": peak(fresh(lambda: [exact_p(d) for d in rr.values()])),
        "methods": {name: methods(panel) for name, panel in panels.items()},
        "exact_largest_relative_error": largest_error(rr),
        "effects_s": effects(panels["rr"]),
    }


def methods(panel: Panel) -> dict[str, int]:
    """Return how many p-values were found which way."""
    found = [test.method for test in sign_flips(panel.others("s0")).values()]
    return {method.value: found.count(method) for method in Method if method in found}


def largest_error(comparisons: dict[str, Differences], count: int = 10) -> float:
    """Return the largest relative error of float64 against fractions, over a few sets."""
    unbounded = Effort(bits=sys.maxsize)
    errors = []
    for differences in list(comparisons.values())[:count]:
        exact, rounded = exact_p(differences, unbounded), exact_p(differences)
        assert isinstance(exact, Fraction)
        assert isinstance(rounded, float)
        errors.append(float(abs(Fraction(rounded) - exact) / exact))
    return max(errors)


def effects(panel: Panel) -> float:
    """Return the seconds that all effects of a grid of 3 × 5 × 5 × 3 take."""
    places = [(a, b, c, d) for a in range(3) for b in range(5) for c in range(5) for d in range(3)][
        : len(panel.sets) - 1
    ]
    names = ("a", "b", "c", "d")
    parameters = {f"s{n + 1}": dict(zip(names, place, strict=True)) for n, place in enumerate(places)}
    grid = Panel(sets=panel.sets[1:], queries=panel.queries, units=panel.units[1:], denominator=panel.denominator)
    return take_turns({"": lambda: attribute(grid, parameters)}, 3)[""]


def peak(work: Callable[[], Any]) -> float:
    """Return the most memory in MB that the work holds at a time beyond its input."""
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 1e6


def main() -> None:
    """Measure, print, and write ``build/bench.json``."""
    small = "--small" in sys.argv
    with threadpool_limits(1):
        write_section("stats", {**timings(3 if small else SETS), "simulations": simulations(5 if small else ROUNDS)})


if __name__ == "__main__":
    main()
