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
from typing import Any, TypeVar

from harness.errors import DamagedError, StoreError
from harness.fingerprint import canonical_json, sha256_json
from harness.records import Damage

MANIFEST = "manifest.json"
DAMAGED = ".damaged"
_ASIDE = ".building"

Opened = TypeVar("Opened")


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
        self.damage: list[Damage] = []

    def locate(self, kind: str, ingredients: Mapping[str, Any]) -> tuple[Path, str]:
        """Return the directory an index belongs in, and its fingerprint."""
        sha256 = sha256_json({"kind": kind, "schema": 2, "ingredients": ingredients})
        return self.root / f"{kind}-{sha256[:24]}", sha256

    def open_or_build(
        self,
        kind: str,
        ingredients: Mapping[str, Any],
        build: Callable[[Path], Mapping[str, Any]],
        open_index: Callable[[Path, Mapping[str, Any]], Opened],
    ) -> tuple[Opened, IndexEntry]:
        """Return the opened index and its entry; a damaged one is put aside, reported and built again.

        Args:
            kind: as for ``get_or_build``.
            ingredients: as for ``get_or_build``.
            build: as for ``get_or_build``.
            open_index: directory and facts → the index; raises ``DamagedError`` when it isn't what was written.

        Raises:
            StoreError: the folder can't be written, or what was just built can't be opened.
        """
        try:
            entry = self.get_or_build(kind, ingredients, build)
            return open_index(entry.path, entry.facts), entry
        except DamagedError as error:
            self._put_aside(self.locate(kind, ingredients)[0], error)
        entry = self.get_or_build(kind, ingredients, build)
        return open_index(entry.path, entry.facts), entry

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
            StoreError: the folder can't be written.
            DamagedError: what is there under this name isn't what was written.
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
            _write_durably(aside / MANIFEST, canonical_json(manifest | {"seal": sha256_json(manifest)}))
            with contextlib.suppress(OSError):
                os.rename(aside, final)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        found = self._read(final, sha256)
        if found is None:
            raise StoreError(f"{final}: could not be put in place; is another file in the way?")
        return IndexEntry(path=found.path, sha256=sha256, facts=found.facts, built=True)

    def _read(self, path: Path, sha256: str) -> IndexEntry | None:
        if not path.is_dir():
            return None
        manifest = read_manifest(path)
        if manifest["sha256"] != sha256:
            raise DamagedError(f"{path}: holds another index than its name says; delete it and run again")
        with contextlib.suppress(OSError):
            os.utime(path / MANIFEST)
        return IndexEntry(path=path, sha256=sha256, facts=manifest["facts"], built=False)

    def _put_aside(self, path: Path, error: DamagedError) -> None:
        aside = self.root / DAMAGED / f"{path.name}.{uuid.uuid4().hex[:8]}"
        try:
            aside.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, aside)
        except FileNotFoundError:
            return
        except OSError as fault:
            raise StoreError(f"{path}: is damaged and can't be moved ({fault.strerror}); delete it") from error
        self.damage.append(Damage(path=str(path), what=f"{error}; it was put aside as {aside} and built again"))


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of an index directory.

    Raises:
        DamagedError: it is absent, can't be read, or isn't what was written.
    """
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
        seal = manifest.pop("seal")
        if seal != sha256_json(manifest):
            raise ValueError("its seal is broken")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise DamagedError(f"{path / MANIFEST}: can't be read ({error}); delete {path} and run again") from None
    return dict(manifest)


def _write_durably(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
