"""The exact core: what a score means, in rational numbers, with the standard library only.

``evaluate`` and ``adapt_runs`` are the strict pair for exhaustive binary judgments. ``score_run`` and
``score_chunk_view`` compute any measures of ``MEASURES`` under declared ``Conventions``, and ``run_controls`` says
what a wrong metric would have said. Every name is loaded from its module when first asked for, so that each starts
fast. Everything refused is a ``ValueError`` that names the offending id and where it stands.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harness.scoring.adapter import adapt_runs, adapter_sha256
    from harness.scoring.controls import Control, Controls, RawReplacement, run_controls
    from harness.scoring.conventions import Conventions
    from harness.scoring.evaluator import evaluate
    from harness.scoring.evidence import holding_chunks, score_evidence
    from harness.scoring.exact import fraction_text, parse_fraction
    from harness.scoring.jsonable import as_jsonable, to_json
    from harness.scoring.measures import (
        MEASURES,
        Measure,
        NamedMeasure,
        mean_name,
        parse_measure,
        parse_measures,
    )
    from harness.scoring.protocol import protocol_sha256, sparse_protocol_sha256
    from harness.scoring.scorer import score_chunk_view, score_run
    from harness.scoring.scores import QueryScores, RunScores

__all__ = [
    "MEASURES",
    "Control",
    "Controls",
    "Conventions",
    "Measure",
    "NamedMeasure",
    "QueryScores",
    "RawReplacement",
    "RunScores",
    "adapt_runs",
    "adapter_sha256",
    "as_jsonable",
    "evaluate",
    "fraction_text",
    "holding_chunks",
    "mean_name",
    "parse_fraction",
    "parse_measure",
    "parse_measures",
    "protocol_sha256",
    "run_controls",
    "score_chunk_view",
    "score_evidence",
    "score_run",
    "sparse_protocol_sha256",
    "to_json",
]

_LATER = {
    "MEASURES": "measures",
    "Control": "controls",
    "Controls": "controls",
    "Conventions": "conventions",
    "Measure": "measures",
    "NamedMeasure": "measures",
    "QueryScores": "scores",
    "RawReplacement": "controls",
    "RunScores": "scores",
    "adapt_runs": "adapter",
    "adapter_sha256": "adapter",
    "as_jsonable": "jsonable",
    "evaluate": "evaluator",
    "fraction_text": "exact",
    "holding_chunks": "evidence",
    "mean_name": "measures",
    "parse_fraction": "exact",
    "parse_measure": "measures",
    "parse_measures": "measures",
    "protocol_sha256": "protocol",
    "run_controls": "controls",
    "score_chunk_view": "scorer",
    "score_evidence": "evidence",
    "score_run": "scorer",
    "sparse_protocol_sha256": "protocol",
    "to_json": "jsonable",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
