"""A new database is made aside, and put in place whole or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.tracking.sqlite import database_file, make_database


def fill(word: str, uri: str) -> None:
    with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as connection:
        connection.execute(f"CREATE TABLE {word} (a)")
        connection.commit()


def tables(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]


@pytest.mark.parametrize(
    ("uri", "file"),
    [
        ("sqlite:////a/b c/mlflow.db", Path("/a/b c/mlflow.db")),
        ("sqlite:///mlflow.db", Path.cwd() / "mlflow.db"),
        ("sqlite:///:memory:", None),
        ("sqlite://", None),
        ("sqlite:///a.db?timeout=9", None),
        ("http://host:5000", None),
        ("postgresql://host/name", None),
    ],
)
def test_which_file_a_store_is(uri: str, file: Path | None) -> None:
    assert database_file(uri) == file


def test_a_new_database_is_made(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "mlflow.db"
    make_database(file, lambda uri: fill("made", uri))
    assert tables(file) == ["made"]
    assert list(file.parent.iterdir()) == [file]


def test_one_that_is_there_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "mlflow.db"
    fill("before", f"sqlite:///{file}")
    make_database(file, lambda uri: fill("made", uri))
    assert tables(file) == ["before"]


def test_one_that_another_process_makes_meanwhile_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "mlflow.db"

    def slowly(uri: str) -> None:
        fill("second", uri)
        fill("first", f"sqlite:///{file}")

    make_database(file, slowly)
    assert tables(file) == ["first"]
    assert list(tmp_path.iterdir()) == [file]


def test_a_stop_while_it_is_made_leaves_nothing(tmp_path: Path) -> None:
    def stopped(uri: str) -> None:
        fill("half", uri)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_database(tmp_path / "mlflow.db", stopped)
    assert list(tmp_path.iterdir()) == []


def test_one_with_a_transaction_that_a_kill_broke_off_is_rolled_back(tmp_path: Path) -> None:
    file = tmp_path / "mlflow.db"
    fill("before", f"sqlite:///{file}")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO before VALUES (1)")
        journal = Path(f"{file}-journal").read_bytes()
        connection.execute("ROLLBACK")
    Path(f"{file}-journal").write_bytes(journal)
    make_database(file, lambda uri: fill("made", uri))
    assert tables(file) == ["before"]
