"""``harness ui``: what MLflow shows of a sweep to somebody who opens the link that was printed."""

from __future__ import annotations

import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cli.sweeps import Swept, swept
from cli.world import start

SLOW = 60_000
"""Milliseconds that MLflow's pages may take on a busy machine."""


@pytest.fixture(scope="module")
def small(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """The small study, swept, where there is a browser to look at it."""
    return swept(tmp_path_factory)


@pytest.fixture(scope="module")
def server(small: Swept) -> Iterator[str]:
    """The address of ``harness ui`` on its store."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    process = start("ui", "--port", port, "--dir", small.folder, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{address}/health", process)
        yield address
    finally:
        _stop(process)


def _wait(address: str, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"{address} doesn't answer")


def _stop(process: subprocess.Popen[str]) -> None:
    import psutil

    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    for member in reversed(family):
        member.terminate()
    psutil.wait_procs(family, timeout=20)
    process.communicate(timeout=20)


def link_of(small: Swept, server: str) -> str:
    """Return the link that the sweep printed, on this server's port."""
    found = re.search(r"http://127\.0\.0\.1:5000(\S+)", small.done.out)
    assert found, small.done.out
    return server + found[1]


def test_the_link_lists_the_sets_flat_by_name_best_recall_first(
    small: Swept, server: str, tab: Callable[..., Any]
) -> None:
    page = tab(viewport={"width": 1600, "height": 1000}).page
    page.goto(link_of(small, server))
    names = {run.info.run_name: run.data.metrics["recall_at_3"] for run in small.store.children(small.sweep_id)}
    for name in names:
        page.get_by_role("link", name=name, exact=True).wait_for(timeout=SLOW)
    places = {name: page.get_by_role("link", name=name, exact=True).bounding_box() for name in names}
    assert len({round(box["x"]) for box in places.values()}) == 1, "flat: no run is folded into another"
    shown = sorted(names, key=lambda name: places[name]["y"])
    values = [names[name] for name in shown]
    assert values == sorted(values, reverse=True)
    assert page.get_by_text("sweep of", exact=False).count() == 0


def test_the_sweep_has_its_table_as_description_and_its_page_as_artifact(
    small: Swept, server: str, tab: Callable[..., Any]
) -> None:
    page = tab(viewport={"width": 1600, "height": 1000}).page
    experiment = small.store.client.get_run(small.sweep_id).info.experiment_id
    page.goto(f"{server}/#/experiments/{experiment}/runs/{small.sweep_id}")
    page.get_by_text("Ablation of study small, split test").first.wait_for(timeout=SLOW)
    assert page.locator("table", has_text="recall@3").count() >= 1
    page.goto(f"{server}/#/experiments/{experiment}/runs/{small.sweep_id}/artifacts/report.html")
    inside = page.frame_locator("iframe")
    inside.get_by_role("heading", name="Parameter sets").wait_for(timeout=SLOW)
    inside.locator("table.sets th button", has_text="recall@3").click()
    assert inside.locator("table.sets th[aria-sort=descending]").count() == 1


def test_the_questions_of_a_set_open_as_a_table(small: Swept, server: str, tab: Callable[..., Any]) -> None:
    page = tab(viewport={"width": 1600, "height": 1000}).page
    run = small.store.children(small.sweep_id)[0].info
    page.goto(f"{server}/#/experiments/{run.experiment_id}/runs/{run.run_id}/artifacts/per_query.json")
    page.get_by_text("明天下雨吗").first.wait_for(timeout=SLOW)
    seen = page.locator("body").inner_text()
    for text in ("weather", "lights of the harbour", "first_relevant_rank"):
        assert text in seen
