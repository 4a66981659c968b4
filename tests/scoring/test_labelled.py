"""What a measure sees of one query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.scoring.measures.labelled import Judged, LabelledRanking, label, label_chunks

JUDGED = Judged.of({"a": 2, "b": 0, "c": 1, "d": -1, "e": 3}, 2)


def test_judgments_are_digested_to_positive_grades_and_a_count_of_relevant_documents() -> None:
    assert (JUDGED.ideal, JUDGED.relevant) == ((3, 2, 1), 2)
    assert Judged.of({"b": 0}, 1).ideal == ()


@pytest.mark.parametrize(("make", "ideal"), [(label, (3, 2, 1)), (label_chunks, (2, 1, 1))])
@pytest.mark.parametrize(
    ("condense", "gains", "ranks"),
    [(False, (0, 1, 2, 0, 0, 1), (3,)), (True, (1, 2, 0, 0, 1), (2,))],
)
def test_an_unjudged_item_holds_its_rank_unless_it_is_dropped(
    make: Callable[..., LabelledRanking], ideal: tuple[int, ...], condense: bool, gains: Any, ranks: Any
) -> None:
    found = make([None, 1, 2, 0, -1, 1], JUDGED, 2, condense=condense)
    assert (found.gains, found.relevant_ranks, found.relevant, found.ideal) == (gains, ranks, 2, ideal)
    assert found.judged == (False, True, True, True, True, True)
