"""Copies of corpora and golden sets, kept with the sweep that used them first; equal files are kept once."""

from __future__ import annotations

from pathlib import Path

from harness.errors import TrackingError
from harness.sources import SOURCES_FILE, Source, Sources, packed, unpack
from harness.summary import to_json
from harness.tracking.connection import Connection
from harness.tracking.content import json_file


def keep_sources(connection: Connection, parent: str, sources: Sources) -> None:
    """Log what the files were, and a copy of those the store doesn't hold yet."""
    files: dict[str, str | bytes] = {SOURCES_FILE: json_file(to_json(sources))}
    new: list[Source] = []
    for source in sources.sources.values():
        if _place(source) in files or _holder(connection, source) is not None:
            continue
        archive = packed(source)
        if archive is not None:
            files[_place(source)] = archive
            new.append(source)
    connection.log_files(parent, files)
    for source in new:
        connection.client.set_tag(parent, _tag(source), "true")


def fetch_source(connection: Connection, source: Source, folder: Path) -> Path:
    """Unpack the kept copy of a source and return the path that takes its place.

    Raises:
        TrackingError: the store holds no copy.
        StoreError: the copy isn't what was kept.
    """
    holder = _holder(connection, source)
    if holder is None:
        raise TrackingError(
            f"{connection.uri}: holds no copy of {source.path} (content {source.sha256[:12]}, {source.size} bytes); "
            "give its files instead: --corpus, --golden"
        )
    with connection.artifact_file(holder, _place(source)) as archive:
        return unpack(archive, source, folder)


def _holder(connection: Connection, source: Source) -> str | None:
    """Return a run that keeps the copy, whatever experiment it is in."""
    client = connection.client
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    if not experiments:
        return None
    for run in client.search_runs(experiments, f"tags.`{_tag(source)}` = 'true'"):
        if connection.has_artifact(str(run.info.run_id), _place(source)):
            return str(run.info.run_id)
    return None


def _tag(source: Source) -> str:
    return f"kept.{source.sha256[:32]}"


def _place(source: Source) -> str:
    return f"sources/{source.sha256[:32]}.zip"
