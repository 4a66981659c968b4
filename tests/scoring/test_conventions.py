"""What the conventions hash covers, and which conventions are refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from harness.fingerprint import sha256_json
from harness.frozen import replace
from harness.scoring import conventions
from harness.scoring.conventions import Conventions
from harness.scoring.measures import MEASURES, parse_measure, parse_measures
from harness.scoring.measures.discount import DISCOUNT_VERSION

BASE = Conventions(measures=parse_measures(["recall@5", "ndcg@10", "chunk_hit@5"]))


@pytest.mark.parametrize(
    "change",
    [
        {"measures": parse_measures(["recall@5", "ndcg@10"])},
        {"measures": parse_measures(["recall@5", "ndcg@20", "chunk_hit@5"])},
        {"relevance_threshold": 2},
        {"unjudged": "nonrelevant"},
        {"unjudged": "condense"},
        {"tie_rule": "score descending, then id descending"},
        {"view": "something else"},
        {"candidate_budget": "fetch_k chunks"},
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", str(value)),
)
def test_the_hash_covers_every_field(change: dict[str, Any]) -> None:
    assert BASE.sha256 != replace(BASE, **change).sha256


@pytest.mark.parametrize("change", [{"version": 2}, {"description": "another formula"}, {"view": "chunk"}])
def test_the_hash_covers_the_definition_of_a_measure(change: dict[str, Any]) -> None:
    first = BASE.measures[0]
    altered = replace(first, measure=replace(first.measure, **change))
    assert BASE.sha256 != replace(BASE, measures=(altered, *BASE.measures[1:])).sha256


@pytest.mark.parametrize("constant", ["DISCOUNT_VERSION", "MISSING_RULE", "NO_RELEVANT_RULE"])
def test_the_hash_covers_the_fixed_rules(constant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = BASE.sha256
    monkeypatch.setattr(conventions, constant, "another rule")
    assert before != BASE.sha256


def test_the_order_of_measures_changes_nothing() -> None:
    assert BASE.sha256 == replace(BASE, measures=BASE.measures[::-1]).sha256


def test_the_hash_is_that_of_the_readable_content() -> None:
    assert sha256_json(BASE.content) == BASE.sha256
    assert BASE.content["discounts"] == DISCOUNT_VERSION
    assert set(BASE.content) == {
        "measures",
        "discounts",
        "tie_rule",
        "missing_rule",
        "no_relevant_rule",
        "unjudged",
        "relevance_threshold",
        "view",
        "candidate_budget",
    }


def test_measures_are_split_by_view() -> None:
    assert [str(measure) for measure in BASE.of_view("document")] == ["recall@5", "ndcg@10"]
    assert [str(measure) for measure in BASE.of_view("chunk")] == ["chunk_hit@5"]


def test_conventions_are_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        BASE.relevance_threshold = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"measures": ()}, "measures must be a nonempty tuple"),
        ({"measures": ["recall@5"]}, "measures must be a nonempty tuple"),
        ({"measures": ("recall@5",)}, "measures must be a nonempty tuple of measures: got 'recall@5'"),
        ({"measures": (parse_measure("rr@5"),) * 2}, "each measure may be asked for once: rr@5"),
        ({"relevance_threshold": 0}, "relevance_threshold must be a positive integer: got 0"),
        ({"relevance_threshold": True}, "relevance_threshold must be a positive integer: got True"),
        ({"relevance_threshold": 1.0}, "relevance_threshold must be a positive integer: got 1.0"),
        ({"unjudged": "ignore"}, "unjudged must be refuse, nonrelevant or condense: got 'ignore'"),
        ({"tie_rule": None}, "a rule must be text: tie_rule is None"),
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", str(value)),
)
def test_bad_conventions_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=": ") as caught:
        replace(BASE, **change)
    assert words in str(caught.value)


def test_the_hash_of_the_defaults_is_pinned() -> None:
    """A new value here means that older runs can't be compared any more: raise the version of what changed."""
    names = [f"{name}@10" if measure.takes_cutoff else name for name, measure in MEASURES.items()]
    judged = "66b37b3e64cb57b3db69c4b8374187b4b6a06c0880388449676f9043a001d79c"
    assert judged == Conventions(measures=parse_measures(name for name in names if name != "evidence@10")).sha256
    pinned = "1dfb570d878cffca7abd8297f1557b46afdd6aa24ab37caa28a33642b637c93a"
    assert pinned == Conventions(measures=parse_measures(names)).sha256
