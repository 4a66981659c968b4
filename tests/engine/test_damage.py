"""What is damaged under a sweep is said, made again, and changes no number."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from .command import Done, run
from .conftest import Reference
from .world import children, parents, table_of


def test_damaged_indexes_are_reported_rebuilt_and_change_nothing(
    reference: Reference, sweep: Callable[..., Done], tmp_path: Path
) -> None:
    """All four indexes at once, each in another way, and a half-built one that nobody may use."""
    folder = shutil.copytree(reference.folder, tmp_path / "out")
    indexes = folder / ".harness/indexes"
    first, second = sorted(indexes.glob("bm25-*"))
    third, fourth = sorted(indexes.glob("vector-*"))

    terms = bytearray((first / "terms.npy").read_bytes())
    terms[-1] ^= 1
    (first / "terms.npy").write_bytes(terms)
    manifest = json.loads((second / "manifest.json").read_text())
    manifest["facts"]["chunks_without_terms"] += 1
    (second / "manifest.json").write_text(json.dumps(manifest))
    (third / "chroma.sqlite3").unlink()
    (fourth / "manifest.json").write_bytes(b"{")
    unfinished = indexes / ".building" / f"{first.name}.{os.getpid()}.0123abcd"
    shutil.copytree(first, unfinished)

    done = sweep(reference.config, folder)
    assert done.code == 0, done.err
    damaged = [line for line in done.err.splitlines() if line.startswith("damaged: ")]
    for path, told in (
        (first, "terms.npy: damaged (its checksum has changed)"),
        (second, "its seal is broken"),
        (third, "Chroma can't read this index"),
        (fourth, "manifest.json: can't be read"),
    ):
        (line,) = [line for line in damaged if str(path) in line]
        assert told in line
        assert "it was put aside as" in line
    assert len(damaged) == 4
    assert len(list((indexes / ".damaged").iterdir())) == 4
    assert table_of(done.out) == reference.table
    assert "going on" not in done.err
    assert [parent.status for parent in parents(folder)] == ["FINISHED"] * 2, "what has ended isn't gone on with"
    new = {child.id for child in children(folder)} - {child.id for child in reference.sets}
    assert sorted(child.print for child in children(folder) if child.id in new) == reference.prints

    assert unfinished.is_dir(), "this process lives, so it might still be building"
    pruned = run("cache", "prune", "--dir", folder, logs=tmp_path / "logs")
    assert pruned.out.splitlines()[-1].startswith("4 deleted, ")


def test_damaged_vectors_and_a_pruned_cache_change_nothing(
    embedded: Reference, sweep: Callable[..., Done], tmp_path: Path
) -> None:
    folder = shutil.copytree(embedded.folder, tmp_path / "out")
    (cache,) = (folder / ".harness/cache/embeddings").glob("*.sqlite")
    with closing(sqlite3.connect(cache)) as connection, connection:
        key, value = connection.execute("SELECT key, value FROM rows ORDER BY key LIMIT 1 OFFSET 5").fetchone()
        spoilt = bytes([value[0] ^ 1, *value[1:]])
        connection.execute("UPDATE rows SET value = ? WHERE key = ?", (spoilt, key))
    for index in (folder / ".harness/indexes").glob("vector-*"):
        shutil.rmtree(index)
    done = sweep(embedded.config, folder)
    assert (done.code, table_of(done.out)) == (0, embedded.table)
    assert "damaged: 1 rows failed their checksum; they are computed again" in done.err.splitlines()

    pruned = run("cache", "prune", "--older-than", "0", "--dir", folder, logs=tmp_path / "logs")
    assert pruned.out.splitlines()[-1].startswith("5 deleted, ")
    assert not cache.exists()
    done = sweep(embedded.config, folder)
    assert (done.code, table_of(done.out)) == (0, embedded.table)
    assert "damaged" not in done.err
    prints = [child.print for child in children(folder)]
    assert len(prints) == 36
    assert {prints.count(found) for found in prints} == {3}
