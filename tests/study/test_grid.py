"""Grid → distinct parameter sets, collapsed and skipped points."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from support.worlds import ROOT

from harness.study.config import Study, read_study
from harness.study.grid import Grid, expand
from harness.study.parameters import varying
from harness.study.schema import ParametersSection

from .strategies import parameters


def grid(**section: Any) -> Grid:
    return expand(ParametersSection.model_validate(section))


@pytest.fixture(scope="module")
def default() -> Study:
    return read_study(ROOT / "configs" / "default.yaml")


def test_the_default_study(default: Study) -> None:
    """3 modes × 3 sizes × 5 top_k × 5 fetch_k; fetch_k matters to hybrid only, where 3 of 25 pairs are impossible.

    bm25 and vector: 3 × 5 sets each, the other four fetch_k collapse. hybrid: 5 + 5 + 5 + 4 + 3 pairs, three times.
    """
    found = default.grid
    assert found.points == 225
    modes = Counter(point.mode for point in found.sets)
    assert modes == {"bm25": 15, "vector": 15, "hybrid": 66}
    assert len(found.sets) == 96
    assert len(found.collapsed) == 2 * 15 * 4 == 120
    reasons = Counter(point.reason for point in found.skipped)
    assert reasons == {
        "fetch_k 3 is smaller than top_k 5": 3,
        "fetch_k 3 is smaller than top_k 10": 3,
        "fetch_k 6 is smaller than top_k 10": 3,
    }
    assert 96 + 120 + 9 == 225


def test_every_point_of_the_default_study_is_accounted_for(default: Study) -> None:
    names = ("mode", "chunk.size", "top_k", "fetch_k")
    axes = (["bm25", "vector", "hybrid"], [150, 300, 500], [1, 2, 3, 5, 10], [3, 6, 10, 16, 25])
    gone = {point.point for point in (*default.grid.collapsed, *default.grid.skipped)}
    kept = [tuple(zip(names, values, strict=True)) for values in product(*axes)]
    kept = [point for point in kept if point not in gone]
    flats = [parameters.flat() for parameters in default.grid.sets]
    assert len(kept) == len(flats)
    for point, flat in zip(kept, flats, strict=True):
        assert all(flat[name] == value for name, value in point if name in flat)
    for collapsed in default.grid.collapsed:
        flat = collapsed.into.flat()
        assert all(flat[name] == value for name, value in collapsed.point if name in flat)
        assert "fetch_k" not in flat


HYBRID = {"mode": "hybrid"}


@pytest.mark.parametrize(
    ("section", "sets"),
    [
        ({"mode": "bm25", "fusion": {"k": [1, 60]}}, 1),
        ({"mode": "vector", "fusion": {"k": [1, 60], "weights": {"bm25": [0.5, 1]}}}, 1),
        ({**HYBRID, "fusion": {"k": [1, 60], "weights": {"bm25": [0.5, 1]}}}, 4),
        ({"mode": ["bm25", "vector"], "fetch_k": [10, 20]}, 2),
        ({"mode": "bm25", "fetch_k": [10, 20], "rerank": {"model": "m"}}, 2),
        ({"mode": "vector", "bm25": {"k1": [1, 2], "variant": ["okapi", "plus"], "tokenizer": ["word", "jieba"]}}, 1),
        (
            {
                "mode": "bm25",
                "vector": {"embedder": ["lsa", "packaged-multilingual"], "search": ["exact", "approximate"]},
            },
            1,
        ),
        ({"mode": "bm25", "chunk": {"splitter": "document", "size": [10, 20], "overlap": [0, 5]}}, 1),
        ({"mode": "bm25", "chunk": {"splitter": ["document", "fixed"], "size": [10, 20], "overlap": [0, 5]}}, 1 + 4),
        ({"mode": "bm25", "bm25": {"tokenizer": "jieba", "stemmer": ["none", "english"]}}, 1),
        ({"mode": "bm25", "bm25": {"tokenizer": "char-bigram", "stop_words": ["none", "english"]}}, 1),
        ({"mode": "bm25", "bm25": {"tokenizer": ["jieba", "word"], "stemmer": ["none", "english"]}}, 1 + 2),
        ({"mode": "bm25", "rerank": {"model": [None, "m"], "depth": [5, 10]}}, 1 + 2),
        # at most 10 candidates in one route, 20 in two
        ({"mode": "bm25", "fetch_k": 10, "rerank": {"model": "m", "depth": [5, 10, 15, 20]}}, 2),
        ({**HYBRID, "fetch_k": 10, "rerank": {"model": "m", "depth": [5, 10, 15, 20, 25, 99]}}, 4),
        ({"mode": "vector", "vector": {"embedder": ["lsa", {"name": "lsa", "dimensions": 64}]}}, 1),
        ({"mode": "vector", "vector": {"embedder": ["lsa", {"name": "lsa", "dimensions": 8}]}}, 2),
        ({"mode": "vector", "vector": {"embedder": ["x/y", {"name": "x/y", "query_prompt": "q: "}]}}, 2),
        ({"mode": "vector", "vector": {"embedder": ["x/y", {"name": "x/y", "query_prompt": ""}]}}, 2),
        (
            {
                "mode": "vector",
                "vector": {
                    "embedder": ["packaged-multilingual", {"name": "packaged-multilingual", "query_prompt": ""}]
                },
            },
            1,
        ),
    ],
)
def test_what_can_not_matter_collapses(section: dict[str, Any], sets: int) -> None:
    found = grid(**section)
    assert len(found.sets) == sets
    assert len(found.sets) + len(found.collapsed) == found.points
    assert not found.skipped


@pytest.mark.parametrize(
    ("section", "reasons"),
    [
        (
            {**HYBRID, "top_k": [5, 10], "fetch_k": [5, 7]},
            ["fetch_k 5 is smaller than top_k 10", "fetch_k 7 is smaller than top_k 10"],
        ),
        ({"mode": "bm25", "top_k": 10, "fetch_k": 5}, []),
        ({"mode": "bm25", "top_k": 10, "fetch_k": 5, "rerank": {"model": "m"}}, ["fetch_k 5 is smaller than top_k 10"]),
        (
            {"mode": "bm25", "top_k": [3, 4], "rerank": {"model": "m", "depth": 3}},
            ["rerank.depth 3 is smaller than top_k 4"],
        ),
    ],
)
def test_what_can_not_be_run_is_skipped_with_the_reason(section: dict[str, Any], reasons: list[str]) -> None:
    assert [point.reason for point in grid(**section).skipped] == reasons


def test_points_show_the_axes_alone() -> None:
    found = grid(mode="bm25", fetch_k=[10, 20], bm25={"k1": [1, 2]}, chunk={"size": 99})
    assert [point.point for point in found.collapsed] == [
        (("bm25.k1", 1.0), ("fetch_k", 20)),
        (("bm25.k1", 2.0), ("fetch_k", 20)),
    ]
    assert [point.into for point in found.collapsed] == list(found.sets)


def test_the_last_parameter_varies_fastest() -> None:
    found = grid(mode="hybrid", chunk={"size": [200, 100]}, top_k=[2, 1], fetch_k=[9, 3])
    keys = [(s.chunk.size, s.top_k, s.fetch_k) for s in found.sets]
    assert keys == list(product([200, 100], [2, 1], [9, 3]))


def test_whole_numbers_and_decimals_are_the_same_number() -> None:
    one, other = grid(mode="bm25", bm25={"k1": 2, "b": 1}), grid(mode="bm25", bm25={"k1": 2.0, "b": 1.0})
    assert one.sets == other.sets
    assert one.sets[0].sha256 == other.sets[0].sha256


@settings(max_examples=40)
@given(section=parameters())
def test_sets_are_equal_where_their_flat_form_is(section: dict[str, Any]) -> None:
    found = grid(**section)
    assert found.points == len(found.sets) + len(found.collapsed) + len(found.skipped)
    for one, other in combinations(found.sets, 2):
        assert one != other
        assert one.flat() != other.flat()
        assert one.sha256 != other.sha256
    again = grid(**section)
    for one, other in zip(found.sets, again.sets, strict=True):
        assert (one, one.flat(), one.sha256) == (other, other.flat(), other.sha256)
    assert all(point.into in found.sets for point in found.collapsed)


@settings(max_examples=40)
@given(section=parameters())
def test_what_varies_tells_the_sets_apart(section: dict[str, Any]) -> None:
    sets = grid(**section).sets
    names = varying(sets)
    shown = [tuple((name, flat[name]) for name in names if name in flat) for flat in (s.flat() for s in sets)]
    assert len(set(shown)) == len(sets)


def test_every_set_of_a_grid_can_be_searched(default: Study) -> None:
    for one in default.grid.sets:
        assert one.wanted_depth == max(one.top_k, one.fetch_k or 0)
        assert (one.fetch_k is not None) == (one.mode == "hybrid")
        assert (one.bm25 is None, one.vector is None) == (one.mode == "vector", one.mode == "bm25")
        assert one.fetch_k is None or one.fetch_k >= one.top_k
