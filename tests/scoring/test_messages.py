"""Every refusal, word for word: what was wanted, what was found, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.judgments import Judgments
from harness.scoring import checks
from harness.scoring.abstention import abstention
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measure, parse_measures
from harness.scoring.scorer import score_chunk_view
from harness.scoring.scorer_checks import check_request
from harness.scoring.texts import TextJudgments, score_texts

RULES = Conventions(measures=parse_measures(["recall@1"]))
NONEMPTY = "nonempty corpus and queries, mapping run required: "
COVERAGE = "qrels must cover every query: "
EXHAUSTIVE = "unjudged or unknown documents: exhaustive qrels required: "
QUERY = 'each query must be {"text": str, "split": str}: '
CORPUS, TABLE = {"a": "text", "b": ""}, {"a1": "a", "b1": "b"}
QUERIES = {"q": {"text": "?", "split": "test"}, "d": {"text": "?", "split": "dev"}}
CHOICES = (
    "choices: recall@k, rr@k, hit@k, precision@k, ap@k, r_precision, ndcg@k, judged@k, chunk_hit@k, chunk_rr@k, "
    "chunk_ndcg_retrieved@k, evidence@k"
)


def request(**changes: Any) -> Callable[[], object]:
    """Return a call that checks a scoring request with some parts changed."""
    judgments = Judgments(exhaustive=True, grades={"q": {"a": 1}})
    parts = {"ledger": ["q"], "judgments": judgments, "documents": CORPUS, "run": {}, "conventions": RULES, **changes}
    return lambda: check_request(**parts)


def judged(grades: object, *, exhaustive: bool = True) -> Judgments:
    return Judgments(exhaustive=exhaustive, grades=grades)  # type: ignore[arg-type]


def silent(**changes: Any) -> Callable[[], object]:
    """Return a call that works out a threshold with some parts changed."""
    parts: dict[str, Any] = {"relevant": {}, "rankings": {"q": ["a"]}, "scores": {"q": [1.0]}, "threshold": 1}
    return lambda: abstention(**{**parts, **changes})


def texts() -> TextJudgments:
    judgments = judged({"q": {"a": 1}, "d": {}})
    return TextJudgments.prepare(ledger=["q"], judgments=judgments, document_ids=CORPUS, conventions=RULES)


MESSAGES: list[tuple[Callable[[], object], str]] = [
    (lambda: checks.check_cutoff(0), "k must be a positive integer: got 0"),
    (lambda: checks.check_text(1, "words", "place"), "words: place is 1"),
    (
        lambda: checks.check_text("a\ud800", "words", "place"),
        "words: place holds a lone surrogate, which UTF-8 can't write: 'a\\ud800'",
    ),
    (lambda: checks.check_id(7, "thing", "here"), "thing IDs must be nonempty text: an ID here is 7"),
    (lambda: checks.check_id("", "thing", "here"), "thing IDs must be nonempty text: an ID here is empty"),
    (lambda: checks.check_snapshot([], QUERIES, {}), f"{NONEMPTY}corpus is []"),
    (lambda: checks.check_snapshot(CORPUS, [], {}), f"{NONEMPTY}queries is []"),
    (lambda: checks.check_snapshot(CORPUS, QUERIES, []), f"{NONEMPTY}run is []"),
    (
        lambda: checks.check_snapshot({1: ""}, QUERIES, {}),
        "document IDs must be nonempty text: an ID in the corpus is 1",
    ),
    (
        lambda: checks.check_snapshot({"a": 1}, QUERIES, {}),
        "corpus must map document IDs to text: the text of 'a' is 1",
    ),
    (
        lambda: checks.check_snapshot(CORPUS, {1: QUERIES["q"]}, {}),
        "query IDs must be nonempty text: an ID in the queries is 1",
    ),
    (lambda: checks.check_snapshot(CORPUS, {"q": []}, {}), f"{QUERY}query 'q' is []"),
    (
        lambda: checks.check_snapshot(CORPUS, {"q": {"text": "", "split": 5}}, {}),
        f"{QUERY}split of query 'q' is 5",
    ),
    (
        lambda: checks.split_ledger(QUERIES, "train"),
        "split has no queries: 'train' is the split of none of the 2 queries",
    ),
    (lambda: checks.check_qrels(CORPUS, ["q"], 3), f"{COVERAGE}qrels is 3"),
    (lambda: checks.check_qrels(CORPUS, ["q"], {}), f"{COVERAGE}'q' has no judgments"),
    (
        lambda: checks.check_qrels(CORPUS, ["q"], {"q": {"a": 0, "b": 1}, "x": {}}),
        f"{COVERAGE}'x' is judged but isn't among the queries",
    ),
    (lambda: checks.check_qrels(CORPUS, ["q"], {"q": 5}), f"{EXHAUSTIVE}judgments of query 'q' are 5"),
    (
        lambda: checks.check_qrels(CORPUS, ["q"], {"q": {"a": 0}}),
        f"{EXHAUSTIVE}document 'b' isn't judged for query 'q'",
    ),
    (
        lambda: checks.check_qrels(CORPUS, ["q"], {"q": {"a": 0, "b": 0, "c": 0}}),
        f"{EXHAUSTIVE}document 'c', judged for query 'q', isn't in the corpus",
    ),
    (
        lambda: checks.check_qrels(CORPUS, ["q"], {"q": {"a": 0, "b": 2}}),
        "qrels labels must be integer 0 or 1: 2 for document 'b' of query 'q'",
    ),
    (
        lambda: checks.check_run_queries({"d": []}, ["q"], QUERIES),
        "unknown or wrong-split query: 'd' in the run; it belongs to another split",
    ),
    (
        lambda: checks.check_run_queries({"x": []}, ["q"], QUERIES),
        "unknown or wrong-split query: 'x' in the run; no query has this ID",
    ),
    (
        lambda: checks.check_document_ranking("q", ("a",), CORPUS),
        "ranking must be a list of document IDs: query 'q' has ('a',)",
    ),
    (
        lambda: checks.check_document_ranking("q", ["a", 5], CORPUS),
        "ranking must be a list of document IDs: 5 at rank 2 of query 'q'",
    ),
    (
        lambda: checks.check_document_ranking("q", ["a", "b", "a"], CORPUS),
        "duplicate document ID; deduplicate upstream explicitly: 'a' at ranks 1 and 3 of query 'q'",
    ),
    (
        lambda: checks.check_document_ranking("q", ["a", "c"], CORPUS),
        "unknown document ID: 'c' at rank 2 of query 'q' isn't in the corpus",
    ),
    (
        lambda: checks.check_chunk_table(5, CORPUS),
        "chunk_to_doc must be a mapping of chunk IDs to document IDs: got 5",
    ),
    (
        lambda: checks.check_chunk_table({5: "a"}, CORPUS),
        "unknown or invalid chunk ID: an ID in the mapping is 5",
    ),
    (
        lambda: checks.check_chunk_table({"": "a"}, CORPUS),
        "unknown or invalid chunk ID: an empty ID in the mapping, for document 'a'",
    ),
    (
        lambda: checks.check_chunk_table({"c1": "c"}, CORPUS),
        "mapping points outside the corpus: chunk 'c1' leads to 'c', which isn't in the corpus",
    ),
    (
        lambda: checks.check_chunk_ranking("q", "a1", TABLE),
        "ranking must be a list of chunk IDs: query 'q' has 'a1'",
    ),
    (
        lambda: checks.check_chunk_ranking("q", ["a1", "c1"], TABLE),
        "unknown or invalid chunk ID: 'c1' at rank 2 of query 'q' isn't in the mapping",
    ),
    (
        lambda: checks.check_chunk_ranking("q", ["a1", "b1", "a1"], TABLE),
        "duplicate chunk ID: 'a1' at ranks 1 and 3 of query 'q'",
    ),
    (request(conventions=4), "conventions must be a Conventions: got 4"),
    (request(documents=4), f"{NONEMPTY}document IDs are 4"),
    (request(run=4), f"{NONEMPTY}run is 4"),
    (request(ledger="q"), f"{NONEMPTY}the ledger is 'q'"),
    (request(ledger=[4]), "query IDs must be nonempty text: an ID in the ledger is 4"),
    (request(ledger=["q", "q"]), "the ledger must hold each query once: 'q' occurs twice"),
    (request(judgments=4), f"{COVERAGE}judgments are 4"),
    (
        request(judgments=judged({"q": {}}, exhaustive=False)),
        f"{EXHAUSTIVE}these judgments are partial; choose unjudged: nonrelevant or condense by name",
    ),
    (request(judgments=judged({})), f"{COVERAGE}'q' has no judgments"),
    (request(judgments=judged({"q": 4})), f"{COVERAGE}judgments of query 'q' are 4"),
    (
        request(judgments=judged({"q": {"c": 1}})),
        "unjudged or unknown documents: document 'c', judged for query 'q', isn't in the corpus",
    ),
    (
        request(judgments=judged({"q": {"a": 1.0}})),
        "qrels labels must be integers: 1.0 for document 'a' of query 'q'",
    ),
    (
        request(run={"x": []}),
        "unknown or wrong-split query: 'x' in the run; no query has this ID",
    ),
    (
        request(run={"d": []}, judgments=judged({"q": {}, "d": {}})),
        "unknown or wrong-split query: 'd' in the run; it belongs to another split",
    ),
    (lambda: Conventions(measures=[]), "measures must be a nonempty tuple of measures: got []"),  # type: ignore[arg-type]
    (lambda: Conventions(measures=(4,)), "measures must be a nonempty tuple of measures: got 4 among them"),  # type: ignore[arg-type]
    (
        lambda: Conventions(measures=parse_measures(["rr@1", "recall@1", "rr@1"])),
        "each measure may be asked for once: rr@1 occurs more than once",
    ),
    (
        lambda: Conventions(measures=RULES.measures, relevance_threshold=0),
        "relevance_threshold must be a positive integer: got 0",
    ),
    (
        lambda: Conventions(measures=RULES.measures, unjudged="ignore"),  # type: ignore[arg-type]
        "unjudged must be refuse, nonrelevant or condense: got 'ignore'",
    ),
    (
        lambda: Conventions(measures=RULES.measures, candidate_budget=4),  # type: ignore[arg-type]
        "a rule must be text: candidate_budget is 4",
    ),
    (lambda: parse_measure(4), "a measure must be text such as ndcg@10: got 4"),
    (lambda: parse_measure("zzzzzzzz@2"), f"unknown measure: 'zzzzzzzz@2'. {CHOICES}"),
    (lambda: parse_measure("MRR@2"), f"unknown measure: 'MRR@2'. Did you mean rr? {CHOICES}"),
    (lambda: parse_measure("r_precision@2"), "r_precision takes no cutoff: write r_precision, got 'r_precision@2'"),
    (lambda: parse_measure("rr"), "rr needs a cutoff: write rr@10, got 'rr'"),
    (silent(threshold="1"), "a threshold must be a finite number: got '1'"),
    (silent(scores={}), "each ranked document needs one score: query 'q' has 1, scores: none"),
    (silent(scores={"q": [1, 2]}), "each ranked document needs one score: query 'q' has 1, scores: 2"),
    (silent(scores={"q": [float("inf")]}), "scores must be finite: inf for 'a' of query 'q'"),
    (lambda: score_texts(texts(), []), f"{NONEMPTY}run is []"),  # type: ignore[arg-type]
    (
        lambda: score_texts(texts(), {"q": ("a",)}),  # type: ignore[dict-item]
        "ranking must be a list of document IDs: query 'q' has ('a',)",
    ),
    (
        lambda: score_chunk_view(
            ledger=["q"],
            judgments=judged({"q": {"a": 1}}),
            document_ids=CORPUS,
            chunk_to_doc=TABLE,
            chunk_runs={"q": ["c1"]},
            conventions=RULES,
        ),
        "unknown or invalid chunk ID: 'c1' at rank 1 of query 'q' isn't in the mapping",
    ),
    (
        lambda: score_texts(texts(), {"q": ["c"]}),
        "unknown document ID: 'c' at rank 1 of query 'q' isn't in the corpus",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message for _, message in MESSAGES])
def test_a_refusal_says_what_was_found_and_where(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=": ") as caught:
        call()
    assert str(caught.value) == message


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 78, repr("x" * 78)),
        ("x" * 79, f"'{'x' * 79}… (str)"),
        (["x" * 200], f"['{'x' * 78}… (list)"),
        (Unshowable(), "<Unshowable>"),
    ],
    ids=["80 characters", "81 characters", "a long list", "no repr"],
)
def test_values_are_shown_short_with_their_type(value: object, shown: str) -> None:
    assert checks.show(value) == shown
