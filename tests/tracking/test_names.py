"""Names of metrics: MLflow takes them, a filter needs no quotes for them, and they read back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.scoring.measures import MEASURES, mean_name
from harness.tracking import measure_of, metric_name
from harness.tracking.names import curve_name

EVERY = [mean_name(f"{name}@{k}" if m.takes_cutoff else name) for name, m in MEASURES.items() for k in (1, 3, 10, 100)]
WORDS = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,12}(@[1-9][0-9]{0,3})?", fullmatch=True)


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        ("ndcg@10", "ndcg_at_10"),
        ("recall@3", "recall_at_3"),
        ("mrr@5", "mrr_at_5"),
        ("mrr@10", "mrr_at_10"),
        ("chunk_ndcg_retrieved@1", "chunk_ndcg_retrieved_at_1"),
        ("r_precision", "r_precision"),
    ],
)
def test_the_map(measure: str, metric: str) -> None:
    """F1, M18."""
    assert metric_name(measure) == metric
    assert measure_of(metric) == measure


@pytest.mark.parametrize("measure", EVERY)
def test_every_measure_has_a_name_that_needs_no_quotes_and_reads_back(measure: str) -> None:
    """F2: no dash, no dot."""
    name = metric_name(measure)
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
    assert measure_of(name) == measure


@given(st.lists(WORDS, unique=True, min_size=2, max_size=5))
def test_different_measures_never_share_a_name(measures: list[str]) -> None:
    named = {}
    for measure in measures:
        try:
            named[measure] = metric_name(measure)
        except ValueError:
            assert "_at_" in measure
    assert len(set(named.values())) == len(named)
    assert {measure_of(name) for name in named.values()} == set(named)


@pytest.mark.parametrize(
    "measure",
    [
        "recall_at_3",
        "look_at_me@3",
        "a_at_b",
        "recall@",
        "recall@0",
        "recall@03",
        "f1-score",
        "p@3@5",
        "",
        "召回@3",
        "a b",
    ],
)
def test_a_name_that_would_not_read_back_is_refused(measure: str) -> None:
    with pytest.raises(ValueError, match="can't be a metric name"):
        metric_name(measure)


def test_a_curve_has_no_cutoff_in_its_name() -> None:
    assert curve_name("recall@3") == "recall_at_k"
    assert measure_of("recall_at_k") == "recall_at_k"
