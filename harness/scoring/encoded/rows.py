"""Rows of an encoded run, computed by the measures themselves; rows that look alike share one computation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from harness.scoring.encoded.judgments import EncodedJudgments
from harness.scoring.encoded.runs import EncodedRuns
from harness.scoring.exact import mean
from harness.scoring.measures.labelled import Judged, LabelledRanking, label, label_chunks
from harness.scoring.measures.measure import NamedMeasure
from harness.scoring.scores import QueryScores, Values

if TYPE_CHECKING:
    from harness.scoring.measures.measure import View

_MOST_REMEMBERED = 1 << 16
_NO_VALUES: Values = {}

Codes = tuple[int, ...]
RowKind = tuple[int, Codes]
Facts = tuple[int, int, int | None, Values, Values, Values]


def row_codes(runs: EncodedRuns, place: int, depth: int | None = None) -> list[Codes]:
    """Return the grade codes of each row, cut at ``depth`` and at the row's own end."""
    block = runs.cells[:depth, place]
    lookup = runs.judgments.lookup
    codes = lookup.spread(lookup.cells(block)).T.tolist()
    ends = runs.lengths[place].tolist()
    return [tuple(row[:end]) for row, end in zip(codes, ends, strict=True)]


def query_scores(runs: EncodedRuns, place: int) -> tuple[QueryScores, ...]:
    """Return what ``score_run`` returns as ``rows``."""
    judgments = runs.judgments
    ideals, missing = judgments.ideal_of.tolist(), runs.missing[place].tolist()
    rows = []
    for at, codes in enumerate(row_codes(runs, place)):
        judged, relevant, first, values, lower, upper = _facts(judgments, runs.view, ideals[at], codes)
        rows.append(
            QueryScores(
                query=judgments.ledger[at],
                missing=missing[at],
                returned=len(codes),
                judged=judged,
                relevant=relevant,
                first_relevant_rank=first,
                values=values,
                lower=lower,
                upper=upper,
            )
        )
    return tuple(rows)


def row_kinds(runs: EncodedRuns, place: int) -> Counter[RowKind]:
    """Return how often each kind of row occurs: the ideal it is held against, and its grades."""
    return Counter(zip(runs.judgments.ideal_of.tolist(), row_codes(runs, place), strict=True))


def mean_by_rows(runs: EncodedRuns, kinds: Counter[RowKind], measure: NamedMeasure) -> Fraction | None:
    """Return a mean by way of the measure's own function, called once per kind of row over all runs."""
    judgments, condense, name = runs.judgments, _condense(runs.judgments), str(measure)
    known: dict[Any, Any] = judgments.memo
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    counts: Counter[Fraction] = Counter()
    for kind, count in kinds.items():
        key = (name, runs.view, kind)
        if key not in known:
            known[key] = measure.value(labelled(judgments, runs.view, *kind, condense=condense))
        if known[key] is not None:
            counts[known[key]] += count
    if not counts:
        return None
    common = math.lcm(*(value.denominator for value in counts))
    total = sum(value.numerator * (common // value.denominator) * count for value, count in counts.items())
    return Fraction(total, common * counts.total())


def bounds_by_rows(
    runs: EncodedRuns, place: int, measure: NamedMeasure, depth: int | None
) -> tuple[Fraction | None, Fraction | None]:
    """Return the means of a measure's bounds; ``depth`` cuts rows for a measure that looks no further."""
    judgments = runs.judgments
    threshold = judgments.conventions.relevance_threshold
    keys = list(zip(judgments.ideal_of.tolist(), row_codes(runs, place, depth), strict=True))
    known: dict[tuple[int, Codes], tuple[Fraction | None, Fraction | None]] = {}
    for key in keys:
        if key not in known:
            found = measure.bounds(labelled(judgments, runs.view, *key, condense=False), threshold)
            known[key] = found if found is not None else (None, None)
    return mean(known[key][0] for key in keys), mean(known[key][1] for key in keys)


def labelled(
    judgments: EncodedJudgments, view: View, ideal: int, codes: Sequence[int], *, condense: bool
) -> LabelledRanking:
    """Return a row as the measures see it."""
    threshold = judgments.conventions.relevance_threshold
    best = judgments.ideals[ideal]
    judged = Judged(grades={}, relevant=sum(grade >= threshold for grade in best), ideal=best)
    grades = [judgments.grades[code] for code in codes]
    make = label if view == "document" else label_chunks
    return make(grades, judged, threshold, condense=condense)


def _condense(judgments: EncodedJudgments) -> bool:
    return judgments.conventions.unjudged == "condense"


def _facts(judgments: EncodedJudgments, view: View, ideal: int, codes: Codes) -> Facts:
    memo: dict[Any, Any] = judgments.memo
    key = (view, ideal, codes)
    if key not in memo:
        if len(memo) >= _MOST_REMEMBERED:
            memo.clear()
        memo[key] = _work_out(judgments, view, ideal, codes)
    found: Facts = memo[key]
    return found


def _work_out(judgments: EncodedJudgments, view: View, ideal: int, codes: Codes) -> Facts:
    conventions = judgments.conventions
    measures = conventions.of_view(view)
    scored = labelled(judgments, view, ideal, codes, condense=_condense(judgments))
    values = {str(measure): measure.value(scored) for measure in measures}
    lower, upper = _NO_VALUES, _NO_VALUES
    if not judgments.judgments.exhaustive:
        whole = labelled(judgments, view, ideal, codes, condense=False)
        bounded = {str(measure): measure for measure in measures if measure.measure.bounds is not None}
        found = {name: each.bounds(whole, conventions.relevance_threshold) for name, each in bounded.items()}
        lower = {name: pair[0] if pair else None for name, pair in found.items()}
        upper = {name: pair[1] if pair else None for name, pair in found.items()}
    first = scored.relevant_ranks[0] if scored.relevant_ranks else None
    return sum(scored.judged), scored.relevant, first, values, lower, upper
