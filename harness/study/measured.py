"""What a study measures, and under which rules."""

from __future__ import annotations

from harness.collection import Collection
from harness.quotes import Quote
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measures
from harness.study.schema import EvaluationSection

DOCUMENT_MEASURES = ("recall", "rr", "ndcg", "hit", "precision", "ap")
CHUNK_MEASURES = ("chunk_hit", "chunk_rr", "chunk_ndcg_retrieved")
EVIDENCE_MEASURES = ("evidence",)
"""Those of splits whose questions have quotes; others have nothing to compute them from."""


def quotes_of(collection: Collection, evaluation: EvaluationSection) -> dict[str, tuple[Quote, ...]]:
    """Return the quotes of each question of the split that has any; those of documents below the threshold don't count.

    Keys are in the order of the file.
    """
    grades = collection.golden.judgments.grades
    quotes = {
        query.id: tuple(
            quote
            for quote in query.evidence
            if grades[query.id].get(quote.document, 0) >= evaluation.relevance_threshold
        )
        for query in collection.queries
    }
    return {query: held for query, held in quotes.items() if held}


def conventions_of(evaluation: EvaluationSection, *, evidence: bool = False) -> Conventions:
    """Return the conventions a study is scored under: every measure at every cutoff and at k."""
    cutoffs = sorted({*evaluation.cutoffs, evaluation.k})
    wanted = (*DOCUMENT_MEASURES, "judged", *CHUNK_MEASURES, *(EVIDENCE_MEASURES if evidence else ()))
    names = [f"{name}@{cutoff}" for cutoff in cutoffs for name in wanted]
    return Conventions(
        measures=parse_measures([*names, "r_precision"]),
        relevance_threshold=evaluation.relevance_threshold,
        unjudged=evaluation.unjudged,
    )
