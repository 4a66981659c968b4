"""A tracking server instead of a file: the sweep goes there, and its link names that server."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.servers import harness_ui, tracking_server
from cli.sweeps import Swept
from cli.world import run, sweep_id_of, write_study
from harness.whereabouts import server_of


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("http://tracking:5000", "http://tracking:5000"),
        ("https://example.org/mlflow/", "https://example.org/mlflow"),
        ("http://name:secret@tracking:5000", "http://tracking:5000"),
        ("sqlite:////home/me/mlflow.db", None),
        ("postgresql://name:secret@database/mlflow", None),
    ],
)
def test_a_server_has_an_address_and_a_store_has_none(uri: str, address: str | None) -> None:
    assert server_of(uri) == address


def test_with_a_server_the_link_names_it_and_no_ui_is_started(tmp_path: Path) -> None:
    config = write_study(tmp_path / "study", mode="bm25", top_k="3")
    with tracking_server(tmp_path) as address:
        done = run("sweep", config, "--dir", tmp_path, MLFLOW_TRACKING_URI=address)
        shown = run("ui", "--dir", tmp_path, MLFLOW_TRACKING_URI=address)
        from mlflow import MlflowClient

        experiment = MlflowClient(tracking_uri=address).get_experiment_by_name("small")
    sweep_id = sweep_id_of(done.out)
    assert done.code == 0, done.err
    assert (
        f"Open it:\n  {address}/#/experiments/{experiment.experiment_id}/runs?workflowType=machine_learning"
        f"&viewStateShareKey={sweep_id}\n"
    ) in done.out
    assert f"mlflow.sharedViewState.{sweep_id}" in experiment.tags
    assert "make ui" not in done.out
    assert "127.0.0.1:5000" not in done.out
    assert shown.code == 0
    assert shown.out == f"MLFLOW_TRACKING_URI names a server, which has a UI of its own; open {address}\n"


def test_the_ui_is_a_server_without_runners_of_jobs(small: Swept) -> None:
    """MLflow would start nine processes that judge answers with a language model, which nothing here asks for."""
    import psutil

    with harness_ui(small.folder):
        started = [" ".join(process.cmdline()) for process in psutil.Process().children(recursive=True)]
    assert any("mlflow" in command and "server" in command for command in started)
    assert [command for command in started if "jobs" in command or "huey" in command] == []
