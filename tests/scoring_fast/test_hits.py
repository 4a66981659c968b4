"""Listed cells of a block of rankings."""

from __future__ import annotations

import numpy as np
import pytest

from harness.records import Judgments
from harness.scoring import Conventions, parse_measures
from harness.scoring.encoded import EncodedJudgments, EncodedRuns
from harness.scoring.encoded.hits import NEVER, Hits, find_hits

DOCUMENTS = [f"d{number}" for number in range(60)]


def hits(*orders: list[list[int]], exhaustive: bool = False, depth: int = 60, start: int = 0) -> Hits:
    """Look up runs over two queries: of the first everything is judged, of the second documents 0, 2, 4, ...

    The grade is 0 for document 0, else 1, or 3 for a multiple of 4; 2 is relevant.
    """
    grades = {name: (number > 0) + 2 * (number % 4 == 0 and number > 0) for number, name in enumerate(DOCUMENTS)}
    judgments = EncodedJudgments.encode(
        ledger=["q1", "q2"],
        judgments=Judgments(
            exhaustive=exhaustive, grades={"q1": grades, "q2": {name: grades[name] for name in DOCUMENTS[::2]}}
        ),
        document_ids=DOCUMENTS,
        conventions=Conventions(measures=parse_measures(["recall@60"]), relevance_threshold=2, unjudged="nonrelevant"),
    )
    width = max(len(row) for order in orders for row in order)
    arrays = [np.array([row + [-1] * (width - len(row)) for row in order], dtype=np.int32) for order in orders]
    return find_hits(EncodedRuns.stack(judgments, arrays), start, len(orders), depth)


@pytest.mark.parametrize(("exhaustive", "q2"), [(False, [0, 2, 3]), (True, [2, 3])])
def test_what_is_judged_is_found_or_what_has_a_gain_when_all_is_judged(exhaustive: bool, q2: list[int]) -> None:
    found = hits([[1, 4], [0, 1, 2, 4, 3]], exhaustive=exhaustive)
    assert sorted(found.rank[found.row == 0].tolist()) == [0, 1]
    assert found.rank[found.row == 1].tolist() == q2
    assert found.lengths.tolist() == [[2, 5]]
    assert (found.runs, found.queries, found.depth) == (1, 2, 60)
    assert (found.relevant.rank.tolist(), found.relevant.row.tolist()) == ([1, 3], [0, 1])


def test_ranks_beyond_the_depth_are_not_looked_at_and_runs_before_the_start_neither() -> None:
    found = hits([[9], [9]], [[1, 4], [0, 1, 2]], [[0], [2]], depth=2, start=1)
    cells = zip(found.row.tolist(), found.rank.tolist(), strict=True)
    assert sorted(cells) == [(0, 0), (0, 1), (1, 0), (2, 0), (3, 0)]
    assert (found.runs, found.lengths.tolist()) == (2, [[2, 3], [1, 1]])
    assert sorted(found.query.tolist()) == [0, 0, 0, 1, 1]
    # Queries of group 5 and 7 of 10: those of the second run come ten later.
    assert sorted(found.bins(np.array([5, 7]), 10).tolist()) == [5, 5, 7, 15, 17]


def test_the_place_among_the_judged_counts_by_row_in_the_order_of_ranks() -> None:
    found = hits([list(range(60)), list(range(60))], [list(range(59, -1, -1)), [1, 2, 3, 4]])
    whole = found.row % 2 == 0
    assert found.ordinal[whole].tolist() == found.rank[whole].tolist()
    assert found.ordinal[found.row == 1].tolist() == list(range(30))
    assert found.ordinal[found.row == 3].tolist() == [0, 1]
    condensed = found.condensed()
    assert condensed.rank[found.row == 3].tolist() == [0, 1]
    assert (condensed.row.tolist(), condensed.code.tolist()) == (found.row.tolist(), found.code.tolist())


def test_the_first_rank_is_that_of_the_first_cell_or_never() -> None:
    found = hits([[5, 3], [1, 3, 2, 4]], [[], [7]])
    assert found.first_rank.tolist() == [0, 2, NEVER, NEVER]
    assert found.relevant.first_rank.tolist() == [NEVER, 3, NEVER, NEVER]
    assert NEVER > 999_999_999
