"""Where files lie and what the platform is called doesn't matter."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.world import GOLDEN, Store, finish, invoke, run, start, write_files, write_study

C_LOCALE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def chinese_study(folder: Path) -> Path:
    """Write the small study with Chinese names everywhere."""
    write_study(folder, name="小研究", mode="bm25")
    (folder / "docs").rename(folder / "文档")
    (folder / "golden.yaml").rename(folder / "金标.yaml")
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("corpus: docs", "corpus: 文档").replace("golden: golden.yaml", "golden: 金标.yaml")
    write_files(folder, {"研究 一.yaml": text})
    return folder / "研究 一.yaml"


def test_the_c_locale_reads_and_prints_chinese(tmp_path: Path) -> None:
    """I9: names of files, ids and text, on both outputs."""
    config = chinese_study(tmp_path / "目录 有空格")
    sound = run("check", config, **C_LOCALE)
    assert (sound.code, sound.err) == (0, "")
    assert sound.out.startswith(f"{config}: no problems\n  corpus: 4 documents\n")
    write_files(config.parent, {"金标.yaml": GOLDEN.replace("[天气.md]", "[天汽.md]")})
    faulty = run("check", config, **C_LOCALE)
    assert (faulty.code, faulty.out) == (2, "")
    told = "document '天汽.md', named by question 'weather', isn't in the corpus; did you mean '天气.md'?"
    assert faulty.err == f"error: {config.parent}/金标.yaml:3: {told}\n"


def test_a_name_that_is_no_unicode_is_told_without_a_crash(tmp_path: Path) -> None:
    done = run("check", os.fsdecode(b"\xff.yaml"), cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: \\udcff.yaml: can't be read: No such file or directory\n"


def test_paths_in_a_study_are_relative_to_it_and_the_folder_written_to_is_where_one_stands(
    store: Store, tmp_path: Path
) -> None:
    config = chinese_study(tmp_path / "far" / "目录 有空格")
    done = run("sweep", os.path.relpath(config, store.folder), cwd=store.folder)
    assert done.code == 0
    assert done.out.startswith("## Ablation of study 小研究, split test\n")
    assert f"MLflow store: {store.uri}\n" in done.out
    assert {path.name for path in store.folder.iterdir()} == {".harness", "mlartifacts", "mlflow.db"}
    assert not (config.parent / ".harness").exists()
    assert len(store.parents("小研究")) == 1


@pytest.mark.parametrize("name", ["two words", "目录", "a#b", "a&b='c'"])
def test_the_folder_written_to_may_have_any_name(new_store: Callable[[str], Store], tmp_path: Path, name: str) -> None:
    store = new_store(name)
    config = write_study(tmp_path / "study", mode="bm25", top_k="3")
    done = invoke("sweep", config, "--dir", store.folder)
    assert (done.code, done.err.splitlines()[-1]) == (0, "parameter sets: 1/1, about 0 s left")
    assert (store.folder / "mlartifacts").is_dir()
    again = shlex.split(done.out.splitlines()[-1].partition(": harness ")[2].removesuffix(" [--per-query]"))
    assert invoke(*again).out in done.out


@pytest.mark.parametrize("name", ["50%20off", "really?"])
def test_a_folder_that_mlflow_would_misread_is_refused(tmp_path: Path, name: str) -> None:
    config = write_study(tmp_path / "study")
    folder = tmp_path / name
    folder.mkdir()
    done = invoke("sweep", config, "--dir", folder)
    assert (done.code, done.out) == (3, "")
    assert done.err == f"error: {folder}: MLflow misreads a path with '%' or '?' in it; choose another folder: --dir\n"
    assert {path.name for path in tmp_path.iterdir()} == {"study", name}


def test_a_study_that_was_moved_is_the_same_study(store: Store, tmp_path: Path) -> None:
    config = write_study(tmp_path / "here", mode="bm25", top_k="3")
    invoke("sweep", config, "--dir", store.folder)
    shutil.move(tmp_path / "here", tmp_path / "there")
    invoke("sweep", tmp_path / "there" / "study.yaml", "--dir", store.folder)
    one, other = store.parents("small")
    hashes = [{k: v for k, v in run.data.tags.items() if k.endswith("_sha256")} for run in (one, other)]
    assert hashes[0] == hashes[1] != {}


@pytest.mark.parametrize("command", [["sweep", "study.yaml"], ["report"], ["ui"], ["cache"]], ids=lambda c: c[0])
def test_a_folder_that_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    write_study(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = invoke(*command, "--dir", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: --dir nowhere: no such folder; create it first\n"
    assert not Path("nowhere").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write_is_refused(tmp_path: Path) -> None:
    config = write_study(tmp_path / "study")
    folder = tmp_path / "out"
    folder.mkdir(mode=0o500)
    done = invoke("sweep", config, "--dir", folder)
    assert (done.code, done.out) == (3, "")
    assert (
        done.err
        == f"error: {folder}/.harness/locks: can't be written (Permission denied); choose another folder: --dir\n"
    )


def test_a_folder_that_nothing_can_be_made_in_is_refused(tmp_path: Path) -> None:
    config = write_study(tmp_path / "study")
    write_files(tmp_path, {"out/.harness": "a file\n"})
    done = invoke("sweep", config, "--dir", tmp_path / "out")
    assert (done.code, done.out) == (3, "")
    told = f"{tmp_path}/out/.harness/locks: can't be written (Not a directory); choose another folder: --dir"
    assert done.err == f"error: {told}\n"


def test_a_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path) -> None:
    config = write_study(tmp_path)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = finish(start("check", config, stdout=closed))
    assert (done.code, done.err) == (1, "")
