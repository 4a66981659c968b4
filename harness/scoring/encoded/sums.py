"""Means of whole runs from integer counts: one exact division per run and measure, none per query.

Queries that share a denominator (the number of relevant documents, the ideal DCG) form a group. Within a group
numerators are whole numbers and are added by numpy; the groups meet over their common denominator in Python
integers, which have no limit. Every sum is checked beforehand to fit what it is held in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import Any

from harness.scoring.encoded.hits import NEVER, Hits
from harness.scoring.measures.discount import SCALE, discounts

Means = list[Fraction | None]
Sums = Callable[[Hits, Sequence[int]], dict[int, Means] | None]

_INT64 = 1 << 62
_FLOAT64 = 1 << 53
_LIMB = 20
_LIMBS = 3
assert SCALE < 1 << (_LIMB * _LIMBS)


def recall_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean of recall@k of each run, for every cutoff: hits by number of relevant documents."""
    counts = _relevant_counts(hits, cutoffs)
    sizes, _ = hits.judgments.relevant_groups
    return {k: _grouped_means(hits, counts[at], sizes) for at, k in enumerate(cutoffs)}


def precision_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean of precision@k of each run: all hits ÷ (k · eligible queries)."""
    counts = _relevant_counts(hits, cutoffs).sum(axis=-1).tolist()
    return {k: [_mean(hits, found, k) for found in counts[at]] for at, k in enumerate(cutoffs)}


def r_precision_means(hits: Hits) -> Means:
    """Return the mean of r_precision of each run: hits within the query's own cutoff."""
    import numpy as np

    sizes, group = hits.judgments.relevant_groups
    relevant = hits.relevant
    inside = relevant.where(relevant.rank < hits.judgments.relevant[relevant.query])
    counts = np.bincount(inside.bins(group, len(sizes)), minlength=hits.runs * len(sizes))
    return _grouped_means(hits, counts.reshape(hits.runs, len(sizes)), sizes)


def hit_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean of hit@k of each run: rows whose first relevant document stands in the top k."""
    depth = _depth(hits, cutoffs)
    firsts = count_ranks(hits, hits.relevant.first_rank, depth).cumsum(axis=1).tolist()
    return {k: [_mean(hits, row[min(k, depth) - 1], 1) for row in firsts] for k in cutoffs}


def rr_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean of rr@k of each run: rows by first relevant rank, over the common multiple of the ranks."""
    return rank_means(hits, count_ranks(hits, hits.relevant.first_rank, _depth(hits, cutoffs)), cutoffs)


def rank_means(hits: Hits, firsts: Any, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean reciprocal of counted ranks; ``firsts`` (r, depth) counts rows by 0-based rank."""
    common, weights = _shares(range(1, firsts.shape[1] + 1))
    result: dict[int, Means] = {}
    for k in cutoffs:
        sums = _weighted(firsts[:, :k], weights[:k], hits.queries)
        result[k] = [_mean(hits, total, common) for total in sums]
    return result


def ap_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean of ap@k of each run: by rank and number of relevant documents, place in order ÷ rank."""
    import numpy as np

    sizes, group = hits.judgments.relevant_groups
    depth, width = _depth(hits, cutoffs), len(sizes)
    relevant = hits.relevant.where(hits.relevant.rank < depth)
    cell = relevant.rank * (hits.runs * width) + relevant.bins(group, width)
    place = relevant.ordinal + 1
    sums = np.bincount(cell, weights=place, minlength=hits.runs * depth * width).astype(np.int64)
    common, shares = _shares(sizes)
    by_run = sums.reshape(depth, hits.runs, width).transpose(1, 0, 2)
    per_rank = [_weighted(run, shares, hits.queries * depth) for run in by_run]
    ranks, weights = _shares(range(1, depth + 1))
    totals = {k: [sum(map(mul, run[:k], weights)) for run in per_rank] for k in cutoffs}
    return {k: [_mean(hits, total, common * ranks) for total in found] for k, found in totals.items()}


def ndcg_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means] | None:
    """Return the mean of ndcg@k of each run: gains by rank and ideal DCG, times discounts in three limbs of 20 bits.

    None when the grades are so large that a limb's sum would not be exact in a double.
    """
    import numpy as np

    judgments = hits.judgments
    gain_of = [grade if grade is not None and grade > 0 else 0 for grade in judgments.grades]
    depth = _depth(hits, cutoffs)
    if max(gain_of) * depth * hits.queries << _LIMB >= _FLOAT64:
        return None
    seen = hits.relevant
    if judgments.first_gain < judgments.first_relevant:
        seen = hits.where(judgments.eligible[hits.query] & (hits.code >= judgments.first_gain))
    gains = np.array(gain_of)[seen.code] if max(gain_of) > 1 else None
    return {k: _ndcg_at(hits, seen, gains, min(depth, k), k) for k in cutoffs}


def _ndcg_at(hits: Hits, seen: Hits, gains: Any, depth: int, k: int) -> Means:
    """Return ndcg@k; ``depth`` is how many ranks can matter."""
    import numpy as np

    ideals, group = hits.judgments.ideal_groups(k)
    size = hits.runs * len(ideals)
    cell = seen.rank * size + seen.bins(group, len(ideals))
    counts = np.bincount(cell, weights=gains, minlength=depth * size)[: depth * size].reshape(depth, size)
    limbs = (_limb_table(depth) @ counts).astype(np.int64).T.tolist()
    common, shares = _shares(ideals)
    means: Means = []
    for at in range(0, size, len(ideals)):
        sums = zip(limbs[at : at + len(ideals)], shares, strict=True)
        total = sum([(a + (b << _LIMB) + (c << 2 * _LIMB)) * share for (a, b, c), share in sums if a or b or c])
        means.append(_mean(hits, total, common))
    return means


def judged_means(hits: Hits, cutoffs: Sequence[int]) -> dict[int, Means]:
    """Return the mean of judged@k of each run over all queries with a ranking; ``hits`` as returned."""
    import numpy as np

    answered = (hits.lengths > 0).sum(axis=1).tolist()
    result: dict[int, Means] = {}
    for k in cutoffs:
        looked = np.minimum(hits.lengths, k)
        sizes, group = np.unique(looked, return_inverse=True)
        cells = group.ravel() + np.repeat(np.arange(hits.runs) * len(sizes), hits.queries)
        unjudged = 0 if hits.judgments.judgments.exhaustive else unjudged_counts(hits, k)
        judged = looked.ravel() - unjudged
        sums = np.bincount(cells, weights=judged, minlength=hits.runs * len(sizes)).astype(np.int64)
        common, weights = _shares(sizes.tolist())
        totals = _weighted(sums.reshape(hits.runs, len(sizes)), weights, hits.queries * k)
        result[k] = [Fraction(t, common * n) if n else None for t, n in zip(totals, answered, strict=True)]
    return result


def recall_upper(hits: Hits, cutoff: int) -> Fraction | None:
    """Return the mean of (h + u)/(R + u) of one run, with h hits and u unjudged documents in the top k."""
    import numpy as np

    unjudged = unjudged_counts(hits, cutoff)
    relevant = hits.relevant
    found = np.bincount(relevant.row[relevant.rank < cutoff], minlength=unjudged.size) + unjudged
    kept = hits.judgments.eligible
    sizes, group = np.unique((hits.judgments.relevant + unjudged)[kept], return_inverse=True)
    sums = np.bincount(group, weights=found[kept], minlength=len(sizes)).astype(np.int64)
    common, weights = _shares(sizes.tolist())
    return _mean(hits, _weighted(sums[None], weights, hits.queries * max(hits.depth, 1))[0], common)


def rr_upper(hits: Hits, cutoff: int) -> Fraction | None:
    """Return the mean reciprocal rank of one run when every unjudged document in the top k is relevant."""
    import numpy as np

    depth = _depth(hits, [cutoff])
    judged = np.zeros((hits.queries, depth), dtype=np.bool_)
    seen = hits.rank < depth
    judged[hits.row[seen], hits.rank[seen]] = True
    judged |= np.arange(depth) >= hits.lengths.reshape(-1, 1)
    first_unjudged = np.where(judged.all(axis=1), NEVER, (~judged).argmax(axis=1))
    ranks = np.where(hits.judgments.eligible, np.minimum(hits.relevant.first_rank, first_unjudged), NEVER)
    return rank_means(hits, count_ranks(hits, ranks, depth), [cutoff])[cutoff][0]


def unjudged_counts(hits: Hits, cutoff: int) -> Any:
    """Return (r · q) unjudged items in the top k of each row; ``hits`` holds every judged one, as returned."""
    import numpy as np

    looked = np.minimum(hits.lengths, cutoff).ravel()
    return looked - np.bincount(hits.row[hits.rank < cutoff], minlength=looked.size)


def _relevant_counts(hits: Hits, cutoffs: Sequence[int]) -> Any:
    """Return (cutoffs, r, groups): relevant documents in the top k, by number of relevant documents."""
    import numpy as np

    sizes, group = hits.judgments.relevant_groups
    relevant, shape = hits.relevant, (len(cutoffs) + 1, hits.runs, len(sizes))
    cell = relevant.bins(group, len(sizes))
    if cutoffs[0] < hits.depth:
        bands = np.searchsorted(np.array(cutoffs), np.arange(hits.depth), side="right") * math.prod(shape[1:])
        cell = cell + bands.take(relevant.rank, mode="clip")
    return np.bincount(cell, minlength=math.prod(shape)).reshape(shape).cumsum(axis=0)[:-1]


def count_ranks(hits: Hits, ranks: Any, most: int) -> Any:
    """Return (r, most): rows by the 0-based rank given for each, ranks of ``most`` and beyond left out."""
    import numpy as np

    run = np.repeat(np.arange(hits.runs), hits.queries)
    cell = run * (most + 1) + np.minimum(ranks, most)
    return np.bincount(cell, minlength=hits.runs * (most + 1)).reshape(hits.runs, most + 1)[:, :most]


def _grouped_means(hits: Hits, counts: Any, sizes: Sequence[int]) -> Means:
    common, weights = _shares(sizes)
    return [_mean(hits, total, common) for total in _weighted(counts, weights, hits.queries * max(hits.depth, 1))]


def _weighted(counts: Any, weights: Sequence[int], most: int) -> list[int]:
    """Return ``counts @ weights`` per run, in int64 when the largest possible sum fits."""
    import numpy as np

    if max(weights, default=0) * most < _INT64:
        sums: list[int] = (counts @ np.array(weights, dtype=np.int64)).tolist()
        return sums
    return [sum(c * w for c, w in zip(row, weights, strict=True) if c) for row in counts.tolist()]


def _shares(sizes: Sequence[int]) -> tuple[int, list[int]]:
    """Return a common multiple of the sizes and how often each goes into it; a size of 0 has no share."""
    common = math.lcm(*(size for size in sizes if size))
    return common, [common // size if size else 0 for size in sizes]


def _depth(hits: Hits, cutoffs: Sequence[int]) -> int:
    """Return how many ranks can matter, at least one."""
    return max(min(hits.depth, max(cutoffs)), 1)


def _mean(hits: Hits, total: int, denominator: int) -> Fraction | None:
    eligible = hits.judgments.eligible_queries
    return Fraction(total, denominator * eligible) if eligible else None


@lru_cache(maxsize=32)
def _limb_table(depth: int) -> Any:
    """Return (limbs, depth): the discounts in pieces of 20 bits, lowest first."""
    import numpy as np

    return np.array([_limbs(factor) for factor in discounts(depth)[:depth]], dtype=np.float64).T.copy()


def _limbs(factor: int) -> list[int]:
    return [(factor >> (_LIMB * place)) & ((1 << _LIMB) - 1) for place in range(_LIMBS)]
