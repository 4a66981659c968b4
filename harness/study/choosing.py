"""The rules by which a parameter set is chosen. All are exact, and all end in the order of the grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from harness.errors import InputError
from harness.retrieval import MODES
from harness.summary import SetSummary

Scored = tuple[Fraction, SetSummary]


def choose(rule: str, measure: str, sets: Sequence[SetSummary]) -> SetSummary:
    """Return the set that a rule chooses.

    Args:
        rule: a key of ``RULES``.
        measure: name of the mean that counts.
        sets: all sets of the grid, scored on one split.

    Raises:
        InputError: the mean is undefined for every set.
    """
    ordered = sorted(sets, key=lambda summary: summary.place)
    scored = [(value, summary) for summary in ordered if (value := summary.means[measure]) is not None]
    if not scored:
        raise InputError(f"selection.measure: {measure} is undefined for every parameter set; choose by another mean")
    return RULES[rule](scored)


def _best(scored: Sequence[Scored]) -> SetSummary:
    return max(scored, key=lambda one: one[0])[1]


def _simplest_within_one_question(scored: Sequence[Scored]) -> SetSummary:
    highest = max(value for value, _ in scored)
    near = [summary for value, summary in scored if (highest - value) * summary.eligible <= 1]
    return min(near, key=_cost)


def _cost(summary: SetSummary) -> tuple[int, ...]:
    """Return what orders sets by the work of one search (see ``docs/config.md``)."""
    reranked, fetched, handed = (_count(summary, name) for name in ("rerank.depth", "fetch_k", "top_k"))
    return reranked, list(MODES).index(str(summary.parameters["mode"])), max(fetched, handed), handed


def _count(summary: SetSummary, name: str) -> int:
    value = summary.parameters.get(name)
    return value if isinstance(value, int) else 0


RULES: dict[str, Callable[[Sequence[Scored]], SetSummary]] = {
    "best": _best,
    "simplest-within-one-question": _simplest_within_one_question,
}
"""Name in the config → rule; it is given sets with their means in grid order, and returns the first of equals."""
