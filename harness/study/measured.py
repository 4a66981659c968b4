"""What a study measures, and under which rules."""

from __future__ import annotations

from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measures
from harness.study.schema import EvaluationSection

DOCUMENT_MEASURES = ("recall", "rr", "ndcg", "hit", "precision", "ap")
CHUNK_MEASURES = ("chunk_hit", "chunk_rr", "chunk_ndcg_retrieved")


def conventions_of(evaluation: EvaluationSection) -> Conventions:
    """Return the conventions a study is scored under: every measure at every cutoff and at k."""
    cutoffs = sorted({*evaluation.cutoffs, evaluation.k})
    names = [f"{name}@{cutoff}" for cutoff in cutoffs for name in (*DOCUMENT_MEASURES, "judged", *CHUNK_MEASURES)]
    return Conventions(
        measures=parse_measures([*names, "r_precision"]),
        relevance_threshold=evaluation.relevance_threshold,
        unjudged=evaluation.unjudged,
    )
