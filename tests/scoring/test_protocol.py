"""What the sparse protocol hash covers."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.fingerprint import sha256_json
from harness.records import Document, Judgments, Query
from harness.scoring import protocol_sha256, sparse_protocol_sha256

from .support import world


def inputs(*, exhaustive: bool = False) -> dict[str, Any]:
    return {
        "documents": [Document(id=name, title="", text=f"text of {name}", source=f"{name}.md") for name in ("a", "b")],
        "queries": [Query(id=name, text=f"text of {name}", split="test") for name in ("q1", "q2")],
        "judgments": Judgments(exhaustive=exhaustive, grades={"q1": {"a": 2, "b": 0}, "q2": {}}),
        "split": "test",
    }


def _graded(grades: dict[str, dict[str, int]], *, exhaustive: bool = False) -> str:
    return sparse_protocol_sha256(**inputs() | {"judgments": Judgments(exhaustive=exhaustive, grades=grades)})


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)


@given(
    corpus=st.dictionaries(NAMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=4),
    queries=st.lists(NAMES, max_size=3, unique=True),
    k=st.integers(1, 9),
)
def test_the_dense_protocol_is_hashed_piece_by_piece_as_if_it_were_one_json(
    corpus: dict[str, str], queries: list[str], k: int
) -> None:
    table = {query: {"text": query, "split": "test"} for query in queries}
    qrels = {query: dict.fromkeys(corpus, 0) for query in queries}
    whole = {"corpus": corpus, "queries": table, "qrels": qrels, "split": "test", "k": k}
    assert protocol_sha256(corpus, table, qrels, "test", k) == sha256_json(whole)


def test_rows_of_the_dense_protocol_may_be_any_mappings() -> None:
    queries, qrels = {"q1": {"text": "t", "split": "test"}}, {"q1": {"a": 1}}
    frozen = [{name: MappingProxyType(row) for name, row in table.items()} for table in (queries, qrels)]
    whole = {"corpus": {"a": "x"}, "queries": queries, "qrels": qrels, "split": "test", "k": 3}
    assert protocol_sha256({"a": "x"}, *frozen, "test", 3) == sha256_json(whole)


BASE = sparse_protocol_sha256(**inputs())


@pytest.mark.parametrize(
    "other",
    [
        inputs() | {"split": "dev"},
        inputs(exhaustive=True),
        inputs() | {"documents": inputs()["documents"][:1]},
        inputs() | {"documents": [Document(id=n, title="", text="x", source="") for n in ("a", "b")]},
        inputs() | {"queries": inputs()["queries"][:1]},
        inputs() | {"queries": [Query(id=n, text="x", split="test") for n in ("q1", "q2")]},
        inputs() | {"queries": [Query(id=n, text=f"text of {n}", split="dev") for n in ("q1", "q2")]},
    ],
)
def test_the_hash_covers_documents_queries_split_and_exhaustiveness(other: dict[str, Any]) -> None:
    assert sparse_protocol_sha256(**other) != BASE


@pytest.mark.parametrize(
    "grades",
    [
        {"q1": {"a": 1, "b": 0}, "q2": {}},
        {"q1": {"a": 2}, "q2": {}},
        {"q1": {"a": 2, "b": 0}},
        {"q1": {}, "q2": {"a": 2, "b": 0}},
    ],
)
def test_the_hash_covers_every_grade_and_every_judged_query(grades: dict[str, dict[str, int]]) -> None:
    assert _graded(grades) != BASE


def test_a_listed_zero_says_nothing_new_when_judgments_are_exhaustive() -> None:
    listed, unlisted = {"q1": {"a": 2, "b": 0}, "q2": {}}, {"q1": {"a": 2}, "q2": {}}
    assert _graded(listed, exhaustive=True) == _graded(unlisted, exhaustive=True)


def test_order_and_display_fields_change_nothing() -> None:
    turned = inputs()
    turned["documents"] = [
        Document(id=d.id, title="other", text=d.text, source="other") for d in turned["documents"][::-1]
    ]
    turned["queries"] = turned["queries"][::-1]
    turned["judgments"] = Judgments(exhaustive=False, grades={"q2": {}, "q1": {"b": 0, "a": 2}})
    assert sparse_protocol_sha256(**turned) == BASE


def test_documents_may_stream_past_once() -> None:
    def stream() -> Iterator[Document]:
        yield from inputs()["documents"]

    assert sparse_protocol_sha256(**inputs() | {"documents": stream()}) == BASE


@pytest.mark.parametrize(("key", "id_"), [("documents", "'a'"), ("queries", "'q1'")])
def test_a_repeated_id_is_refused(key: str, id_: str) -> None:
    repeated = inputs()
    repeated[key] = [*repeated[key], repeated[key][0]]
    with pytest.raises(ValueError, match="IDs must be unique") as caught:
        sparse_protocol_sha256(**repeated)
    assert id_ in str(caught.value)


def test_dense_and_sparse_protocols_never_share_a_hash() -> None:
    base = world()
    dense = protocol_sha256(base["corpus"], base["queries"], base["qrels"], "test", 2)
    sparse = sparse_protocol_sha256(
        documents=[Document(id=d, title="", text=text, source="") for d, text in base["corpus"].items()],
        queries=[Query(id=q, text=entry["text"], split=entry["split"]) for q, entry in base["queries"].items()],
        judgments=Judgments(exhaustive=True, grades=base["qrels"]),
        split="test",
    )
    assert dense != sparse
