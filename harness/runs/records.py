"""What is read from files of other tools, and written to them."""

from __future__ import annotations

from collections.abc import Mapping

from harness.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    OnDuplicate = Literal["refuse", "keep-best"]
    Order = Literal["score", "rank"]


class Run(Frozen):
    """Rankings of documents, best first.

    Attributes:
        rankings: query id → ids, each at most once, in the order that counts.
        scores: query id → one finite score per id, or None when the file holds none.
        tag: what a TREC file calls the run; None when it has no such column.
        notes: what was repaired or is unusual, one sentence each, with counts.
    """

    rankings: Mapping[str, list[str]]
    scores: Mapping[str, list[float]] | None = None
    tag: str | None = None
    notes: tuple[str, ...] = ()


class Qrels(Frozen):
    """Judgments of a file.

    Attributes:
        grades: query id → {document id: grade}, in file order.
        notes: what is unusual, one sentence each, with counts.
    """

    grades: Mapping[str, Mapping[str, int]]
    notes: tuple[str, ...] = ()


def in_score_order(ids: list[str], scores: list[float]) -> bool:
    """Say whether a ranking is in the order of trec_eval: score descending, then id descending."""
    return all((scores[at - 1], ids[at - 1]) > (scores[at], ids[at]) for at in range(1, len(ids)))
