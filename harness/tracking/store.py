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
from pathlib import Path
from typing import Any

from harness.errors import TrackingError
from harness.records import Hit
from harness.summary import SetSummary, Sweep, SweepHeader, from_json, to_json
from harness.tracking import content
from harness.tracking.environment import environment, git_state

KIND = "harness.kind"
OWNER = "harness.owner"
SWEEP = "sweep_id"
_NOTE_LIMIT = 7_900


def default_uri(directory: Path) -> str:
    """Return the tracking URI: ``MLFLOW_TRACKING_URI`` where set, else a SQLite file in ``directory``."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{directory.resolve()}/mlflow.db"


class Tracker:
    """A connection to one tracking store; the store is created when it isn't there."""

    def __init__(self, uri: str, directory: Path) -> None:
        """Connect.

        Args:
            uri: an MLflow tracking URI.
            directory: where artifacts go when the store is a local SQLite file.

        Raises:
            TrackingError: the store can't be reached or used.
        """
        self.uri = uri
        self._artifacts = directory.resolve() / "mlartifacts"
        with _tracking_errors(uri):
            self._client = _client(uri)
            self._client.search_experiments(max_results=1)

    def start_sweep(self, header: SweepHeader, config: str, sources: Mapping[str, str]) -> str:
        """Create the parent run and return its id.

        Args:
            header: what all sets share.
            config: the resolved study file.
            sources: ``corpus`` and ``golden`` → path as the study names it.
        """
        tags = {
            KIND: "sweep",
            OWNER: f"{os.uname().nodename}:{os.getpid()}",
            **content.header_tags(header),
            **git_state(Path(__file__).parent),
        }
        with _tracking_errors(self.uri):
            experiment = self._experiment(header.study)
            self._close_abandoned(experiment)
            run = self._client.create_run(experiment, run_name=f"sweep of {header.planned} sets", tags=tags)
            run_id = str(run.info.run_id)
            self._client.set_tag(run_id, SWEEP, run_id)
            self._log_inputs(run_id, header, sources)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder)
                (path / "config.yaml").write_text(config, encoding="utf-8")
                content.write_json(path / content.HEADER, to_json(header))
                content.write_json(path / "environment.json", environment())
                self._client.log_artifacts(run_id, folder)
        return run_id

    def log_set(
        self,
        sweep_id: str,
        header: SweepHeader,
        summary: SetSummary,
        *,
        config: str,
        hits: Mapping[str, tuple[Hit, ...]],
        evidence: Mapping[str, Any],
        sources: Mapping[str, str],
        seconds: float,
    ) -> str:
        """Log one finished parameter set as a child run and return its id."""
        from mlflow.entities import Metric, Param, RunTag

        now = int(time.time() * 1000)
        tags = {
            KIND: "set",
            OWNER: f"{os.uname().nodename}:{os.getpid()}",
            "mlflow.parentRunId": sweep_id,
            SWEEP: sweep_id,
            "mlflow.loggedArtifacts": json.dumps([{"path": content.QUERY_TABLE, "type": "table"}]),
            **git_state(Path(__file__).parent),
        }
        params = [Param(name, value[:6000]) for name, value in content.set_params(summary).items()]
        metrics = [Metric(name, value, now, step) for name, value, step in content.set_metrics(summary)]
        metrics.append(Metric("seconds", seconds, now, 0))
        more = [RunTag(name, value) for name, value in content.set_tags(header, summary).items()]
        with _tracking_errors(self.uri):
            experiment = self._client.get_run(sweep_id).info.experiment_id
            start = now - int(seconds * 1000)
            run = self._client.create_run(experiment, start_time=start, run_name=summary.name, tags=tags)
            run_id = str(run.info.run_id)
            self._client.log_batch(run_id, metrics=metrics, params=params[:100], tags=more[:100])
            if more[100:] or params[100:]:
                self._client.log_batch(run_id, params=params[100:], tags=more[100:])
            self._log_inputs(run_id, header, sources)
            with tempfile.TemporaryDirectory() as folder:
                _write_set_files(Path(folder), summary, config, hits, evidence)
                self._client.log_artifacts(run_id, folder)
            self._client.set_terminated(run_id, "FINISHED")
        return run_id

    def finish_sweep(self, sweep_id: str, header: SweepHeader, status: str, table: str) -> None:
        """Write the table to the parent run and close it.

        Args:
            sweep_id: the parent.
            header: what all sets share.
            status: ``FINISHED``, ``FAILED`` or ``KILLED``.
            table: the ablation table as Markdown; also the run's description, as far as MLflow's limit goes.
        """
        with _tracking_errors(self.uri):
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

    def _children(self, experiment: str, sweep_id: str) -> Iterator[Any]:
        condition = f"tags.`mlflow.parentRunId` = '{sweep_id}' and attributes.status = 'FINISHED'"
        token: str | None = None
        while True:
            page = self._client.search_runs([experiment], condition, max_results=1000, page_token=token)
            yield from page
            token = page.token
            if not token:
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

    def _close_abandoned(self, experiment: str) -> None:
        """Mark runs of dead processes of this machine as killed: they would say RUNNING for ever."""
        here = os.uname().nodename
        for run in self._client.search_runs([experiment], "attributes.status = 'RUNNING'"):
            host, _, pid = run.data.tags.get(OWNER, "").rpartition(":")
            if host == here and pid.isdigit() and not _alive(int(pid)):
                self._client.set_terminated(run.info.run_id, "KILLED")

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


def _write_set_files(
    folder: Path,
    summary: SetSummary,
    config: str,
    hits: Mapping[str, tuple[Hit, ...]],
    evidence: Mapping[str, Any],
) -> None:
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    (folder / "ranking.jsonl").write_text(
        "".join(f"{line}\n" for line in content.ranking_lines(hits)), encoding="utf-8"
    )
    content.write_json(folder / content.QUERY_TABLE, content.query_table(summary))
    content.write_json(folder / content.SUMMARY, to_json(summary))
    content.write_json(folder / "evidence.json", evidence)
    content.write_json(folder / "environment.json", environment())


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
