"""Scores over quotes: a chunk counts when it contains a quote of the question, whatever its document is judged.

The scorers of documents and chunks look at judgments; this one looks at texts. Questions without quotes have no value
and are in no mean, so these means have an n of their own: ``eligible_queries``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from harness.quotes import Quote, comparable, contains
from harness.records import Chunk
from harness.scoring.checks import check_chunk_ranking, check_run_queries
from harness.scoring.conventions import Conventions
from harness.scoring.exact import mean
from harness.scoring.measures.labelled import LabelledRanking
from harness.scoring.scores import QueryScores, RunScores

Quotes = Mapping[str, Sequence[Quote]]


def holding_chunks(quotes: Quotes, chunks: Iterable[Chunk]) -> dict[str, frozenset[str]]:
    """Return, for each query, the ids of the chunks that contain one of its quotes, cut from that quote's document."""
    wanted: dict[str, list[tuple[str, Quote]]] = {}
    for query, held in quotes.items():
        for quote in held:
            wanted.setdefault(quote.document, []).append((query, quote))
    found: dict[str, set[str]] = {query: set() for query in quotes}
    for chunk in chunks:
        asked = wanted.get(chunk.document_id)
        if asked:
            text = comparable(chunk.text)
            for query, quote in asked:
                if contains(text, quote):
                    found[query].add(chunk.id)
    return {query: frozenset(ids) for query, ids in found.items()}


def score_evidence(
    *,
    ledger: Sequence[str],
    quotes: Quotes,
    holding: Mapping[str, frozenset[str]],
    chunk_ids: Collection[str],
    chunk_runs: Mapping[str, list[str]],
    conventions: Conventions,
) -> RunScores:
    """Score chunk rankings with the evidence measures of ``conventions``.

    Args:
        ledger: ids of the scored queries, in order.
        quotes: query id → its quotes; a query that is left out has none.
        holding: query id → ids of the chunks that contain one, as ``holding_chunks`` returns it.
        chunk_ids: ids of all chunks (a set or mapping is looked up fastest).
        chunk_runs: ``{query id: [chunk id, ...]}``, best first; may leave queries out.
        conventions: what to compute.

    Returns:
        Scores of the view ``evidence``: ``relevant`` counts quotes, ``eligible_queries`` the queries that have any,
        ``no_relevant_queries`` lists the others.

    Raises:
        ValueError: an unknown query, an unknown or repeated chunk, a ranking that isn't a list.
    """
    check_run_queries(chunk_runs, ledger, ledger)
    for query, ranking in chunk_runs.items():
        check_chunk_ranking(query, ranking, chunk_ids)
    measures = [(str(measure), measure) for measure in conventions.of_view("evidence")]
    rows = []
    for query in ledger:
        seen = _labelled(chunk_runs.get(query, []), holding.get(query, frozenset()), len(quotes.get(query, ())))
        rows.append(
            QueryScores(
                query=query,
                missing=query not in chunk_runs,
                returned=len(seen.gains),
                judged=len(seen.gains),
                relevant=seen.relevant,
                first_relevant_rank=seen.relevant_ranks[0] if seen.relevant_ranks else None,
                values={name: measure.value(seen) for name, measure in measures},
                lower={},
                upper={},
            )
        )
    without = tuple(row.query for row in rows if not row.relevant)
    return RunScores(
        view="evidence",
        conventions_sha256=conventions.sha256,
        rows=tuple(rows),
        means={name: mean(row.values[name] for row in rows) for name, _ in measures},
        lower={},
        upper={},
        total_queries=len(rows),
        eligible_queries=len(rows) - len(without),
        missing_queries=tuple(row.query for row in rows if row.missing),
        no_relevant_queries=without,
        judged_share=None,
    )


def _labelled(ranking: Sequence[str], holding: frozenset[str], quotes: int) -> LabelledRanking:
    gains = tuple([int(chunk in holding) for chunk in ranking])
    return LabelledRanking(
        gains=gains,
        relevant_ranks=tuple([rank for rank, gain in enumerate(gains, start=1) if gain]),
        relevant=quotes,
        ideal=(1,) * sum(gains),
        judged=(True,) * len(gains),
    )
