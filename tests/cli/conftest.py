"""Fixtures of the command's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.sweeps import Swept, copy_store, empty_store, swept
from cli.world import Store


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """The small study, swept; look, don't touch."""
    return swept(tmp_path_factory)


@pytest.fixture
def store(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of its own, without runs."""
    return copy_store(empty_store(tmp_path_factory), tmp_path / "out")


@pytest.fixture
def new_store(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Store]:
    """Stores of one's own, by the name of their folder."""
    return lambda name: copy_store(empty_store(tmp_path_factory), tmp_path / name)
