"""How many threads models run with."""

from __future__ import annotations

import os

import pytest

from harness.threads import model_threads, pin_threads


@pytest.mark.parametrize(
    ("value", "threads"),
    [(None, 1), ("", 1), ("1", 1), ("4", 4), ("0", 1), ("-2", 1), ("4,2", 1), ("two", 1), ("²", 1)],
)
def test_model_threads(monkeypatch: pytest.MonkeyPatch, value: str | None, threads: int) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if value is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert model_threads() == threads


def test_pinning_respects_what_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    pin_threads()
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert os.environ["OPENBLAS_NUM_THREADS"] == os.environ["MKL_NUM_THREADS"] == os.environ["RAYON_NUM_THREADS"] == "1"
