"""Random judgments and runs for both implementations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from harness.records import Judgments
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measures

DOCUMENTS = tuple("abcdefghij")
QUERIES = ("q1", "q2", "q3", "q4")
DOCUMENT_NAMES = (
    *(f"{name}@{k}" for name in ("recall", "rr", "hit", "precision", "ap", "ndcg", "judged") for k in (1, 3, 5, 20)),
    "r_precision",
)
CHUNK_NAMES = tuple(f"{name}@{k}" for name in ("chunk_hit", "chunk_rr", "chunk_ndcg_retrieved") for k in (1, 3, 20))


def examples(usual: int) -> int:
    """Return how many worlds a test looks at: a few for each of the thousands of mutants, else as many as usual."""
    return min(usual, 15) if settings.get_current_profile_name() == "mutants" else usual


@dataclass(frozen=True, kw_only=True)
class World:
    """Judgments, conventions, and runs that leave queries out."""

    ledger: tuple[str, ...]
    judgments: Judgments
    conventions: Conventions
    runs: tuple[dict[str, list[str]], ...]


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    names: tuple[str, ...] = DOCUMENT_NAMES,
    ids: tuple[str, ...] = DOCUMENTS,
    grades: st.SearchStrategy[int] | None = None,
) -> World:
    """Draw a world; ``ids`` are what the runs rank."""
    ledger = tuple(draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True)))
    grade = grades if grades is not None else draw(st.sampled_from([st.integers(0, 1), st.integers(-2, 4)]))
    rows = {query: draw(st.dictionaries(st.sampled_from(DOCUMENTS), grade, max_size=6)) for query in QUERIES}
    exhaustive = draw(st.booleans())
    ranking = st.lists(st.sampled_from(ids), unique=True, max_size=len(ids))
    run = st.dictionaries(st.sampled_from(ledger), ranking)
    return World(
        ledger=ledger,
        judgments=Judgments(exhaustive=exhaustive, grades=rows),
        conventions=Conventions(
            measures=parse_measures(names),
            relevance_threshold=draw(st.integers(1, 3)),
            unjudged=draw(st.sampled_from([*(["refuse"] if exhaustive else []), "nonrelevant", "condense"])),
        ),
        runs=tuple(draw(st.lists(run, min_size=1, max_size=3))),
    )


def encode_run(
    run: dict[str, list[str]], ledger: tuple[str, ...], index: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return a run as integers, and which queries it leaves out."""
    width = max((len(ranking) for ranking in run.values()), default=0)
    array = np.full((len(ledger), width), -1, dtype=np.int32)
    for row, query in enumerate(ledger):
        ids = [index[name] for name in run.get(query, [])]
        array[row, : len(ids)] = ids
    return array, np.array([query not in run for query in ledger])
