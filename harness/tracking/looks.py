"""How often a split has been scored: every set that was finished on it, in any sweep of the store.

What was deleted since still counts: a look stays a look. A sweep that has ended holds the fingerprints of the sets it
scored in tags, so that counting reads one run a sweep; of one that is under way or was killed, the sets are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.splits import Looks
from harness.tracking.connection import Connection

SPLIT = "split"
"""Name of the hash that a split is known by (see ``harness.study.protocol.split_of``)."""
TIMES, SETS = "split_scored_times", "split_scored_sets"

_LISTED = "harness.scored."
_DIGITS = 16
_A_TAG = 280


def count_looks(connection: Connection, split_sha256: str) -> Looks:
    """Return how often a split has been scored by now."""
    experiments = connection.all_experiments()
    condition = f"tags.`{SPLIT}_sha256` = '{split_sha256}' and tags.`harness.kind` = 'sweep'"
    scored: list[str] = []
    for sweep in connection.search(experiments, condition, deleted=True):
        held = list(_listed(sweep.data.tags))
        scored.extend(held or _scored(connection, sweep))
    return Looks(times=len(scored), sets=len(set(scored)))


def list_sets(connection: Connection, sweep_id: str) -> None:
    """Note the sets that a sweep has scored on its parent run."""
    scored = _scored(connection, connection.client.get_run(sweep_id))
    for number, start in enumerate(range(0, len(scored), _A_TAG)):
        connection.client.set_tag(sweep_id, f"{_LISTED}{number}", " ".join(scored[start : start + _A_TAG]))


def forget_list(connection: Connection, sweep_id: str) -> None:
    """Take the note away from a sweep that is going to score more."""
    for name in connection.client.get_run(sweep_id).data.tags:
        if name.startswith(_LISTED):
            connection.client.delete_tag(sweep_id, name)


def _listed(tags: Mapping[str, str]) -> Iterator[str]:
    for name, value in tags.items():
        if name.startswith(_LISTED):
            yield from value.split()


def _scored(connection: Connection, sweep: Any) -> Sequence[str]:
    """Return the fingerprints of the sets that a sweep has finished, deleted runs included."""
    condition = f"tags.`mlflow.parentRunId` = '{sweep.info.run_id}' and attributes.status = 'FINISHED'"
    found = connection.search([sweep.info.experiment_id], condition, deleted=True)
    names = [run.data.tags.get("parameters_sha256", "")[:_DIGITS] for run in found]
    return [name for name in names if name]
