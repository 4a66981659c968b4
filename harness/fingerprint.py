"""Canonical JSON and SHA-256: how everything that can change a result gets its name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys, no ASCII escaping and no spaces.

    Equal values give equal text, whatever the order of their keys. NaN and infinities are refused
    (``ValueError``), since JSON has no way to write them.
    """
    import json

    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def sha256_text(text: str) -> str:
    """Return the SHA-256 (64 hex digits) of ``text`` in UTF-8."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sha256_json(value: Any) -> str:
    """Return the SHA-256 of the canonical JSON of ``value``."""
    return sha256_text(canonical_json(value))


def sha256_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, read in blocks."""
    import hashlib

    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_tree(root: Path, files: Iterable[Path] | None = None) -> str:
    """Return one SHA-256 for a folder: relative paths (POSIX) and bytes, in path order.

    Args:
        root: the folder; where it lies doesn't matter, so a moved checkout keeps its hash.
        files: the files that count; every file below ``root`` when left out.
    """
    chosen = sorted(files if files is not None else (p for p in root.rglob("*") if p.is_file()))
    return sha256_json([[p.relative_to(root).as_posix(), sha256_file(p)] for p in chosen])
