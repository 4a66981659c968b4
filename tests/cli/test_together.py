"""Two sweeps at once on one store."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.world import Store, finish, start, sweep_id_of, write_study


@pytest.mark.parametrize("made_before", [True, False], ids=["existing store", "no store yet"])
def test_two_sweeps_at_once_both_finish(store: Store, tmp_path: Path, made_before: bool) -> None:
    """F6: no lock is fatal, and a new database isn't migrated twice."""
    if not made_before:
        (store.folder / "mlflow.db").unlink()
    configs = [write_study(tmp_path / name, name=name, mode="bm25") for name in ("one", "other")]
    processes = [start("sweep", config, "--dir", store.folder) for config in configs]
    done = [finish(process) for process in processes]
    assert [(each.code, "error" in each.err) for each in done] == [(0, False), (0, False)]
    for name, each in zip(("one", "other"), done, strict=True):
        [parent] = store.parents(name)
        assert parent.info.run_id == sweep_id_of(each.out)
        assert parent.info.status == "FINISHED"
        assert [child.info.status for child in store.children(parent.info.run_id)] == ["FINISHED"] * 2
    assert {path.name for path in store.folder.iterdir()} == {".harness", "mlartifacts", "mlflow.db"}
