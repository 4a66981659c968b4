"""Looking after what is kept on disk: listing, verifying, pruning. Indexes and blobs are entries of one kind here."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.cache.blobs import UNREADABLE, sound_rows

Verify = Callable[[Path], str | None]
"""Entry → what is wrong with it, None when it is sound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that is kept.

    Attributes:
        kind: ``bm25``, ``vector``, ``embeddings``, ``rerank``; ``damaged`` and ``unfinished`` for what is in the way.
        path: file or folder.
        size: bytes.
        used: when it was last used, seconds since 1970.
        holds: what shaped it, in a few words.
    """

    kind: str
    path: Path
    size: int
    used: float
    holds: str


def entries(indexes: Path, blobs: Path) -> list[Entry]:
    """Return all entries, by kind, then by last use, newest first."""
    found = [*_index_entries(indexes), *_blob_entries(blobs)]
    return sorted(found, key=lambda entry: (entry.kind, -entry.used))


def verify(entry: Entry, verify_index: Mapping[str, Verify]) -> str | None:
    """Return what is wrong with an entry, None when every byte is what was written.

    Args:
        entry: what to look at.
        verify_index: kind of index → how to verify one.
    """
    if entry.kind in ("damaged", "unfinished"):
        return f"{entry.kind}; prune deletes it"
    if entry.kind in verify_index:
        return verify_index[entry.kind](entry.path)
    try:
        good, bad = sound_rows(entry.path)
    except UNREADABLE as error:
        return f"SQLite can't read it ({error}); it is put aside and computed again at its next use"
    return f"{bad} of {good + bad} rows fail their checksum; they are computed again at their next use" if bad else None


def prune(found: list[Entry], older_than_days: float | None) -> list[Entry]:
    """Delete entries and return those that were deleted.

    What is damaged, and what a dead process left unfinished, goes always; the rest when it wasn't used for longer than
    ``older_than_days`` (None keeps it).
    """
    limit = None if older_than_days is None else time.time() - older_than_days * 86_400
    gone = [
        entry
        for entry in found
        if entry.kind in ("damaged", "unfinished") or (limit is not None and entry.used <= limit)
    ]
    for entry in gone:
        _delete(entry.path)
    return gone


def _delete(path: Path) -> None:
    """Delete a folder so that it is never half there under its own name."""
    if path.is_dir():
        aside = path.with_name(f".deleting.{path.name}.{os.getpid()}")
        with contextlib.suppress(FileNotFoundError):
            os.replace(path, aside)
        shutil.rmtree(aside, ignore_errors=True)
        return
    for name in (path, path.with_name(f"{path.name}-journal"), path.with_name(f"{path.name}-wal")):
        name.unlink(missing_ok=True)


def _index_entries(root: Path) -> Iterator[Entry]:
    for path in sorted(root.glob("*-*")) if root.is_dir() else ():
        manifest = path / "manifest.json"
        if path.is_dir() and not path.name.startswith("."):
            used = manifest.stat().st_mtime if manifest.exists() else path.stat().st_mtime
            yield Entry(kind=path.name.split("-")[0], path=path, size=_size(path), used=used, holds=_holds(manifest))
    for folder, kind in ((".damaged", "damaged"), (".building", "unfinished")):
        for path in sorted((root / folder).glob("*")):
            if kind == "damaged" or not _owner_lives(path):
                yield Entry(kind=kind, path=path, size=_size(path), used=path.stat().st_mtime, holds=path.name)
    for path in sorted(root.glob(".deleting.*")):
        yield Entry(kind="unfinished", path=path, size=_size(path), used=path.stat().st_mtime, holds=path.name)


def _blob_entries(root: Path) -> Iterator[Entry]:
    for path in sorted(root.glob("*/*.sqlite")) if root.is_dir() else ():
        yield Entry(
            kind=path.parent.name,
            path=path,
            size=path.stat().st_size,
            used=path.stat().st_mtime,
            holds=_blob_holds(path),
        )
    for path in sorted(root.glob("*/*.damaged.*")):
        yield Entry(
            kind="damaged", path=path, size=path.stat().st_size, used=path.stat().st_mtime, holds=path.parent.name
        )


def _holds(manifest: Path) -> str:
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        shaped, facts = content["ingredients"], content["facts"]
    except (OSError, ValueError, KeyError, TypeError):
        return "its manifest can't be read"
    what = shaped.get("tokenizer") or _model(shaped.get("embedder", {}))
    return f"{facts.get('chunks')} chunks, {what}"


def _blob_holds(path: Path) -> str:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            rows = connection.execute("SELECT COUNT(*) FROM rows").fetchone()[0]
            manifest = json.loads(connection.execute("SELECT content FROM manifest").fetchone()[0])
        finally:
            connection.close()
    except (*UNREADABLE, TypeError, ValueError):
        return "SQLite can't read it"
    return f"{rows} values, {_model(manifest['ingredients'])}"


def _model(ingredients: Mapping[str, Any]) -> str:
    name = ingredients.get("embedder") or ingredients.get("reranker") or "?"
    weights = ingredients.get("weights")
    return f"{name} {weights[:12]}" if isinstance(weights, str) else str(name)


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _owner_lives(path: Path) -> bool:
    """Tell whether the process that builds ``name.pid.random`` is still there."""
    parts = path.name.rsplit(".", 2)
    if len(parts) < 3 or not parts[1].isdigit():
        return False
    try:
        os.kill(int(parts[1]), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
