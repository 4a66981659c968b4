"""Measure names: what they parse to, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from harness.records import Judgments
from harness.scoring.conventions import Conventions
from harness.scoring.measures import MEASURES, Measure, NamedMeasure, mean_name, parse_measure, parse_measures
from harness.scoring.measures.labelled import Judged, LabelledRanking, label
from harness.scoring.measures.measure import Bounds
from harness.scoring.scorer import score_run

NAMES = [f"{name}@{k}" if m.takes_cutoff else name for name, m in MEASURES.items() for k in (1, 10, 1000)]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_reads_back(name: str) -> None:
    parsed = parse_measure(name)
    assert name == str(parsed)
    assert parsed == parse_measure(str(parsed))


@pytest.mark.parametrize("key", MEASURES)
def test_the_table_key_is_the_name_and_every_entry_is_described(key: str) -> None:
    measure = MEASURES[key]
    assert key == measure.name
    assert measure.description
    assert measure.version >= 1
    views = {"chunk": "chunk", "evidence": "evidence"}
    assert measure.view == views.get(key.partition("_")[0], "document")
    assert measure.function.__doc__
    assert "Source:" in measure.function.__doc__
    assert "Cutoff:" in measure.function.__doc__


def test_a_name_that_is_not_in_the_table_is_named() -> None:
    with pytest.raises(KeyError, match=r"^'nothing'$"):
        MEASURES["nothing"]


@pytest.mark.parametrize(
    ("name", "mean"),
    [
        ("rr@10", "mrr@10"),
        ("chunk_rr@3", "chunk_mrr@3"),
        ("ap@5", "ap@5"),
        ("recall@2", "recall@2"),
        ("r_precision", "r_precision"),
    ],
)
def test_the_mean_has_a_name(name: str, mean: str) -> None:
    assert mean == mean_name(name) == mean_name(parse_measure(name))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mrr@10", "Did you mean rr?"),
        ("map@10", "Did you mean ap?"),
        ("success@5", "Did you mean hit?"),
        ("P@10", "Did you mean precision?"),
        ("nDCG@10", "Did you mean ndcg?"),
        ("recal@2", "Did you mean recall?"),
        ("zzzzzzzz@2", "choices: recall@k, rr@k, hit@k, precision@k, ap@k, r_precision, ndcg@k, judged@k"),
        ("", "unknown measure"),
        ("@10", "unknown measure"),
        (" ndcg@10", "unknown measure"),
        ("ndcg", "ndcg needs a cutoff: write ndcg@10"),
        ("ndcg@", "ndcg needs a cutoff"),
        ("ndcg@0", "ndcg needs a cutoff"),
        ("ndcg@-1", "ndcg needs a cutoff"),
        ("ndcg@010", "ndcg needs a cutoff"),
        ("ndcg@1.5", "ndcg needs a cutoff"),
        ("ndcg@10\n", "ndcg needs a cutoff"),
        ("ndcg@１０", "ndcg needs a cutoff"),
        ("ndcg@5@5", "ndcg needs a cutoff"),
        ("ndcg@" + "9" * 5000, "ndcg needs a cutoff"),
        ("r_precision@5", "r_precision takes no cutoff: write r_precision"),
        (None, "a measure must be text such as ndcg@10: got None"),
        (10, "a measure must be text such as ndcg@10: got 10"),
    ],
)
def test_a_wrong_name_is_refused_with_a_way_out(name: object, words: str) -> None:
    with pytest.raises(ValueError, match=": ") as caught:
        parse_measure(name)
    assert words in str(caught.value)


def test_the_hint_is_left_out_when_nothing_is_near() -> None:
    with pytest.raises(ValueError, match="unknown measure") as caught:
        parse_measure("zzzzzzzz@2")
    assert "Did you mean" not in str(caught.value)


def test_names_are_the_columns_in_the_order_asked_for() -> None:
    names = ["ndcg@3", "recall@1", "chunk_hit@2"]
    scored = score_run(
        ledger=["q"],
        judgments=Judgments(exhaustive=True, grades={"q": {"a": 1}}),
        document_ids={"a"},
        run={"q": ["a"]},
        conventions=Conventions(measures=parse_measures(names)),
    )
    assert list(scored.means) == list(scored.rows[0].values) == ["ndcg@3", "recall@1"]


def test_a_measure_without_a_cutoff_is_given_the_length_of_the_ranking() -> None:
    """None of the table's has bounds and no cutoff at once, but one may come."""

    def shown(ranking: LabelledRanking, cutoff: int) -> Fraction:
        return Fraction(cutoff)

    def around(ranking: LabelledRanking, cutoff: int, grade: int) -> Bounds:
        return Fraction(cutoff), Fraction(grade)

    measure = Measure(
        name="length", function=shown, takes_cutoff=False, view="document", description="", version=1, bounds=around
    )
    three = label([1, None, 0], Judged.of({"a": 1, "b": 0}, 1), 1, condense=False)
    assert NamedMeasure(measure=measure, cutoff=None).value(three) == 3
    assert NamedMeasure(measure=measure, cutoff=None).bounds(three, 2) == (3, 2)
    assert NamedMeasure(measure=measure, cutoff=7).bounds(three, 2) == (7, 2)
