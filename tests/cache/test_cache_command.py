"""``harness cache``: lists, verifies and prunes what is kept, and what was pruned is made again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from engine.command import Done
from engine.command import run as run_command

from harness.cache.care import entries
from harness.study.config import Study

from .conftest import run
from .probes import change, files

HARNESS = Path(sysconfig.get_path("scripts")) / "harness"
KINDS = ["bm25", "embeddings", "rerank", "vector"]


"""One entry of each in what the fixture ``kept`` gives: of three documents, cut into 3, 2 and 2 chunks."""


def cache(folder: Path, *arguments: object, logs: Path | None = None) -> Done:
    return run_command("cache", *arguments, "--dir", folder, logs=logs or folder.parent / "logs")


def entry(folder: Path, kind: str) -> Path:
    (found,) = [e.path for e in entries(folder / ".harness/indexes", folder / ".harness/cache") if e.kind == kind]
    return found


def kinds(folder: Path) -> list[str]:
    return [e.kind for e in entries(folder / ".harness/indexes", folder / ".harness/cache")]


def test_the_installed_command_lists_and_verifies(kept: Path) -> None:
    for what, told in (("list", "4 entries, "), ("verify", "4 entries, 0 damaged or unfinished\n")):
        command = [str(HARNESS), "cache", what, "--dir", str(kept)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert told in done.stdout


def test_a_list_names_every_entry_and_what_it_holds(kept: Path) -> None:
    done = cache(kept, "list")
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[0] for row in cells] == KINDS
    assert [row[1] for row in cells] == [entry(kept, kind).name for kind in KINDS]
    assert cells[0][2] == "7 chunks, char-bigram"
    assert cells[1][2].startswith("9 values, sentence-transformers ")  # seven chunks and two questions
    assert cells[2][2].startswith("8 values, cross-encoder ")  # four of each question
    assert cells[3][2].startswith("7 chunks, sentence-transformers ")
    assert cache(kept).out == done.out


def test_nothing_is_kept_in_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert cache(tmp_path / "empty", "list").out == "nothing is kept here yet\n"
    assert cache(tmp_path / "empty", "verify").out == "0 entries, 0 damaged or unfinished\n"
    assert cache(tmp_path / "empty", "prune").out == "0 deleted, 0.0 MB freed\n"
    assert list((tmp_path / "empty").iterdir()) == []


def flip(path: Path, place: int = -1) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def edit_manifest(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["facts"]["chunks"] += 1
    (folder / "manifest.json").write_text(json.dumps(manifest))


def delete_data(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name != "manifest.json":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def spoil_row(path: Path) -> None:
    change(path, "UPDATE rows SET seal = X'00' WHERE key = (SELECT MIN(key) FROM rows)")


DAMAGE: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "terms": ("bm25", lambda path: flip(path / "terms.npy"), "terms.npy has changed"),
    "counts": ("bm25", lambda path: flip(path / "cell_counts.npy"), "cell_counts.npy has changed"),
    "vocabulary": ("bm25", lambda path: (path / "vocabulary.json").unlink(), "vocabulary.json has changed"),
    "bm25 manifest": ("bm25", edit_manifest, "its seal is broken"),
    "vector manifest": ("vector", edit_manifest, "its seal is broken"),
    "no manifest": ("vector", lambda path: (path / "manifest.json").unlink(), "can't be read"),
    "vectors": ("vector", delete_data, "Chroma can't read this index"),
    "row": ("embeddings", spoil_row, "1 of 9 rows fail their checksum"),
    "score": ("rerank", spoil_row, "1 of 8 rows fail their checksum"),
    "database": ("embeddings", lambda path: path.write_bytes(b"no database, not at all"), "SQLite can't read it"),
}


@pytest.mark.parametrize(("kind", "spoil", "told"), DAMAGE.values(), ids=DAMAGE)
def test_verify_names_what_is_damaged(kept: Path, kind: str, spoil: Callable[[Path], None], told: str) -> None:
    damaged = entry(kept, kind)
    spoil(damaged)
    done = cache(kept, "verify")
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[-1] == "4 entries, 1 damaged or unfinished"
    assert len(lines) == 2
    assert lines[0].startswith(f"{damaged}: ")
    assert told in lines[0]
    assert cache(kept, "list").code == 0


@pytest.mark.parametrize(("kind", "spoil", "told"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_damaged_is_made_again_with_the_same_results(
    kept: Path,
    kept_study: Study,
    kept_once: tuple[Path, dict[str, str]],
    kind: str,
    spoil: Callable[[Path], None],
    told: str,
) -> None:
    """The damaged index is rebuilt; of a damaged cache nothing is used, even when the index over it is gone too."""
    del told
    spoil(entry(kept, kind))
    if kind in ("embeddings", "rerank"):
        shutil.rmtree(entry(kept, "vector"))
    assert run(kept_study, kept) == kept_once[1]
    done = cache(kept, "prune")
    assert done.code == 0
    assert kinds(kept) == KINDS
    assert cache(kept, "verify").code == 0


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_prune_deletes_what_is_in_the_way_and_nothing_else(kept: Path) -> None:
    indexes = kept / ".harness/indexes"
    left = {
        ".damaged/bm25-0123.abcd": "damaged",
        f".building/vector-0123.{dead_pid()}.abcd": "unfinished",
        ".building/stray": "unfinished",
        ".building/a.b": "unfinished",
        f".deleting.bm25-0123.{dead_pid()}": "unfinished",
    }
    for name in left:
        (indexes / name).mkdir(parents=True)
        (indexes / name / "data").write_bytes(bytes(1000))
    aside = files(kept / ".harness/cache")[0].with_suffix(".damaged.7")
    aside.write_bytes(b"x")
    alive = indexes / f".building/bm25-0123.{os.getpid()}.abcd"
    alive.mkdir()
    done = cache(kept, "verify")
    assert done.code == 1
    named = {line.split(": ")[0] for line in done.out.splitlines()[:-1]}
    assert named == {str(aside), *(str(indexes / name) for name in left)}
    assert done.out.splitlines()[-1] == "10 entries, 6 damaged or unfinished"

    done = cache(kept, "prune")
    assert done.code == 0
    lines = done.out.splitlines()
    assert {line.removeprefix("deleted ") for line in lines[:-1]} == named
    assert lines[-1] == "6 deleted, 0.0 MB freed"
    assert kinds(kept) == KINDS
    assert alive.is_dir(), "its builder is still at work"
    assert cache(kept, "verify").out == "4 entries, 0 damaged or unfinished\n"


def test_prune_deletes_what_was_not_used_for_long(
    kept: Path, kept_study: Study, kept_once: tuple[Path, dict[str, str]]
) -> None:
    """Last use by a sweep counts; looking at an entry is no use of it."""
    long_ago = time.time() - 10 * 86_400
    for kind in ("bm25", "rerank"):
        path = entry(kept, kind)
        os.utime(path / "manifest.json" if path.is_dir() else path, (long_ago, long_ago))
    assert cache(kept, "list").code == cache(kept, "verify").code == 0
    assert cache(kept, "prune", "--older-than", 11).out == "0 deleted, 0.0 MB freed\n"
    done = cache(kept, "prune", "--older-than", 9.5)
    assert done.out.splitlines()[-1].startswith("2 deleted, ")
    assert kinds(kept) == ["embeddings", "vector"]
    assert run(kept_study, kept) == kept_once[1]
    assert kinds(kept) == KINDS
    assert cache(kept, "prune", "--older-than", 9.5).out == "0 deleted, 0.0 MB freed\n"


def test_what_a_study_reads_is_used(kept: Path, kept_study: Study) -> None:
    long_ago = time.time() - 10 * 86_400
    for kind in KINDS:
        path = entry(kept, kind)
        os.utime(path / "manifest.json" if path.is_dir() else path, (long_ago, long_ago))
    run(kept_study, kept)
    assert cache(kept, "prune", "--older-than", 9.5).out == "0 deleted, 0.0 MB freed\n"


def test_prune_of_everything_leaves_nothing_and_costs_nothing_but_time(
    kept: Path, kept_study: Study, kept_once: tuple[Path, dict[str, str]]
) -> None:
    done = cache(kept, "prune", "--older-than", 0)
    assert done.code == 0
    assert done.out.splitlines()[-1].startswith("4 deleted, ")
    assert kinds(kept) == []
    assert [path for path in (kept / ".harness").rglob("*") if path.is_file()] == []
    assert run(kept_study, kept) == kept_once[1]
    assert kinds(kept) == KINDS
    assert cache(kept, "verify").code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["frobnicate"], "cache: must be list, verify or prune, found 'frobnicate'"),
        (["list", "--older-than", "3"], "--older-than: is for prune"),
        (["verify", "--older-than", "0"], "--older-than: is for prune"),
        (["prune", "--older-than", "-1"], "must be a number of days, 0 or more, found -1"),
        (["prune", "--older-than", "nan"], "must be a number of days, 0 or more, found nan"),
        (["prune", "--older-than", "soon"], "--older-than"),
        (["prune", "list"], "list"),
    ],
)
def test_misuse_is_refused_and_changes_nothing(kept: Path, arguments: list[str], told: str) -> None:
    done = cache(kept, *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert kinds(kept) == KINDS


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = cache(tmp_path / "nowhere", "list", logs=tmp_path / "logs")
    assert (done.code, done.out) == (2, "")
    assert f"{tmp_path / 'nowhere'}: no such folder" in done.err
