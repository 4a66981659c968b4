"""A small hand-worked world, and the conformance files where they are at hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from harness.records import Judgments
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measures
from harness.scoring.scorer import score_run
from harness.scoring.scores import RunScores

ROOT = Path(__file__).parents[2]
CONFORMANCE = ROOT.parent / "shared" / "conformance"
EXPECTED_MEASURES = ROOT / "tests" / "expected" / "measures"


def conformance_text(name: str) -> str:
    """Return a conformance file, or skip the test naming it."""
    path = CONFORMANCE / name
    if not path.is_file():
        pytest.skip(f"conformance file {name} is not beside this checkout")
    return path.read_text(encoding="utf-8")


def conformance(name: str) -> Any:
    return json.loads(conformance_text(name))


def frac(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def world() -> dict[str, Any]:
    """Return inputs of ``evaluate``: four documents, four test queries, one dev query.

    q1 finds one of two relevant documents first; q2 finds its only one at rank 2; q3 is missing; q4 has no
    relevant document.
    """
    relevant = {"dev": {"b"}, "q1": {"a", "b"}, "q2": {"c"}, "q3": {"d"}, "q4": set[str]()}
    return {
        "corpus": {"a": "alpha", "b": "beta", "c": "gamma", "d": "gamma"},
        "queries": {
            query: {"text": f"text of {query}", "split": "dev" if query == "dev" else "test"} for query in relevant
        },
        "qrels": {
            query: {document: int(document in chosen) for document in "abcd"} for query, chosen in relevant.items()
        },
        "run": {"q1": ["a", "c", "b"], "q2": ["d", "c"], "q4": []},
    }


def chunk_world() -> dict[str, Any]:
    """Return inputs of ``adapt_runs``: chunks of a, b and c in an order that isn't the alphabet's."""
    base = world()
    return {
        "corpus": base["corpus"],
        "queries": base["queries"],
        "chunk_to_doc": {"a1": "a", "a2": "a", "b1": "b", "c1": "c", "c2": "c", "d1": "d"},
        "chunk_runs": {"q2": ["c2", "a1", "c1", "b1", "a2"], "q1": ["b1", "a2"], "q4": []},
    }


def scores(
    names: Sequence[str],
    grades: Mapping[str, Mapping[str, int]],
    run: Mapping[str, list[str]],
    *,
    documents: Sequence[str] = (),
    exhaustive: bool = True,
    **options: Any,
) -> RunScores:
    """Score a run over the judged queries; the corpus is every document mentioned."""
    mentioned = {document for row in grades.values() for document in row}
    mentioned |= {document for ranking in run.values() for document in ranking}
    return score_run(
        ledger=list(grades),
        judgments=Judgments(exhaustive=exhaustive, grades=grades),
        document_ids=mentioned | set(documents) | {"filler"},
        run=run,
        conventions=Conventions(measures=parse_measures(names), **options),
    )
