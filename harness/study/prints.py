"""A result → the prints of its stages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from harness.retrieval import BatchRanking
from harness.scoring import fraction_text
from harness.stages import PRINT_LENGTH, StagePrints
from harness.study.contents import row_prints
from harness.study.results import SetResult


def stage_prints(result: SetResult) -> StagePrints:
    """Return the prints of all stages of a result."""
    ledger = result.scene.ledger
    stages: dict[str, Iterable[str]] = {f"{route} leg": prints for route, prints in result.legs.items()}
    if result.parameters.fusion:
        stages["fusion"] = _ranking_prints(result.pool)
    if result.parameters.rerank:
        stages["rerank"] = _ranking_prints(result.ranking)
    runs = result.adapted["document_runs"]
    stages["adapter"] = [_text_print(runs.get(query, ())) for query in ledger]
    stages["scores"] = list(_score_prints(result))
    questions: Mapping[str, Mapping[str, str]] = {
        stage: dict(zip(ledger, prints, strict=True)) for stage, prints in stages.items()
    }
    return StagePrints(shared=result.contents, questions=questions)


def _ranking_prints(ranking: BatchRanking) -> tuple[str, ...]:
    return row_prints(ranking.positions, ranking.scores)


def _score_prints(result: SetResult) -> Iterable[str]:
    for document, chunk in zip(result.documents.rows, result.chunks.rows, strict=True):
        values = {**document.values, **chunk.values}
        yield _text_print(
            f"{name}={value if value is None else fraction_text(value)}" for name, value in values.items()
        )


def _text_print(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:PRINT_LENGTH]
