"""The conformance files, byte for byte, and the same kinds of case worked by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from harness.records import Judgments
from harness.scoring import adapt_runs, as_jsonable, evaluate, to_json
from harness.scoring.controls import Controls, run_controls

from .support import chunk_world, conformance, conformance_text, world

MAPPING_SHA256 = "d6706e72c8476072541a9ff6ec1ea1c86c4b7c58057b587db56acac24102cd12"


def _refusal(fixture: dict[str, Any], **changes: Any) -> str:
    inputs = {key: fixture[key] for key in ("corpus", "queries", "qrels")} | {"run": {}} | changes
    with pytest.raises(ValueError, match=": ") as caught:
        evaluate(**inputs)
    return str(caught.value).rpartition(": ")[0]


def _controls(fixture: dict[str, Any], run: dict[str, list[str]], ledger: list[str]) -> Controls:
    return run_controls(
        ledger=ledger,
        judgments=Judgments(exhaustive=True, grades=fixture["qrels"]),
        document_runs=run,
        chunk_runs=fixture["chunk_run"],
        chunk_to_doc=fixture["chunk_to_doc"],
        k=2,
    )


def test_expected_json_is_reproduced_byte_for_byte() -> None:
    expected = conformance_text("expected.json")
    fixture = conformance("fixture.json")
    base = {key: fixture[key] for key in ("corpus", "queries", "qrels")}
    whole = _controls(fixture, fixture["runs"]["fixture_A"], ["q2", "q3", "q4", "q5"])
    one = _controls(fixture, fixture["runs"]["fixture_A"], ["q2"])
    sparse = {query: {d: g for d, g in row.items() if d != "d6"} for query, row in fixture["qrels"].items()}
    result = {
        "scope": json.loads(expected)["scope"],
        "results": {name: evaluate(**base, run=run) for name, run in fixture["runs"].items()},
        "negative_controls": {
            "dropping_missing_wrong": whole.dropping_missing_recall.wrong,
            "fixed_denominator_correct": whole.dropping_missing_recall.right,
            "hit_rate_mislabeled_as_recall_wrong": one.hit_rate_as_recall.wrong,
            "q2_recall_correct": one.hit_rate_as_recall.right,
            "duplicate_counting_wrong": float(one.occurrence_counting.wrong or 0),
            "contract_rejections": {
                "duplicate": _refusal(fixture, run={"q2": ["d3", "d3"]}),
                "unknown_doc": _refusal(fixture, run={"q2": ["nowhere"]}),
                "wrong_split": _refusal(fixture, run={"q1": ["d2"]}),
                "unjudged": _refusal(fixture, qrels=sparse),
            },
        },
    }
    assert expected == to_json(result)


def _line(value: Any) -> str:
    return json.dumps(as_jsonable(value), ensure_ascii=False)


def _head(value: dict[str, Any]) -> str:
    return _line(value)[1:-1]


def _block(lines: list[str], indent: str) -> str:
    return ",\n".join(indent + line for line in lines)


def _evidence_text(evidence: dict[str, Any]) -> str:
    blocks = []
    for query, found in evidence.items():
        counts = _head({key: found[key] for key in ("received_chunks", "distinct_documents")})
        documents = "[]"
        if found["documents"]:
            documents = "[\n" + _block([_line(d) for d in found["documents"]], "      ") + "\n    ]"
        blocks.append(f'"{query}": {{{counts}, "documents": {documents}}}')
    return "{\n" + _block(blocks, "    ") + "\n  }"


def _scored_text(result: Any) -> str:
    head = _head(
        {
            "recall_at_2": result["recall_at_k"],
            "mrr_at_2": result["mrr_at_k"],
            "missing_queries": result["missing_queries"],
            "eligible_queries": result["eligible_queries"],
        }
    )
    rows = [
        f'"{row["query"]}": ' + _line({key: row[key] for key in ("recall", "rr", "returned")}) for row in result["rows"]
    ]
    return "{\n    " + head + ',\n    "rows": {\n' + _block(rows, "      ") + "\n    }\n  }"


def test_expected_chunk_json_is_reproduced_byte_for_byte() -> None:
    expected = conformance_text("expected-chunk.json")
    fixture = conformance("fixture.json")
    base = {key: fixture[key] for key in ("corpus", "queries", "qrels")}
    adapt = (fixture["corpus"], fixture["queries"], fixture["chunk_to_doc"])
    whole = adapt_runs(*adapt, fixture["chunk_run"])
    budget = adapt_runs(*adapt, {query: chunks[:2] for query, chunks in fixture["chunk_run"].items()})
    ledger = ["q2", "q3", "q4", "q5"]
    raw = _controls(fixture, whole["document_runs"], ledger).raw_id_replacement
    naive = _controls(fixture, whole["document_runs"], ["q2"]).occurrence_counting.wrong
    parts = {
        "document_runs": _line(whole["document_runs"]),
        "provenance": _evidence_text(whole["evidence"]),
        "collapse_then_document_cutoff": _scored_text(evaluate(**base, run=whole["document_runs"])),
        "two_chunk_budget_then_collapse": _scored_text(evaluate(**base, run=budget["document_runs"])),
        "raw_id_replacement": _line({"accepted": raw.accepted, "reason": raw.reason}),
        "naive_q2_duplicate_occurrence_recall": _line(naive),
    }
    assert expected == "{\n" + _block([f'"{key}": {text}' for key, text in parts.items()], "  ") + "\n}\n"


def test_the_conformance_mapping_has_its_declared_hash() -> None:
    fixture = conformance("fixture.json")
    adapted = adapt_runs(fixture["corpus"], fixture["queries"], fixture["chunk_to_doc"], fixture["chunk_run"])
    assert adapted["adapter_sha256"] == MAPPING_SHA256


def test_raw_id_replacement_is_refused_by_the_evaluator_in_the_words_of_the_control() -> None:
    fixture = conformance("fixture.json")
    table = fixture["chunk_to_doc"]
    raw = {query: [table[chunk] for chunk in chunks] for query, chunks in fixture["chunk_run"].items()}
    control = _controls(fixture, raw, ["q2", "q3"]).raw_id_replacement
    assert control.affected_queries == ("q2", "q3")
    assert control.reason == _refusal(fixture, run=raw)


def test_collapse_then_cut_and_cut_then_collapse_answer_two_questions() -> None:
    base, chunks = world(), chunk_world()
    ranking = {"q1": ["a1", "a2", "b1"]}
    outcome = []
    for candidates in (ranking, {"q1": ranking["q1"][:2]}):
        run = adapt_runs(base["corpus"], base["queries"], chunks["chunk_to_doc"], candidates)["document_runs"]
        outcome.append(evaluate(**base | {"run": run})["rows"][0]["recall"])
    assert outcome == [Fraction(1), Fraction(1, 2)]
