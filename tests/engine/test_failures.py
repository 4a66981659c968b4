"""A parameter set that can't be run is recorded with its reason; the others go on, and it alone is tried again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from harness.chunking import chunk_corpus
from harness.index import IndexStore
from harness.study.config import Study, read_study
from harness.study.opening import bm25_ingredients, tokenizer_of
from harness.study.units import SetsUnit, Shared, UnitResult, run_sets

from .command import Done
from .world import TWELVE, children, parents, table_of, write_study

STOP_WORDS = {"one": "the of and", "two": "to be or not to be", "three": "it is as it is"}
"""Not a word is left of this corpus when English stop words are taken out."""
ASKED = {"q1": ("to be", ["two.md"]), "q2": ("is it", ["three.md"])}
HALF = {
    "mode": ["bm25", "vector", "hybrid"],
    "chunk": {"splitter": "document"},
    "bm25": {"tokenizer": "word", "stop_words": ["none", "english"]},
    "vector": {"embedder": {"name": "lsa", "dimensions": 2}},
    "top_k": 2,
    "fetch_k": 2,
}
"""Five sets; BM25 and hybrid can't be run without the stop words."""
REASON = "InputError: parameters.bm25.tokenizer no chunk yields a term under 'word'; choose another tokenizer"


def test_sets_that_fail_are_recorded_and_tried_again(
    place: Callable[[str], Path], sweep: Callable[..., Done], tmp_path: Path
) -> None:
    config = write_study(tmp_path / "study", HALF, documents=STOP_WORDS, questions=ASKED)
    folder = place("out")
    done = sweep(config, folder)
    assert done.code == 1
    names = [f"{mode} bm25.stop_words=english" for mode in ("bm25", "hybrid")]
    told = [f"failed: {name}: {REASON}" for name in names]
    assert sorted(line for line in done.err.splitlines() if line.startswith("failed: ")) == told
    assert sorted(line for line in done.out.splitlines() if line.startswith("failed: ")) == told
    assert "Traceback" not in done.err
    assert "**Incomplete: 3 of 5 parameter sets have finished.**" in done.out

    (parent,) = parents(folder)
    assert parent.status == "FAILED"
    failed, kept = children(folder, "FAILED"), {run.id for run in children(folder, "FINISHED")}
    assert len(kept) == 3
    assert len(children(folder)) == 5
    assert [run.tags["harness.error"] for run in failed] == [REASON] * 2
    assert sorted(run.tags["mlflow.runName"] for run in failed) == names
    for run in failed:
        (trace,) = (folder / "mlartifacts").rglob(f"{run.id}/artifacts/error.txt")
        assert "no chunk yields a term under 'word'" in trace.read_text(encoding="utf-8")

    again = sweep(config, folder)
    assert again.code == 1
    assert "going on: 3 of 5 parameter sets were finished before" in again.err.splitlines()
    assert "parameter sets: 2 to do" in again.err.splitlines()
    assert [line for line in again.out.splitlines() if line.startswith("failed: ")] == [
        line for line in done.out.splitlines() if line.startswith("failed: ")
    ]
    assert table_of(again.out) == table_of(done.out)
    assert {run.id for run in children(folder, "FINISHED")} == kept
    assert len(children(folder, "FAILED")) == 2
    assert [run.id for run in parents(folder)] == [parent.id]


def bm25_index(study: Study, folder: Path, place: int) -> Path:
    """Return where the BM25 index of a set belongs."""
    parameters = study.grid.sets[place]
    assert parameters.bm25 is not None
    chunking = chunk_corpus(study.collection.corpus, parameters.chunk)
    ingredients = bm25_ingredients(chunking, tokenizer_of(parameters.bm25))
    return IndexStore(folder / ".harness/indexes").locate("bm25", ingredients)[0]


def test_a_cause_that_is_removed_lets_the_same_command_finish(
    place: Callable[[str], Path], sweep: Callable[..., Done], tmp_path: Path
) -> None:
    config = write_study(tmp_path / "study", TWELVE | {"mode": "bm25"})
    folder = place("out")
    study = read_study(config)
    in_the_way = bm25_index(study, folder, -1)
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_text("a file where an index belongs")
    done = sweep(config, folder)
    assert done.code == 1
    assert all(f"failed: chunk.size=60 top_k={top_k}: StoreError: " in done.out for top_k in (2, 4))
    assert done.out.count(f"{in_the_way}: could not be put in place") == 2
    kept = {run.id for run in children(folder, "FINISHED")}
    assert len(kept) == 2
    in_the_way.unlink()
    done = sweep(config, folder)
    assert done.code == 0, done.err
    assert "failed" not in done.out + done.err
    assert [parent.status for parent in parents(folder)] == ["FINISHED"]
    assert {run.status for run in children(folder)} == {"FINISHED"}
    assert kept < {run.id for run in children(folder)}
    assert len({run.tags["parameters_sha256"] for run in children(folder)}) == len(children(folder)) == 4


def shared_of(study: Study, folder: Path, key: str = "key") -> Shared:
    return Shared(study=study, store=folder / "store", cache=folder / "cache", key=key)


def run_all(study: Study, folder: Path, key: str = "key") -> UnitResult:
    places = tuple(range(len(study.grid.sets)))
    return run_sets(shared_of(study, folder, key), SetsUnit(places=places))


def with_nan(reranker: Path, folder: Path) -> Path:
    """Copy a cross-encoder and spoil what it knows of the letter ``z``: pairs with a lone z get no number."""
    import torch
    from safetensors.torch import load_file, save_file
    from support.models import VOCABULARY

    shutil.copytree(reranker, folder)
    weights = load_file(folder / "model.safetensors")
    (name,) = [name for name in weights if name.endswith("word_embeddings.weight")]
    weights[name][VOCABULARY.index("z")] = torch.nan
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def test_a_set_that_fails_half_way_leaves_nothing_to_the_next(tmp_path: Path, tiny_reranker: Path) -> None:
    """With a pool of three the last question meets the spoilt passage, after four pairs; with one it doesn't."""
    documents = {"one": "a b", "two": "a c", "three": "d z"}
    questions = {"q1": ("a b", ["one.md"]), "q2": ("a c", ["two.md"]), "q3": ("a b d", ["three.md"])}
    parameters = {
        "mode": "bm25",
        "chunk": {"splitter": "document"},
        "bm25": {"tokenizer": "word"},
        "rerank": {"model": str(with_nan(tiny_reranker, tmp_path / "model")), "depth": 3},
        "top_k": 1,
        "fetch_k": [3, 1],
    }
    study = read_study(write_study(tmp_path / "study", parameters, documents=documents, questions=questions))
    result = run_all(study, tmp_path)
    (failure,) = result.failures
    assert failure.reason.startswith("InputError: model")
    assert "a pair's score is NaN or infinite" in failure.reason
    (record,) = result.records
    assert record.summary.parameters["fetch_k"] == 1
    assert record.summary.facts["rerank_pairs"] == 3


def test_a_worker_that_outlives_a_sweep_reads_changed_model_files_anew(tmp_path: Path, tiny_encoder: Path) -> None:
    """The same process, the same study, the same path of the model, other bytes in it, and so another key."""
    model = shutil.copytree(tiny_encoder, tmp_path / "model")
    parameters = TWELVE | {"mode": "vector", "vector": {"embedder": str(model)}, "top_k": 2}
    study = read_study(write_study(tmp_path / "study", parameters))
    first = run_all(study, tmp_path, "before")
    weights = model / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 0x40
    weights.write_bytes(content)
    second = run_all(study, tmp_path, "after")
    third = run_all(study, tmp_path, "after")
    hashes = [[record.summary.hashes for record in result.records] for result in (first, second, third)]
    assert [len(found) for found in hashes] == [2, 2, 2]
    for before, after in zip(hashes[0], hashes[1], strict=True):
        assert before["weights.vector"] != after["weights.vector"]
        assert before["index.vector"] != after["index.vector"]
        assert before["parameters"] == after["parameters"]
    assert hashes[2] == hashes[1]
