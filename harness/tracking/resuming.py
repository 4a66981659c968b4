"""Sweeps that were stopped: finding them, taking them up, and clearing away what was half done."""

from __future__ import annotations

import os
from collections.abc import Mapping

from harness.summary import SetSummary, from_json
from harness.tracking import content
from harness.tracking.connection import Connection
from harness.tracking.looks import forget_list

OWNER = "harness.owner"
KEY = "sweep_key"
LOCK = "harness.lock"


def owner() -> str:
    """Return who is writing: machine and process."""
    return f"{os.uname().nodename}:{os.getpid()}"


def unfinished(connection: Connection, experiment: str, key: str, lock: str | None) -> str | None:
    """Return the newest sweep with this key that was stopped or killed.

    With a lock, a sweep that says RUNNING counts only if it was started under the lock this process now holds: then its
    process is gone.
    """
    found = connection.client.search_runs(
        [experiment],
        f"tags.`{KEY}` = '{key}' and attributes.status != 'FINISHED'",
        order_by=["attributes.start_time DESC"],
    )
    for run in found:
        if lock is None or run.info.status != "RUNNING" or run.data.tags.get(LOCK) == lock:
            return str(run.info.run_id)
    return None


def waiting(connection: Connection, experiment: str, key: str) -> list[str]:
    """Return the finished sweeps with this key on whose choice no finished sweep rests, newest first."""
    done = "attributes.status = 'FINISHED'"
    found = connection.search([experiment], f"tags.`{KEY}` = '{key}' and {done}")
    resting = connection.search([experiment], f"tags.`{content.CHOICE}sweep` LIKE '%' and {done}") if found else []
    used = {run.data.tags[f"{content.CHOICE}sweep"] for run in resting}
    return [str(run.info.run_id) for run in found if run.info.run_id not in used]


def take_up(connection: Connection, experiment: str, parent: str, tags: Mapping[str, str]) -> dict[str, SetSummary]:
    """Make a stopped sweep this process's own: keep its finished sets, delete what is half done or failed.

    Returns:
        Fingerprint of the parameters → summary, of the sets that are kept.
    """
    for name, value in tags.items():
        connection.client.set_tag(parent, name, value)
    connection.client.update_run(parent, status="RUNNING")
    forget_list(connection, parent)
    finished: dict[str, SetSummary] = {}
    for child in connection.children(experiment, parent, only_finished=False):
        name = child.data.tags.get("parameters_sha256", "")
        if child.info.status == "FINISHED" and name and name not in finished:
            finished[name] = from_json(SetSummary, connection.artifact(str(child.info.run_id), content.SUMMARY))
        else:
            connection.client.delete_run(child.info.run_id)
    return finished


def close_abandoned(connection: Connection, experiment: str, keep: str | None) -> None:
    """Mark runs of dead processes of this machine as killed: they would say RUNNING for ever."""
    here = os.uname().nodename
    for run in connection.client.search_runs([experiment], "attributes.status = 'RUNNING'"):
        host, _, pid = run.data.tags.get(OWNER, "").rpartition(":")
        ours = keep is not None and keep in (run.info.run_id, run.data.tags.get("mlflow.parentRunId"))
        if host == here and pid.isdigit() and not ours and not _alive(int(pid)):
            connection.client.set_terminated(run.info.run_id, "KILLED")


def drop_half_done(connection: Connection, parent: str) -> None:
    """Delete children that a stop caught while they were written."""
    experiment = connection.client.get_run(parent).info.experiment_id
    for child in connection.children(experiment, parent, only_finished=False):
        if child.info.status == "RUNNING":
            connection.client.delete_run(child.info.run_id)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
