"""A study with a selection that is killed in either half ends as one that never was."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from .command import Done, run
from .world import TWELVE, children, parents, runs, write_study

DEV = {"d1": ("pump p7", ["valves.md"]), "d2": ("twice a day", ["notes.md"]), "d3": ("the red sea", ["kite.md"])}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    path = write_study(folder, TWELVE | {"mode": ["bm25", "vector"], "top_k": 2})
    golden = yaml.safe_load((folder / "golden.yaml").read_text(encoding="utf-8"))
    golden["queries"] += [
        {"id": name, "question": text, "gold": gold, "split": "dev"} for name, (text, gold) in DEV.items()
    ]
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden, allow_unicode=True), encoding="utf-8")
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    baseline = {"mode": "vector", "chunk.size": 60}
    study["selection"] = {"tune_on": "dev", "measure": "ndcg@2", "baseline": baseline}
    path.write_text(yaml.safe_dump(study, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def tables(out: str) -> list[str]:
    """Return both tables, without ids."""
    found = re.findall(r"^## Ablation.*?^protocol .*?$", out, re.MULTILINE | re.DOTALL)
    return [re.sub(r"[0-9a-f]{32}", "ID", text) for text in found]


def results(folder: Path) -> list[tuple[Any, ...]]:
    return sorted((child.tags["split"], *child.print) for child in children(folder))


@pytest.fixture(scope="module")
def undisturbed(config: Path, empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done, int]:
    root = tmp_path_factory.mktemp("undisturbed")
    (root / "mlflow.db").write_bytes(empty_store.read_bytes())
    done = run("sweep", config, "--dir", root, logs=root / "logs", kill_at=0)
    assert done.code == 0, done.err
    (moments,) = (root / "logs").glob("*/moments")
    assert len(tables(done.out)) == 2
    assert len(results(root)) == 4 + 2
    return root, done, int(moments.read_text())


@pytest.mark.parametrize("share", [0.3, 0.6, 0.7, 0.8, 0.97])
def test_a_kill_in_either_half(
    config: Path,
    undisturbed: tuple[Path, Done, int],
    place: Callable[[str], Path],
    tmp_path: Path,
    share: float,
) -> None:
    root, reference, moments = undisturbed
    folder, logs = place("out"), tmp_path / "logs"
    killed = run("sweep", config, "--dir", folder, logs=logs, kill_at=int(share * moments))
    assert killed.code == -signal.SIGKILL
    kept = {child.id for child in children(folder, "FINISHED")}
    done = run("sweep", config, "--dir", folder, logs=logs)
    assert done.code == 0, done.err
    assert tables(done.out) == tables(reference.out)
    assert results(folder) == results(root)
    assert kept <= {child.id for child in children(folder)}
    assert {one.status for one in runs(folder)} == {"FINISHED"}
    assert sorted(parent.tags["split"] for parent in parents(folder)) == ["dev", "test"]


def test_workers_choose_the_same(
    config: Path, undisturbed: tuple[Path, Done, int], place: Callable[[str], Path], tmp_path: Path
) -> None:
    root, reference, _ = undisturbed
    options = ("--executor", "processes", "--workers", 2)
    done = run("sweep", config, "--dir", place("out"), *options, logs=tmp_path / "logs")
    assert done.code == 0, done.err
    assert tables(done.out) == tables(reference.out)
    assert results(tmp_path / "out") == results(root)
