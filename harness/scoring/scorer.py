"""The reference scorer: any measures, sparse or graded judgments, exact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction

from harness.records import Judgments
from harness.scoring.checks import check_chunk_ranking, check_chunk_table, check_document_ranking
from harness.scoring.conventions import Conventions
from harness.scoring.exact import mean
from harness.scoring.measures import NamedMeasure
from harness.scoring.measures.labelled import Judged, LabelledRanking, Labels, label, label_chunks
from harness.scoring.scorer_checks import check_request
from harness.scoring.scores import QueryScores, RunScores, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.scoring.measures.measure import View

_Label = Callable[..., LabelledRanking]
_NO_VALUES: Values = {}


def score_run(
    *,
    ledger: Sequence[str],
    judgments: Judgments,
    document_ids: Collection[str],
    run: Mapping[str, list[str]],
    conventions: Conventions,
) -> RunScores:
    """Score document rankings with the document measures of ``conventions``.

    Every query of the ledger has a row, answered or not. A query without a document at the threshold has None
    for every measure but judged@k, and is in none of their means. When judgments aren't exhaustive, recall,
    rr and ndcg carry bounds: the extremes over all labellings, as not relevant or relevant at the threshold
    grade, of the unjudged documents in the top k of the ranking **as returned**. The value itself lies between
    them under ``nonrelevant``; under ``condense`` it can lie outside, because dropping documents lifts others
    over the cutoff.

    Args:
        ledger: ids of the scored queries, in order.
        judgments: for at least every query of the ledger; others are ignored.
        document_ids: all ids of the corpus (a set or mapping is looked up fastest).
        run: ``{query id: [document id, ...]}``, best first; may leave queries out.
        conventions: what to compute, under which rules.

    Raises:
        ValueError: with the words of ``evaluate`` for a duplicate or unknown document (at any rank), an
            unknown query, a ledger query without judgments, a ranking that isn't a list; and for judgments
            that aren't exhaustive when ``unjudged`` is ``refuse``.
    """
    documents = _lookup(document_ids)
    check_request(ledger, judgments, documents, run, conventions)
    for query, ranking in run.items():
        check_document_ranking(query, ranking, documents)
    return _score(ledger, judgments, run, conventions, "document", label)


def score_chunk_view(
    *,
    ledger: Sequence[str],
    judgments: Judgments,
    document_ids: Collection[str],
    chunk_to_doc: Mapping[str, str],
    chunk_runs: Mapping[str, list[str]],
    conventions: Conventions,
) -> RunScores:
    """Score chunk rankings with the chunk measures of ``conventions``: what the next step is given.

    Every returned chunk of a relevant document counts as relevant at its chunk rank. Ranks and ``returned``
    count chunks; ``relevant`` counts documents. There are no bounds in this view.

    Args:
        ledger: ids of the scored queries, in order.
        judgments: of documents, for at least every query of the ledger.
        document_ids: all ids of the corpus.
        chunk_to_doc: chunk id → document id.
        chunk_runs: ``{query id: [chunk id, ...]}``, best first; may leave queries out.
        conventions: what to compute, under which rules.

    Raises:
        ValueError: with the words of ``adapt_runs`` for a bad mapping, an unknown or repeated chunk; with
            those of ``score_run`` for the rest.
    """
    documents = _lookup(document_ids)
    check_request(ledger, judgments, documents, chunk_runs, conventions)
    check_chunk_table(chunk_to_doc, documents)
    for query, ranking in chunk_runs.items():
        check_chunk_ranking(query, ranking, chunk_to_doc)
    run = {query: [chunk_to_doc[chunk] for chunk in ranking] for query, ranking in chunk_runs.items()}
    return _score(ledger, judgments, run, conventions, "chunk", label_chunks)


def _lookup(ids: Collection[str]) -> Collection[str]:
    return frozenset(ids) if isinstance(ids, Sequence) else ids


def _score(
    ledger: Sequence[str],
    judgments: Judgments,
    run: Mapping[str, list[str]],
    conventions: Conventions,
    view: View,
    labeller: _Label,
) -> RunScores:
    measures = [(str(measure), measure) for measure in conventions.of_view(view)]
    rows = tuple(_row(query, judgments, run.get(query), conventions, measures, labeller) for query in ledger)
    bounded = list(rows[0].lower)
    returned = sum(row.returned for row in rows)
    no_relevant = tuple(row.query for row in rows if not row.relevant)
    return RunScores(
        view=view,
        conventions_sha256=conventions.sha256,
        rows=rows,
        means={name: mean(row.values[name] for row in rows) for name, _ in measures},
        lower={name: mean(row.lower[name] for row in rows) for name in bounded},
        upper={name: mean(row.upper[name] for row in rows) for name in bounded},
        total_queries=len(rows),
        eligible_queries=len(rows) - len(no_relevant),
        missing_queries=tuple(row.query for row in rows if row.missing),
        no_relevant_queries=no_relevant,
        judged_share=Fraction(sum(row.judged for row in rows), returned) if returned else None,
    )


def _row(
    query: str,
    judgments: Judgments,
    ranking: list[str] | None,
    conventions: Conventions,
    measures: Sequence[tuple[str, NamedMeasure]],
    labeller: _Label,
) -> QueryScores:
    threshold = conventions.relevance_threshold
    judged = Judged.of(judgments.grades[query], threshold)
    default = 0 if judgments.exhaustive else None
    labels: Labels = [judged.grades.get(document, default) for document in ranking or ()]
    condense = conventions.unjudged == "condense"
    scored = labeller(labels, judged, threshold, condense=condense)
    lower, upper = _NO_VALUES, _NO_VALUES
    if not judgments.exhaustive:
        whole = labeller(labels, judged, threshold, condense=False) if condense else scored
        lower, upper = _bounds(whole, threshold, measures)
    return QueryScores(
        query=query,
        missing=ranking is None,
        returned=len(labels),
        judged=sum(scored.judged),
        relevant=scored.relevant,
        first_relevant_rank=scored.relevant_ranks[0] if scored.relevant_ranks else None,
        values={name: measure.value(scored) for name, measure in measures},
        lower=lower,
        upper=upper,
    )


def _bounds(
    ranking: LabelledRanking, threshold: int, measures: Sequence[tuple[str, NamedMeasure]]
) -> tuple[Values, Values]:
    lower: dict[str, Fraction | None] = {}
    upper: dict[str, Fraction | None] = {}
    for name, measure in measures:
        if measure.measure.bounds is None:
            continue
        found = measure.bounds(ranking, threshold)
        lower[name], upper[name] = found if found is not None else (None, None)
    return lower, upper
