"""The list of equivalent mutants fits the sources, and an unlisted survivor makes the check fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.scoring import exact

from . import score
from .changing import ROOT, Change, Mutant, file_of, install, modules, recorders
from .core_mutants import LIST, Kept, judge, listed, main
from .trying import Tried, forked

ENTRIES = yaml.safe_load(LIST.read_text(encoding="utf-8"))
SURVIVOR = Mutant(file="harness/scoring/exact.py", before="a < b", after="a <= b")
TEXT = Change(
    module="exact",
    function="fraction_text",
    number="1",
    original="""def x_fraction_text__mutmut_orig(value: Fraction) -> str:
    top = _digits(value.numerator)
    return top if value.denominator == 1 else f"{top}/{_digits(value.denominator)}"
""",
    source="""def x_fraction_text__mutmut_1(value: Fraction) -> str:
    top = _digits(value.numerator)
    return top if value.denominator != 1 else f"{top}/{_digits(value.denominator)}"
""",
)
LINE = 'return top if value.denominator {} 1 else f"{{top}}/{{_digits(value.denominator)}}"'
SAME = replace(TEXT, number="2", source=TEXT.original.replace("top", "text"))
ENDLESS = replace(
    TEXT, number="3", source="def x_fraction_text__mutmut_3(value: Fraction) -> str:\n    while True:\n        pass\n"
)
# A test of its own, and what shall be tried against it.
TESTED = """
from fractions import Fraction
from harness.scoring.exact import fraction_text

def test_half():
    assert fraction_text(Fraction(1, 2)) == "1/2"

def test_nothing():
    pass
"""
TRYING = """
import sys
from pathlib import Path
import pytest
from tests.mutations.test_core_mutants import ENDLESS, SAME, TEXT
from tests.mutations.trying import Trial

def tell(tried):
    print("found", tried.change.name, tried.status, (tried.by or "").rpartition("::")[2], flush=True)

folder = Path(sys.argv[1])
trial = Trial(
    changes=lambda digests: [TEXT, SAME, ENDLESS],
    noticed_by={},
    tell=tell,
    traces=folder / "traces",
    grace=1,
)
pytest.main(["-s", "-p", "no:xdist", "-p", "no:cacheprovider", str(folder / "test_text.py")], plugins=[trial])
print("found", trial.fault)
"""


def tried_in(folder: Path, text: str) -> list[str]:
    """Return what is found with a file of tests, in a process of its own."""
    (folder / "test_text.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TRYING, str(folder)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
        capture_output=True,
        check=True,
    )
    return [line.removeprefix("found ") for line in done.stdout.splitlines() if line.startswith("found ")]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_what_an_entry_changes_stands_in_its_file(entry: dict[str, Any]) -> None:
    lines = [line.strip() for line in (ROOT / entry["file"]).read_text(encoding="utf-8").splitlines()]
    assert entry["file"].startswith("harness/scoring/")
    assert len(entry["why"]) > 20
    for pair in entry["mutants"]:
        assert {line for line in pair["before"].splitlines() if line not in lines} == set()
        assert pair["before"] != pair["after"]


def test_a_change_is_shown_by_the_lines_that_differ() -> None:
    assert TEXT.mutant == Mutant(file="harness/scoring/exact.py", before=LINE.format("=="), after=LINE.format("!="))
    assert TEXT.name == "exact:fraction_text:1"


def test_every_module_of_the_room_has_its_file() -> None:
    files = {file_of(module) for module in modules()}
    assert files == {path.relative_to(ROOT).as_posix() for path in (ROOT / "harness" / "scoring").rglob("*.py")}
    assert {file_of("measures"), file_of("__init__"), file_of("encoded.sums")} <= files


def test_an_installed_change_takes_effect_for_whoever_holds_the_function() -> None:
    held = exact.fraction_text

    def run(write: Any) -> None:
        install(TEXT)
        write(held(exact.ONE).encode())

    assert forked(run) == (0, b"1/1")
    assert held(exact.ONE) == "1"


def test_calls_are_noted_by_module_and_function() -> None:
    def run(write: Any) -> None:
        called = recorders()()
        exact.mean([exact.ratio(1, 2)])
        write(" ".join(sorted(called)).encode())

    assert forked(run) == (0, b"exact:mean exact:ratio")


def test_a_change_is_noticed_survives_or_does_not_end(tmp_path: Path) -> None:
    assert tried_in(tmp_path, TESTED) == [
        "exact:fraction_text:1 noticed test_half",
        "exact:fraction_text:2 survived ",
        "exact:fraction_text:3 timeout test_half",
        "None",
    ]


def test_nothing_is_tried_with_tests_that_fail_anyway(tmp_path: Path) -> None:
    (fault,) = tried_in(tmp_path, TESTED.replace('1/2"', '2/4"'))
    assert fault.endswith("test_half fails before anything was changed")
    assert tried_in(tmp_path, "import nothing_of_this_name") == ["the tests can't be collected"]


def test_survivors_must_be_listed_and_the_list_must_survive() -> None:
    assert judge([SURVIVOR], Counter([SURVIVOR]), ["exact"]) == []
    (unlisted,) = judge([SURVIVOR], Counter(), ["exact"])
    assert "no test notices harness/scoring/exact.py" in unlisted
    (stale,) = judge([], Counter([SURVIVOR]), ["exact"])
    assert "it doesn't survive" in stale
    assert judge([], Counter([SURVIVOR]), ["checks"]) == []


def test_a_change_that_survives_twice_is_listed_twice() -> None:
    assert len(judge([SURVIVOR, SURVIVOR], Counter([SURVIVOR]), ["exact"])) == 1
    pair = {"before": SURVIVOR.before, "after": SURVIVOR.after}
    assert listed([{"file": SURVIVOR.file, "mutants": [pair, pair]}])[SURVIVOR] == 2


def test_what_was_found_holds_on_the_same_files_only(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "tried.jsonl"
    Kept(file).add(Tried(change=TEXT, status="noticed", by="test_half"), "1f")
    Kept(file).add(Tried(change=SAME, status="survived", by=None), "2e")
    Kept(file).add(Tried(change=ENDLESS, status="timeout", by="test_half"), "3d")
    # A run that is stopped may leave half a line.
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"name": "exa')
    kept = Kept(file)
    assert kept.statuses(lambda by: "1f" if by == "test_half" else "2e") == {
        TEXT.name: "noticed",
        SAME.name: "survived",
    }
    assert kept.statuses(lambda by: "3d") == {ENDLESS.name: "timeout"}
    assert kept.noticed_by == {TEXT.name: "test_half", ENDLESS.name: "test_half"}


def test_a_score_adds_up_and_is_printed_in_columns() -> None:
    changes = [TEXT, SAME, ENDLESS, replace(SAME, number="4"), replace(TEXT, number="5")]
    found = {TEXT.name: "noticed", SAME.name: "survived", ENDLESS.name: "timeout", "exact:fraction_text:4": "survived"}
    found_score = score.of_module("exact", changes, found, Counter([SAME.mutant]))
    assert found_score == score.Score(
        source=score.source_of("exact"), mutants=5, noticed=1, timeout=1, equivalent=1, survived=1, not_tried=1
    )
    assert score.table({"exact": found_score}).splitlines() == [
        "module  mutants  noticed  timeout  equivalent  survived  not tried",
        "exact         5        1        1           1         1          1",
        "all           5        1        1           1         1          1",
    ]


def test_the_kept_score_names_modules_of_the_room_and_adds_up() -> None:
    scores = score.kept()
    assert scores.keys() <= set(modules())
    for found in scores.values():
        parts = (found.noticed, found.timeout, found.equivalent, found.survived, found.not_tried)
        assert sum(parts) == found.mutants


def test_a_module_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exact", "sums"]) == 2
    assert "no module of the room: ['sums']; there are ['__init__', 'abstention'," in capsys.readouterr().err


def test_the_kept_score_is_printed_with_what_changed_since() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutations.score"], cwd=ROOT, text=True, capture_output=True, check=True
    )
    assert done.stdout.startswith(score.table(score.kept()) + "\n")
    assert {line.removesuffix(" has changed since") for line in done.stdout.splitlines() if "since" in line} == {
        name for name, found in score.kept().items() if found.source != score.source_of(name)
    }


def test_the_page_has_the_kept_score() -> None:
    page = " ".join((ROOT / "docs" / "contributing.md").read_text(encoding="utf-8").split())
    scores = score.kept().values()
    mutants, noticed, timeout, equivalent = (
        sum(getattr(found, column) for found in scores) for column in ("mutants", "noticed", "timeout", "equivalent")
    )
    assert f"of {mutants} mutants tests notice {noticed}, {timeout} don't end, and {equivalent} are equivalent" in page
