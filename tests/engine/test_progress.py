"""Progress: a bar where somebody watches, plain lines otherwise; results alone on standard output."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from .command import start
from .conftest import Harmed, Reference
from .world import ONE, table_of, write_study


@pytest.mark.parametrize("executor", ["sequential", "processes"])
def test_without_a_terminal_there_are_plain_lines(embedded: Reference, by_processes: Harmed, executor: str) -> None:
    done = embedded.done if executor == "sequential" else by_processes.done
    lines = done.err.splitlines()
    stages = {"indexes": 4, "parameter sets": 12} if executor == "processes" else {"parameter sets": 12}
    assert [line for line in lines if "to do" in line] == [f"{name}: {total} to do" for name, total in stages.items()]
    counted = [re.fullmatch(r"(indexes|parameter sets): (\d+)/(\d+), about \d+ s left", line) for line in lines]
    steps = [found.groups() for found in counted if found]
    assert len(steps) + len(stages) == len(lines), lines
    for name, total in stages.items():
        done_so_far = [int(count) for stage, count, _ in steps if stage == name]
        assert done_so_far == sorted(set(done_so_far))
        assert done_so_far[-1] == total
        assert {int(of) for stage, _, of in steps if stage == name} == {total}
    assert "\x1b" not in done.err + done.out
    assert done.out.startswith("## Ablation of study engine")
    assert table_of(done.out) == embedded.table


def test_on_a_terminal_there_is_a_bar_and_stdout_stays_clean(place: Callable[[str], Path], tmp_path: Path) -> None:
    config = write_study(tmp_path / "study", ONE | {"top_k": [1, 2, 3]})
    master, terminal = os.openpty()
    shown = bytearray()

    def read() -> None:
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # nobody holds the other end any more
                return
            if not part:
                return
            shown.extend(part)

    watcher = threading.Thread(target=read)
    watcher.start()
    running = start(
        *("sweep", config, "--dir", place("out")),
        logs=tmp_path / "logs",
        terminal=os.ttyname(terminal),
        TERM="xterm",
        COLUMNS="100",
    )
    done = running.finish()
    os.close(terminal)
    watcher.join()
    os.close(master)
    text = shown.decode("utf-8")
    assert done.code == 0, text
    assert "parameter sets" in text
    assert "━" in text
    assert "3/3" in text
    assert "\x1b[" in text
    assert "to do" not in text
    assert done.out.startswith("## Ablation of study engine")
    assert "\x1b" not in done.out
    assert "━" not in done.out
