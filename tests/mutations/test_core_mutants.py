"""The list of equivalent mutants fits the sources, and an unlisted survivor makes the check fail."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml

from . import core_mutants
from .core_mutants import LIST, ROOT, Mutant, Outcome, file_of, judge, listed, main, module_of, mutant_of, statuses

ENTRIES = yaml.safe_load(LIST.read_text(encoding="utf-8"))
SURVIVOR = Mutant(file="harness/scoring/exact.py", before="a < b", after="a <= b")
PRINTED = """
    harness.scoring.exact.x_mean__mutmut_1: killed
    harness.scoring.measures.measure.xǁNamedMeasureǁ_cut__mutmut_1: survived
    harness.scoring.x___getattr____mutmut_2: not checked
"""
DIFF = """# harness.scoring.exact.x_mean__mutmut_1: survived
--- harness/scoring/exact.py
+++ harness/scoring/exact.py
@@ -1,3 +1,3 @@
 def mean():
-    a < b
+    a <= b
"""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["file"])
def test_what_an_entry_changes_stands_in_its_file(entry: dict[str, Any]) -> None:
    lines = [line.strip() for line in (ROOT / entry["file"]).read_text(encoding="utf-8").splitlines()]
    assert entry["file"].startswith("harness/scoring/")
    assert len(entry["why"]) > 20
    for pair in entry["mutants"]:
        assert {line for line in pair["before"].splitlines() if line not in lines} == set()
        assert pair["before"] != pair["after"]


def test_what_mutmut_prints_is_read() -> None:
    found = statuses(PRINTED)
    assert list(found.values()) == ["killed", "survived", "not checked"]
    assert [module_of(name) for name in found] == ["exact", "measures.measure", "__init__"]
    assert mutant_of("harness/scoring/exact.py", DIFF) == SURVIVOR
    assert [file_of(name).removeprefix("harness/scoring/") for name in ("exact", "measures", "__init__")] == [
        "exact.py",
        "measures/__init__.py",
        "__init__.py",
    ]


def test_survivors_must_be_listed_and_the_list_must_survive() -> None:
    outcome = Outcome(counts={}, survivors=[SURVIVOR])
    assert judge(outcome, Counter([SURVIVOR]), ["exact"]) == []
    (unlisted,) = judge(outcome, Counter(), ["exact"])
    assert "no test notices harness/scoring/exact.py" in unlisted
    (stale,) = judge(Outcome(counts={}, survivors=[]), Counter([SURVIVOR]), ["exact"])
    assert "it doesn't survive" in stale
    assert judge(Outcome(counts={}, survivors=[]), Counter([SURVIVOR]), ["checks"]) == []


def test_a_change_that_survives_twice_is_listed_twice() -> None:
    twice = Outcome(counts={}, survivors=[SURVIVOR, SURVIVOR])
    assert len(judge(twice, Counter([SURVIVOR]), ["exact"])) == 1
    pair = {"before": SURVIVOR.before, "after": SURVIVOR.after}
    assert listed([{"file": SURVIVOR.file, "mutants": [pair, pair]}])[SURVIVOR] == 2


def test_the_exit_code_is_1_for_an_unlisted_survivor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = Outcome(counts={"checks": {"killed": 3, "survived": 1}}, survivors=[SURVIVOR])
    monkeypatch.setattr(core_mutants, "try_all", lambda parts: outcome)
    assert main([]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1].split() == ["checks", "4", "3", "1", "0"]
    assert "a <= b" in printed.err
    monkeypatch.setattr(core_mutants, "try_all", lambda parts: Outcome(counts={}, survivors=[]))
    assert main([]) == 0
