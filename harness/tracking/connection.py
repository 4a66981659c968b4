"""The one place that imports MLflow: a connection to a store, and what is asked of it.

Everything MLflow or its database raises comes out as one readable ``TrackingError``.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, TrackingError
from harness.tracking.sqlite import database_file, make_database

_BATCH = 100
_LONGEST_PARAM = 6_000


def default_uri(directory: Path) -> str:
    """Return the tracking URI: ``MLFLOW_TRACKING_URI`` where set, else a SQLite file in ``directory``.

    Raises:
        TrackingError: the folder's path can't be part of a URI as MLflow reads it.
    """
    given = os.environ.get("MLFLOW_TRACKING_URI")
    if given:
        return given
    folder = directory.resolve()
    if any(character in str(folder) for character in "%?"):
        raise TrackingError(f"{folder}: MLflow misreads a path with '%' or '?' in it; choose another folder: --dir")
    return f"sqlite:///{folder}/mlflow.db"


class Connection:
    """A connection to one tracking store; the store is created when it isn't there."""

    def __init__(self, uri: str, directory: Path, *, create: bool = True) -> None:
        """Connect.

        Args:
            uri: an MLflow tracking URI.
            directory: where artifacts go when the store is a local SQLite file.
            create: whether a SQLite file that isn't there is made.

        Raises:
            TrackingError: the store can't be reached or used, or isn't there and shouldn't be made.
        """
        self.uri = uri
        self._is_local = uri.startswith("sqlite:")
        self._artifacts = directory.resolve() / "mlartifacts"
        file = database_file(uri)
        if file is not None and not create and not file.exists():
            raise TrackingError(f"{uri}: there is no such store yet; run a sweep with: harness sweep CONFIG")
        with tracking_errors(uri):
            if file is not None:
                make_database(file, lambda aside: _touch(_client(aside)))
            self.client = _client(uri)
            _touch(self.client)

    def experiment(self, name: str) -> str:
        """Return the id of an experiment, making it when it isn't there.

        Raises:
            TrackingError: it was deleted.
        """
        found = self.client.get_experiment_by_name(name)
        if found is not None and found.lifecycle_stage != "active":
            raise TrackingError(
                f"experiment '{name}' was deleted in {self.uri}; restore it (mlflow experiments restore "
                f"-x {found.experiment_id}) or give the study another name"
            )
        if found is not None:
            return str(found.experiment_id)
        location = self._artifacts.as_uri() if self._is_local else None
        try:
            return str(self.client.create_experiment(name, artifact_location=location))
        except Exception:
            found = self.client.get_experiment_by_name(name)
            if found is None:
                raise
            return str(found.experiment_id)

    def children(self, experiment: str, parent: str, *, only_finished: bool = True) -> Iterator[Any]:
        """Yield the child runs of a parent, however many there are."""
        condition = f"tags.`mlflow.parentRunId` = '{parent}'"
        if only_finished:
            condition += " and attributes.status = 'FINISHED'"
        yield from self.search([experiment], condition)

    def all_experiments(self) -> list[str]:
        """Return the ids of all experiments, deleted ones included."""
        from mlflow.entities import ViewType

        found: list[str] = []
        token: str | None = None
        while True:
            page = self.client.search_experiments(view_type=ViewType.ALL, page_token=token)
            found.extend(str(experiment.experiment_id) for experiment in page)
            token = page.token
            if not token:
                return found

    def search(self, experiments: Sequence[str], condition: str, *, deleted: bool = False) -> list[Any]:
        """Return the runs that meet a condition, however many there are; deleted ones only where they are asked for."""
        from mlflow.entities import ViewType

        found: list[Any] = []
        token: str | None = None
        view = ViewType.ALL if deleted else ViewType.ACTIVE_ONLY
        while True:
            page = self.client.search_runs(list(experiments), condition, view, max_results=1000, page_token=token)
            found.extend(page)
            token = page.token
            if not token:
                return found

    def artifact(self, run_id: str, name: str) -> Any:
        """Return a JSON artifact of a run."""
        return json.loads(self.text_artifact(run_id, name))

    def text_artifact(self, run_id: str, name: str) -> str:
        """Return a text artifact of a run."""
        with self.artifact_file(run_id, name) as path:
            return path.read_text(encoding="utf-8")

    @contextlib.contextmanager
    def artifact_file(self, run_id: str, name: str) -> Iterator[Path]:
        """Lend a file with an artifact.

        MLflow notes absolute paths. Where a local store was moved with its artifacts beside it, they are found there.
        """
        moved = self._artifacts / run_id / "artifacts" / name
        if self._is_local and moved.is_file():
            yield moved
            return
        with tempfile.TemporaryDirectory() as folder:
            yield Path(self.client.download_artifacts(run_id, name, folder))

    def has_artifact(self, run_id: str, name: str) -> bool:
        """Say whether a run has an artifact ``folder/name``."""
        if self._is_local and (self._artifacts / run_id / "artifacts" / name).is_file():
            return True
        folder = name.rpartition("/")[0]
        return any(artifact.path == name for artifact in self.client.list_artifacts(run_id, folder))

    def log_values(
        self, run_id: str, params: Mapping[str, str], metrics: Iterable[tuple[str, float, int]], now: int
    ) -> None:
        """Log params (cut to MLflow's limit) and metrics (name, value, step) in as few calls as the limits allow."""
        from mlflow.entities import Metric, Param

        held = [Param(name, value[:_LONGEST_PARAM]) for name, value in params.items()]
        measured = [Metric(name, value, now, step) for name, value, step in metrics]
        for start in range(0, max(len(held), len(measured)), _BATCH):
            part = slice(start, start + _BATCH)
            self.client.log_batch(run_id, metrics=measured[part], params=held[part])

    def log_inputs(self, run_id: str, digests: Mapping[str, str], sources: Mapping[str, str]) -> None:
        """Log datasets by name, with their hash (cut to MLflow's limit) and where they come from.

        MLflow looks whether it knows a dataset and then writes it. Of two sweeps that begin at once one is refused, and
        finds the dataset when it asks again.
        """
        from mlflow.entities import Dataset, DatasetInput, InputTag
        from mlflow.exceptions import MlflowException

        inputs = [
            DatasetInput(
                Dataset(
                    name=name,
                    digest=digests[name][:36],
                    source_type="local",
                    source=json.dumps({"path": path}, ensure_ascii=False),
                ),
                tags=[InputTag("mlflow.data.context", "evaluation")],
            )
            for name, path in sources.items()
        ]
        try:
            self.client.log_inputs(run_id, datasets=inputs)
        except MlflowException:
            self.client.log_inputs(run_id, datasets=inputs)

    def log_files(self, run_id: str, files: Mapping[str, str | bytes]) -> None:
        """Log texts and bytes as artifacts, all in one call."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
            self.client.log_artifacts(run_id, folder)


def _client(uri: str) -> Any:
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "ERROR")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    from mlflow.tracking import MlflowClient

    for noisy in ("alembic", "mlflow", "mlflow.store.db.utils"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    return MlflowClient(tracking_uri=uri)


def _touch(client: Any) -> None:
    """Ask the least there is to ask; a SQLite store makes its tables now."""
    client.search_experiments(max_results=1)


@contextlib.contextmanager
def tracking_errors(uri: str) -> Iterator[None]:
    """Turn what MLflow and its database raise into one readable error."""
    try:
        yield
    except (HarnessError, KeyboardInterrupt):
        raise
    except Exception as error:
        first = str(error).strip().splitlines()
        reason = first[0] if first else type(error).__name__
        raise TrackingError(f"MLflow store {uri}: {reason}") from error
