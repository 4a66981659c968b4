"""Sweeps at the same time in one directory: each ends well and complete, whatever they share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cli.world import without_looks

from harness.cache.blobs import sound_rows

from .command import run, start
from .conftest import Reference
from .world import TWELVE, children, parents, table_of, write_study


def test_the_same_study_twice_at_once(reference: Reference, place: Callable[[str], Path], tmp_path: Path) -> None:
    """One holds the lock of the study; the other takes nothing from it and isn't gone on with."""
    folder, logs = place("out"), tmp_path / "logs"
    running = [start("sweep", reference.config, "--dir", folder, logs=logs) for _ in range(2)]
    for done in [one.finish() for one in running]:
        assert done.code == 0, done.err
        assert without_looks(table_of(done.out)) == without_looks(reference.table)
        assert "going on" not in done.err
        assert "damaged" not in done.err
    assert [parent.status for parent in parents(folder)] == ["FINISHED"] * 2
    for parent in parents(folder):
        own = [child for child in children(folder) if child.parent == parent.id]
        assert sorted(child.print for child in own) == reference.prints
        assert {child.status for child in own} == {"FINISHED"}
    assert run("cache", "verify", "--dir", folder, logs=logs).out == "4 entries, 0 damaged or unfinished\n"


def test_two_studies_at_once_share_vectors_and_indexes(
    embedded: Reference, place: Callable[[str], Path], tmp_path: Path
) -> None:
    """One of their two chunkings is the same, and one model embeds for both; what each gives it gives alone too."""
    one = TWELVE | {"vector": {"embedder": "packaged-multilingual"}, "mode": ["vector", "hybrid"], "top_k": 2}
    sizes = {"one": [30, 60], "other": [60, 90]}
    configs = [
        write_study(tmp_path / name, one | {"chunk": {"splitter": "fixed", "size": cut, "overlap": 0}}, name=name)
        for name, cut in sizes.items()
    ]
    folder, logs = place("out"), tmp_path / "logs"
    running = [start("sweep", config, "--dir", folder, logs=logs) for config in configs]
    ends = [one.finish() for one in running]
    assert [(done.code, "damaged" in done.err) for done in ends] == [(0, False)] * 2, ends
    assert [parent.status for parent in parents(folder)] == ["FINISHED"] * 2
    (cache,) = (folder / ".harness/cache/embeddings").glob("*.sqlite")
    good, bad = sound_rows(cache)
    assert good > 0
    assert bad == 0
    assert len(list((folder / ".harness/indexes").glob("vector-*"))) == 3
    assert run("cache", "verify", "--dir", folder, logs=logs).code == 0
    found = [child.print for child in children(folder) if "size=90" not in child.tags["mlflow.runName"]]
    wanted = [child.print for child in embedded.sets if is_part(child.tags["mlflow.runName"])]
    assert len(found) == 6
    assert len(wanted) == 4
    assert set(found) == set(wanted)


def is_part(name: str) -> bool:
    return name.endswith("top_k=2") and not name.startswith("bm25")
