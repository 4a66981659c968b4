"""A SQLite store's file: made aside and put in place complete, and known to be usable before MLflow opens it.

MLflow fills a new file by dozens of migrations: two processes that do so at once break each other's, and one that is
killed leaves a file that no process can use. A file that can't be opened it tries for two minutes. Hence this.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

_SCHEME = "sqlite:///"


def database_file(uri: str) -> Path | None:
    """Return the file of a SQLite store; None for other stores, for one in memory, and for an address with options."""
    path = uri.removeprefix(_SCHEME)
    return None if path in (uri, "", ":memory:") or "?" in path else Path(path).absolute()


def make_database(file: Path, fill: Callable[[str], None]) -> None:
    """Have ``fill`` make the database, unless there is one, or another process is first.

    Args:
        file: where the database belongs.
        fill: makes a database at the SQLite address it is given.

    Raises:
        OSError: the folder can't be written.
        sqlite3.Error: what is there isn't a database, or can't be opened.
    """
    if file.exists():
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=60)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{file.name}-new.", dir=file.parent) as aside:
        made = Path(aside) / file.name
        fill(f"{_SCHEME}{made}")
        _put_in_place(made, file)


def _put_in_place(made: Path, file: Path) -> None:
    """Give a complete database its name; one that is there already stays."""
    try:
        os.link(made, file)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not file.exists():
            made.replace(file)
