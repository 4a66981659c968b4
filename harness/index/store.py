"""The isolated store: one directory per distinct index, named by what shaped it, never changed once there.

An index is built in a directory aside, its manifest is written last, and the directory is renamed into place: it is
complete or it isn't there. Two processes that build the same index don't meet: the later one finds the place taken
and throws its own copy away.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import StoreError
from harness.fingerprint import canonical_json, sha256_json

MANIFEST = "manifest.json"
_ASIDE = ".building"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """A complete index on disk.

    Attributes:
        path: its directory.
        sha256: fingerprint of everything that shaped it.
        facts: what its builder wanted to be remembered (checksums, counts).
        built: True when this call built it, False when it was found.
    """

    path: Path
    sha256: str
    facts: Mapping[str, Any]
    built: bool


class IndexStore:
    """A folder of indexes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def locate(self, kind: str, ingredients: Mapping[str, Any]) -> tuple[Path, str]:
        """Return the directory an index belongs in, and its fingerprint."""
        sha256 = sha256_json({"kind": kind, "schema": 1, "ingredients": ingredients})
        return self.root / f"{kind}-{sha256[:24]}", sha256

    def get_or_build(
        self,
        kind: str,
        ingredients: Mapping[str, Any],
        build: Callable[[Path], Mapping[str, Any]],
    ) -> IndexEntry:
        """Return the index with exactly these ingredients, building it when it isn't there.

        Args:
            kind: first part of the directory's name (``bm25``, ``vector``).
            ingredients: everything that shapes the index, as JSON values.
            build: fills the empty directory it is given and returns the facts to remember.

        Raises:
            StoreError: the folder can't be written, or holds another index under this name.
        """
        final, sha256 = self.locate(kind, ingredients)
        found = self._read(final, sha256)
        if found is not None:
            return found
        aside = self.root / _ASIDE / f"{final.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}"
        try:
            aside.mkdir(parents=True)
        except OSError as error:
            raise StoreError(f"{self.root}: can't be written ({error.strerror}); choose another store") from None
        try:
            facts = build(aside)
            manifest = {"kind": kind, "sha256": sha256, "ingredients": ingredients, "facts": facts}
            _write_durably(aside / MANIFEST, canonical_json(manifest))
            with contextlib.suppress(OSError):
                os.rename(aside, final)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        found = self._read(final, sha256)
        if found is None:
            raise StoreError(f"{final}: could not be put in place; is another file or folder in the way?")
        return IndexEntry(path=found.path, sha256=sha256, facts=found.facts, built=True)

    def _read(self, path: Path, sha256: str) -> IndexEntry | None:
        try:
            manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
            if not isinstance(manifest, dict) or not isinstance(manifest.get("facts"), dict):
                raise ValueError("it is no manifest")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"{path / MANIFEST}: can't be read ({error}); delete {path} and run again") from None
        if manifest.get("sha256") != sha256:
            raise StoreError(f"{path}: holds another index than its name says; delete it and run again")
        return IndexEntry(path=path, sha256=sha256, facts=manifest["facts"], built=False)


def _write_durably(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
