"""nDCG of encoded runs: which grades count, and how exactly; and what text rankings are prepared from."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from harness.records import Judgments
from harness.scoring import Conventions, parse_measures
from harness.scoring.encoded import EncodedJudgments, score_many
from harness.scoring.texts import TextJudgments

# The discounts of ranks 1 and 2, in multiples of 1e-18.
FIRST, SECOND = 10**18, 630929753571457437


def ndcg(grades: dict[str, dict[str, int]], *orders: list[int], threshold: int = 1) -> Fraction | None:
    judgments = EncodedJudgments.encode(
        ledger=list(grades),
        judgments=Judgments(exhaustive=True, grades=grades),
        document_ids=["a", "b", "c"],
        conventions=Conventions(measures=parse_measures(["ndcg@2"]), relevance_threshold=threshold),
    )
    return score_many(judgments, [np.array(orders, dtype=np.int32)])[0].means["ndcg@2"]


def test_a_grade_below_the_threshold_is_a_gain_where_the_query_has_a_relevant_document() -> None:
    grades = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
    wanted = Fraction(FIRST + 2 * SECOND, 2 * FIRST + SECOND)
    assert ndcg(grades, [0, 1], [2, 0], threshold=2) == wanted


@pytest.mark.parametrize("grade", [3, 10**6 + 1, 10**12 + 1, 10**30 + 1])
def test_the_quotient_is_exact_for_grades_of_any_size(grade: int) -> None:
    wanted = Fraction(FIRST + grade * SECOND, grade * FIRST + SECOND)
    assert ndcg({"q1": {"a": 1, "b": grade}}, [0, 1]) == wanted


@pytest.mark.parametrize(
    ("document", "words"), [(1, "an ID in the corpus is 1"), (None, "an ID in the corpus is None")]
)
def test_a_document_that_is_no_text_is_refused(document: object, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - all of its words are compared
        TextJudgments.prepare(
            ledger=["q1"],
            judgments=Judgments(exhaustive=True, grades={"q1": {"a": 1}}),
            document_ids=["a", document],  # type: ignore[list-item]
            conventions=Conventions(measures=parse_measures(["recall@1"])),
        )
    assert str(caught.value) == f"document IDs must be nonempty text: {words}"
