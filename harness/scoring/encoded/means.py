"""Which sum computes which measure; what has none goes row by row through the measure's own function."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from harness.scoring.encoded import sums
from harness.scoring.encoded.hits import Hits, find_hits
from harness.scoring.encoded.rows import bounds_by_rows, mean_by_rows, row_kinds
from harness.scoring.encoded.runs import EncodedRuns
from harness.scoring.encoded.sums import Means
from harness.scoring.measures.measure import NamedMeasure

_CELLS_AT_ONCE = 1 << 18

_SUMS: dict[str, sums.Sums] = {
    "recall": sums.recall_means,
    "precision": sums.precision_means,
    "hit": sums.hit_means,
    "rr": sums.rr_means,
    "ap": sums.ap_means,
    "ndcg": sums.ndcg_means,
    "judged": sums.judged_means,
    "chunk_hit": sums.hit_means,
    "chunk_rr": sums.rr_means,
}
_LOOKS_NO_FURTHER = {"recall", "rr", "ndcg"}


def all_means(runs: EncodedRuns, measures: Sequence[NamedMeasure]) -> list[dict[str, Fraction | None]]:
    """Return name → mean for each run, some runs at a time so that the work stays in fast memory."""
    depth = _depth(runs, measures)
    step = max(1, _CELLS_AT_ONCE // max(1, depth * runs.cells.shape[2]))
    result: list[dict[str, Fraction | None]] = []
    for start in range(0, len(runs), step):
        result += _means(runs, start, min(start + step, len(runs)), depth, measures)
    return result


def means_of_one(runs: EncodedRuns, place: int, measures: Sequence[NamedMeasure]) -> dict[str, Fraction | None]:
    """Return name → mean for one of the runs."""
    return _means(runs, place, place + 1, _depth(runs, measures), measures)[0]


def bounds(runs: EncodedRuns, place: int, measures: Sequence[NamedMeasure]) -> dict[str, tuple[Fraction | None, ...]]:
    """Return name → means of the lower and the upper bound of one run, for the measures that have bounds."""
    bounded = [measure for measure in measures if measure.measure.bounds is not None]
    cuts = [measure.cutoff for measure in bounded if measure.cutoff is not None]
    hits = find_hits(runs, place, place + 1, min(runs.cells.shape[0], max(cuts, default=0)))
    found: dict[str, tuple[Fraction | None, ...]] = {}
    for measure in bounded:
        name, cutoff = measure.measure.name, measure.cutoff
        if name in ("recall", "rr") and cutoff is not None:
            low = _SUMS[name](hits, [cutoff])
            high = (sums.recall_upper if name == "recall" else sums.rr_upper)(hits, cutoff)
            found[str(measure)] = (low[cutoff][0] if low else None, high)
        else:
            found[str(measure)] = bounds_by_rows(runs, place, measure, cutoff if name in _LOOKS_NO_FURTHER else None)
    return found


def _means(
    runs: EncodedRuns, start: int, stop: int, depth: int, measures: Sequence[NamedMeasure]
) -> list[dict[str, Fraction | None]]:
    returned = find_hits(runs, start, stop, depth)
    scored = returned.condensed() if _condenses(runs) else returned
    cutoffs: dict[str, set[int]] = {}
    for measure in measures:
        cutoffs.setdefault(measure.measure.name, set()).add(measure.cutoff or 0)
    table: dict[tuple[str, int], Means] = {}
    for name, wanted in cutoffs.items():
        found = _by_sum(name, returned if name == "judged" else scored, sorted(wanted))
        table |= {(name, k): means for k, means in (found or {}).items()}
    result: list[dict[str, Fraction | None]] = [{} for _ in range(start, stop)]
    by_rows = any((each.measure.name, each.cutoff or 0) not in table for each in measures)
    kinds = [row_kinds(runs, place) for place in range(start, stop)] if by_rows else []
    for measure in measures:
        means, name = table.get((measure.measure.name, measure.cutoff or 0)), str(measure)
        for at, row in enumerate(result):
            row[name] = means[at] if means is not None else mean_by_rows(runs, kinds[at], measure)
    return result


def _by_sum(name: str, hits: Hits, cutoffs: list[int]) -> dict[int, Means] | None:
    if name == "r_precision":
        return {0: sums.r_precision_means(hits)}
    return _SUMS[name](hits, cutoffs) if name in _SUMS else None


def _condenses(runs: EncodedRuns) -> bool:
    judgments = runs.judgments
    return judgments.conventions.unjudged == "condense" and not judgments.judgments.exhaustive


def _depth(runs: EncodedRuns, measures: Sequence[NamedMeasure]) -> int:
    """Return how many ranks the measures look at."""
    width: int = runs.cells.shape[0]
    if _condenses(runs):
        return width
    deepest = int(runs.judgments.relevant.max())
    return min(width, max((deepest if each.cutoff is None else each.cutoff for each in measures), default=0))
