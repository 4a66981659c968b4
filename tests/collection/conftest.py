"""Helpers of the collection's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InputError

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def refused(tmp_path: Path) -> Refused:
    """Call something that must raise InputError; return its problems as text, without the temporary folder."""

    def call(function: Callable[..., Any], *arguments: Any) -> list[str]:
        with pytest.raises(InputError) as caught:
            function(*arguments)
        return [str(problem).replace(f"{tmp_path}/", "") for problem in caught.value.problems]

    return call


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files (name → content) below the temporary folder; return that folder."""

    def call(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return tmp_path

    return call
