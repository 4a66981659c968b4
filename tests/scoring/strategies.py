"""Random judgments and rankings, small enough to enumerate."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

DOCUMENTS = "abcdefg"
DOCUMENT_MEASURES = ("recall", "rr", "hit", "precision", "ap", "ndcg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One query: what was judged, what was returned, and where to cut."""

    grades: dict[str, int]
    ranking: list[str]
    k: int
    threshold: int


@st.composite
def situations(draw: st.DrawFn, *, judged: int = 5, longest: int = 7) -> Situation:
    """Draw up to ``judged`` judgments and a ranking of up to ``longest`` distinct documents."""
    return Situation(
        grades=draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), max_size=judged)),
        ranking=draw(st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=longest)),
        k=draw(st.integers(1, 9)),
        threshold=draw(st.integers(1, 3)),
    )
