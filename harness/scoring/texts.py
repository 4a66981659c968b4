"""The reference's values for rankings of text ids, faster: rows that look alike are scored once.

Standard library only. Checking stays as strict as in ``score_run``; what is saved is the work per query. Two rows
with the same grades at the ranks a measure looks at, and the same positive grades among their judgments, have the
same value, so each measure's own function is called once per kind of row.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from harness.frozen import Frozen
from harness.judgments import Judgments
from harness.scoring.checks import NONEMPTY, check_document_ranking, check_id, check_run_queries, refuse, show
from harness.scoring.measures.labelled import Judged, label
from harness.scoring.scorer_checks import check_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.scoring.conventions import Conventions
    from harness.scoring.measures import NamedMeasure
    from harness.scoring.scores import RunScores, Values

_Row = tuple[int, tuple[int | None, ...]]
_BY_RANK = {"recall", "rr", "hit", "precision", "ap", "ndcg", "judged"}


class TextJudgments(Frozen):
    """Judgments of a ledger under some conventions, checked and digested once for any number of runs.

    Attributes:
        ledger: ids of the scored queries, in order.
        judgments: what was judged.
        documents: all ids of the corpus.
        conventions: what to compute, under which rules.
        rows: query id → place of its digest in ``digests``, and its grades.
        digests: one per distinct tuple of positive grades.
        depth: how many ranks the document measures look at; None: all of them.
    """

    ledger: tuple[str, ...]
    judgments: Judgments
    documents: frozenset[str]
    conventions: Conventions
    rows: Mapping[str, tuple[int, Mapping[str, int]]]
    digests: tuple[Judged, ...]
    depth: int | None

    @classmethod
    def prepare(
        cls, *, ledger: Sequence[str], judgments: Judgments, document_ids: Collection[str], conventions: Conventions
    ) -> TextJudgments:
        """Check and digest judgments; arguments and refusals are those of ``score_run``."""
        check_request(ledger, judgments, document_ids, {}, conventions)
        documents = frozenset(document_ids)
        for document in documents:
            if type(document) is not str:
                check_id(document, "document", "in the corpus")
        digests: dict[tuple[int, ...], tuple[int, Judged]] = {}
        rows: dict[str, tuple[int, Mapping[str, int]]] = {}
        for query in ledger:
            grades = judgments.grades[query]
            digest = Judged.of(grades, conventions.relevance_threshold)
            place, _ = digests.setdefault(digest.ideal, (len(digests), digest))
            rows[query] = place, grades
        kinds = tuple(digest for _, digest in digests.values())
        return cls(
            ledger=tuple(ledger),
            judgments=judgments,
            documents=documents,
            conventions=conventions,
            rows=rows,
            digests=kinds,
            depth=_depth(conventions, kinds, partial=not judgments.exhaustive),
        )

    @property
    def partial(self) -> bool:
        """Whether documents can be unjudged."""
        return not self.judgments.exhaustive


class TextScores(Frozen):
    """One scored run of text ids; everything but the means and bounds is worked out when asked for.

    Attributes:
        judgments: what it was scored against.
        run: the run as it was given.
        means: name of each document measure → exact macro average; None when no query has a value.
        lower: mean of the rows' smallest values, for the measures that have bounds; empty for exhaustive judgments.
        upper: mean of the largest, likewise.
    """

    judgments: TextJudgments
    run: Mapping[str, list[str]]
    means: Values
    lower: Values
    upper: Values

    def run_scores(self) -> RunScores:
        """Return what ``score_run`` returns, row by row."""
        from harness.scoring.scorer import score_run

        judgments = self.judgments
        return score_run(
            ledger=judgments.ledger,
            judgments=judgments.judgments,
            document_ids=judgments.documents,
            run=self.run,
            conventions=judgments.conventions,
        )


def score_texts(judgments: TextJudgments, run: Mapping[str, list[str]]) -> TextScores:
    """Score one document run with the document measures of the conventions.

    Args:
        judgments: prepared judgments.
        run: ``{query id: [document id, ...]}``, best first; may leave queries out.

    Raises:
        ValueError: what ``score_run`` refuses, with its words.
    """
    if not isinstance(run, Mapping):
        refuse(NONEMPTY, f"run is {show(run)}")
    check_run_queries(run, judgments.rows, judgments.judgments.grades)
    documents = judgments.documents
    for query, ranking in run.items():
        if not _sound(ranking, documents):
            check_document_ranking(query, ranking, documents)
    kinds = Counter(_rows(judgments, run))
    measures = {str(measure): measure for measure in judgments.conventions.of_view("document")}
    lower, upper = _bounds(judgments, kinds, measures) if judgments.partial else ({}, {})
    return TextScores(judgments=judgments, run=run, means=_means(judgments, kinds, measures), lower=lower, upper=upper)


def _depth(conventions: Conventions, digests: Iterable[Judged], *, partial: bool) -> int | None:
    measures = conventions.of_view("document")
    cutoffs = [measure.cutoff or 0 for measure in measures]
    names = {measure.measure.name for measure in measures}
    if names - _BY_RANK - {"r_precision"} or (conventions.unjudged == "condense" and partial):
        return None
    if "r_precision" in names:
        cutoffs += [digest.relevant for digest in digests]
    return max(cutoffs, default=0)


def _sound(ranking: object, documents: frozenset[str]) -> bool:
    if type(ranking) is not list:
        return False
    try:
        return len(documents.intersection(ranking)) == len(ranking)  # as many known ones as items: known, distinct
    except TypeError:
        return False


def _rows(judgments: TextJudgments, run: Mapping[str, list[str]]) -> Iterable[_Row]:
    """Yield, for each query of the ledger, its digest and the grades at the ranks that matter."""
    default, depth = 0 if judgments.judgments.exhaustive else None, judgments.depth
    blank: tuple[int | None, ...] = ()
    for query, (place, grades) in judgments.rows.items():
        ranking = run.get(query)
        if not ranking:
            yield place, blank
            continue
        grade = grades.get
        yield place, tuple([grade(document, default) for document in ranking[:depth]])


def _means(judgments: TextJudgments, kinds: Mapping[_Row, int], measures: Mapping[str, NamedMeasure]) -> Values:
    conventions = judgments.conventions
    condense, threshold = conventions.unjudged == "condense", conventions.relevance_threshold
    values: dict[str, list[tuple[Fraction | None, int]]] = {name: [] for name in measures}
    for (place, grades), count in kinds.items():
        ranking = label(grades, judgments.digests[place], threshold, condense=condense)
        for name, measure in measures.items():
            values[name].append((measure.value(ranking), count))
    return {name: _mean(found) for name, found in values.items()}


def _bounds(
    judgments: TextJudgments, kinds: Mapping[_Row, int], measures: Mapping[str, NamedMeasure]
) -> tuple[Values, Values]:
    threshold = judgments.conventions.relevance_threshold
    bounded = {name: measure for name, measure in measures.items() if measure.measure.bounds is not None}
    lower: dict[str, list[tuple[Fraction | None, int]]] = {name: [] for name in bounded}
    upper: dict[str, list[tuple[Fraction | None, int]]] = {name: [] for name in bounded}
    for (place, grades), count in kinds.items():
        ranking = label(grades, judgments.digests[place], threshold, condense=False)
        for name, measure in bounded.items():
            least, most = measure.bounds(ranking, threshold) or (None, None)
            lower[name].append((least, count))
            upper[name].append((most, count))
    return {name: _mean(found) for name, found in lower.items()}, {name: _mean(found) for name, found in upper.items()}


def _mean(values: Iterable[tuple[Fraction | None, int]]) -> Fraction | None:
    """Return the exact mean of values that occur ``count`` times each; None when all are None."""
    known = [(value, count) for value, count in values if value is not None]
    if not known:
        return None
    common = math.lcm(*{value.denominator for value, _ in known})
    total = sum(value.numerator * (common // value.denominator) * count for value, count in known)
    return Fraction(total, common * sum(count for _, count in known))
