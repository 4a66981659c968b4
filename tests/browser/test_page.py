"""The page in a browser: it sorts, opens answers, draws its map, fits a phone, and complains of nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report.pages import HOSTILE

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


@pytest.fixture
def opened(tab: Callable[..., Any], written: dict[str, Path]) -> Callable[..., Any]:
    """Open one of the pages."""

    def opening(name: str = "plain", **options: Any) -> Any:
        made = tab(**{"viewport": {"width": 1280, "height": 900}} | options)
        made.page.goto(written[name].as_uri())
        return made

    return opening


def column(page: Any, place: int) -> list[str]:
    return list(page.locator(f"table.sets tbody tr > td:nth-child({place})").all_inner_texts())


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark"}, PHONE], ids=["light", "dark", "phone"])
def test_it_opens_without_complaint_and_fits(opened: Callable[..., Any], name: str, options: dict[str, Any]) -> None:
    found = opened(name, **options)
    for question in found.page.locator("details.q > summary").all()[:4]:
        question.click()
    found.page.wait_for_selector("details.q[open] table")
    for why in found.page.locator("details.q[open] button", has_text="why").all()[:3]:
        why.click()
    for closed in found.page.locator("#again details > summary").all():
        closed.click()
    assert found.complaints == []
    assert [url for url in found.requests if not url.startswith(("file:", "blob:", "data:"))] == []
    assert found.wide() == 0


def test_a_header_sorts_and_turns_round(opened: Callable[..., Any]) -> None:
    page = opened().page
    before = column(page, 5)
    recall = page.locator("table.sets th button", has_text="recall@3")
    recall.click()
    assert column(page, 5) == sorted(before, reverse=True)
    assert page.locator("table.sets th[aria-sort=descending]").inner_text().startswith("recall@3")
    recall.click()
    assert column(page, 5) == sorted(before)
    page.locator("table.sets th button", has_text="set").first.click()
    assert column(page, 1) == [str(number) for number in range(1, 21)]
    page.locator("table.sets th button", has_text="mode").click()
    assert column(page, 2) == sorted(column(page, 2))


def test_floor_and_ceiling_stay_at_the_foot(opened: Callable[..., Any]) -> None:
    page = opened().page
    page.locator("table.sets th button", has_text="hit@3").click()
    assert "best possible" in page.locator("table.sets tfoot").inner_text()


def test_a_question_opens_with_every_set_and_why(opened: Callable[..., Any]) -> None:
    page = opened().page
    question = page.locator("details.q").nth(2)
    question.locator("summary").click()
    question.locator("table").wait_for()
    sets = {int(place) for line in question.locator("tr[data-sets]").all() for place in _sets(line)}
    assert sets == set(range(20))
    assert "第" in question.locator("summary").inner_text()
    question.get_by_role("button", name="why").first.click()
    evidence = question.locator("tr.why")
    assert "vector rank" in evidence.inner_text()
    assert "1/" in evidence.inner_text()
    assert "harness reproduce " in evidence.inner_text()
    question.get_by_role("button", name="why").first.click()
    assert evidence.count() == 0


def _sets(line: Any) -> list[str]:
    return str(line.get_attribute("data-sets")).split()


def test_a_cell_of_the_map_opens_its_question(opened: Callable[..., Any]) -> None:
    page = opened().page
    drawn = page.locator("#map")
    drawn.scroll_into_view_if_needed()
    size = drawn.bounding_box()
    drawn.hover(position={"x": size["width"] - 10, "y": 60})
    assert "set 20" in page.locator("#hover").inner_text()
    named = page.locator("#hover").inner_text().split()[0]
    drawn.click(position={"x": size["width"] - 10, "y": 60})
    page.locator("details.q[open] tr.picked").wait_for()
    assert page.locator("details.q[open] summary b").inner_text() == named
    assert "19" in _sets(page.locator("details.q[open] tr.picked"))


def test_the_map_is_drawn_in_other_orders_too(opened: Callable[..., Any]) -> None:
    found = opened()
    shapes = set()
    for order in ("hard", "tag", "file"):
        found.page.select_option("#rows", order)
        shapes.add(found.page.evaluate("document.getElementById('map').toDataURL()"))
    found.page.select_option("#columns", "mean")
    shapes.add(found.page.evaluate("document.getElementById('map').toDataURL()"))
    assert len(shapes) == 4
    assert found.complaints == []


def test_questions_are_found_by_text(opened: Callable[..., Any]) -> None:
    page = opened().page
    page.fill("#filter", "第7个")
    assert page.locator("details.q:visible").count() == 1
    page.fill("#filter", "tag3")
    assert page.locator("details.q:visible").count() == 7


def test_a_link_opens_its_question(opened: Callable[..., Any]) -> None:
    page = opened().page
    link = page.locator("#deciding table a").first
    named = link.inner_text()
    link.click()
    page.locator("details.q[open] table").wait_for()
    assert page.locator("details.q[open] summary b").inner_text() == named


def test_dark_and_light_differ_and_print_is_light(opened: Callable[..., Any]) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light, dark = opened().page, opened(color_scheme="dark").page
    assert light.evaluate(paper) != dark.evaluate(paper)
    dark.emulate_media(media="print")
    assert dark.evaluate(paper) == "rgb(255, 255, 255)"
    assert len(dark.pdf()) > 20_000


def test_a_hostile_text_is_text(opened: Callable[..., Any]) -> None:
    found = opened("hostile")
    found.page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    shown = found.page.locator("details.q summary b").all_text_contents()
    assert HOSTILE.replace("\x00", "\N{REPLACEMENT CHARACTER}") in shown
    question = found.page.locator("details.q", has=found.page.locator("b", has_text="alert")).first
    question.locator("summary").click()
    question.locator("table").wait_for()
    assert "alert(1)" in question.locator(".answer").inner_text()
    assert found.page.locator("b b").count() == 0
    assert found.complaints == []


def test_chinese_labels_are_text_in_the_drawings(opened: Callable[..., Any]) -> None:
    page = opened("hostile").page
    assert page.locator("svg.chart text", has_text="混合").count() >= 1


def test_without_javascript_the_table_is_there(opened: Callable[..., Any]) -> None:
    page = opened(java_script_enabled=False).page
    assert len(column(page, 1)) == 20
    assert page.locator("svg.chart").count() == 6
