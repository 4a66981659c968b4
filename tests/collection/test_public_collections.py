"""The public collections that may lie beside the checkout: their counts, and how fast they load."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness.collection import CorpusSource, GoldenSource, load_collection

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"

COUNTS = [
    # set, split, (documents, of them blank, queries, judgments), grades
    ("xquad-en", "test", (240, 0, 1190, 1190), {1}),
    ("xquad-zh", "test", (240, 0, 1190, 1190), {1}),
    ("xquad-r-zh", "test", (1196, 0, 1190, 1190), {1}),
    ("cranfield", "test", (1400, 2, 225, 1612), {1, 2, 3, 4}),
    ("cranfield", "raw-codes", (1400, 2, 225, 1837), {-1, 1, 2, 3, 4}),
    ("scifact", "test", (5183, 0, 300, 339), {1}),
    ("cmrc2018-dev", "dev", (848, 0, 3219, 3219), {1}),
    ("gitlab-handbook", "test", (1251, 0, 149, 200), {1}),
]


@pytest.mark.parametrize(("name", "split", "counts", "grades"), COUNTS)
def test_counts(name: str, split: str, counts: tuple[int, ...], grades: set[int]) -> None:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the collection {name} is not beside this checkout")
    started = time.perf_counter()
    found = load_collection(CorpusSource(format="beir", path=folder), GoldenSource(format="beir", path=folder), split)
    took = time.perf_counter() - started
    judged = found.golden.judgments.grades
    assert len(set(found.document_ids)) == len(found.document_ids)
    rows = sum(len(labels) for labels in judged.values())
    assert (len(found.document_ids), len(found.corpus.blank), len(found.queries), rows) == counts
    assert {grade for labels in judged.values() for grade in labels.values()} == grades
    assert took < 2.0
