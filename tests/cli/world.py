"""A study small enough to work by hand, the installed command, and the store it wrote to."""

from __future__ import annotations

import itertools
import os
import re
import sqlite3
import subprocess
import sysconfig
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

HARNESS = Path(sysconfig.get_path("scripts")) / "harness"

DOCUMENTS = {
    "boats.md": "# Boats\n\nRed boats pass the lights of the harbour.\n",
    "ships.md": "# Ships\n\nCargo vessels carry grain.\n",
    "tower.md": "# Tower\n\nIts lights burn all night.\n",
    "天气.md": f"# 天气\n\n明天有雨。{'今天多云。' * 10}明天的雨会停。\n",
}
"""Chunks of 60 characters: one a document, but 天气.md has two, and 明天 stands in both."""

GOLDEN = """\
judgments: exhaustive
queries:
  - {id: weather, question: 明天下雨吗, gold: [天气.md], tags: [zh]}
  - {id: red, question: red boats, gold: [boats.md, ships.md], tags: [en, two]}
  - {id: lights, question: lights of the harbour, gold: [tower.md]}
  - {id: nowhere, question: "quantum | physics", gold: [], answerable: false}
"""
"""Under BM25: weather finds 天气.md alone, red finds boats.md alone, lights ranks boats.md before tower.md."""

STUDY = """\
name: {name}
corpus: docs
golden: golden.yaml
parameters:
  mode: {mode}
  chunk: {{splitter: fixed, size: 60, overlap: 0}}
  bm25: {{tokenizer: char-bigram, k1: {k1}}}
  vector: {{embedder: {{name: lsa, dimensions: 3}}}}
  top_k: {top_k}
  fetch_k: [1, 3]
evaluation: {{k: 3, cutoffs: [1, 2]}}
"""


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files (name → content) below ``folder`` and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


def write_study(
    folder: Path,
    *,
    name: str = "small",
    mode: str = "[bm25, vector, hybrid]",
    k1: str = "1.5",
    top_k: str = "[1, 3]",
    **changed: str | bytes,
) -> Path:
    """Write documents, golden set and study; ``changed`` replaces whole files (``golden``, ``study``)."""
    study = STUDY.format(name=name, mode=mode, k1=k1, top_k=top_k)
    files: dict[str, str | bytes] = {f"docs/{document}": text for document, text in DOCUMENTS.items()}
    files |= {"golden.yaml": changed.get("golden", GOLDEN), "study.yaml": changed.get("study", study)}
    write_files(folder, files)
    return folder / "study.yaml"


def environment(**extra: str) -> dict[str, str]:
    """Return this process's environment without what would change the command's behaviour."""
    dropped = ("MLFLOW_", "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONCOERCECLOCALE", "LC_", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return kept | {"HF_HUB_OFFLINE": "1"} | extra


def start(
    *arguments: object, cwd: Path | None = None, stdout: IO[bytes] | int = subprocess.PIPE, **extra: str
) -> subprocess.Popen[str]:
    """Start the installed command; ``extra`` goes to its environment."""
    return subprocess.Popen(
        [str(HARNESS), *map(str, arguments)],
        cwd=cwd,
        env=environment(**extra),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


def finish(process: subprocess.Popen[str]) -> Done:
    """Wait for a command."""
    out, err = process.communicate(timeout=300)
    return Done(code=process.returncode, out=out or "", err=err)


def run(*arguments: object, cwd: Path | None = None, **extra: str) -> Done:
    """Run the installed command."""
    return finish(start(*arguments, cwd=cwd, **extra))


def invoke(*arguments: object) -> Done:
    """Run the command in this process: the same code without the seconds its imports take."""
    from typer.testing import CliRunner

    from harness.cli import app

    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return Done(code=result.exit_code, out=result.stdout, err=result.stderr)


def sweep_id_of(out: str) -> str:
    """Return the run id that a sweep printed."""
    found = re.search(r"^Sweep: ([0-9a-f]{32})$", out, re.MULTILINE)
    assert found, out
    return found[1]


def table_of(out: str) -> str:
    """Return what a sweep printed before the lines on where its results are."""
    return out[: out.index("\nMLflow store: ")] if "\nMLflow store: " in out else out


def without_looks(text: str) -> str:
    """Leave out how often the split has been scored, which goes on changing."""
    return re.sub(r"^This \S+ split has been scored .*\n", "", text, flags=re.MULTILINE)


def cells(markdown: str) -> list[list[str]]:
    """Return the cells of the first table in a Markdown text: the header, then the lines below the rule."""
    lines = markdown.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("| "))
    table = list(itertools.takewhile(lambda line: line.startswith("|"), lines[first:]))
    split = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]
    return [split[0], *split[2:]]


def set_cells(markdown: str) -> list[list[str]]:
    """Return the cells of an ablation table, a line of parameter sets each, without floor, ceiling and header."""
    return [row for row in cells(markdown)[1:] if row[0] not in ("random order", "best possible")]


@dataclass(frozen=True, kw_only=True)
class Store:
    """The tracking store below a folder."""

    folder: Path

    @property
    def uri(self) -> str:
        return f"sqlite:///{self.folder}/mlflow.db"

    @cached_property
    def client(self) -> Any:
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
        from mlflow import MlflowClient

        return MlflowClient(tracking_uri=self.uri)

    def children(self, sweep_id: str) -> list[Any]:
        """Return a sweep's child runs, oldest first."""
        experiment = self.client.get_run(sweep_id).info.experiment_id
        condition = f"tags.`mlflow.parentRunId` = '{sweep_id}'"
        return list(self.client.search_runs([experiment], condition, order_by=["attributes.start_time ASC"]))

    def parents(self, study: str) -> list[Any]:
        """Return the sweeps of a study, newest first."""
        experiment = self.client.get_experiment_by_name(study).experiment_id
        return list(
            self.client.search_runs(
                [experiment], "tags.`harness.kind` = 'sweep'", order_by=["attributes.start_time DESC"]
            )
        )

    def artifact(self, run_id: str, name: str) -> str:
        """Return an artifact's text."""
        return Path(self.client.download_artifacts(run_id, name)).read_text(encoding="utf-8")

    def count(self, status: str) -> int:
        """Return how many runs have a status, without MLflow; 0 while the file can't be read."""
        try:
            with closing(sqlite3.connect(f"file:{self.folder}/mlflow.db?mode=ro", uri=True, timeout=0.1)) as connection:
                query = "SELECT count(*) FROM runs WHERE status = ? AND lifecycle_stage = 'active'"
                return int(connection.execute(query, [status]).fetchone()[0])
        except sqlite3.Error:
            return 0
