"""Every notebook runs without a network, and its committed outputs are what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.executing import FOLDER, NOTEBOOKS, execute, texts


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_says_what_is_committed(path: Path) -> None:
    committed, done = execute(path)
    assert texts(done) == texts(committed)
    assert [cell.execution_count for cell in done.cells if cell.cell_type == "code"] == [
        cell.execution_count for cell in committed.cells if cell.cell_type == "code"
    ]


def test_each_is_named_in_the_readme() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) >= 3
    assert [path.name for path in NOTEBOOKS if path.name not in readme] == []
