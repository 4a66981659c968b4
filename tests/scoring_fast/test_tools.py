"""The rows of docs/scoring.md on other tools, run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

DOCUMENT = Path(__file__).parents[2] / "docs" / "scoring.md"
_CASES: list[tuple[str, dict[str, dict[str, int]], dict[str, dict[str, float]], str, float]] = [
    ("one missing: mean recall@3", {"q": {"a": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}}, "recall_3", 1.0),
    (
        "without a relevant document",
        {"q": {"a": 1}, "p": {"a": 0}},
        {"q": {"a": 1.0}, "p": {"a": 1.0}},
        "recall_3",
        0.5,
    ),
    ("with equal scores", {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "recip_rank", 0.5),
    ("1.000000001", {"q": {"a": 1}}, {"q": {"a": 1.000000001, "b": 1.0}}, "recip_rank", 0.5),
    ("at rank 3", {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 2.0, "c": 3.0}}, "recip_rank", 0.3333),
    ("NaN", {"q": {"a": 1}}, {"q": {"a": float("nan"), "b": 1.0}}, "recip_rank", 0.5),
    (
        "grades 2, 3, 0, 1",
        {"q": {"a": 2, "b": 3, "c": 0, "d": 1}},
        {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}},
        "ndcg_cut_4",
        0.9079,
    ),
    ("grades −1, 2, 1", {"q": {"a": -1, "b": 2, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "ndcg_cut_3", 0.6697),
    ("empty list", {"q": {"a": 1}}, {"q": {}}, "recall_3", 0.0),
    ("five relevant", {"q": dict.fromkeys("abcde", 1)}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "map_cut_3", 0.6),
    ("precision@10", {"q": {"a": 1}}, {"q": {"a": 1.0}}, "P_10", 0.1),
]


def row_of(words: str) -> list[str]:
    """Return the cells of the one table row that holds the words."""
    lines = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    found = [line for line in lines if words in line and line.count("|") == 6]
    assert len(found) == 1, (words, found)
    return [cell.strip() for cell in found[0].strip("|").split("|")]


@pytest.mark.parametrize(("words", "grades", "run", "measure", "wanted"), _CASES)
def test_what_pytrec_eval_gives_is_what_the_page_says(
    words: str, grades: Any, run: Any, measure: str, wanted: float
) -> None:
    asked = {"recall.3", "recip_rank", "ndcg_cut.3,4", "map_cut.3", "P.10"}
    rows = pytrec_eval.RelevanceEvaluator(grades, asked).evaluate(run)
    mean = sum(row[measure] for row in rows.values()) / len(rows)
    assert mean == pytest.approx(wanted, abs=5e-5)
    assert row_of(words)[2].split()[0] == f"{wanted:g}"


def test_pytrec_eval_refuses_a_document_twice_when_it_parses() -> None:
    with pytest.raises(AssertionError):
        pytrec_eval.parse_run(["q Q0 a 1 2 t\n", "q Q0 a 2 1 t\n"])
