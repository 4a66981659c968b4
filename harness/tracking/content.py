"""What is logged for a parameter set and for a sweep, as plain values: no MLflow here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from harness.records import Hit
from harness.scoring import fraction_text
from harness.summary import Scalar, SetSummary, SweepHeader, to_json
from harness.tracking.names import curve_name, metric_name

CURVES = ("recall", "mrr", "ndcg", "hit", "evidence")
QUERY_TABLE = "per_query.json"
SUMMARY = "summary.json"
HEADER = "sweep.json"
CHOICE = "selection."
_LONGEST_TAG = 5_000


def set_params(summary: SetSummary) -> dict[str, str]:
    """Return the effective parameters, flattened, as text."""
    return params_text(summary.parameters)


def params_text(parameters: Mapping[str, Scalar]) -> dict[str, str]:
    """Return parameters as MLflow holds them: text, ``none`` for what is switched off."""
    return {name: "none" if value is None else str(value) for name, value in parameters.items()}


def set_metrics(summary: SetSummary, k: int) -> Iterator[tuple[str, float, int]]:
    """Yield name, value and step. What is undefined isn't logged; a curve's step is the cutoff; oracles are at k."""
    for measure, value in summary.means.items():
        if value is not None:
            yield metric_name(measure), float(value), 0
    for measure, value in summary.means.items():
        name, _, cutoff = measure.partition("@")
        if name in CURVES and value is not None:
            yield curve_name(measure), float(value), int(cutoff)
    for pool, oracle in summary.oracles.items():
        for measure, value in oracle.items():
            if value is not None and measure.endswith(f"@{k}"):
                yield metric_name(f"oracle_{pool}_{measure}"), float(value), 0
    yield "questions", float(len(summary.rows)), 0
    yield "questions_eligible", float(summary.eligible), 0
    yield "questions_missing", float(len(summary.missing)), 0
    evidence = next((measure for measure in summary.means if measure.startswith("evidence@")), None)
    if evidence is not None:
        yield "questions_with_evidence", float(summary.valued(evidence)), 0
    for name, fact in summary.facts.items():
        yield name, float(fact), 0


def set_tags(header: SweepHeader, summary: SetSummary) -> dict[str, str]:
    """Return exact values and every hash."""
    tags = {
        f"exact.{metric_name(measure)}": _exact(value) for measure, value in summary.means.items() if value is not None
    }
    return (
        tags
        | header_tags(header)
        | {f"{name}_sha256": value for name, value in summary.hashes.items()}
        | _role(header, summary)
    )


def _role(header: SweepHeader, summary: SetSummary) -> dict[str, str]:
    """Return what a set was scored for, where a choice has left it."""
    if header.choice is None:
        return {}
    named = {"chosen": header.choice.chosen_sha256, "baseline": header.choice.baseline_sha256}
    return {"selection.role": ", ".join(role for role, name in named.items() if name == summary.hashes["parameters"])}


def choice_tags(header: SweepHeader) -> dict[str, str]:
    """Return how the sets of a sweep were chosen; nothing where the whole grid is run."""
    choice = header.choice
    if choice is None:
        return {}
    tags = {
        "sweep": choice.sweep,
        "split": choice.split,
        "rule": choice.rule,
        "measure": choice.measure,
        "value": _exact(choice.value),
        "chosen": choice.chosen[:_LONGEST_TAG],
        "chosen_sha256": choice.chosen_sha256,
        "baseline": choice.baseline[:_LONGEST_TAG],
        "baseline_sha256": choice.baseline_sha256,
    }
    return {f"{CHOICE}{name}": value for name, value in tags.items()}


def _exact(value: Fraction) -> str:
    """Return a fraction as text; the mean of very many nDCG values is longer than a tag may be."""
    text = fraction_text(value)
    return text if len(text) <= _LONGEST_TAG else f"longer than a tag may be; see means in {SUMMARY}"


def header_tags(header: SweepHeader) -> dict[str, str]:
    """Return what parent and children share."""
    hashes = {f"{name}_sha256": value for name, value in header.hashes.items()}
    return hashes | {"study": header.study, "split": header.split}


def query_table(summary: SetSummary) -> dict[str, Any]:
    """Return the per-query table in MLflow's layout; its columns depend on the cutoffs alone.

    MLflow's UI sets runs side by side: a line for each value of the first column, in its cells the second.
    """
    measures = list(summary.rows[0].values) if summary.rows else []
    columns = [
        "query",
        "retrieved",
        "relevant",
        "question",
        "tags",
        "missing",
        "first_relevant_rank",
        *(metric_name(measure) for measure in measures),
    ]
    data = [
        [
            row.query,
            ", ".join(row.retrieved),
            ", ".join(row.relevant),
            row.question,
            ", ".join(row.tags),
            row.missing,
            row.first_relevant_rank,
            *(None if row.values[m] is None else float(row.values[m] or 0) for m in measures),
        ]
        for row in summary.rows
    ]
    return {"columns": columns, "data": data}


def ranking_lines(hits: Mapping[str, tuple[Hit, ...]]) -> Iterator[str]:
    """Yield one JSON line per query: its hits with scores (they read back bit for bit) and how they came about."""
    for query, found in hits.items():
        yield json.dumps({"query": query, "hits": [_hit(hit) for hit in found]}, ensure_ascii=False)


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "chunk": hit.chunk.id,
        "document": hit.chunk.document_id,
        "start": hit.chunk.start,
        "end": hit.chunk.end,
        "score": hit.score,
        "explain": to_json(hit.explain),
    }


def json_file(value: Any) -> str:
    """Return valid JSON for a file: no NaN, no escaped Chinese."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
