"""Small studies on disk, and what a sweep left in its store, read without MLflow."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

DOCUMENTS = {
    "pumps": "# Pumps\n\nPump P7 runs dry. Prime the pump first; see the manual.\n\n## Seals\n\nA seal leaks again.",
    "warehouse": "# 仓库\n\n仓库温度每天记录两次。货车在周五检修。\n\n## 门禁\n\n门禁卡遗失要上报。",
    "kite": "A red kite, a red boat, a blue sea. The green hill is far away, and the red sea is near.",
    "valves": "Valves open and valves close. The valve of pump P7 is red, the seal of valve V2 is not.",
    "notes": "One pump, two pumps, three seals. Record the temperature twice a day.",
}
QUESTIONS = {
    "q1": ("pump p7", ["pumps.md", "valves.md"]),
    "q2": ("仓库温度", ["warehouse.md"]),
    "q3": ("red red boat", ["kite.md"]),
    "q4": ("a seal leaks", ["pumps.md"]),
    "q5": ("zulu", []),
}
TWELVE = {
    "mode": ["bm25", "vector", "hybrid"],
    "chunk": {"splitter": "fixed", "size": [30, 60], "overlap": 0},
    "bm25": {"tokenizer": "char-bigram"},
    "vector": {"embedder": {"name": "lsa", "dimensions": 3}},
    "top_k": [2, 4],
    "fetch_k": 4,
}
"""Twelve parameter sets on two chunkings, with an index for BM25 and one for vectors each."""

ONE = TWELVE | {"mode": "bm25", "chunk": {"splitter": "document"}, "top_k": 2}
"""A single parameter set."""


def write_study(
    folder: Path,
    parameters: Mapping[str, Any],
    *,
    name: str = "engine",
    documents: Mapping[str, str] = DOCUMENTS,
    questions: Mapping[str, tuple[str, list[str]]] = QUESTIONS,
) -> Path:
    """Write documents, golden set and study."""
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    for document, text in documents.items():
        (folder / "docs" / f"{document}.md").write_text(text, encoding="utf-8")
    entries = [
        {"id": query, "question": text, "gold": gold} | ({} if gold else {"answerable": False})
        for query, (text, gold) in questions.items()
    ]
    golden = {"judgments": "exhaustive", "queries": entries}
    (folder / "golden.yaml").write_text(yaml.safe_dump(golden, allow_unicode=True), encoding="utf-8")
    study = {
        "name": name,
        "corpus": "docs",
        "golden": "golden.yaml",
        "parameters": dict(parameters),
        "evaluation": {"k": 2, "cutoffs": [1, 2]},
    }
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(study, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that isn't deleted, as it lies in the database."""

    id: str
    status: str
    tags: Mapping[str, str]

    @property
    def parent(self) -> str | None:
        return self.tags.get("mlflow.parentRunId")

    @property
    def print(self) -> tuple[Any, ...]:
        """What a result is known by: parameters, index and weights, ranking with scores, and every exact value."""
        names = ("parameters", "chunking", "index.bm25", "index.vector", "weights.vector", "adapter", "ranking", "run")
        exact = sorted((name, value) for name, value in self.tags.items() if name.startswith("exact."))
        return (*(self.tags.get(f"{name}_sha256") for name in names), *exact)


def runs(folder: Path) -> list[Run]:
    """Return all runs that aren't deleted; none while there is no database or its tables aren't there yet."""
    path = folder / "mlflow.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        try:
            held = connection.execute("SELECT run_uuid, status FROM runs WHERE lifecycle_stage = 'active'").fetchall()
            tags = connection.execute("SELECT run_uuid, key, value FROM tags").fetchall()
        except sqlite3.OperationalError:
            return []
    by_run: dict[str, dict[str, str]] = {}
    for run, key, value in tags:
        by_run.setdefault(run, {})[key] = value
    return [Run(id=run, status=status, tags=by_run.get(run, {})) for run, status in held]


def parents(folder: Path) -> list[Run]:
    return [run for run in runs(folder) if run.parent is None]


def children(folder: Path, status: str | None = None) -> list[Run]:
    return [run for run in runs(folder) if run.parent is not None and status in (None, run.status)]


def table_of(out: str) -> str:
    """Return what a sweep printed before ids and paths, without how often the split was scored before."""
    return re.sub(r"scored \d+ times by \d+", "scored", out[: out.index("\nMLflow store: ")])


def tree(folder: Path) -> Iterator[tuple[str, int, int, bytes]]:
    """Yield every file and folder below ``folder`` with its time of change, size and content."""
    for path in sorted(folder.rglob("*")):
        held = path.stat()
        name = path.relative_to(folder).as_posix()
        yield (
            name,
            held.st_mtime_ns,
            held.st_size if path.is_file() else 0,
            path.read_bytes() if path.is_file() else b"",
        )
