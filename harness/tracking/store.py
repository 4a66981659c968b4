"""The one place that talks to MLflow.

A sweep is a parent run, each parameter set a child. A child is created, filled in a few batched calls and marked
finished last, so a killed process leaves at most one run that doesn't say FINISHED.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import TrackingError
from harness.summary import SetFailure, SetRecord, SetSummary, Sweep, SweepHeader, from_json, to_json
from harness.tracking import content
from harness.tracking.environment import environment, git_state
from harness.tracking.sqlite import database_file, make_database

KIND = "harness.kind"
OWNER = "harness.owner"
SWEEP = "sweep_id"
KEY = "sweep_key"
LOCK = "harness.lock"
ERROR = "harness.error"
_NOTE_LIMIT = 7_900
_BATCH = 100
_NAME_LIMIT = 250


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSweep:
    """A sweep that is being filled.

    Attributes:
        sweep_id: id of the parent run.
        experiment: id of its experiment.
        finished: fingerprint of the parameters → summary, of the sets that were finished before.
    """

    sweep_id: str
    experiment: str
    finished: Mapping[str, SetSummary]


class Tracker:
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
        self._artifacts = directory.resolve() / "mlartifacts"
        file = database_file(uri)
        if file is not None and not create and not file.exists():
            raise TrackingError(f"{uri}: there is no such store yet; run a sweep with: harness sweep CONFIG")
        with _tracking_errors(uri):
            if file is not None:
                make_database(file, lambda aside: _touch(_client(aside)))
            self._client = _client(uri)
            _touch(self._client)

    def start_sweep(
        self, header: SweepHeader, config: str, sources: Mapping[str, str], *, key: str, lock: str | None
    ) -> OpenSweep:
        """Take up an unfinished sweep with the same key, or begin one.

        Args:
            header: what all sets share.
            config: the resolved study file.
            sources: ``corpus`` and ``golden`` → path as the study names it.
            key: fingerprint of everything that can change a result of this sweep.
            lock: name of the lock this process holds for the key; None when another process is at the same sweep, so
                that nothing is taken up.
        """
        with _tracking_errors(self.uri):
            experiment = self._experiment(header.study)
            parent = self._unfinished(experiment, key, lock) if lock else None
            self._close_abandoned(experiment, keep=parent)
            owner = {OWNER: _owner(), LOCK: lock or ""}
            if parent is None:
                tags = {
                    KIND: "sweep",
                    KEY: key,
                    **owner,
                    **content.header_tags(header),
                    **git_state(Path(__file__).parent),
                }
                run = self._client.create_run(experiment, run_name=f"sweep of {header.planned} sets", tags=tags)
                parent = str(run.info.run_id)
                finished: dict[str, SetSummary] = {}
            else:
                finished = self._take_up(experiment, parent, owner)
            self._client.set_tag(parent, SWEEP, parent)
            if not self._client.get_run(parent).inputs.dataset_inputs:
                self._log_inputs(parent, header, sources)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder)
                (path / "config.yaml").write_text(config, encoding="utf-8")
                content.write_json(path / content.HEADER, to_json(header))
                content.write_json(path / "environment.json", environment())
                self._client.log_artifacts(parent, folder)
        return OpenSweep(sweep_id=parent, experiment=experiment, finished=finished)

    def finished_of(self, study: str, key: str) -> int:
        """Return how many sets the newest unfinished sweep with this key has finished; nothing is changed."""
        with _tracking_errors(self.uri):
            found = self._client.get_experiment_by_name(study)
            if found is None:
                return 0
            parent = self._unfinished(found.experiment_id, key, None)
            return sum(1 for _ in self._children(found.experiment_id, parent)) if parent else 0

    def log_set(self, sweep: OpenSweep, header: SweepHeader, record: SetRecord, sources: Mapping[str, str]) -> str:
        """Log one finished parameter set as a child run and return its id."""
        from mlflow.entities import Metric, Param

        summary = record.summary
        now = int(time.time() * 1000)
        tables = json.dumps([{"path": content.QUERY_TABLE, "type": "table"}])
        params = [Param(name, value[:6000]) for name, value in content.set_params(summary).items()]
        metrics = [Metric(name, value, now, step) for name, value, step in content.set_metrics(summary)]
        metrics.append(Metric("seconds", record.seconds, now, 0))
        tags = content.set_tags(header, summary) | {"mlflow.loggedArtifacts": tables}
        with _tracking_errors(self.uri):
            run_id = self._child(sweep, summary.name, tags, record.seconds)
            for start in range(0, max(len(params), len(metrics)), _BATCH):
                self._client.log_batch(
                    run_id, metrics=metrics[start : start + _BATCH], params=params[start : start + _BATCH]
                )
            self._log_inputs(run_id, header, sources)
            with tempfile.TemporaryDirectory() as folder:
                for name, text in record.files.items():
                    (Path(folder) / name).write_text(text, encoding="utf-8")
                content.write_json(Path(folder) / "environment.json", environment())
                self._client.log_artifacts(run_id, folder)
            self._client.set_terminated(run_id, "FINISHED")
        return run_id

    def log_failure(self, sweep: OpenSweep, failure: SetFailure) -> str:
        """Log a parameter set that could not be run as a failed child run, with the reason; return its id."""
        from mlflow.entities import Param

        with _tracking_errors(self.uri):
            tags = {ERROR: failure.reason[:5000], "parameters_sha256": failure.sha256}
            run_id = self._child(sweep, failure.name, tags, 0.0)
            values = content.params_text(failure.parameters)
            self._client.log_batch(run_id, params=[Param(name, value[:6000]) for name, value in values.items()])
            self._client.log_text(run_id, failure.detail, "error.txt")
            self._client.set_terminated(run_id, "FAILED")
        return run_id

    def _child(self, sweep: OpenSweep, name: str, tags: Mapping[str, str], seconds: float) -> str:
        shared = {
            KIND: "set",
            OWNER: _owner(),
            "mlflow.parentRunId": sweep.sweep_id,
            SWEEP: sweep.sweep_id,
            **git_state(Path(__file__).parent),
        }
        start = int((time.time() - seconds) * 1000)
        run = self._client.create_run(
            sweep.experiment, start_time=start, run_name=name[:_NAME_LIMIT], tags=shared | dict(tags)
        )
        return str(run.info.run_id)

    def _unfinished(self, experiment: str, key: str, lock: str | None) -> str | None:
        """Return the newest sweep with this key that was stopped or killed.

        A sweep that says RUNNING is taken up only if it was started under the lock this process now holds: then its
        process is gone.
        """
        found = self._client.search_runs(
            [experiment],
            f"tags.`{KEY}` = '{key}' and attributes.status != 'FINISHED'",
            order_by=["attributes.start_time DESC"],
        )
        for run in found:
            if lock is None or run.info.status != "RUNNING" or run.data.tags.get(LOCK) == lock:
                return str(run.info.run_id)
        return None

    def _take_up(self, experiment: str, parent: str, owner: Mapping[str, str]) -> dict[str, SetSummary]:
        """Make a stopped sweep this process's own: keep its finished sets, delete what is half done or failed."""
        for name, value in owner.items():
            self._client.set_tag(parent, name, value)
        self._client.update_run(parent, status="RUNNING")
        finished: dict[str, SetSummary] = {}
        for child in self._children(experiment, parent, only_finished=False):
            name = child.data.tags.get("parameters_sha256", "")
            if child.info.status == "FINISHED" and name and name not in finished:
                finished[name] = from_json(SetSummary, self._artifact(str(child.info.run_id), content.SUMMARY))
            else:
                self._client.delete_run(child.info.run_id)
        return finished

    def finish_sweep(self, sweep_id: str, header: SweepHeader, status: str, table: str) -> None:
        """Write the table to the parent run and close it.

        Args:
            sweep_id: the parent.
            header: what all sets share.
            status: ``FINISHED``, ``FAILED`` or ``KILLED``.
            table: the ablation table as Markdown; also the run's description, as far as MLflow's limit goes.
        """
        with _tracking_errors(self.uri):
            self._drop_half_done(sweep_id)
            self._client.log_text(sweep_id, table, "ablation.md")
            if header.collapsed or header.skipped:
                points = {"collapsed": to_json(header.collapsed), "skipped": to_json(header.skipped)}
                self._client.log_text(sweep_id, json.dumps(points, ensure_ascii=False, indent=1) + "\n", "points.json")
            self._client.set_tag(sweep_id, "mlflow.note.content", _note(table))
            self._client.set_terminated(sweep_id, status)

    def read_sweep(self, sweep_id: str) -> Sweep:
        """Read a sweep back: its header and every finished set.

        Raises:
            TrackingError: there is no such run, it isn't a sweep, or its files can't be read.
        """
        with _tracking_errors(self.uri):
            run = self._client.get_run(sweep_id)
            if run.data.tags.get(KIND) != "sweep":
                raise TrackingError(f"run {sweep_id} isn't a sweep; {self._sweeps_hint()}")
            header = from_json(SweepHeader, self._artifact(sweep_id, content.HEADER))
            sets = [
                from_json(SetSummary, self._artifact(str(child.info.run_id), content.SUMMARY))
                for child in self._children(run.info.experiment_id, sweep_id)
            ]
        return Sweep(header=header, sets=tuple(sorted(sets, key=lambda summary: summary.place)))

    def latest_sweep(self, study: str | None = None) -> str:
        """Return the id of the newest sweep, of one study or of all.

        Raises:
            TrackingError: there is none.
        """
        with _tracking_errors(self.uri):
            runs = self._sweeps(study)
        if not runs:
            what = f"sweep of study '{study}'" if study else "sweep"
            raise TrackingError(f"{self.uri}: holds no {what} yet; run one with: harness sweep CONFIG")
        return str(runs[0].info.run_id)

    def experiment_of(self, run_id: str) -> str:
        """Return the id of the experiment a run lies in."""
        with _tracking_errors(self.uri):
            return str(self._client.get_run(run_id).info.experiment_id)

    def _sweeps(self, study: str | None) -> list[Any]:
        experiments = [
            experiment for experiment in self._client.search_experiments() if study is None or experiment.name == study
        ]
        if not experiments:
            return []
        found = self._client.search_runs(
            [experiment.experiment_id for experiment in experiments],
            f"tags.`{KIND}` = 'sweep'",
            order_by=["attributes.start_time DESC"],
        )
        return list(found)

    def _sweeps_hint(self) -> str:
        ids = [run.info.run_id for run in self._sweeps(None)[:3]]
        return f"the newest sweeps are {', '.join(ids)}" if ids else "there is no sweep in this store"

    def _children(self, experiment: str, sweep_id: str, *, only_finished: bool = True) -> Iterator[Any]:
        condition = f"tags.`mlflow.parentRunId` = '{sweep_id}'"
        if only_finished:
            condition += " and attributes.status = 'FINISHED'"
        found: list[Any] = []
        token: str | None = None
        while True:
            page = self._client.search_runs([experiment], condition, max_results=1000, page_token=token)
            found.extend(page)
            token = page.token
            if not token:
                yield from found
                return

    def _artifact(self, run_id: str, name: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = self._client.download_artifacts(run_id, name, folder)
            return json.loads(Path(path).read_text(encoding="utf-8"))

    def _experiment(self, name: str) -> str:
        found = self._client.get_experiment_by_name(name)
        if found is not None and found.lifecycle_stage != "active":
            raise TrackingError(
                f"experiment '{name}' was deleted in {self.uri}; restore it (mlflow experiments restore "
                f"-x {found.experiment_id}) or give the study another name"
            )
        if found is not None:
            return str(found.experiment_id)
        location = self._artifacts.as_uri() if self.uri.startswith("sqlite:") else None
        try:
            return str(self._client.create_experiment(name, artifact_location=location))
        except Exception:
            found = self._client.get_experiment_by_name(name)
            if found is None:
                raise
            return str(found.experiment_id)

    def _close_abandoned(self, experiment: str, keep: str | None) -> None:
        """Mark runs of dead processes of this machine as killed: they would say RUNNING for ever."""
        here = os.uname().nodename
        for run in self._client.search_runs([experiment], "attributes.status = 'RUNNING'"):
            host, _, pid = run.data.tags.get(OWNER, "").rpartition(":")
            ours = keep is not None and keep in (run.info.run_id, run.data.tags.get("mlflow.parentRunId"))
            if host == here and pid.isdigit() and not ours and not _alive(int(pid)):
                self._client.set_terminated(run.info.run_id, "KILLED")

    def _drop_half_done(self, sweep_id: str) -> None:
        """Delete children that a stop caught while they were written."""
        experiment = self._client.get_run(sweep_id).info.experiment_id
        for child in self._children(experiment, sweep_id, only_finished=False):
            if child.info.status == "RUNNING":
                self._client.delete_run(child.info.run_id)

    def _log_inputs(self, run_id: str, header: SweepHeader, sources: Mapping[str, str]) -> None:
        from mlflow.entities import Dataset, DatasetInput, InputTag

        inputs = [
            DatasetInput(
                Dataset(
                    name=name,
                    digest=header.hashes[name][:36],
                    source_type="local",
                    source=json.dumps({"path": path}, ensure_ascii=False),
                ),
                tags=[InputTag("mlflow.data.context", "evaluation")],
            )
            for name, path in sources.items()
        ]
        self._client.log_inputs(run_id, datasets=inputs)


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
def _tracking_errors(uri: str) -> Iterator[None]:
    """Turn what MLflow and its database raise into one readable error."""
    try:
        yield
    except (TrackingError, KeyboardInterrupt):
        raise
    except Exception as error:
        first = str(error).strip().splitlines()
        reason = first[0] if first else type(error).__name__
        raise TrackingError(f"MLflow store {uri}: {reason}") from error


def _owner() -> str:
    return f"{os.uname().nodename}:{os.getpid()}"


def _note(table: str) -> str:
    """Cut a table at a line's end to what MLflow keeps of a description."""
    if len(table) <= _NOTE_LIMIT:
        return table
    cut = table[: _NOTE_LIMIT - 100]
    return f"{cut[: cut.rfind(chr(10))]}\n\nThe table goes on in the artifact `ablation.md`.\n"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
