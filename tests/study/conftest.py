"""The default study and its results, once for the whole session."""

from __future__ import annotations

import pytest
from support.worlds import ROOT

from harness.index import IndexStore
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.results import SetResult


@pytest.fixture(scope="session")
def default_study() -> Study:
    return read_study(ROOT / "configs" / "default.yaml")


@pytest.fixture(scope="session")
def default_results(default_study: Study, tmp_path_factory: pytest.TempPathFactory) -> list[SetResult]:
    """Return the results of all sets of the default study, from an empty store."""
    return list(run_study(default_study, IndexStore(tmp_path_factory.mktemp("store"))))
