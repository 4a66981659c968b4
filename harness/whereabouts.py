"""What a sweep says at its end: where the results are, and how to look at them."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from harness.tracking import OpenSweep, Tracker


def where(tracker: Tracker, sweep: OpenSweep, directory: Path, k: int) -> str:
    """Return where the results are and how to look at them."""
    option = "" if directory == Path() else f" --dir {shlex.quote(str(directory))}"
    return (
        f"MLflow store: {tracker.uri}\n"
        f"Sweep: {sweep.sweep_id}\n"
        f"Open it: make ui (or: {_program()} ui{option}), then\n"
        f"  {ui_link('http://127.0.0.1:5000', sweep.experiment, sweep.sweep_id, k)}\n"
        f"Print it again: {_program()} report {sweep.sweep_id}{option} [--per-query]"
    )


def _program() -> str:
    """Return how this command is called from here: ``harness``, or its path when it isn't on the search path."""
    if shutil.which("harness"):
        return "harness"
    called = Path(sys.argv[0]).resolve()
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def ui_link(server: str, experiment: str, sweep_id: str, k: int) -> str:
    """Return the address at which MLflow lists a sweep's parameter sets, best recall first.

    An order other than by date is what makes MLflow show children flat instead of folded into their parent.
    """
    from urllib.parse import quote

    wanted = quote(f"tags.sweep_id = '{sweep_id}' and tags.`harness.kind` = 'set'")
    order = quote(f"metrics.`recall_at_{k}`")
    return (
        f"{server}/#/experiments/{experiment}/runs?workflowType=machine_learning"
        f"&searchFilter={wanted}&orderByKey={order}&orderByAsc=false"
    )
