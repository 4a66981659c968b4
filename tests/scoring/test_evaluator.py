"""What ``evaluate`` computes and what it refuses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from harness.scoring import evaluate

from .support import world

HALF = Fraction(1, 2)
NONEMPTY = "nonempty corpus and queries, mapping run required"
EXHAUSTIVE = "unjudged or unknown documents: exhaustive qrels required"
Change = Callable[[dict[str, Any]], object]


def test_the_hand_worked_world_has_these_values_with_keys_in_this_order() -> None:
    result = evaluate(**world())
    found = list(result.items())
    assert found[1:-1] == [
        ("split", "test"),
        ("k", 2),
        ("total_queries", 4),
        ("eligible_queries", 3),
        ("no_relevant_queries", ["q4"]),
        ("missing_queries", ["q3"]),
        ("recall_at_k", HALF),
        ("mrr_at_k", HALF),
    ]
    assert (found[0][0], found[-1][0]) == ("protocol_sha256", "rows")


def test_rows_follow_the_ledger_with_keys_in_this_order() -> None:
    keys = ["query", "missing", "returned", "relevant", "hits", "first_relevant_rank", "recall", "rr"]
    expected = [
        ["q1", False, 3, 2, 1, 1, HALF, Fraction(1)],
        ["q2", False, 2, 1, 1, 2, Fraction(1), HALF],
        ["q3", True, 0, 1, 0, None, Fraction(0), Fraction(0)],
        ["q4", False, 0, 0, 0, None, None, None],
    ]
    rows = evaluate(**world())["rows"]
    assert [keys] * 4 == [list(row) for row in rows]
    assert expected == [list(row.values()) for row in rows]


def test_values_are_fractions_and_counts_are_ints() -> None:
    result = evaluate(**world())
    assert {type(row[key]) for row in result["rows"][:3] for key in ("recall", "rr")} == {Fraction}
    assert type(result["recall_at_k"]) is Fraction
    assert type(result["rows"][0]["hits"]) is int


def test_a_relevant_document_below_k_counts_for_nothing() -> None:
    row = evaluate(**world() | {"run": {"q2": ["a", "b", "c"]}})["rows"][1]
    assert tuple(row[key] for key in ("hits", "first_relevant_rank", "recall", "rr", "returned")) == (0, None, 0, 0, 3)


def test_no_eligible_query_gives_null_means() -> None:
    inputs = world()
    inputs["qrels"] = {query: dict.fromkeys(inputs["corpus"], 0) for query in inputs["queries"]}
    result = evaluate(**inputs)
    assert (result["recall_at_k"], result["mrr_at_k"], result["eligible_queries"]) == (None, None, 0)


def test_an_empty_run_scores_zero_and_everything_is_missing() -> None:
    result = evaluate(**world() | {"run": {}})
    assert (
        result["missing_queries"],
        result["recall_at_k"],
        result["mrr_at_k"],
    ) == (["q1", "q2", "q3", "q4"], 0, 0)


def test_the_split_and_k_are_parameters() -> None:
    result = evaluate(**world() | {"run": {"dev": ["a", "b"]}}, split="dev", k=1)
    assert ([row["query"] for row in result["rows"]], result["recall_at_k"]) == (["dev"], 0)


def test_the_protocol_hash_is_that_of_canonical_json() -> None:
    inputs = world()
    inputs["corpus"]["a"] = "下载"
    content = {key: inputs[key] for key in ("corpus", "queries", "qrels")} | {"split": "test", "k": 2}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert expected == evaluate(**inputs)["protocol_sha256"]


@pytest.mark.parametrize("key", ["corpus", "queries", "qrels"])
def test_order_changes_neither_hash_nor_values(key: str) -> None:
    inputs = world()
    turned = inputs | {key: dict(reversed(inputs[key].items()))}
    before, after = evaluate(**inputs), evaluate(**turned)
    assert before["protocol_sha256"] == after["protocol_sha256"]
    assert sorted(before["rows"], key=str) == sorted(after["rows"], key=str)


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w.update(k=3),
        lambda w: w.update(split="dev", run={}),
        lambda w: w["corpus"].update(a="other"),
        lambda w: w["qrels"]["q1"].update(d=1),
        lambda w: w["queries"]["q1"].update(text="other"),
    ],
)
def test_the_protocol_hash_covers_every_part_but_the_run(change: Change) -> None:
    inputs = world()
    change(inputs)
    assert evaluate(**world())["protocol_sha256"] != evaluate(**inputs)["protocol_sha256"]
    assert evaluate(**world())["protocol_sha256"] == evaluate(**world() | {"run": {}})["protocol_sha256"]


class Id(str):
    """An id of a text subclass."""

    __slots__ = ()


def test_ids_of_a_text_subclass_are_taken_as_text() -> None:
    assert evaluate(**world()) == evaluate(
        **world() | {"run": {Id("q1"): [Id("a"), "c", "b"], "q2": ["d", "c"], "q4": []}}
    )


REFUSALS: list[tuple[str, str, str, Change]] = [
    ("k is True", "k must be a positive integer", "True", lambda w: w.update(k=True)),
    ("k is 0", "k must be a positive integer", "0", lambda w: w.update(k=0)),
    ("k is -1", "k must be a positive integer", "-1", lambda w: w.update(k=-1)),
    ("k is 1.5", "k must be a positive integer", "1.5", lambda w: w.update(k=1.5)),
    ("k is text", "k must be a positive integer", "'2'", lambda w: w.update(k="2")),
    ("empty corpus", NONEMPTY, "corpus", lambda w: w.update(corpus={})),
    ("corpus is a list", NONEMPTY, "corpus", lambda w: w.update(corpus=["a"])),
    ("empty queries", NONEMPTY, "queries", lambda w: w.update(queries={})),
    ("run is a list", NONEMPTY, "run", lambda w: w.update(run=[("q1", ["a"])])),
    ("run is None", NONEMPTY, "run", lambda w: w.update(run=None)),
    ("int document", "document IDs must be nonempty text", "5", lambda w: w["corpus"].update({5: "x"})),
    ("empty document id", "document IDs must be nonempty text", "empty", lambda w: w["corpus"].update({"": "x"})),
    ("text is None", "corpus must map document IDs to text", "'a'", lambda w: w["corpus"].update(a=None)),
    ("lone surrogate", "corpus must map document IDs to text", "'a'", lambda w: w["corpus"].update(a="\ud800")),
    ("None query", "query IDs must be nonempty text", "None", lambda w: w["queries"].update({None: {}})),
    ("query is text", "each query must be", "'q1'", lambda w: w["queries"].update(q1="text")),
    ("query lacks split", "each query must be", "'q1'", lambda w: w["queries"]["q1"].pop("split")),
    ("query has more", "each query must be", "'q1'", lambda w: w["queries"]["q1"].update(tags="x")),
    ("query split is int", "each query must be", "'q1'", lambda w: w["queries"]["q1"].update(split=1)),
    ("unknown split", "split has no queries", "'train'", lambda w: w.update(split="train")),
    ("split is None", "split has no queries", "None", lambda w: w.update(split=None)),
    ("qrels is a list", "qrels must cover every query", "[]", lambda w: w.update(qrels=[])),
    ("qrels lack a query", "qrels must cover every query", "'q3'", lambda w: w["qrels"].pop("q3")),
    ("qrels lack a dev query", "qrels must cover every query", "'dev'", lambda w: w["qrels"].pop("dev")),
    ("qrels add a query", "qrels must cover every query", "'q9'", lambda w: w["qrels"].update(q9={})),
    (
        "wrong split",
        "unknown or wrong-split query",
        "'dev' in the run; it belongs to another split",
        lambda w: w["run"].update(dev=["a"]),
    ),
    (
        "unknown query",
        "unknown or wrong-split query",
        "'q9' in the run; no query has this ID",
        lambda w: w["run"].update(q9=["a"]),
    ),
    ("int query in run", "unknown or wrong-split query", "7", lambda w: w["run"].update({7: ["a"]})),
    ("absent cell", EXHAUSTIVE, "'d'", lambda w: w["qrels"]["q1"].pop("d")),
    ("absent cell of dev", EXHAUSTIVE, "'d'", lambda w: w["qrels"]["dev"].pop("d")),
    ("judged stranger", EXHAUSTIVE, "'z'", lambda w: w["qrels"]["q1"].update(z=0)),
    ("row is a list", EXHAUSTIVE, "'q1'", lambda w: w["qrels"].update(q1=["a"])),
    ("label is True", "qrels labels must be integer 0 or 1", "True", lambda w: w["qrels"]["q1"].update(a=True)),
    ("label is 1.0", "qrels labels must be integer 0 or 1", "1.0", lambda w: w["qrels"]["q1"].update(a=1.0)),
    ("label is 2", "qrels labels must be integer 0 or 1", "2", lambda w: w["qrels"]["q1"].update(a=2)),
    ("label of dev", "qrels labels must be integer 0 or 1", "-1", lambda w: w["qrels"]["dev"].update(a=-1)),
    ("tuple", "ranking must be a list of document IDs", "'q1'", lambda w: w["run"].update(q1=("a",))),
    ("text", "ranking must be a list of document IDs", "'q1'", lambda w: w["run"].update(q1="abc")),
    ("None", "ranking must be a list of document IDs", "'q1'", lambda w: w["run"].update(q1=None)),
    ("int in list", "ranking must be a list of document IDs", "rank 2", lambda w: w["run"].update(q1=["a", 1])),
    ("list in list", "ranking must be a list of document IDs", "rank 1", lambda w: w["run"].update(q1=[["a"]])),
    (
        "duplicate beyond k",
        "duplicate document ID; deduplicate upstream explicitly",
        "'c' at ranks 3 and 4 of query 'q1'",
        lambda w: w["run"].update(q1=["a", "b", "c", "c"]),
    ),
    (
        "stranger beyond k",
        "unknown document ID",
        "'z' at rank 3 of query 'q1'",
        lambda w: w["run"].update(q1=["a", "b", "z"]),
    ),
    ("other case", "unknown document ID", "'A'", lambda w: w["run"].update(q1=["A"])),
]


@pytest.mark.parametrize(("words", "named", "change"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS])
def test_bad_input_is_refused_by_name_and_left_as_it_was(words: str, named: str, change: Change) -> None:
    inputs = world() | {"split": "test", "k": 2}
    change(inputs)
    before = deepcopy(inputs)
    with pytest.raises(ValueError, match=": ") as caught:
        evaluate(**inputs)
    head, _, detail = str(caught.value).partition(words)
    assert head == ""
    assert named in detail
    assert before == inputs


def test_accepted_input_is_left_as_it_was() -> None:
    inputs = world()
    before = deepcopy(inputs)
    evaluate(**inputs)["rows"].clear()
    assert before == inputs


def test_a_long_offender_is_shortened_in_the_message() -> None:
    with pytest.raises(ValueError, match="k must be") as caught:
        evaluate(**world() | {"k": "9" * 10_000})
    assert len(str(caught.value)) < 200
