"""A ranking that was turned at one stage is located at that stage, question by question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli.sweeps import copy_store, empty_store
from cli.world import invoke, sweep_id_of, write_study
from scipy.stats import kendalltau

from harness.index import ExactVectorRoute
from harness.index.bm25_reference import ReferenceBm25Route
from harness.records import Leg
from harness.retrieval import LegPair
from harness.review.ladder import tau_union

from .conftest import agreed

RED = 1
"""Place of the question ``red`` in the golden set."""


def turned(legs: list[Leg]) -> list[Leg]:
    """Swap the first two hits of one question."""
    leg = legs[RED]
    positions = (leg.positions[1], leg.positions[0], *leg.positions[2:])
    return [*legs[:RED], Leg(positions=positions, scores=leg.scores), *legs[RED + 1 :]]


def turn_legs(patch: pytest.MonkeyPatch, route: type) -> None:
    right: Callable[..., list[Leg]] = route.legs  # type: ignore[attr-defined]
    patch.setattr(route, "legs", lambda self, questions, depth: turned(right(self, questions, depth)))


def turn_fusion(patch: pytest.MonkeyPatch) -> None:
    right = LegPair.fuse

    def wrong(self: LegPair, *arguments: Any) -> Any:
        found = right(self, *arguments)
        positions = found.positions.copy()
        positions[RED, :2] = positions[RED, 1::-1]
        return replace(found, positions=positions)

    patch.setattr(LegPair, "fuse", wrong)


FAULTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "bm25 leg": lambda patch: turn_legs(patch, ReferenceBm25Route),
    "vector leg": lambda patch: turn_legs(patch, ExactVectorRoute),
    "fusion": turn_fusion,
}


@pytest.mark.parametrize("stage", FAULTS)
def test_the_first_stage_that_differs(
    stage: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_store(empty_store(tmp_path_factory), tmp_path / "out").folder
    documents = {f"docs/d{n}.md": f"red boats and {'red ' * n}sails\n" for n in range(4)}
    study = write_study(tmp_path / "study", mode="hybrid", top_k="3", **documents)  # type: ignore[arg-type]
    for name, text in documents.items():
        (study.parent / name).write_text(text, encoding="utf-8")
    study.write_text(study.read_text(encoding="utf-8").replace("[1, 3]", "3"), encoding="utf-8")
    with monkeypatch.context() as patch:
        FAULTS[stage](patch)
        done = invoke("sweep", study, "--dir", folder)
    assert done.code == 0, done.err
    again = invoke("reproduce", sweep_id_of(done.out), "--dir", folder, "--json")
    found = agreed(again)
    assert (found["stage"], again.code) == (stage, {"same metrics": 5, "different": 6}[found["rung"]])
    assert [(q["query"], q["stage"]) for q in found["questions"]] == [("red", stage)]


TAUS = [
    (["a", "b", "c"], ["a", "b", "c"], 1.0),
    (["a", "b", "c"], ["c", "b", "a"], -1.0),
    (["a", "b", "c"], ["b", "a", "c"], 1 / 3),
    (["a"], ["a"], None),
    ([], [], None),
]


@pytest.mark.parametrize(("before", "after", "tau"), TAUS)
def test_tau_by_hand(before: list[str], after: list[str], tau: float | None) -> None:
    assert tau_union(before, after) == (None if tau is None else pytest.approx(tau))


def test_tau_of_the_union_is_that_of_scipy() -> None:
    """a b c against a d b: of the union a b c d, d is tied behind the end of the first, c of the second."""
    expected = kendalltau([0, 1, 2, 4], [0, 2, 4, 1]).statistic
    assert tau_union(["a", "b", "c"], ["a", "d", "b"]) == pytest.approx(expected)
