"""Each embedder once for the whole session."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from harness.protocols import Embedder

from .cases import KINDS, load

Loader = Callable[[str], Embedder]


@pytest.fixture(scope="session")
def loaded(tiny_encoder: Path) -> Loader:
    return cache(lambda kind: load(kind, tiny_encoder))


@pytest.fixture(params=KINDS)
def embedder(request: pytest.FixtureRequest, loaded: Loader) -> Embedder:
    return loaded(request.param)
