"""Reciprocal rank fusion with exact scores.

Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
SIGIR 2009: a chunk's score is the sum over routes of weight / (k + rank).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from harness.records import Leg

ROUTE_ORDER = ("vector", "bm25")
"""Routes in the order that breaks ties."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """A chunk after fusion.

    Attributes:
        position: its place in the index.
        score: sum of its contributions.
        ranks: route → 1-based rank in that route's leg.
    """

    position: int
    score: Fraction
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rrf:
    """Reciprocal rank fusion.

    Attributes:
        k: added to every rank; at least 1.
        weights: route → weight, 1 where absent; decimal numbers mean exactly what is written.
    """

    k: int = 60
    weights: Mapping[str, Fraction] = field(default_factory=dict)

    def contribution(self, route: str, rank: int) -> Fraction:
        """Return what a place in one route adds: weight / (k + rank)."""
        return self.weights.get(route, Fraction(1)) / (self.k + rank)

    def fuse(self, legs: Mapping[str, Leg]) -> list[Fused]:
        """Merge legs that are already cut to ``fetch_k``.

        Order: score descending; ties go to the better best single-route rank, then to the chunk whose best rank is
        the vector route's, then to the earlier chunk of the index.
        """
        ranks: dict[int, dict[str, int]] = {}
        for route in ROUTE_ORDER:
            for rank, position in enumerate(legs[route].positions if route in legs else (), start=1):
                ranks.setdefault(position, {})[route] = rank
        depth = max((len(leg.positions) for leg in legs.values()), default=0)
        weights = tuple(self.weights.get(route, Fraction(1)) for route in ROUTE_ORDER)
        shares, whole = integer_shares(self.k, weights, depth)
        scored = [
            (sum(shares[route][rank] for route, rank in held.items()), position, held)
            for position, held in ranks.items()
        ]
        scored.sort(key=lambda entry: (-entry[0], *_tie(entry[2]), entry[1]))
        return [Fused(position=position, score=Fraction(total, whole), ranks=held) for total, position, held in scored]


@lru_cache(maxsize=256)
def integer_shares(k: int, weights: tuple[Fraction, ...], depth: int) -> tuple[Mapping[str, tuple[int, ...]], int]:
    """Return each route's contribution by rank (index 0 unused) as integers over one common denominator."""
    scale = math.lcm(*(weight.denominator for weight in weights))
    whole = scale * math.lcm(1, *range(k + 1, k + depth + 1))
    shares = {
        route: (0, *(int(weight * whole) // (k + rank) for rank in range(1, depth + 1)))
        for route, weight in zip(ROUTE_ORDER, weights, strict=True)
    }
    return shares, whole


def _tie(ranks: Mapping[str, int]) -> tuple[int, int]:
    best = min(ranks.values())
    return best, next(place for place, route in enumerate(ROUTE_ORDER) if ranks.get(route) == best)
