"""``harness ui``: what MLflow shows of a sweep to somebody who opens the link that was printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cli.servers import harness_ui
from cli.sweeps import Swept, swept

SLOW = 60_000
"""Milliseconds that MLflow's pages may take on a busy machine."""
WIDE = {"viewport": {"width": 2600, "height": 1000}}
"""Wide enough for every column: what is out of sight MLflow doesn't draw."""


@pytest.fixture(scope="module")
def small(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """The small study, swept, where there is a browser to look at it."""
    return swept(tmp_path_factory)


@pytest.fixture(scope="module")
def server(small: Swept) -> Iterator[str]:
    """The address of ``harness ui`` on its store."""
    with harness_ui(small.folder) as address:
        yield address


@pytest.fixture
def listed(small: Swept, server: str, tab: Callable[..., Any]) -> Any:
    """What the link opens that the sweep printed, on this server's port."""
    page = tab(**WIDE).page
    page.goto(link_of(small, server))
    page.get_by_role("link", name="vector top_k=3", exact=True).wait_for(timeout=SLOW)
    return page


def link_of(small: Swept, server: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:5000(\S+)", small.done.out)
    assert found, small.done.out
    return server + found[1]


def wait_for(page: Any, read: Callable[[], Any], wanted: Any) -> None:
    """Read again until what is wanted is there."""
    for _ in range(SLOW // 500):
        if read() == wanted:
            return
        page.wait_for_timeout(500)
    assert read() == wanted


def show(page: Any, mode: str) -> None:
    """Choose one of the three ways to look at runs, beside the search field."""
    page.locator(f"label:has(input[name=runs-view-mode][value={mode}])").click()


def column(page: Any, name: str) -> list[str]:
    """Return the cells of a column of the list of runs, from top to bottom."""
    shown: list[str] = page.evaluate(
        """name => {
            const all = [...document.querySelectorAll('.ag-row .ag-cell')]
            const cells = all.filter(cell => cell.getAttribute('col-id') === name)
            const top = cell => cell.getBoundingClientRect().y
            return cells.sort((a, b) => top(a) - top(b)).map(cell => cell.innerText)
        }""",
        name,
    )
    return shown


def drawn(page: Any, curve: str) -> dict[str, tuple[list[int], list[float]]]:
    """Return what the chart of a curve draws: name of the run → its steps and values."""
    card = page.get_by_test_id("experiment-view-compare-runs-card").filter(
        has=page.get_by_role("heading", name=curve, exact=True)
    )
    plot = card.locator(".js-plotly-plot")
    card.scroll_into_view_if_needed(timeout=SLOW)
    plot.locator(".scatterlayer .trace").first.wait_for(state="attached", timeout=SLOW)
    lines = plot.evaluate("plot => plot.data.map(line => [line.name, [...line.x], [...line.y]])")
    return {name: (steps, [round(value, 4) for value in values]) for name, steps, values in lines}


# Recall of weather, red (two relevant documents) and lights at 1, 2 and 3, from the rankings that ``cli.world`` tells:
# BM25 finds 天气.md first, boats.md first and ships.md never, tower.md second.
BM25 = ([1, 2, 3], [round((1 + 1 / 2 + 0) / 3, 4), round((1 + 1 / 2 + 1) / 3, 4), round((1 + 1 / 2 + 1) / 3, 4)])
BM25_ONE = ([1, 2, 3], [0.5, 0.5, 0.5])


def test_the_link_lists_the_sets_flat_by_name_best_recall_first(small: Swept, listed: Any) -> None:
    names = {run.info.run_name: run.data.metrics["recall_at_3"] for run in small.store.children(small.sweep_id)}
    for name in names:
        listed.get_by_role("link", name=name, exact=True).wait_for(timeout=SLOW)
    places = {name: listed.get_by_role("link", name=name, exact=True).bounding_box() for name in names}
    assert len({round(box["x"]) for box in places.values()}) == 1, "flat: no run is folded into another"
    shown = sorted(names, key=lambda name: places[name]["y"])
    values = [names[name] for name in shown]
    assert values == sorted(values, reverse=True)
    assert listed.get_by_text("sweep of", exact=False).count() == 0


def test_its_columns_are_the_measures_and_what_differs(listed: Any) -> None:
    headers = listed.locator(".ag-header-cell").all()
    shown = [text for _, text in sorted((cell.bounding_box()["x"], cell.inner_text()) for cell in headers)]
    first = shown.index("recall_at_3")
    assert shown[first : first + 7] == ["recall_at_3", "mrr_at_3", "ndcg_at_3", "hit_at_3", "mode", "top_k", "fetch_k"]
    assert sorted(column(listed, "params.`mode`")) == ["bm25"] * 2 + ["hybrid"] * 3 + ["vector"] * 2


def test_a_click_on_a_header_sorts(listed: Any) -> None:
    """Highest first under another measure, and the other way round under the one that the list is sorted by."""
    recall = ["1", "1", "0.8333333333333334", "0.5", "0.5", "0.5", "0.5"]
    mrr = ["0.8333333333333334"] * 3 + ["0.6666666666666666"] * 4
    wait_for(listed, lambda: column(listed, "metrics.`recall_at_3`"), recall)
    for measure, ascending, wanted in (
        ("recall_at_3", "true", recall[::-1]),
        ("mrr_at_3", "false", mrr),
        ("mrr_at_3", "true", mrr[::-1]),
    ):
        listed.get_by_test_id(f"sort-header-{measure}").click()
        listed.wait_for_url(re.compile(f"orderByKey=metrics.%60{measure}%60.*orderByAsc={ascending}"), timeout=SLOW)
        wait_for(listed, lambda measure=measure: column(listed, f"metrics.`{measure}`"), wanted)


def test_curves_over_k_lie_over_one_another(listed: Any) -> None:
    """The ends of the curves are the recall@3 that the sweep printed."""
    show(listed, "CHART")
    found = drawn(listed, "recall_at_k")
    assert found["bm25 top_k=3"] == BM25
    assert found["bm25 top_k=1"] == BM25_ONE
    assert {name: values[-1] for name, (_, values) in found.items()} == {
        "bm25 top_k=1": 0.5,
        "vector top_k=1": 0.5,
        "bm25 top_k=3": 0.8333,
        "vector top_k=3": 1.0,
        "hybrid top_k=1 fetch_k=1": 0.5,
        "hybrid top_k=1 fetch_k=3": 0.5,
        "hybrid top_k=3 fetch_k=3": 1.0,
    }


def test_a_run_draws_its_curve(small: Swept, server: str, tab: Callable[..., Any]) -> None:
    page = tab(**WIDE).page
    run = next(run.info for run in small.store.children(small.sweep_id) if run.info.run_name == "bm25 top_k=3")
    page.goto(f"{server}/#/experiments/{run.experiment_id}/runs/{run.run_id}/model-metrics")
    page.get_by_placeholder("Search metric charts").fill("recall_at_k", timeout=SLOW)
    assert drawn(page, "recall_at_k") == {"bm25 top_k=3": BM25}


# Best, the first columns: of those that tie on recall MLflow's order is open, and what is out of sight isn't drawn.
SIDES = ("bm25 top_k=3", "vector top_k=3")


def test_the_questions_of_several_sets_stand_side_by_side(small: Swept, listed: Any) -> None:
    """A line for each question, a column for each set, and what is compared can be chosen."""
    show(listed, "ARTIFACT")
    bm25 = {"weather": "天气.md", "red": "boats.md", "lights": "boats.md, tower.md"}
    vector = logged(small, SIDES[1], "retrieved")
    retrieved = {query: dict(zip(SIDES, (bm25[query], vector[query]), strict=True)) for query in bm25}
    wait_for(listed, lambda: side_by_side(listed, list(bm25)), retrieved)
    listed.get_by_role("combobox").filter(has_text="Compare:").click()
    listed.get_by_role("option").filter(has_text="recall_at_3").click()
    recall = {"weather": ("1", "1"), "red": ("0.5", "1"), "lights": ("1", "1")}
    wanted = {query: dict(zip(SIDES, values, strict=True)) for query, values in recall.items()}
    wait_for(listed, lambda: side_by_side(listed, list(recall)), wanted)


def logged(small: Swept, name: str, column: str) -> dict[str, str]:
    """Return a column of a set's table of questions, as it lies in the store."""
    run = next(run.info for run in small.store.children(small.sweep_id) if run.info.run_name == name)
    table = json.loads(small.store.artifact(run.run_id, "per_query.json"))
    places = [table["columns"].index(wanted) for wanted in ("query", column)]
    return {row[places[0]]: row[places[1]] for row in table["data"]}


def side_by_side(page: Any, queries: list[str]) -> dict[str, dict[str, str]]:
    """Return what MLflow's table says of two sets: question → set → text, empty while it isn't there."""
    columns, rows = page.evaluate(
        """() => {
            const grid = [...document.querySelectorAll('.ag-root')].find(root => root.innerText.includes('weather'))
            if (!grid) return [[], {}]
            const columns = [...grid.querySelectorAll('.ag-header-cell')]
            const rows = {}
            for (const cell of grid.querySelectorAll('.ag-cell')) {
                const row = cell.closest('[row-index]').getAttribute('row-index')
                rows[row] = {...rows[row], [cell.getAttribute('col-id')]: cell.innerText}
            }
            return [columns.map(head => [head.getAttribute('col-id'), head.innerText]), rows]
        }"""
    )
    query = next((key for key, text in columns if text.strip() == "query"), None)
    sets = {key: name for key, text in columns for name in text.split("\n") if name in SIDES}
    found = {
        row[query]: {name: row.get(key, "") for key, name in sets.items()} for row in rows.values() if query in row
    }
    return {name: found[name] for name in queries if name in found}


def test_the_sweep_has_its_table_as_description_and_its_page_as_artifact(
    small: Swept, server: str, tab: Callable[..., Any]
) -> None:
    page = tab(viewport={"width": 1600, "height": 1000}).page
    experiment = small.store.client.get_run(small.sweep_id).info.experiment_id
    page.goto(f"{server}/#/experiments/{experiment}/runs/{small.sweep_id}")
    page.get_by_text("Ablation of study small, split test").first.wait_for(timeout=SLOW)
    assert page.locator("table", has_text="recall@3").count() >= 1
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="curves over k").click()
    assert drawn(opened.value, "recall_at_k")["bm25 top_k=3"] == BM25
    page.goto(f"{server}/#/experiments/{experiment}/runs/{small.sweep_id}/artifacts/report.html")
    inside = page.frame_locator("iframe")
    inside.get_by_role("heading", name="Parameter sets").wait_for(timeout=SLOW)
    header = inside.locator("table.sets th", has_text="recall@3")

    def sorted_by_it() -> bool:
        header.get_by_role("button").click()
        return bool(header.get_attribute("aria-sort"))

    # MLflow may put the page into its frame a second time, and what was clicked before is forgotten.
    wait_for(page, sorted_by_it, wanted=True)


def test_the_questions_of_a_set_open_as_a_table(small: Swept, server: str, tab: Callable[..., Any]) -> None:
    page = tab(viewport={"width": 1600, "height": 1000}).page
    run = small.store.children(small.sweep_id)[0].info
    page.goto(f"{server}/#/experiments/{run.experiment_id}/runs/{run.run_id}/artifacts/per_query.json")
    page.get_by_text("明天下雨吗").first.wait_for(timeout=SLOW)
    seen = page.locator("body").inner_text()
    for text in ("weather", "lights of the harbour", "first_relevant_rank"):
        assert text in seen
