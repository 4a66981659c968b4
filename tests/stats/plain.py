"""The slow, obvious way to compute what ``harness.stats`` computes, and generated inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from harness.scoring.measures.discount import SCALE, discounts
from harness.stats import Differences, Panel, align

NEAR = Fraction(1, 10**12)


def numbered(values: Sequence[Fraction | int]) -> dict[str, Fraction]:
    return {f"q{place:03d}": Fraction(value) for place, value in enumerate(values)}


def of(*values: Fraction | int) -> Differences:
    return Differences.of(numbered(values))


def panel(*rows: Sequence[Fraction | int]) -> Panel:
    """The first row is called base, the others s1, s2, …"""
    return align({"base" if not place else f"s{place}": numbered(row) for place, row in enumerate(rows)})


def brute_p(values: Sequence[Fraction | int], near: Fraction = NEAR) -> Fraction:
    """Try all 2^n sign patterns; sums within ``near`` of each other are equal."""
    seen = abs(sum(values)) - near
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True))) for signs in product((1, -1), repeat=len(values))
    ]
    return Fraction(sum(found >= seen for found in sums), len(sums))


NDCG = [Fraction(0), *(Fraction(factor, SCALE) for factor in discounts(10)[:10])]
RR = [Fraction(0), *(Fraction(1, rank) for rank in range(1, 11))]
HIT = [Fraction(0), Fraction(1)]


def differences(longest: int = 10) -> st.SearchStrategy[list[Fraction]]:
    """Differences as they come up: of hits, of reciprocal ranks, of nDCG, of anything."""
    kinds = [
        st.tuples(st.sampled_from(levels), st.sampled_from(levels)).map(lambda pair: pair[0] - pair[1])
        for levels in (HIT, RR, NDCG)
    ]
    anything = st.fractions(min_value=-1, max_value=1, max_denominator=50)
    return st.one_of([st.lists(kind, min_size=1, max_size=longest) for kind in (*kinds, anything)])
