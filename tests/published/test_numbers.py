from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.study.config import read_study
from harness.study.schema import StudySchema
from harness.yamlfile import read_text, scan_yaml, validate

from .numbers import CONFIGS, PAGE, ROOT, SLOW, expected, missing, modes_table, numbers_table, rows, run, studies

PAGE_LINES = PAGE.read_text(encoding="utf-8").splitlines()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("study", [name for name in studies() if name not in SLOW])
def test_a_small_study_gives_the_published_numbers_and_those_of_the_docs(study: str, tmp_path: Path) -> None:
    folder = missing(study)
    if folder is not None:
        pytest.skip(f"published numbers of {study} not checked: {folder} isn't beside this checkout")
    found = list(rows(study, run(study, tmp_path)))
    assert [line for line, agrees in found if not agrees] == []
    written = [cells(line) for line in PAGE_LINES]
    assert [line for line, _ in found if line not in written] == [], "write it anew: python -m tests.published --write"


def test_the_table_of_modes_in_the_docs_is_the_one_that_comes_out(tmp_path: Path) -> None:
    study = "xquad-r-zh-modes"
    folder = missing(study)
    if folder is not None:
        pytest.skip(f"table of {study} not checked: {folder} isn't beside this checkout")
    text = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- table: modes -->\n", "\n<!-- end of table: modes -->"
    written = text[text.index(begin) + len(begin) : text.index(end)]
    assert modes_table(run(study, tmp_path)) == written, "write it anew: python -m tests.published --write"


def test_every_study_has_numbers_and_every_number_a_study() -> None:
    assert {*studies()} - {"xquad-r-zh-modes"} == {entry.study for entry in expected()}


def test_every_published_number_stands_in_the_docs() -> None:
    written = [cells(line) for line in PAGE_LINES if line.startswith("|")]
    there = [[line[0], line[2], line[3], line[5], line[7]] for line in written if len(line) == 9]
    for entry in expected():
        values = [f"{float(value):.4f}" for value in entry.values.values()]
        assert [entry.study, entry.source, *values] in there


@pytest.mark.parametrize("study", studies())
def test_every_study_file_is_sound(study: str) -> None:
    path = CONFIGS / f"{study}.yaml"
    schema = validate(StudySchema, scan_yaml(read_text(path), str(path)))
    for source in (schema.corpus, schema.golden):
        assert source.path.startswith("../../../shared/data/")
    assert schema.evaluation.k == 10


def test_a_missing_collection_is_named(tmp_path: Path) -> None:
    """As it is where nothing lies beside the checkout."""
    folder = tmp_path / "checkout" / "configs" / "published"
    folder.mkdir(parents=True)
    (folder / "scifact.yaml").write_bytes((CONFIGS / "scifact.yaml").read_bytes())
    with pytest.raises(InputError, match="shared/data/scifact: must be a folder, there is nothing at this path"):
        read_study(folder / "scifact.yaml")


def test_one_study_can_be_run_alone() -> None:
    folder = missing("xquad-en")
    if folder is not None:
        pytest.skip(f"python -m tests.published xquad-en not run: {folder} isn't beside this checkout")
    done = subprocess.run(
        [sys.executable, "-m", "tests.published", "xquad-en"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\| xquad-en +\| BM25, ascii \|", done.stdout, re.MULTILINE)
    assert "tolerance 0.001: all agree" in done.stdout


def test_a_number_that_is_off_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing("xquad-en") is not None:
        pytest.skip("published numbers of xquad-en not checked: ../shared/data isn't beside this checkout")
    from . import __main__ as command
    from . import numbers

    monkeypatch.setattr(numbers, "TOLERANCE", 0)
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    assert command.main(["xquad-en"]) == 1
    assert numbers_table([["a"] * 9]).count("\n") == 2


def test_writing_the_tables_leaves_the_rest_of_the_page(tmp_path: Path) -> None:
    from .__main__ import write

    page = tmp_path / "page.md"
    marks = "a\n<!-- table: {0} -->\n<!-- end of table: {0} -->\n"
    page.write_text(marks.format("numbers") + marks.format("modes") + "b\n", encoding="utf-8")
    write("| 1 |", "| 2 |", page)
    write("| 3 |", "| 4 |", page)
    table = "a\n<!-- table: {0} -->\n| {1} |\n<!-- end of table: {0} -->\n"
    assert page.read_text(encoding="utf-8") == table.format("numbers", 3) + table.format("modes", 4) + "b\n"
    page.write_text("a\n", encoding="utf-8")
    with pytest.raises(ValueError, match="substring not found"):
        write("", "", page)


def test_the_page_says_what_its_numbers_mean() -> None:
    assert {"## Lexical, semantic, hybrid", "<!-- end of table: numbers -->", "<!-- end of table: modes -->"} <= set(
        PAGE_LINES
    )
