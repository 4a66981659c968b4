"""The exact evaluator: Recall@k and RR@k over exhaustive binary judgments."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypedDict

from harness.scoring.checks import (
    check_cutoff,
    check_document_ranking,
    check_qrels,
    check_run_queries,
    check_snapshot,
    split_ledger,
)
from harness.scoring.exact import ONE, ZERO, mean
from harness.scoring.protocol import protocol_sha256


class EvaluationRow(TypedDict):
    """One query of an evaluation; ``hits`` and ``first_relevant_rank`` look at the top k only."""

    query: str
    missing: bool
    returned: int
    relevant: int
    hits: int
    first_relevant_rank: int | None
    recall: Fraction | None
    rr: Fraction | None


class Evaluation(TypedDict):
    """What ``evaluate`` returns, keys in this order."""

    protocol_sha256: str
    split: str
    k: int
    total_queries: int
    eligible_queries: int
    no_relevant_queries: list[str]
    missing_queries: list[str]
    recall_at_k: Fraction | None
    mrr_at_k: Fraction | None
    rows: list[EvaluationRow]


def evaluate(
    corpus: Mapping[str, str],
    queries: Mapping[str, Mapping[str, str]],
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, list[str]],
    split: str = "test",
    k: int = 2,
) -> Evaluation:
    """Score document rankings with Recall@k and RR@k, exactly.

    - Recall@k = distinct relevant documents in the top k ÷ all relevant documents of the query.
    - RR@k = 1 ÷ rank of the first relevant document within the top k, else 0; its mean is MRR@k (Voorhees,
      "The TREC-8 Question Answering Track Report", 1999).

    The queries scored are those of ``split``, in the order of ``queries``. One that the run leaves out scores
    0 and is listed as missing; an explicit ``[]`` scores 0 and isn't missing. One without a relevant document
    has None for both values. Means are macro averages over the others, None when there is none.

    Args:
        corpus: ``{document id: text}``, not empty.
        queries: ``{query id: {"text": ..., "split": ...}}``, not empty.
        qrels: ``{query id: {document id: 0 or 1}}`` for every query and every document.
        run: ``{query id: [document id, ...]}``, best first.
        split: which queries to score.
        k: the document cutoff. It cuts what is scored, never what is checked.

    Raises:
        ValueError: a part of the input is refused; the message names the id and the place. Nothing is scored
            before all of it has been checked, and no input is modified.
    """
    _check(corpus, queries, qrels, run, split, k)
    rows = [_row(query, qrels[query], run.get(query), k) for query in split_ledger(queries, split)]
    return _summary(rows, protocol_sha256(corpus, queries, qrels, split, k), split, k)


def _check(corpus: Any, queries: Any, qrels: Any, run: Any, split: Any, k: Any) -> None:
    check_cutoff(k)
    check_snapshot(corpus, queries, run)
    ledger = split_ledger(queries, split)
    check_qrels(corpus, queries, qrels)
    check_run_queries(run, ledger, queries)
    for query, ranking in run.items():
        check_document_ranking(query, ranking, corpus)


def _summary(rows: list[EvaluationRow], protocol: str, split: str, k: int) -> Evaluation:
    no_relevant = [row["query"] for row in rows if not row["relevant"]]
    return {
        "protocol_sha256": protocol,
        "split": split,
        "k": k,
        "total_queries": len(rows),
        "eligible_queries": len(rows) - len(no_relevant),
        "no_relevant_queries": no_relevant,
        "missing_queries": [row["query"] for row in rows if row["missing"]],
        "recall_at_k": mean(row["recall"] for row in rows),
        "mrr_at_k": mean(row["rr"] for row in rows),
        "rows": rows,
    }


def _row(query: str, labels: Mapping[str, int], ranking: list[str] | None, k: int) -> EvaluationRow:
    relevant = sum(labels.values())
    ranks = [rank for rank, document in enumerate((ranking or [])[:k], start=1) if labels[document]]
    first = ranks[0] if ranks else None
    return {
        "query": query,
        "missing": ranking is None,
        "returned": len(ranking or []),
        "relevant": relevant,
        "hits": len(ranks),
        "first_relevant_rank": first,
        "recall": Fraction(len(ranks), relevant) if relevant else None,
        "rr": None if not relevant else ZERO if first is None else ONE / first,
    }
