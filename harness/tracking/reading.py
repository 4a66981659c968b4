"""Finished parameter sets read back from a store, by any name a person may give them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.errors import InputError, TrackingError
from harness.sources import SOURCES_FILE, Source, Sources
from harness.stages import STAGES_FILE, StagePrints
from harness.summary import SetSummary, SweepHeader, from_json
from harness.tracking import content
from harness.tracking.connection import Connection, tracking_errors
from harness.tracking.keeping import fetch_source

LATEST = "latest"
_SHORTEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedHit:
    """One ranked chunk of a logged run."""

    chunk: str
    document: str
    score: float


@dataclass(frozen=True, kw_only=True)
class LoggedSet:
    """A finished parameter set as it was logged.

    Attributes:
        run_id: of the set.
        sweep_id: of its parent.
        header: what its sweep shares.
        config: the study narrowed to this set; it can be run again.
        summary: scores, exact.
        stages: prints of every stage.
        rankings: query id → hits, best first.
        environment: Python, machine and packages.
        git: commit and whether the tree was dirty, as far as it was known.
    """

    run_id: str
    sweep_id: str
    header: SweepHeader
    config: str
    summary: SetSummary
    stages: StagePrints
    rankings: Mapping[str, tuple[LoggedHit, ...]]
    environment: Mapping[str, Any]
    git: Mapping[str, str]

    @cached_property
    def label(self) -> str:
        """How reports name it: its name and the beginning of its id."""
        return f"{self.summary.name} ({self.run_id[:8]})"


class Archive:
    """What a store holds, read only."""

    def __init__(self, uri: str, directory: Path) -> None:
        """Connect; the store must be there.

        Raises:
            TrackingError: it isn't, or can't be read.
        """
        self.uri = uri
        self._connection = Connection(uri, directory, create=False)
        self._client = self._connection.client
        self._headers: dict[str, SweepHeader] = {}

    def find(self, reference: str) -> LoggedSet:
        """Return a finished set.

        Args:
            reference: a run id or its beginning, ``latest``, or either of a sweep, with ``/NAME`` behind it where the
                sweep has several sets.

        Raises:
            InputError: nothing or more than one fits; the message lists what there is.
        """
        with tracking_errors(self.uri):
            run = self._named(reference)
            return self._read(run)

    def find_all(self, reference: str) -> list[LoggedSet]:
        """Return the set that is named, or all sets of the sweep that is named, in grid order.

        Raises:
            InputError: nothing fits.
            TrackingError: the sweep has no finished set.
        """
        with tracking_errors(self.uri):
            found = self._run(reference.partition("/")[0])
            if found.data.tags.get("harness.kind") == "set" or "/" in reference:
                return [self._read(self._named(reference))]
            children = list(self._connection.children(found.info.experiment_id, found.info.run_id))
            if not children:
                raise TrackingError(f"sweep {found.info.run_id} has no finished parameter set")
            return sorted((self._read(child) for child in children), key=lambda held: held.summary.place)

    def runs_of(self, sweep_id: str) -> dict[str, str]:
        """Return hash of the parameters → run id, of the finished sets of a sweep."""
        with tracking_errors(self.uri):
            experiment = self._client.get_run(sweep_id).info.experiment_id
            children = self._connection.children(experiment, sweep_id)
            return {child.data.tags["parameters_sha256"]: str(child.info.run_id) for child in children}

    def rankings(self, runs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield, for each set of ``runs_of``, the hash of its parameters and the text of its ``ranking.jsonl``."""
        with tracking_errors(self.uri):
            for parameters, run_id in runs.items():
                yield parameters, self._connection.text_artifact(run_id, "ranking.jsonl")

    def sources(self, sweep_id: str) -> Sources:
        """Return what the files of a sweep were.

        Raises:
            TrackingError: it was logged by a version that didn't keep that.
        """
        with tracking_errors(self.uri):
            held = self._connection.artifact(sweep_id, SOURCES_FILE)
            return from_json(Sources, held)

    def sweep_config(self, sweep_id: str) -> str:
        """Return the study file of a sweep with all defaults filled in."""
        with tracking_errors(self.uri):
            return self._connection.text_artifact(sweep_id, "config.yaml")

    def fetch(self, source: Source, folder: Path) -> Path:
        """Unpack the kept copy of a source (see ``fetch_source``)."""
        with tracking_errors(self.uri):
            return fetch_source(self._connection, source, folder)

    def _named(self, reference: str) -> Any:
        first, _, name = reference.partition("/")
        run = self._run(first)
        if run.data.tags.get("harness.kind") == "set":
            return run
        children = list(self._connection.children(run.info.experiment_id, run.info.run_id))
        wanted = [child for child in children if not name or child.info.run_name == name]
        if len(wanted) == 1:
            return wanted[0]
        what = f"has no finished set named {name!r}" if name else f"has {len(children)} finished sets"
        raise InputError(f"sweep {run.info.run_id} {what}; name one of them{_listing(children)}")

    def _run(self, reference: str) -> Any:
        experiments = [experiment.experiment_id for experiment in self._client.search_experiments()]
        if reference == LATEST:
            found = self._search(experiments, "tags.`harness.kind` = 'sweep'", 1)
            if not found:
                raise InputError(f"{self.uri}: holds no sweep yet; run one with: harness sweep CONFIG")
            return found[0]
        if len(reference) < _SHORTEST or not reference.isalnum():
            raise InputError(f"{reference!r} can't be a run: give a run id, at least its first {_SHORTEST} characters")
        found = self._search(experiments, f"attributes.run_id LIKE '{reference}%'", 3)
        if len(found) != 1:
            what = "several runs begin" if found else "no run begins"
            raise InputError(f"{self.uri}: {what} with {reference}; {self._newest(experiments)}")
        kind, status = found[0].data.tags.get("harness.kind"), found[0].info.status
        if kind is None or (kind == "set" and status != "FINISHED"):
            what = f"is {status}" if kind else "wasn't logged by the harness"
            raise InputError(f"run {found[0].info.run_id} {what}; {self._newest(experiments)}")
        return found[0]

    def _search(self, experiments: list[str], condition: str, limit: int) -> list[Any]:
        if not experiments:
            return []
        order = ["attributes.start_time DESC"]
        return list(self._client.search_runs(experiments, condition, order_by=order, max_results=limit))

    def _newest(self, experiments: list[str]) -> str:
        runs = self._search(experiments, "tags.`harness.kind` = 'sweep'", 3)
        if not runs:
            return "there is no sweep in this store"
        return f"the newest sweeps are {', '.join(run.info.run_id for run in runs)}"

    def _header(self, sweep_id: str) -> SweepHeader:
        """Return what the sets of a sweep share, read once however many of them are read."""
        if sweep_id not in self._headers:
            held = self._connection.artifact(sweep_id, content.HEADER)
            self._headers[sweep_id] = from_json(SweepHeader, held)
        return self._headers[sweep_id]

    def _read(self, run: Any) -> LoggedSet:
        run_id, tags = str(run.info.run_id), run.data.tags
        read, sweep_id = self._connection.artifact, str(tags["mlflow.parentRunId"])
        lines = self._connection.text_artifact(run_id, "ranking.jsonl").split("\n")
        return LoggedSet(
            run_id=run_id,
            sweep_id=sweep_id,
            header=self._header(sweep_id),
            config=self._connection.text_artifact(run_id, "config.yaml"),
            summary=from_json(SetSummary, read(run_id, content.SUMMARY)),
            stages=from_json(StagePrints, read(run_id, STAGES_FILE)),
            rankings=dict(_ranking(json.loads(line)) for line in lines if line),
            environment=read(run_id, "environment.json"),
            git={name: tags[name] for name in ("git.commit", "git.dirty") if name in tags},
        )


def _ranking(line: Mapping[str, Any]) -> tuple[str, tuple[LoggedHit, ...]]:
    hits = tuple(LoggedHit(chunk=h["chunk"], document=h["document"], score=h["score"]) for h in line["hits"])
    return str(line["query"]), hits


def _listing(children: list[Any]) -> str:
    named = sorted((child.info.run_name, child.info.run_id) for child in children)
    return "".join(f"\n  {run_id[:8]}  {name}" for name, run_id in named)
