"""Where listed documents stand in a block of rankings: the few cells that every sum is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.scoring.encoded.judgments import EncodedJudgments
from harness.scoring.encoded.runs import EncodedRuns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEVER = 1 << 40
Ints = Any  # NDArray[np.int64]; spelt out it would hide the code


@dataclass(frozen=True, kw_only=True, eq=False)
class Hits:
    """The listed cells of some runs, in any order in which the ranks of one row ascend.

    Attributes:
        judgments: what they were looked up in.
        runs: how many runs.
        depth: ranks are 0 to depth-1.
        lengths: (r, q) items of each ranking, whatever the depth.
        rank: 0-based rank of each cell.
        row: run · q + query of each cell.
        code: grade code of each cell.
    """

    judgments: EncodedJudgments
    runs: int
    depth: int
    lengths: NDArray[np.int32]
    rank: Ints
    row: Ints
    code: Ints

    @cached_property
    def queries(self) -> int:
        """How many queries a run has."""
        return len(self.judgments.ledger)

    @cached_property
    def query(self) -> Ints:
        """The query of each cell."""
        return self.row % self.queries

    def bins(self, group: Ints, groups: int) -> Ints:
        """Return run · groups + group of the query, for each cell; ``group`` is (q,)."""
        import numpy as np

        runs = np.arange(self.runs) * groups
        return (runs[:, None] + group).ravel().take(self.row, mode="clip")

    def where(self, chosen: Any) -> Hits:
        """Return the cells under a mask."""
        return replace(self, rank=self.rank[chosen], row=self.row[chosen], code=self.code[chosen])

    @cached_property
    def relevant(self) -> Hits:
        """The cells of relevant documents."""
        least = self.judgments.first_relevant
        return self if least <= self.judgments.first_gain and self._all_gain else self.where(self.code >= least)

    @cached_property
    def _all_gain(self) -> bool:
        return self.judgments.judgments.exhaustive

    @cached_property
    def ordinal(self) -> Ints:
        """How many cells of the same row stand before each cell."""
        import numpy as np

        order = np.argsort(self.row, kind="stable")
        ordered = self.row[order]
        start = np.searchsorted(ordered, ordered)
        result = np.empty_like(order)
        result[order] = np.arange(len(order)) - start
        return result

    @cached_property
    def first_rank(self) -> Ints:
        """(r · q): 0-based rank of each row's first cell, ``NEVER`` where there is none."""
        import numpy as np

        first = np.full(self.runs * self.queries, NEVER)
        first[self.row[::-1]] = self.rank[::-1]
        return first

    def condensed(self) -> Hits:
        """Return the cells with their ranks among the listed documents of their row."""
        return replace(self, rank=self.ordinal)


def find_hits(runs: EncodedRuns, start: int, stop: int, depth: int) -> Hits:
    """Look up the first ``depth`` ranks of the runs from ``start`` to ``stop``.

    With exhaustive judgments only documents of positive grade are kept (the others are all alike); otherwise
    every judged one.
    """
    judgments = runs.judgments
    block = runs.cells[:depth, start:stop]
    rows = (stop - start) * block.shape[2]
    least = judgments.first_gain if judgments.judgments.exhaustive else 1
    places, codes = judgments.lookup.listed(judgments.lookup.cells(block), max(least, 1))
    rank = places // rows if len(places) else places
    return Hits(
        judgments=judgments,
        runs=stop - start,
        depth=depth,
        lengths=runs.lengths[start:stop],
        rank=rank,
        row=places - rank * rows,
        code=codes,
    )
