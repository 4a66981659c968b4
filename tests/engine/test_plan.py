"""``harness sweep --plan``: the distinct work of a study, what is held of it, and not a byte written."""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cache.probes import computed, files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.index import IndexStore
from harness.study.config import read_study
from harness.study.engine import run_study
from harness.study.plan import plan_study

from .command import Done, run, start
from .conftest import Reference
from .world import children, tree, write_study

DOCUMENTS = {"first": "aaaabbbbaaaa", "second": "bbbb"}
"""In windows of 4: aaaa, bbbb, aaaa; bbbb. In windows of 8: aaaabbbb, aaaa; bbbb."""
QUESTIONS = {"q1": ("aaaa bbbb", ["first.md"]), "q2": ("aaaa bbbb", ["first.md"]), "q3": ("bbbb", ["second.md"])}
BY_HAND = {
    "mode": ["bm25", "vector", "hybrid"],
    "chunk": {"splitter": "fixed", "size": [4, 8], "overlap": 0},
    "bm25": {"tokenizer": "word", "k1": [1, 2]},
    "vector": {"embedder": {"name": "packaged-multilingual"}},
    "top_k": [1, 2],
    "fetch_k": [1, 2],
}
"""48 points. BM25: 2 sizes, 2 k1, 2 top_k. Vector: 2 sizes, 2 top_k. Hybrid: 2 sizes, 2 k1, and of four pairs of top_k
and fetch_k three: 8 + 4 + 12 sets. 8 points of BM25 and 12 of vector are collapsed, 4 of hybrid skipped."""


def plan(config: Path, folder: Path, logs: Path) -> tuple[Done, dict[str, tuple[int, int, int]]]:
    """Return what ``--plan`` printed, and its table: stage → distinct, held, to do."""
    done = run("sweep", config, "--dir", folder, "--plan", logs=logs)
    rows = re.findall(r"^\| ([^|]+?) +\| +(?:≤ )?(\d+) +\| +(\d+) +\| +(\d+) +\|$", done.out, re.MULTILINE)
    return done, {name: (int(distinct), int(held), int(left)) for name, distinct, held, left in rows}


def test_counts_are_those_worked_by_hand(tmp_path: Path) -> None:
    config = write_study(tmp_path / "study", BY_HAND, documents=DOCUMENTS, questions=QUESTIONS)
    (tmp_path / "out").mkdir()
    done, table = plan(config, tmp_path / "out", tmp_path / "logs")
    assert (done.code, done.err) == (0, "")
    assert table == {
        "chunkings": (2, 0, 2),
        "chunks": (4 + 3, 0, 7),
        # aaaa, bbbb, aaaabbbb; and the question "aaaa bbbb", since this model reads questions and chunks alike
        "texts to embed": (4, 0, 4),
        "BM25 indexes": (2, 0, 2),
        "vector indexes": (2, 0, 2),
        "legs (a route asked all questions)": (2 * (2 + 1), 0, 6),
        "parameter sets": (24, 0, 24),
    }
    assert "20 points of the grid are collapsed, 4 skipped." in done.out
    assert "Estimate, texts to embed: 4 at a pace not measured yet." in done.out
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("embedders", "texts"),
    [
        # three chunks; two questions; a chunk that is asked as a question counts under either prompt
        ([{"query_prompt": "q: ", "document_prompt": ""}], 3 + 2),
        ([{"query_prompt": "", "document_prompt": ""}], 4),
        # two prompts for questions: what is indexed is the same
        ([{"query_prompt": "a: ", "document_prompt": ""}, {"query_prompt": "b: ", "document_prompt": ""}], 3 + 2 + 2),
        # the questions of one are read as the documents of the other
        ([{"query_prompt": "", "document_prompt": "d: "}, {"query_prompt": "b: ", "document_prompt": ""}], 3 + 4 + 2),
    ],
)
def test_a_text_counts_once_for_each_prompt(
    tmp_path: Path, tiny_encoder: Path, embedders: list[dict[str, str]], texts: int
) -> None:
    named = [{"name": str(tiny_encoder), **prompts} for prompts in embedders]
    parameters = BY_HAND | {"mode": "vector", "vector": {"embedder": named}}
    study = read_study(write_study(tmp_path, parameters, documents=DOCUMENTS, questions=QUESTIONS))
    store, cache = IndexStore(tmp_path / "store"), tmp_path / "cache"
    stages = {stage.name: stage for stage in plan_study(study, store, cache).stages}
    assert stages["texts to embed"].distinct == texts
    assert stages["vector indexes"].distinct == 2 * len(embedders)
    list(run_study(study, store, cache=cache))
    stages = {stage.name: stage for stage in plan_study(study, store, cache).stages}
    assert stages["texts to embed"].held == stages["texts to embed"].distinct == texts


def test_a_plan_writes_nothing_and_a_sweep_does_what_it_said(tmp_path: Path, place: Callable[[str], Path]) -> None:
    parameters = BY_HAND | {"mode": ["bm25", "vector"], "bm25": {"tokenizer": "word"}, "top_k": 1}
    config = write_study(tmp_path / "study", parameters, documents=DOCUMENTS, questions=QUESTIONS)
    folder, logs = place("out"), tmp_path / "logs"
    before = [*tree(folder), *tree(config.parent)]
    done, table = plan(config, folder, logs)
    assert [*tree(folder), *tree(config.parent)] == before
    assert table["texts to embed"] == (4, 0, 4)
    assert table["parameter sets"] == (4, 0, 4)
    done = run("sweep", config, "--dir", folder, logs=logs)
    assert done.code == 0, done.err
    before = [*tree(folder), *tree(config.parent)]
    done, table = plan(config, folder, logs)
    assert [*tree(folder), *tree(config.parent)] == before
    assert table["texts to embed"] == (4, 4, 0)
    assert table["BM25 indexes"] == table["vector indexes"] == (2, 2, 0)
    assert table["parameter sets"] == (4, 0, 4), "a sweep that has ended isn't gone on with"
    assert "Estimate" not in done.out
    assert len(list((folder / ".harness/indexes").glob("*-*"))) == 4


def test_a_plan_knows_what_a_killed_sweep_has_finished(
    reference: Reference, place: Callable[[str], Path], tmp_path: Path
) -> None:
    folder, logs = place("out"), tmp_path / "logs"
    running = start("sweep", reference.config, "--dir", folder, logs=logs)
    while len(children(folder, "FINISHED")) < 4:
        assert running.process.is_alive(), running.finish()
    running.send(signal.SIGKILL)
    running.finish()
    finished = len(children(folder, "FINISHED"))
    before = [*tree(folder)]
    done, table = plan(reference.config, folder, logs)
    assert [*tree(folder)] == before
    assert done.code == 0
    assert table["parameter sets"] == (12, finished, 12 - finished)
    assert table["BM25 indexes"][:2] == (2, 1), "sets are done chunking by chunking"


SMALL = {"one": "red kite red", "two": "the red boat", "three": "blue sea, blue sky", "four": "red"}
ASKED = {"q1": ("red boat", ["two.md"]), "q2": ("blue", ["three.md"]), "q3": ("red", ["four.md"])}


@st.composite
def sections(draw: st.DrawFn, encoder: str, reranker: str) -> dict[str, Any]:
    def some(values: list[Any]) -> Any:
        return draw(st.lists(st.sampled_from(values), min_size=1, max_size=2, unique_by=repr))

    prompts = ["", "q: "]
    return {
        "mode": some(["bm25", "vector", "hybrid"]),
        "chunk": {"splitter": "fixed", "size": some([4, 8, 12]), "overlap": 0},
        "bm25": {"tokenizer": some(["word", "char-bigram"]), "k1": some([1, 2])},
        "vector": {
            "embedder": some(
                [{"name": "lsa", "dimensions": 2}, {"name": "lsa", "dimensions": 3}]
                + [{"name": encoder, "query_prompt": q, "document_prompt": d} for q in prompts for d in prompts]
            )
        },
        "fusion": {"k": some([1, 60])},
        "rerank": {"model": some([None, reranker]), "depth": some([2, 3])},
        "top_k": 2,
        "fetch_k": some([2, 3, 4]),
    }


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_study_does_what_was_planned(
    tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path, tiny_reranker: Path, data: st.DataObject
) -> None:
    """Indexes on disk and vectors in the cache are as many as planned; pairs are at most as many."""
    folder = tmp_path_factory.mktemp("study")
    section = data.draw(sections(str(tiny_encoder), str(tiny_reranker)))
    study = read_study(write_study(folder, section, documents=SMALL, questions=ASKED))
    store, cache = IndexStore(folder / "store"), folder / "cache"
    planned = {stage.name: stage for stage in plan_study(study, store, cache).stages}
    assert not store.root.exists()
    assert not cache.exists()
    list(run_study(study, store, cache=cache))
    after = {stage.name: stage for stage in plan_study(study, store, cache).stages}
    for kind, name in (("bm25", "BM25 indexes"), ("vector", "vector indexes")):
        assert len(list(store.root.glob(f"{kind}-*"))) == planned[name].distinct == after[name].held
    assert sum(computed(path) for path in files(cache)) == planned["texts to embed"].distinct
    assert after["texts to embed"].held == planned["texts to embed"].distinct
    assert sum(computed(path) for path in files(cache, "rerank")) <= planned["pairs to rerank"].distinct


def test_pools_of_other_depths_may_hold_other_pairs(tmp_path: Path, tiny_reranker: Path) -> None:
    """What two routes agree on further down comes up in a deeper pool: more pairs than one pool has are scored."""
    draw = random.Random(3)
    documents = {f"d{place}": " ".join(draw.choices("abcdefgh", k=4)) for place in range(40)}
    questions = {f"q{place}": (" ".join(draw.choices("abcdefgh", k=3)), ["d0.md"]) for place in range(3)}
    parameters = {
        "mode": "hybrid",
        "chunk": {"splitter": "document"},
        "bm25": {"tokenizer": "word"},
        "vector": {"embedder": {"name": "lsa", "dimensions": 4}},
        "rerank": {"model": str(tiny_reranker), "depth": 3},
        "top_k": 1,
        "fetch_k": [3, 10, 30],
    }
    study = read_study(write_study(tmp_path, parameters, documents=documents, questions=questions))
    store, cache = IndexStore(tmp_path / "store"), tmp_path / "cache"
    planned = {stage.name: stage for stage in plan_study(study, store, cache).stages}["pairs to rerank"]
    list(run_study(study, store, cache=cache))
    (path,) = files(cache, "rerank")
    assert 3 * 3 < computed(path) <= planned.distinct == 3 * 3 * 3
    assert planned.at_most
