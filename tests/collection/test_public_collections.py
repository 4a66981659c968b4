"""The public collections that may lie beside the checkout: their counts, and how fast they load."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.collection import Collection, CorpusColumns, CorpusSource, GoldenColumns, GoldenSource, load_collection

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


def beir(name: str, split: str) -> Collection:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"the collection {name} is not beside this checkout")
    return load_collection(CorpusSource(format="beir", path=folder), GoldenSource(format="beir", path=folder), split)


def as_squad(found: Collection, root: Path) -> tuple[CorpusSource, GoldenSource]:
    """Write what has one relevant document a question, each document under its own title."""
    asked: dict[str, list[Any]] = {name: [] for name in found.document_ids}
    for query in found.queries:
        (document,) = found.golden.judgments.grades[query.id]
        asked[document].append({"id": query.id, "question": query.text, "answers": []})
    articles = [
        {"title": each.title, "paragraphs": [{"context": each.text, "qas": asked[each.id], "id": each.id}]}
        for each in found.corpus.documents
    ]
    path = root / "squad.json"
    path.write_text(json.dumps({"version": "x", "data": articles}), encoding="utf-8")
    return CorpusSource(format="squad", path=path), GoldenSource(format="squad", path=path)


def as_trec(found: Collection, root: Path) -> tuple[CorpusSource, GoldenSource]:
    documents = (
        f"<DOC>\n<DOCNO>{each.id}</DOCNO>\n<TEXT>{html.escape(each.text)}</TEXT>\n</DOC>\n"
        for each in found.corpus.documents
    )
    (root / "documents").write_text("".join(documents), encoding="utf-8")
    topics = (f"<top>\n<num> Number: {q.id}\n<title> {html.escape(q.text)}\n</top>\n" for q in found.queries)
    (root / "topics").write_text("".join(topics), encoding="utf-8")
    rows = (f"{q} 0 {d} {g}\n" for q, grades in found.golden.judgments.grades.items() for d, g in grades.items())
    (root / "qrels").write_text("".join(rows), encoding="utf-8")
    return CorpusSource(format="trec", path=root), GoldenSource(format="trec", path=root)


def as_tables(found: Collection, root: Path) -> tuple[CorpusSource, GoldenSource]:
    import csv

    lines = (json.dumps({"n": each.id, "body": each.text}) + "\n" for each in found.corpus.documents)
    (root / "documents.jsonl").write_text("".join(lines), encoding="utf-8")
    with (root / "questions.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["question", "id", "relevant"])
        for query in found.queries:
            writer.writerow([query.text, query.id, json.dumps(found.golden.judgments.grades[query.id])])
    columns = CorpusColumns(id="n", text=["body"])
    return (
        CorpusSource(format="jsonl", path=root / "documents.jsonl", columns=columns),
        GoldenSource(format="csv", path=root / "questions.csv", columns=GoldenColumns(gold="relevant")),
    )


@pytest.mark.parametrize(
    ("name", "split", "written"),
    [
        ("xquad-en", "test", as_squad),
        ("xquad-zh", "test", as_squad),
        ("cmrc2018-dev", "dev", as_squad),
        ("xquad-zh", "test", as_trec),
        ("cranfield", "test", as_trec),
        ("cmrc2018-dev", "dev", as_tables),
        ("gitlab-handbook", "test", as_tables),
    ],
)
def test_other_forms_of_a_collection_read_as_the_same(
    name: str, split: str, written: Callable[[Collection, Path], tuple[CorpusSource, GoldenSource]], tmp_path: Path
) -> None:
    found = beir(name, split)
    corpus, golden = written(found, tmp_path)
    again = load_collection(corpus, golden, "test")
    assert again.document_ids == found.document_ids
    assert again.golden.judgments.grades == found.golden.judgments.grades
    squeezed = [[" ".join(each.text.split()) for each in read.corpus.documents] for read in (found, again)]
    assert squeezed[0] == squeezed[1]
    asked = [[(query.id, " ".join(query.text.split())) for query in read.queries] for read in (found, again)]
    assert asked[0] == asked[1]
