"""Hand-worked values, one file a measure, found by glob."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.quotes import Quote
from harness.records import Chunk, Judgments
from harness.scoring.conventions import Conventions
from harness.scoring.evidence import holding_chunks, score_evidence
from harness.scoring.measures import MEASURES, parse_measures
from harness.scoring.scorer import score_chunk_view, score_run

from .support import EXPECTED_MEASURES, frac

FILES = sorted(EXPECTED_MEASURES.glob("*.json"))
CASES = [
    pytest.param(path.stem, case, id=f"{path.stem}: {case['why'][:50]}")
    for path in FILES
    for case in json.loads(path.read_text(encoding="utf-8"))
]


def _evidence(text: str, case: dict[str, Any]) -> Fraction | None:
    held = {
        document: [Quote(document=document, text=quote) for quote in all_] for document, all_ in case["quotes"].items()
    }
    quotes = {"q": [quote for quotes in held.values() for quote in quotes]} if held else {}
    chunks = [
        Chunk(id=name, document_id=document, ordinal=0, start=0, end=len(words), text=words)
        for name, (document, words) in case["chunks"].items()
    ]
    scored = score_evidence(
        ledger=["q"],
        quotes=quotes,
        holding=holding_chunks(quotes, chunks),
        chunk_ids=case["chunks"],
        chunk_runs={"q": case["ranking"]},
        conventions=Conventions(measures=parse_measures([text])),
    )
    return scored.rows[0].values[text]


def _value(name: str, case: dict[str, Any]) -> Fraction | None:
    if "quotes" in case:
        return _evidence(f"{name}@{case['cutoff']}", case)
    table = case.get("chunk_to_doc")
    text = name if case["cutoff"] is None else f"{name}@{case['cutoff']}"
    exhaustive = case.get("exhaustive", True)
    conventions = Conventions(
        measures=parse_measures([text]),
        relevance_threshold=case.get("threshold", 1),
        unjudged="refuse" if exhaustive else "nonrelevant",
    )
    common: dict[str, Any] = {
        "ledger": ["q"],
        "judgments": Judgments(exhaustive=exhaustive, grades={"q": case["judgments"]}),
        "document_ids": set(table.values()) if table else {*case["judgments"], *case["ranking"]},
        "conventions": conventions,
    }
    run: Any = {"q": case["ranking"]}
    view = partial(score_chunk_view, chunk_runs=run, chunk_to_doc=table) if table else partial(score_run, run=run)
    return view(**common).rows[0].values[text]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_the_value_is_the_one_worked_by_hand(name: str, case: dict[str, Any]) -> None:
    assert frac(case["expected"]) == _value(name, case)


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_file_of_hand_worked_values(name: str) -> None:
    assert (EXPECTED_MEASURES / f"{name}.json").is_file()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_belongs_to_a_measure_and_has_full_cases(path: Path) -> None:
    assert path.stem in MEASURES
    looked_at = {"quotes", "chunks"} if MEASURES[path.stem].view == "evidence" else {"judgments"}
    required = {*looked_at, "ranking", "cutoff", "expected", "why"}
    for case in json.loads(path.read_text(encoding="utf-8")):
        assert required <= case.keys() <= required | {"threshold", "exhaustive", "chunk_to_doc"}
