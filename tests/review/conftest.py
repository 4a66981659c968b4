"""One sweep of one parameter set over files that tests change and put back."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli.sweeps import Swept, copy_store, empty_store, swept
from cli.world import Done, Store, invoke, run, sweep_id_of, write_study
from support.models import build_encoder

STUDY = """\
name: past
corpus: docs
golden: golden.yaml
parameters:
  mode: hybrid
  chunk: {{splitter: fixed, size: 60, overlap: 0}}
  bm25: {{tokenizer: char-bigram}}
  vector: {{embedder: {encoder}}}
  top_k: 3
  fetch_k: 3
evaluation: {{k: 3, cutoffs: [1, 2]}}
"""


@dataclass(frozen=True, kw_only=True)
class Past:
    """A sweep of one set, and where everything it was made from lies."""

    study: Path
    folder: Path
    encoder: Path
    sweep_id: str

    @property
    def store(self) -> Store:
        return Store(folder=self.folder)

    @property
    def run_id(self) -> str:
        [child] = self.store.children(self.sweep_id)
        return str(child.info.run_id)

    def reproduce(self, *options: object, reference: str | None = None) -> Done:
        return invoke("reproduce", reference or self.run_id, "--dir", self.folder, *options)

    def artifact(self, name: str) -> Path:
        [path] = self.folder.glob(f"mlartifacts/{self.run_id}/artifacts/{name}")
        return path


@pytest.fixture(scope="session")
def past(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """A logged run; put back what you change."""
    root = tmp_path_factory.mktemp("past")
    encoder = build_encoder(root / "encoder")
    study = write_study(root / "study", study=STUDY.format(encoder=encoder))
    folder = copy_store(empty_store(tmp_path_factory), root / "out").folder
    done = run("sweep", study, "--dir", folder)
    assert done.code == 0, done.err
    return Past(study=study, folder=folder, encoder=encoder, sweep_id=sweep_id_of(done.out))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """The small study, swept; look, don't touch."""
    return swept(tmp_path_factory)


Change = Callable[[Path, Callable[[str], str]], contextlib.AbstractContextManager[None]]


@pytest.fixture
def change() -> Change:
    """Change a text file for as long as a block runs."""

    @contextlib.contextmanager
    def changing(path: Path, how: Callable[[str], str]) -> Iterator[None]:
        before = path.read_bytes()
        text = how(before.decode("utf-8"))
        assert text.encode("utf-8") != before
        path.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            path.write_bytes(before)

    return changing


def causes(done: Done) -> list[tuple[str, str]]:
    """Return kind and name of what a reproduction in JSON found different, the state of the code left out."""
    [one] = json.loads(done.out)
    found: list[dict[str, Any]] = one["causes"]
    return [(cause["kind"], cause["name"]) for cause in found if cause["kind"] != "code"]


def agreed(done: Done) -> dict[str, Any]:
    """Return the agreement of a reproduction in JSON."""
    [one] = json.loads(done.out)
    return dict(one["agreement"])
