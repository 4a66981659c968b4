"""Vectors in a real Chroma store, ranked exactly and by its graph."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from support.processes import run_python
from support.worlds import TableEmbedder

from harness.errors import StoreError
from harness.index import ApproximateVectorRoute, ExactVectorRoute, VectorIndex, write_vectors
from harness.index.chroma import add_vectors, batches
from harness.index.vector import GRAPHS
from harness.records import Leg
from harness.vectors import unit_on_grid

Route = type[ExactVectorRoute] | type[ApproximateVectorRoute]
BOTH = (ExactVectorRoute, ApproximateVectorRoute)
NOTHING = Leg(positions=(), scores=())


def random_units(rows: int, dimensions: int, seed: int) -> NDArray[np.float32]:
    return unit_on_grid(np.random.default_rng(seed).standard_normal((rows, dimensions)))


def stored(folder: Path, rows: list[list[float]], questions: dict[str, list[float]] | None = None) -> VectorIndex:
    facts = write_vectors(folder, unit_on_grid(np.array(rows, dtype=np.float64))).facts
    return VectorIndex.open(folder, facts, TableEmbedder(table=questions or {}))


def asked(route: ExactVectorRoute | ApproximateVectorRoute, question: str, depth: int) -> Leg:
    (leg,) = route.legs([question], depth)
    return leg


@pytest.mark.parametrize("kind", BOTH)
def test_length_makes_no_difference(tmp_path: Path, kind: Route) -> None:
    """By cosine (10, 1) is nearer to (1, 0) than (0.6, 0.8) is; by Euclid's distance it would be farther."""
    index = stored(tmp_path, [[0.6, 0.8], [10, 1]], {"q": [1, 0]})
    leg = asked(kind(index=index), "q", 2)
    assert leg.positions == (1, 0)
    assert leg.scores == pytest.approx((10 / math.sqrt(101), 0.6), abs=1e-5)


@pytest.mark.parametrize("kind", BOTH)
def test_a_question_that_is_a_chunk_finds_it_first(tmp_path: Path, kind: Route) -> None:
    """The cosine of a vector with itself may come out a hair above or below 1; the order is the same."""
    rows = random_units(60, 12, 1)
    table = {f"q{place}": row.tolist() for place, row in enumerate(rows)}
    index = stored(tmp_path, rows.tolist(), table)
    for place, leg in enumerate(kind(index=index).legs(list(table), 60)):
        assert leg.positions[0] == place
        assert leg.scores[0] == max(leg.scores) == pytest.approx(1, abs=1e-5)


def brute_force(vectors: NDArray[np.float32], query: NDArray[np.float32], depth: int) -> tuple[list[int], list[float]]:
    cosines = vectors.astype(np.float64) @ query.astype(np.float64)
    ranked = sorted(range(len(cosines)), key=lambda place: (-cosines[place], place))[:depth]
    return ranked, [float(cosines[place]) for place in ranked]


REOPEN = """
import hashlib, json, sys
from pathlib import Path
from support.worlds import TableEmbedder
from harness.index import ExactVectorRoute, VectorIndex
directory, given = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
index = VectorIndex.open(directory, given["facts"], TableEmbedder(table=given["table"]))
route = ExactVectorRoute(index=index)
legs = [leg for depth in (5, 200) for leg in route.legs(list(given["table"]), depth)]
text = json.dumps([[leg.positions, leg.scores] for leg in legs])
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_exact_search_is_brute_force_at_every_depth_and_after_a_restart(tmp_path: Path) -> None:
    rows, queries = random_units(2_000, 32, 2), random_units(20, 32, 3)
    facts = write_vectors(tmp_path / "index", rows).facts
    table = {f"q{place}": query.tolist() for place, query in enumerate(queries)}
    index = VectorIndex.open(tmp_path / "index", facts, TableEmbedder(table=table))
    route = ExactVectorRoute(index=index)
    assert np.abs(index.vectors - rows).max() < 1e-6  # Chroma scales them once more
    found: list[list[object]] = []
    for depth in (5, 200):
        legs = route.legs(list(table), depth)
        assert legs == route.legs(list(table), depth) == [asked(route, name, depth) for name in table]
        for query, leg in zip(queries, legs, strict=True):
            assert (list(leg.positions), list(leg.scores)) == brute_force(index.vectors, query, depth)
            assert list(leg.positions[:5]) == brute_force(rows, query, 5)[0]
        found.extend([leg.positions, leg.scores] for leg in legs)
    (tmp_path / "given.json").write_text(json.dumps({"facts": facts, "table": table}))
    printed = run_python(REOPEN, tmp_path / "index", tmp_path / "given.json", hash_seed=7)
    assert printed.strip() == hashlib.sha256(json.dumps(found).encode()).hexdigest()
    graph = ApproximateVectorRoute(index=index)
    for depth in (1, 5, 200, 2_000):
        for leg in graph.legs(list(table)[:4], depth):
            assert len(leg.positions) == len(set(leg.positions)) <= depth
            assert list(leg.scores) == sorted(leg.scores, reverse=True)
    assert 0 <= (graph.recall_against_exact(list(table), 100) or 0) <= 1


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("chunks", "depth", "hits"), [(300, 300, 300), (3, 10, 3), (3, 1, 1), (1, 1, 1)])
def test_as_many_hits_as_asked_for_and_as_there_are(
    tmp_path: Path, kind: Route, chunks: int, depth: int, hits: int
) -> None:
    index = stored(tmp_path, random_units(chunks, 8, 4).tolist(), {"q": random_units(1, 8, 5)[0].tolist()})
    route = kind(index=index)
    assert route.size == chunks
    assert len(asked(route, "q", depth).positions) == hits


@pytest.mark.parametrize("kind", BOTH)
def test_equal_vectors_stand_in_the_order_of_the_chunks(tmp_path: Path, kind: Route) -> None:
    index = stored(tmp_path, [[0, 1], [1, 0], [1, 0], [1, 1], [2, 0], [0, 3]], {"q": [1, 0]})
    assert asked(kind(index=index), "q", 6).positions == (1, 2, 4, 3, 0, 5)
    assert asked(ExactVectorRoute(index=index), "q", 2).positions == (1, 2)


def test_many_equal_vectors_stand_in_the_order_of_the_chunks(tmp_path: Path) -> None:
    """Enough of them that a sort which isn't stable would show it."""
    directions = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]
    index = stored(tmp_path, [directions[place * 7 % 3] for place in range(150)], {"q": [1, 0]})
    expected = [place for kind in range(3) for place in range(150) if place * 7 % 3 == kind]
    for depth in (1, 20, 49, 75, 150):
        assert list(asked(ExactVectorRoute(index=index), "q", depth).positions) == expected[:depth]


@pytest.mark.parametrize("kind", BOTH)
def test_a_chunk_without_a_vector_is_never_indexed_and_is_counted(tmp_path: Path, kind: Route) -> None:
    rows = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.6, 0.8]]
    facts = write_vectors(tmp_path, unit_on_grid(np.array(rows))).facts
    assert (facts["chunks"], facts["chunks_without_vector"], facts["positions"]) == (4, 2, [1, 3])
    table = {"q": [0.0, 1.0], "blank": [0.0, 0.0]}
    route = kind(index=VectorIndex.open(tmp_path, facts, TableEmbedder(table=table)))
    assert route.size == 2
    assert route.legs(["blank", "q", "blank"], 4) == [NOTHING, asked(route, "q", 4), NOTHING]
    assert asked(route, "q", 4).positions == (3, 1)


@pytest.mark.parametrize("kind", BOTH)
def test_an_index_without_any_vector_gives_no_hit(tmp_path: Path, kind: Route) -> None:
    route = kind(index=stored(tmp_path, [[0, 0], [0, 0]], {"q": [1, 0]}))
    assert route.size == 0
    assert route.legs(["q"], 0) == route.legs(["q"], 5) == [NOTHING]


def test_recall_needs_hits(tmp_path: Path) -> None:
    index = stored(tmp_path, [[1, 0], [0, 1]], {"q": [1, 0], "blank": [0, 0]})
    graph = ApproximateVectorRoute(index=index)
    assert graph.recall_against_exact(["q", "blank"], 2) == 1
    assert graph.recall_against_exact(["blank"], 2) is None
    assert graph.recall_against_exact([], 2) is None


@pytest.mark.parametrize(
    ("total", "limit", "expected"),
    [
        (10, 3, [(0, 3), (3, 6), (6, 9), (9, 10)]),
        (9, 3, [(0, 3), (3, 6), (6, 9)]),
        (2, 5461, [(0, 2)]),
        (0, 3, []),
    ],
)
def test_batches_are_no_longer_than_the_limit(total: int, limit: int, expected: list[tuple[int, int]]) -> None:
    assert [(batch.start, batch.stop) for batch in batches(total, limit)] == expected


def test_more_vectors_than_chroma_takes_at_once_are_stored(tmp_path: Path) -> None:
    """This client refuses more than 5,461 in one call."""
    rows = random_units(5_470, 2, 6)
    facts = write_vectors(tmp_path, rows).facts
    index = VectorIndex.open(tmp_path, facts, TableEmbedder(table={}))
    assert np.abs(index.vectors - rows).max() < 1e-6


def change_a_vector(directory: Path) -> None:
    connection = sqlite3.connect(directory / "chroma.sqlite3")
    with connection:
        ((number, vector),) = connection.execute("SELECT seq_id, vector FROM embeddings_queue ORDER BY seq_id LIMIT 1")
        changed = np.frombuffer(vector, dtype="<f4") * np.array([1, -1, 1, 1], dtype="<f4")
        connection.execute("UPDATE embeddings_queue SET vector = ? WHERE seq_id = ?", (changed.tobytes(), number))
    connection.close()


def lose_a_vector(directory: Path) -> None:
    connection = sqlite3.connect(directory / "chroma.sqlite3")
    with connection:
        for table in ("embeddings_queue", "embeddings"):
            connection.execute(f"DELETE FROM {table} WHERE seq_id = (SELECT max(seq_id) FROM {table})")
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        change_a_vector,
        lose_a_vector,
        lambda directory: (directory / "chroma.sqlite3").write_bytes(b"no database" * 500),
        lambda directory: (directory / "chroma.sqlite3").write_bytes(b""),
        lambda directory: (directory / "chroma.sqlite3").unlink(),
    ],
    ids=["changed", "lost", "garbage", "empty", "gone"],
)
def test_damage_is_noticed_and_named_and_can_be_made_good(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    folder, rows = tmp_path / "index", random_units(20, 4, 7)
    facts = write_vectors(folder, rows).facts
    damage(folder)
    with pytest.raises(StoreError) as caught:
        VectorIndex.open(folder, facts, TableEmbedder(table={}))
    assert str(folder) in str(caught.value)
    shutil.rmtree(folder)
    assert write_vectors(folder, rows).facts == facts
    assert len(VectorIndex.open(folder, facts, TableEmbedder(table={})).vectors) == 20


def test_a_graph_that_goes_away_is_an_error_of_the_store(tmp_path: Path) -> None:
    index = stored(tmp_path, [[1, 0], [0, 1]], {"q": [1, 0]})
    (tmp_path / "chroma.sqlite3").write_bytes(b"no database" * 500)
    with pytest.raises(StoreError) as caught:
        ApproximateVectorRoute(index=index).legs(["q"], 2)
    assert str(tmp_path) in str(caught.value)


def test_the_same_ids_in_another_directory_hold_other_vectors(tmp_path: Path) -> None:
    first = stored(tmp_path / "a", [[1, 0], [0, 1]], {"q": [1, 0]})
    second = stored(tmp_path / "b", [[0, 1], [1, 0]], {"q": [1, 0]})
    assert asked(ExactVectorRoute(index=first), "q", 1).positions == (0,)
    assert asked(ExactVectorRoute(index=second), "q", 1).positions == (1,)


def test_a_directory_takes_one_index_only(tmp_path: Path) -> None:
    """A second one, with whatever settings, is refused instead of being mixed into the first."""
    rows = unit_on_grid(np.eye(2))
    add_vectors(tmp_path, [0, 1], rows, {**GRAPHS["exact"], "space": "l2"})
    with pytest.raises(Exception, match="exists"):
        add_vectors(tmp_path, [0, 1], rows, GRAPHS["exact"])
