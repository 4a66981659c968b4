"""The saved view of a sweep: which runs it lists, in which order, and which columns it shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from report.sweeps import header

from harness.tracking.view import saved_view


def state(**changed: Any) -> dict[str, Any]:
    view = json.loads(saved_view("abc", header("chunk.size", sets=2, **changed), 0))
    found: dict[str, Any] = json.loads(view["state"])
    return found


@pytest.mark.parametrize(
    ("measure", "order", "first"),
    [
        (None, "metrics.`recall_at_3`", ["recall_at_3", "mrr_at_3", "ndcg_at_3", "hit_at_3"]),
        ("mrr@3", "metrics.`mrr_at_3`", ["mrr_at_3", "recall_at_3", "ndcg_at_3", "hit_at_3"]),
        ("ndcg@10", "metrics.`ndcg_at_10`", ["ndcg_at_10", "recall_at_3", "mrr_at_3", "ndcg_at_3", "hit_at_3"]),
    ],
)
def test_it_begins_with_the_measure_that_verdicts_go_by(measure: str | None, order: str, first: list[str]) -> None:
    found = state(measure=measure)
    assert (found["orderByKey"], found["orderByAsc"]) == (order, False)
    assert found["selectedColumns"] == [*(f"metrics.`{name}`" for name in first), "params.`chunk.size`"]


def test_it_lists_the_sets_of_one_sweep() -> None:
    assert state()["searchFilter"] == "tags.sweep_id = 'abc' and tags.`harness.kind` = 'set'"


def test_quotes_have_a_column_where_there_are_some() -> None:
    assert "metrics.`evidence_at_3`" in state(hashes={"evidence": "0" * 64})["selectedColumns"]
    assert "metrics.`evidence_at_3`" not in state()["selectedColumns"]
