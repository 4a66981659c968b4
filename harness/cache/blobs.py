"""Small values by content, in one SQLite file for each thing that shaped them.

A key is the SHA-256 of what a value was computed from, a value is bytes, and each row carries a checksum over both. A
row whose checksum fails is dropped and counted, so it is computed again; a file that SQLite can't read is put aside
and started anew. SQLite's own transactions make writes atomic, whoever is killed, and let several processes share a
file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import StoreError
from harness.fingerprint import canonical_json, sha256_json
from harness.records import Damage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS manifest (content TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pace (count INTEGER NOT NULL, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, value BLOB NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID;
"""
_TIMEOUT_S = 60.0
_LOOKUP = 500
UNREADABLE = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What a damaged file makes Python's driver raise; the second where SQLite's own message is damaged too."""
_NOT_THE_FILE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
)


class BlobCache:
    """One file of values that share everything but their own content."""

    def __init__(self, root: Path, kind: str, ingredients: Mapping[str, Any]) -> None:
        """Name the file; it is created at the first write.

        Args:
            root: folder of the cache.
            kind: ``embeddings`` or ``rerank``; the sub-folder.
            ingredients: everything that shapes a value besides its key, as JSON values.
        """
        self.manifest = {"kind": kind, "schema": 1, "ingredients": dict(ingredients)}
        self.path = root / kind / f"{sha256_json(self.manifest)[:24]}.sqlite"
        self.damage: list[Damage] = []
        self._marked = False

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values that are held and sound."""
        if not self.path.exists():
            return {}
        self._mark_used()
        found: dict[bytes, bytes] = {}
        spoilt: list[bytes] = []
        try:
            with self._connection() as connection:
                for start in range(0, len(keys), _LOOKUP):
                    batch = keys[start : start + _LOOKUP]
                    marks = ",".join("?" * len(batch))
                    rows = connection.execute(f"SELECT key, value, seal FROM rows WHERE key IN ({marks})", batch)
                    for key, value, seal in rows:
                        if _is_sound(key, value, seal):
                            found[key] = value
                        else:
                            spoilt.append(key)
                if spoilt:
                    connection.executemany("DELETE FROM rows WHERE key = ?", [(key,) for key in spoilt])
        except UNREADABLE as error:
            self._put_aside(error)
            return {}
        if spoilt:
            self._report(f"{len(spoilt)} rows failed their checksum; they are computed again")
        return found

    def put(self, items: Mapping[bytes, bytes], seconds: float) -> None:
        """Write values, and how long it took to compute them, in one transaction.

        A key that is held already keeps its value.
        """
        rows = [(key, value, _seal(key, value)) for key, value in items.items()]
        for _ in range(2):
            try:
                with self._connection() as connection:
                    connection.executemany("INSERT OR IGNORE INTO rows VALUES (?, ?, ?)", rows)
                    connection.execute("INSERT INTO pace VALUES (?, ?)", (len(rows), seconds))
                return
            except UNREADABLE as error:
                self._put_aside(error)
        raise StoreError(f"{self.path}: can't be written; is the disk full?")

    def key(self, *parts: str) -> bytes:
        """Return the key of a value that was computed from these texts."""
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")).digest()

    def held(self, keys: Sequence[bytes]) -> int:
        """Return how many of the keys have a value, sound or not; nothing is written."""
        batches = (keys[start : start + _LOOKUP] for start in range(0, len(keys), _LOOKUP))
        query = "SELECT COUNT(*) FROM rows WHERE key IN ({})"
        return sum(int(self._number(query.format(",".join("?" * len(b))), b) or 0) for b in batches)

    def count(self) -> int:
        """Return how many values are held; nothing is written."""
        return int(self._number("SELECT COUNT(*) FROM rows") or 0)

    def pace(self) -> float | None:
        """Return how many values were computed in a second so far, None when none were; nothing is written."""
        return self._number("SELECT SUM(count) / SUM(seconds) FROM pace")

    def _mark_used(self) -> None:
        """Note on the file that it is in use; its time of access won't do, since looking at it would change that."""
        if not self._marked:
            with contextlib.suppress(OSError):
                os.utime(self.path)
            self._marked = True

    def _number(self, query: str, values: Sequence[bytes] = ()) -> float | None:
        if not self.path.exists():
            return None
        try:
            connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=_TIMEOUT_S)
            try:
                return connection.execute(query, values).fetchone()[0]  # type: ignore[no-any-return]
            finally:
                connection.close()
        except UNREADABLE:
            return None

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=_TIMEOUT_S)
        except (OSError, sqlite3.OperationalError) as error:
            raise StoreError(f"{self.path}: can't be opened ({error}); choose another --dir") from None
        try:
            with connection:
                connection.executescript(_SCHEMA)
                wanted = canonical_json(self.manifest)
                held = connection.execute("SELECT content FROM manifest").fetchone()
                if held is None:
                    connection.execute("INSERT INTO manifest VALUES (?)", (wanted,))
                elif held[0] != wanted:
                    raise sqlite3.DatabaseError("it holds other values than its name says")
                yield connection
        finally:
            connection.close()

    def _put_aside(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> None:
        """Move a damaged file out of the way.

        Raises:
            StoreError: it isn't the file that is to blame, or it can't be moved.
        """
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreError(f"{self.path}: stayed locked for {_TIMEOUT_S:.0f} s; is another process stuck?") from None
        if code in _NOT_THE_FILE:
            raise StoreError(f"{self.path}: can't be read or written ({error}); is the disk full?") from None
        aside = self.path.with_suffix(f".damaged.{os.getpid()}")
        try:
            os.replace(self.path, aside)
        except FileNotFoundError:
            pass
        except OSError as fault:
            raise StoreError(f"{self.path}: is damaged and can't be moved ({fault.strerror}); delete it") from None
        self._report(f"SQLite can't read it ({error}); it was put aside as {aside.name} and is computed again")

    def _report(self, what: str) -> None:
        self.damage.append(Damage(path=str(self.path), what=what))


def _seal(key: bytes, value: bytes) -> bytes:
    return hashlib.sha256(key + value).digest()[:16]


def _is_sound(key: Any, value: Any, seal: Any) -> bool:
    """Tell whether a row is what was written; in a damaged file its parts may be of any type."""
    return isinstance(key, bytes) and isinstance(value, bytes) and bool(seal == _seal(key, value))


def sound_rows(path: Path) -> tuple[int, int]:
    """Return how many rows of a file are sound, and how many aren't.

    Raises:
        sqlite3.DatabaseError, UnicodeDecodeError: SQLite can't read the file (``UNREADABLE``).
    """
    good = bad = 0
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        for key, value, seal in connection.execute("SELECT key, value, seal FROM rows"):
            if _is_sound(key, value, seal):
                good += 1
            else:
                bad += 1
    finally:
        connection.close()
    return good, bad
