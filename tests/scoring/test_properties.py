"""What must hold for any judgments and any ranking."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from harness.scoring import evaluate
from harness.scoring.measures import MEASURES

from .strategies import DOCUMENTS, Situation, situations
from .support import scores

CUT = [name for name, m in MEASURES.items() if m.view == "document" and m.takes_cutoff]


def _names(k: int) -> list[str]:
    return [*(f"{name}@{k}" for name in CUT), "r_precision"]


@given(situations(), st.booleans())
def test_every_value_lies_between_0_and_1(case: Situation, exhaustive: bool) -> None:
    scored = scores(
        _names(case.k),
        {"q": case.grades},
        {"q": case.ranking},
        exhaustive=exhaustive,
        relevance_threshold=case.threshold,
        unjudged="condense",
    )
    row = scored.rows[0]
    for value in (*row.values.values(), *row.lower.values(), *row.upper.values()):
        assert value is None or 0 <= value <= 1


@given(situations())
def test_the_order_of_judgments_and_queries_changes_nothing(case: Situation) -> None:
    grades = {"q": case.grades, "other": {"a": 1}}
    turned = {query: dict(reversed(row.items())) for query, row in reversed(grades.items())}
    run = {"q": case.ranking, "other": ["a"]}
    before, after = (scores(_names(case.k), g, run) for g in (grades, turned))
    assert before.means == after.means
    assert before.rows[0] == after.rows[1]


@given(situations(), st.permutations(DOCUMENTS))
def test_relabelling_documents_changes_nothing(case: Situation, other: list[str]) -> None:
    rename = dict(zip(DOCUMENTS, other, strict=True))
    before = scores(_names(case.k), {"q": case.grades}, {"q": case.ranking})
    after = scores(
        _names(case.k),
        {"q": {rename[document]: grade for document, grade in case.grades.items()}},
        {"q": [rename[document] for document in case.ranking]},
    )
    assert before.rows == after.rows


@given(situations(), st.lists(st.sampled_from("tuvwxyz"), unique=True))
def test_documents_appended_below_k_change_nothing(case: Situation, tail: list[str]) -> None:
    assume(len(case.ranking) >= case.k)
    names = [f"{name}@{case.k}" for name in CUT]
    before = scores(names, {"q": case.grades}, {"q": case.ranking})
    after = scores(names, {"q": case.grades}, {"q": case.ranking + tail})
    assert before.means == after.means


@given(st.permutations(DOCUMENTS), st.sampled_from(DOCUMENTS), st.integers(1, 9))
def test_ap_equals_rr_with_a_single_relevant_document(ranking: list[str], gold: str, k: int) -> None:
    means = scores([f"ap@{k}", f"rr@{k}"], {"q": {gold: 1}}, {"q": ranking}).means
    assert means[f"ap@{k}"] == means[f"rr@{k}"]


@given(situations(), st.data())
def test_a_relevant_document_put_into_the_top_k_never_lowers_recall(case: Situation, data: st.DataObject) -> None:
    outside = [d for d, g in case.grades.items() if g >= 1 and d not in case.ranking[: case.k]]
    assume(outside)
    moved = data.draw(st.sampled_from(outside))
    rest = [document for document in case.ranking if document != moved]
    place = data.draw(st.integers(0, min(case.k - 1, len(rest))))
    better = [*rest[:place], moved, *rest[place:]]
    name = f"recall@{case.k}"
    low, high = (scores([name], {"q": case.grades}, {"q": r}).means[name] for r in (case.ranking, better))
    assert low is not None
    assert high is not None
    assert low <= high


@given(situations())
def test_the_strict_evaluator_and_the_scorer_agree_on_binary_judgments(case: Situation) -> None:
    qrels = {"q": {document: int(case.grades.get(document, 0) > 0) for document in DOCUMENTS}}
    queries = {"q": {"text": "q", "split": "test"}}
    run = {"q": case.ranking}
    result = evaluate(dict.fromkeys(DOCUMENTS, ""), queries, qrels, run, k=case.k)
    means = scores([f"recall@{case.k}", f"rr@{case.k}"], qrels, run).means
    assert [result["recall_at_k"], result["mrr_at_k"]] == list(means.values())
