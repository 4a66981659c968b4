"""Legs, fusion and rerank scores that parameter sets share give, hit for hit, what each search gives by itself."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.index import IndexStore
from harness.records import Hit
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.workshop import Workshop

from .world import write_study

WORDS = [f"w{number}" for number in range(40)]


def many_documents(count: int, seed: int) -> dict[str, str]:
    """Return short documents of few words, so that many of them score the same."""
    draw = random.Random(seed)
    return {f"d{place:03}": " ".join(draw.choices(WORDS, k=draw.randint(1, 5))) for place in range(count)}


def questions(seed: int) -> dict[str, tuple[str, list[str]]]:
    """Return questions of many hits and of none, one of them asked twice."""
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=count)) for count in (1, 3, 12)] + ["nothing of all this", "?"]
    return {f"q{place}": (text, ["d000.md"]) for place, text in enumerate([*texts, texts[1]])}


def bits(hits: tuple[Hit, ...]) -> list[Any]:
    return [(hit.chunk, hit.rank, hit.score.hex(), hit.explain) for hit in hits]


def check(study: Study, folder: Path) -> int:
    """Compare all sets with the plain loop over ``Retriever.search``; return how many hits there were."""
    store = IndexStore(folder / "store")
    workshop = Workshop(study.collection.corpus, [], store, cache=folder / "cache")
    compared = 0
    for result in run_study(study, store, cache=folder / "cache"):
        one = result.parameters
        retriever = workshop.bench(one.chunk).retriever(one)
        how: dict[str, Any] = {"mode": one.mode, "top_k": one.top_k, "fetch_k": one.fetch_k}
        if one.rerank:
            how["rerank"] = one.rerank.depth
        for query in study.collection.queries:
            plain = retriever.search(query.text, **how)
            assert bits(result.hits[query.id]) == bits(plain), (query, one.flat())
            compared += len(plain)
    return compared


def test_pools_deeper_than_any_table_over_legs_that_are_cut(tmp_path: Path) -> None:
    """More chunks than the smallest depth of a leg, pools on both sides of it, and two engines of BM25."""
    parameters = {
        "mode": ["bm25", "vector", "hybrid"],
        "chunk": {"splitter": "document"},
        "bm25": {"tokenizer": "word", "engine": ["rank-bm25", "sparse"]},
        "vector": {"embedder": {"name": "lsa", "dimensions": 8}},
        "fusion": {"k": [1, 60], "weights": {"vector": 0.7}},
        "top_k": [5, 150],
        "fetch_k": [5, 150, 300],
    }
    study = read_study(
        write_study(tmp_path, parameters, documents=many_documents(330, seed=1), questions=questions(seed=2))
    )
    assert len(study.grid.sets) == 4 + 2 + 2 * 2 * (3 + 2)
    assert check(study, tmp_path) > 5_000


@st.composite
def sections(draw: st.DrawFn, encoder: str, reranker: str) -> dict[str, Any]:
    def some(*values: Any, most: int = 2) -> Any:
        return draw(st.lists(st.sampled_from(values), min_size=1, max_size=most, unique_by=repr))

    def one(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    return {
        "mode": some("bm25", "vector", "hybrid", most=3),
        "chunk": {"splitter": "fixed", "size": one(5, 9, 14), "overlap": 0},
        "bm25": {
            "tokenizer": "word",
            "engine": some("rank-bm25", "sparse"),
            "variant": one("lucene", "okapi", "plus"),
            "k1": one(0, 0.9, 1.5),
            "b": one(0, 0.75, 1),
        },
        "vector": {"embedder": one({"name": "lsa", "dimensions": 3}, encoder)},
        "fusion": {"k": one(1, 60), "weights": {"bm25": one(0.3, 1, 2.5), "vector": one(0.7, 1)}},
        "rerank": {"model": one(None, reranker), "depth": one(3, 7)},
        "top_k": some(1, 2, 3),
        "fetch_k": some(3, 4, 9, 40),
    }


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data(), seed=st.integers(0, 99))
def test_any_small_study(
    tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path, tiny_reranker: Path, data: st.DataObject, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("study")
    section = data.draw(sections(str(tiny_encoder), str(tiny_reranker)))
    documents = many_documents(data.draw(st.integers(1, 25)), seed)
    check(read_study(write_study(folder, section, documents=documents, questions=questions(seed))), folder)
