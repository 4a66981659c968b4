"""A browser of this machine, driven by Playwright. Without one these tests are skipped, by name."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from report.pages import big_sweep, hostile_sweep

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window; nothing is downloaded."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser on this machine (looked for {', '.join(NAMES)})")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


class Tab:
    """A page in its own context, with everything it complained of or asked for."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def wide(self) -> int:
        """Return by how much the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Make tabs; options go to the browser's context."""
    with ExitStack() as stack:

        def opened(**options: Any) -> Tab:
            made = Tab(browser, **options)
            stack.callback(made.context.close)
            return made

        yield opened


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of made-up sweeps, by name."""
    from harness.report.html import html_report
    from harness.report.judged import judge, with_intervals

    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name, (sweep, evidence) in {"plain": big_sweep(20, 30), "hostile": hostile_sweep()}.items():
        found[name] = folder / f"{name}.html"
        found[name].write_text(html_report(sweep, with_intervals(judge(sweep)), evidence), encoding="utf-8")
    return found
