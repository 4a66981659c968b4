"""A store and a cache as a sweep leaves them, made once and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from harness.index import IndexStore
from harness.study.config import Study, read_study
from harness.study.engine import run_study

DOCUMENTS = {
    "pumps": "# Pumps\n\nPump P7 runs dry. Prime the pump first; see the manual.",
    "seals": "# Seals\n\nA seal leaks. Order a new one.",
    "warehouse": "# 仓库\n\n仓库温度每天记录两次。货车在周五检修。",
}
GOLDEN = """\
judgments: exhaustive
queries:
  - {id: q1, question: "pump p7", gold: [pumps.md]}
  - {id: q2, question: 仓库温度, gold: [warehouse.md]}
"""


def write_study(folder: Path, parameters: dict[str, object], name: str = "kept") -> Path:
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    for document, text in DOCUMENTS.items():
        (folder / "docs" / f"{document}.md").write_text(text, encoding="utf-8")
    (folder / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
    study = {"name": name, "corpus": "docs", "golden": "golden.yaml", "parameters": parameters}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(study, allow_unicode=True), encoding="utf-8")
    return path


def run(study: Study, folder: Path) -> dict[str, str]:
    """Run all sets as a sweep in ``folder`` would; return the fingerprint of each run by its parameters."""
    results = run_study(study, IndexStore(folder / ".harness/indexes"), cache=folder / ".harness/cache")
    return {result.parameters.sha256: result.fingerprints.run for result in results}


@pytest.fixture(scope="session")
def kept_study(tmp_path_factory: pytest.TempPathFactory, tiny_encoder: Path, tiny_reranker: Path) -> Study:
    parameters = {
        "mode": ["bm25", "hybrid"],
        "chunk": {"splitter": "fixed", "size": 24, "overlap": 0},
        "bm25": {"tokenizer": "char-bigram"},
        "vector": {"embedder": {"name": str(tiny_encoder), "query_prompt": "", "document_prompt": ""}},
        "rerank": {"model": [None, str(tiny_reranker)], "depth": 4},
        "top_k": 3,
        "fetch_k": 4,
    }
    return read_study(write_study(tmp_path_factory.mktemp("kept"), parameters))


@pytest.fixture(scope="session")
def kept_once(kept_study: Study, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("out")
    return folder, run(kept_study, folder)


@pytest.fixture
def kept(kept_once: tuple[Path, dict[str, str]], tmp_path: Path) -> Iterator[Path]:
    """Return a working directory with one index and one file of each kind."""
    folder = tmp_path / "out"
    shutil.copytree(kept_once[0], folder)
    yield folder
    shutil.rmtree(folder)
