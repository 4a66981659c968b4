"""What a sweep says at its end: where the results are, and how to look at them."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from urllib.parse import urlsplit

from harness.tracking import OpenSweep, Tracker, view_place


def where(tracker: Tracker, sweep: OpenSweep, directory: Path) -> str:
    """Return where the results are and how to look at them."""
    option = "" if directory == Path() else f" --dir {shlex.quote(str(directory))}"
    server = server_of(tracker.uri)
    begin = "" if server else f" make ui (or: {_program()} ui{option}), then"
    place = view_place(sweep.experiment, sweep.sweep_id)
    return (
        f"MLflow store: {tracker.uri}\n"
        f"Sweep: {sweep.sweep_id}\n"
        f"Open it:{begin}\n"
        f"  {server or 'http://127.0.0.1:5000'}/{place}\n"
        f"Print it again: {_program()} report {sweep.sweep_id}{option} [--per-query]"
    )


def server_of(uri: str) -> str | None:
    """Return the address at which a browser finds a tracking server, without name and password; None for a store."""
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https"):
        return None
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


def _program() -> str:
    """Return how this command is called from here: ``harness``, or its path when it isn't on the search path."""
    if shutil.which("harness"):
        return "harness"
    called = Path(sys.argv[0]).resolve()
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)
