"""The measures once more, in floats and by enumeration, sharing no code with the core."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

Grades = Mapping[str, int]


def plain(name: str, grades: Grades, ranking: Sequence[str], k: int, threshold: int) -> float | None:
    """Return a document measure for exhaustive judgments; None without a relevant document."""
    relevant = {document for document, grade in grades.items() if grade >= threshold}
    if not relevant:
        return None
    found = [document in relevant for document in ranking]
    places = [place for place in range(min(k, len(ranking))) if found[place]]
    values: dict[str, Callable[[], float]] = {
        "recall": lambda: len(relevant & set(ranking[:k])) / len(relevant),
        "hit": lambda: float(any(found[:k])),
        "precision": lambda: sum(found[:k]) / k,
        "rr": lambda: max([1 / (place + 1) for place in places], default=0.0),
        "r_precision": lambda: sum(found[: len(relevant)]) / len(relevant),
        "ap": lambda: sum(sum(found[: place + 1]) / (place + 1) for place in places) / len(relevant),
        "ndcg": lambda: _dcg(grades, ranking, k) / max(_dcg(grades, o, k) for o in permutations(grades)),
    }
    return values[name]()


def plain_chunks(name: str, grades: Grades, documents: Sequence[str], k: int, threshold: int) -> float | None:
    """Return a chunk measure; ``documents`` holds the document of each chunk in rank order."""
    relevant = {document for document, grade in grades.items() if grade >= threshold}
    if not relevant:
        return None
    ranks = [rank for rank, document in enumerate(documents, start=1) if document in relevant]
    if name == "chunk_hit":
        return float(min(ranks, default=k + 1) <= k)
    if name == "chunk_rr":
        return 1 / ranks[0] if ranks and ranks[0] <= k else 0.0
    assert name == "chunk_ndcg_retrieved"
    best = max(_dcg(grades, order, k) for order in permutations(documents))
    return _dcg(grades, documents, k) / best if best else 0.0


def _dcg(grades: Grades, ranking: Sequence[str], k: int) -> float:
    gains = [max(0, grades.get(document, 0)) for document in ranking[:k]]
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
