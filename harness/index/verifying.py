"""Verifying an index directory: every byte that a search would read is what was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.errors import StoreError
from harness.fingerprint import sha256_file
from harness.index.store import read_manifest
from harness.index.vector import check_vectors


def verify_bm25(path: Path) -> str | None:
    """Return what is wrong with the terms of an index or their counts, None when nothing is."""
    try:
        facts = read_manifest(path)["facts"]
    except StoreError as error:
        return str(error)
    for name, seal in {**facts.get("files", {"terms.npy": ""}), **facts.get("counts", {})}.items():
        if not (path / name).exists() or sha256_file(path / name) != seal:
            return f"{name} has changed; it is built again at its next use"
    return None


def verify_vector(path: Path) -> str | None:
    """Return what is wrong with the vectors of an index, None when nothing is."""
    try:
        check_vectors(path, read_manifest(path)["facts"])
    except StoreError as error:
        return str(error)
    return None


VERIFY_INDEX: dict[str, Callable[[Path], str | None]] = {"bm25": verify_bm25, "vector": verify_vector}
"""Kind of index → how to verify one."""
