"""Running notebooks: ``python -m tests.notebooks.executing`` runs all and writes their outputs back."""

from __future__ import annotations

import copy
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 180


def execute(path: Path) -> tuple[Any, Any]:
    """Return a notebook as it is committed, and as it comes out when it is run; stderr is dropped."""
    import nbformat
    from nbclient import NotebookClient

    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    committed = nbformat.read(path, as_version=4)
    done = copy.deepcopy(committed)
    NotebookClient(
        done, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    for cell in done.cells:
        if "outputs" in cell:
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return committed, done


def write_back(path: Path) -> None:
    """Run a notebook and keep what it says, without what changes from run to run."""
    import nbformat

    _, done = execute(path)
    for cell in done.cells:
        cell.metadata.pop("execution", None)
    nbformat.validate(done)
    nbformat.write(done, path)


def texts(notebook: Any) -> list[list[str]]:
    """Return what each cell printed or showed as text."""
    found = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        plain = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs if o.output_type != "error"]
        found.append([text for text in plain if not text.startswith("<Figure")])
    return found


if __name__ == "__main__":
    for notebook in NOTEBOOKS:
        print(notebook.name, flush=True)
        write_back(notebook)
