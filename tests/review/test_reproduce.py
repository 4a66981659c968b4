"""A run made again from its id: the rung, the cause, the stage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.sweeps import Swept, copy_store, empty_store
from cli.world import invoke, run, sweep_id_of, write_study
from support.models import build_encoder

from .conftest import Change, Past, agreed, causes

Edit = Callable[[str], str]


def swap(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new, 1)


def test_what_has_not_changed_is_bit_identical(past: Past) -> None:
    done = past.reproduce(reference=past.run_id[:8])
    assert done.code == 0, done.err
    assert "**bit-identical**: the same chunks with the same scores to the last bit" in done.out
    assert "First stage that differs" not in done.out


def test_seed_of_hashes_time_zone_and_locale_do_not_matter(past: Past) -> None:
    extra = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    done = run("reproduce", past.run_id, "--dir", past.folder, "--json", **extra)
    assert (done.code, agreed(done)["rung"], causes(done)) == (0, "bit-identical", [])


def test_all_sets_of_a_sweep(small: Swept) -> None:
    done = invoke("reproduce", small.sweep_id, "--dir", small.folder)
    assert done.code == 0
    assert done.out.count("**bit-identical**") == len(small.store.children(small.sweep_id))


CHANGES: dict[str, tuple[str, Edit, tuple[str, str], int, str, str | None]] = {
    "a byte of a document, which moves no rank": (
        "docs/boats.md",
        swap("harbour.", "harbour!"),
        ("corpus file", "boats.md"),
        0,
        "bit-identical",
        "chunks",
    ),
    "a gold label": (
        "golden.yaml",
        swap("gold: [boats.md, ships.md]", "gold: [boats.md]"),
        ("golden file", "golden.yaml"),
        4,
        "same rankings",
        "scores",
    ),
    "a chunk size in the study": (
        "study.yaml",
        swap("size: 60", "size: 50"),
        ("study", "parameters.chunk.size"),
        0,
        "bit-identical",
        None,
    ),
    "a document that lost its words": (
        "docs/boats.md",
        swap("Red boats pass the lights of the harbour.", "仓库温度每天记录两次。"),
        ("corpus file", "boats.md"),
        6,
        "different",
        "chunks",
    ),
}
"""What is changed → file, how, the only cause, exit code, rung, first stage that differs."""


@pytest.mark.parametrize("case", CHANGES)
def test_one_change_is_named_and_nothing_else(past: Past, change: Change, case: str) -> None:
    name, edit, cause, code, rung, stage = CHANGES[case]
    with change(past.study.parent / name, edit):
        done = past.reproduce("--json")
    assert causes(done) == [cause]
    found = agreed(done)
    assert (found["rung"], found["stage"], done.code) == (rung, stage, code)


def test_a_gold_label_names_its_question(past: Past, change: Change) -> None:
    with change(past.study.parent / "golden.yaml", swap("gold: [tower.md]", "gold: [ships.md]")):
        done = past.reproduce("--json")
    assert [question["query"] for question in agreed(done)["questions"]] == ["lights"]


def test_another_model_in_the_same_folder(past: Past, tmp_path: Path) -> None:
    aside = shutil.move(past.encoder, tmp_path / "aside")
    try:
        build_encoder(past.encoder, limit=5)
        done = run("reproduce", past.run_id, "--dir", past.folder, "--json")
    finally:
        shutil.rmtree(past.encoder)
        shutil.move(aside, past.encoder)
    assert causes(done) == [("model", str(past.encoder))]
    assert agreed(done)["stage"] == "vectors"


def test_a_package_that_had_another_version(past: Past, change: Change) -> None:
    def fake(text: str) -> str:
        held: dict[str, Any] = json.loads(text)
        held["packages"]["rank-bm25"] = "0.1.0"
        return json.dumps(held)

    with change(past.artifact("environment.json"), fake):
        done = past.reproduce("--json")
        told = past.reproduce()
    assert (causes(done), agreed(done)["rung"]) == ([("package", "rank-bm25")], "bit-identical")
    assert "| package | rank-bm25" in told.out


def test_a_logged_ranking_that_was_edited_is_found_out(past: Past, change: Change) -> None:
    def turn(text: str) -> str:
        lines = [json.loads(line) for line in text.splitlines()]
        lines[1]["hits"] = lines[1]["hits"][::-1]
        return "".join(json.dumps(line) + "\n" for line in lines)

    with change(past.artifact("ranking.jsonl"), turn):
        done = past.reproduce("--json")
    assert causes(done) == [("logged file", "ranking.jsonl")]
    assert agreed(done)["rung"] == "same metrics"
    [question] = agreed(done)["questions"]
    assert (question["query"], question["stage"], question["overlap"]) == ("red", None, "1")


def test_files_that_are_gone(past: Past, tmp_path: Path) -> None:
    docs = past.study.parent / "docs"
    aside = shutil.move(docs, tmp_path / "elsewhere")
    try:
        gone, kept = past.reproduce(), past.reproduce("--from-artifacts", "--json")
        given = past.reproduce("--corpus", aside, "--json")
    finally:
        shutil.move(aside, docs)
    assert gone.code == 2
    assert "corpus.path: isn't at" in gone.err
    assert "--from-artifacts" in gone.err
    assert (kept.code, causes(kept), agreed(kept)["rung"]) == (0, [], "bit-identical")
    assert (given.code, causes(given), agreed(given)["rung"]) == (0, [], "bit-identical")


def test_a_checkout_that_moved(past: Past, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Store, files and study in one folder, seen from the working directory; then the folder has another name."""
    before, after = tmp_path / "before", tmp_path / "after"
    shutil.copytree(past.study.parent, before)
    shutil.copy(empty_store(tmp_path_factory), before / "mlflow.db")
    done = run("sweep", "study.yaml", cwd=before)
    assert done.code == 0, done.err
    before.rename(after)
    again = run("reproduce", sweep_id_of(done.out), "--json", cwd=after)
    assert again.code == 0, again.err
    assert (agreed(again)["rung"], causes(again)) == ("bit-identical", [])
    kept = run("reproduce", "latest", "--json", "--from-artifacts", cwd=after)
    assert (kept.code, causes(kept)) == (0, []), kept.err


def test_equal_files_are_kept_once(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = copy_store(empty_store(tmp_path_factory), tmp_path / "out").folder
    for name in ("one", "two"):
        study = write_study(tmp_path / name, name=name, mode="bm25", top_k="3")
        assert invoke("sweep", study, "--dir", folder).code == 0
    copies = list(folder.glob("mlartifacts/*/artifacts/sources/*.zip"))
    assert len(copies) == 2, "the corpus and the golden set, whatever the study is called"
    shutil.rmtree(tmp_path / "two")
    assert invoke("reproduce", "latest", "--dir", folder, "--from-artifacts").code == 0


NO_RUN = {
    "ffffffff": "no run begins with ffffffff; the newest sweeps are",
    "abc": "give a run id, at least its first 4 characters",
    "../../etc": "can't be a run",
    "latest/other": "has no finished set named 'other'",
}


@pytest.mark.parametrize("reference", NO_RUN)
def test_a_run_that_is_not_there(past: Past, reference: str) -> None:
    done = past.reproduce(reference=reference)
    assert done.code == 2
    assert NO_RUN[reference] in done.err
    assert "Traceback" not in done.err
