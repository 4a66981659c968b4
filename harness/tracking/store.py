"""What a sweep writes to MLflow, and what is read back of it.

A sweep is a parent run, each parameter set a child. A child is created, filled in a few batched calls and marked
finished last, so a killed process leaves at most one run that doesn't say FINISHED.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import TrackingError
from harness.sources import Sources
from harness.splits import Looks
from harness.summary import SetFailure, SetRecord, SetSummary, Sweep, SweepHeader, from_json, to_json
from harness.tracking import content, looks, resuming, view
from harness.tracking.connection import Connection, tracking_errors
from harness.tracking.environment import environment, git_state
from harness.tracking.keeping import keep_sources

KIND = "harness.kind"
SWEEP = "sweep_id"
ERROR = "harness.error"
_NOTE_LIMIT = 7_900
_NAME_LIMIT = 250


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
    """Sweeps in one tracking store; the store is created when it isn't there."""

    def __init__(self, uri: str, directory: Path, *, create: bool = True) -> None:
        """Connect (see ``Connection``)."""
        self.uri = uri
        self._connection = Connection(uri, directory, create=create)
        self._client = self._connection.client

    def start_sweep(
        self, header: SweepHeader, config: str, sources: Sources, *, key: str, lock: str | None
    ) -> OpenSweep:
        """Take up an unfinished sweep with the same key, or begin one.

        Args:
            header: what all sets share.
            config: the resolved study file.
            sources: the files of ``corpus`` and ``golden``; a copy is kept.
            key: fingerprint of everything that can change a result of this sweep.
            lock: name of the lock this process holds for the key; None when another process is at the same sweep, so
                that nothing is taken up.
        """
        connection = self._connection
        with tracking_errors(self.uri):
            experiment = connection.experiment(header.study)
            parent = resuming.unfinished(connection, experiment, key, lock) if lock else None
            resuming.close_abandoned(connection, experiment, keep=parent)
            mine = {resuming.OWNER: resuming.owner(), resuming.LOCK: lock or "", **content.choice_tags(header)}
            finished: dict[str, SetSummary] = {}
            if parent is None:
                tags = {KIND: "sweep", resuming.KEY: key, **mine, **content.header_tags(header), **_code()}
                run = self._client.create_run(experiment, run_name=f"sweep of {header.planned} sets", tags=tags)
                parent = str(run.info.run_id)
            else:
                finished = resuming.take_up(connection, experiment, parent, mine)
            self._client.set_tag(parent, SWEEP, parent)
            known = self._client.get_run(parent)
            shown = view.saved_view(parent, header, known.info.start_time)
            self._client.set_experiment_tag(experiment, view.TAG + parent, shown)
            if not known.inputs.dataset_inputs:
                connection.log_inputs(parent, header.hashes, sources.paths)
            files: dict[str, str | bytes] = {
                "config.yaml": config,
                content.HEADER: content.json_file(to_json(header)),
                "environment.json": content.json_file(environment()),
            }
            connection.log_files(parent, files)
            keep_sources(connection, parent, sources)
        return OpenSweep(sweep_id=parent, experiment=experiment, finished=finished)

    def finished_of(self, study: str, key: str) -> int:
        """Return how many sets the newest unfinished sweep with this key has finished; nothing is changed."""
        with tracking_errors(self.uri):
            found = self._client.get_experiment_by_name(study)
            if found is None:
                return 0
            parent = resuming.unfinished(self._connection, found.experiment_id, key, None)
            return sum(1 for _ in self._connection.children(found.experiment_id, parent)) if parent else 0

    def waiting_sweeps(self, study: str, key: str) -> list[str]:
        """Return the finished sweeps with this key on whose choice no finished sweep rests, newest first."""
        with tracking_errors(self.uri):
            found = self._client.get_experiment_by_name(study)
            return resuming.waiting(self._connection, found.experiment_id, key) if found else []

    def log_set(self, sweep: OpenSweep, header: SweepHeader, record: SetRecord, sources: Mapping[str, str]) -> str:
        """Log one finished parameter set as a child run and return its id."""
        summary, now = record.summary, int(time.time() * 1000)
        tables = json.dumps([{"path": content.QUERY_TABLE, "type": "table"}])
        tags = content.set_tags(header, summary) | {"mlflow.loggedArtifacts": tables}
        metrics = [*content.set_metrics(summary, header.k), ("seconds", record.seconds, 0)]
        with tracking_errors(self.uri):
            run_id = self._child(sweep, summary.name, tags, record.seconds)
            self._connection.log_values(run_id, content.set_params(summary), metrics, now)
            self._connection.log_inputs(run_id, header.hashes, sources)
            files: dict[str, str | bytes] = {**record.files, "environment.json": content.json_file(environment())}
            self._connection.log_files(run_id, files)
            self._client.set_terminated(run_id, "FINISHED")
        return run_id

    def log_failure(self, sweep: OpenSweep, failure: SetFailure) -> str:
        """Log a parameter set that could not be run as a failed child run, with the reason; return its id."""
        with tracking_errors(self.uri):
            tags = {ERROR: failure.reason[:5000], "parameters_sha256": failure.sha256}
            run_id = self._child(sweep, failure.name, tags, 0.0)
            self._connection.log_values(run_id, content.params_text(failure.parameters), (), 0)
            self._client.log_text(run_id, failure.detail, "error.txt")
            self._client.set_terminated(run_id, "FAILED")
        return run_id

    def _child(self, sweep: OpenSweep, name: str, tags: Mapping[str, str], seconds: float) -> str:
        shared = {
            KIND: "set",
            resuming.OWNER: resuming.owner(),
            "mlflow.parentRunId": sweep.sweep_id,
            SWEEP: sweep.sweep_id,
            **_code(),
        }
        start = int((time.time() - seconds) * 1000)
        run = self._client.create_run(
            sweep.experiment, start_time=start, run_name=name[:_NAME_LIMIT], tags=shared | dict(tags)
        )
        return str(run.info.run_id)

    def finish_sweep(self, sweep_id: str, header: SweepHeader, status: str, table: str) -> None:
        """Write the table to the parent run and close it.

        Args:
            sweep_id: the parent.
            header: what all sets share.
            status: ``FINISHED``, ``FAILED`` or ``KILLED``.
            table: the ablation table as Markdown; also the run's description, as far as MLflow's limit goes.
        """
        with tracking_errors(self.uri):
            resuming.drop_half_done(self._connection, sweep_id)
            self._client.log_text(sweep_id, table, "ablation.md")
            if header.collapsed or header.skipped:
                points = {"collapsed": to_json(header.collapsed), "skipped": to_json(header.skipped)}
                self._client.log_text(sweep_id, json.dumps(points, ensure_ascii=False, indent=1) + "\n", "points.json")
            links = view.view_links(self._client.get_run(sweep_id).info.experiment_id, sweep_id)
            self._client.set_tag(sweep_id, "mlflow.note.content", _note(f"{links}\n\n{table}"))
            self._client.set_terminated(sweep_id, status)

    def log_page(self, sweep_id: str, page: str) -> None:
        """Add the sweep as an HTML page to the parent run."""
        with tracking_errors(self.uri):
            self._connection.log_files(sweep_id, {"report.html": page})

    def log_looks(self, sweep_id: str, header: SweepHeader) -> Looks:
        """Return how often the split of a sweep that is about to end has been scored by now, and log it."""
        with tracking_errors(self.uri):
            looks.list_sets(self._connection, sweep_id)
            counted = looks.count_looks(self._connection, header.hashes[looks.SPLIT])
            values = ((looks.TIMES, float(counted.times), 0), (looks.SETS, float(counted.sets), 0))
            self._connection.log_values(sweep_id, {}, values, int(time.time() * 1000))
        return counted

    def read_looks(self, header: SweepHeader) -> Looks | None:
        """Return how often a split has been scored by now; None for a sweep that was logged without its hash."""
        if looks.SPLIT not in header.hashes:
            return None
        with tracking_errors(self.uri):
            return looks.count_looks(self._connection, header.hashes[looks.SPLIT])

    def read_sweep(self, sweep_id: str) -> Sweep:
        """Read a sweep back: its header and every finished set.

        Raises:
            TrackingError: there is no such run, it isn't a sweep, or its files can't be read.
        """
        with tracking_errors(self.uri):
            run = self._client.get_run(sweep_id)
            if run.data.tags.get(KIND) != "sweep":
                raise TrackingError(f"run {sweep_id} isn't a sweep; {self._sweeps_hint()}")
            header = from_json(SweepHeader, self._connection.artifact(sweep_id, content.HEADER))
            sets = [
                from_json(SetSummary, self._connection.artifact(str(child.info.run_id), content.SUMMARY))
                for child in self._connection.children(run.info.experiment_id, sweep_id)
            ]
        ordered = tuple(sorted(sets, key=lambda summary: summary.place))
        return Sweep(header=header, sets=ordered, looks=self.read_looks(header))

    def latest_sweep(self, study: str | None = None) -> str:
        """Return the id of the newest sweep, of one study or of all.

        Raises:
            TrackingError: there is none.
        """
        with tracking_errors(self.uri):
            runs = self._sweeps(study)
        if not runs:
            what = f"sweep of study '{study}'" if study else "sweep"
            raise TrackingError(f"{self.uri}: holds no {what} yet; run one with: harness sweep CONFIG")
        return str(runs[0].info.run_id)

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


def _code() -> dict[str, str]:
    return git_state(Path(__file__).parent)


def _note(table: str) -> str:
    """Cut a table at a line's end to what MLflow keeps of a description."""
    if len(table) <= _NOTE_LIMIT:
        return table
    cut = table[: _NOTE_LIMIT - 100]
    return f"{cut[: cut.rfind(chr(10))]}\n\nThe table goes on in the artifact `ablation.md`.\n"
