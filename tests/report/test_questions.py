"""The table of questions: one line each, one column a mode."""

from __future__ import annotations

from fractions import Fraction

from harness.report import question_report
from harness.report.questions import representatives

from .sweeps import a_set, a_sweep, row

HALF = Fraction(1, 2)


def test_a_report_in_full() -> None:
    bm25 = (
        row("q1", 1, question="明天下雨吗？"),
        row("q2", HALF, relevant=("a.md", "b|c.md"), first_relevant_rank=2),
        row("q3", 0, first_relevant_rank=7),
        row("q4", None),
        row("q5", 0, missing=True),
    )
    vector = tuple(row(f"q{place}", value) for place, value in enumerate((1, 1, 0, None, 0), 1))
    sets = [
        a_set({"mode": "bm25", "top_k": 3}, (1, HALF, 0, None, 0), rows=bm25, place=0, name="bm25 top_k=3"),
        a_set({"mode": "vector", "top_k": 3}, (1, 1, 0, None, 0), rows=vector, place=1, name="vector top_k=3"),
    ]
    assert question_report(a_sweep("mode", sets=sets)) == (
        "## Questions of study by hand, split test\n"
        "\n"
        "| question | relevant      | bm25       | vector     | text         |\n"
        "| -------- | ------------- | ---------- | ---------- | ------------ |\n"
        "| q1       | doc-q1        | 1 · 1      | 1 · 1      | 明天下雨吗？ |\n"
        "| q2       | a.md, b\\|c.md | 2 · 1/2    | 1 · 1      | what is q2?  |\n"
        "| q3       | doc-q3        | 7 · 0      | – · 0      | what is q3?  |\n"
        "| q4       | none          | not scored | not scored | what is q4?  |\n"
        "| q5       | doc-q5        | missing    | – · 0      | what is q5?  |\n"
        "\n"
        "A cell: rank of the first relevant document · recall@3. A dash: not found. Columns:\n"
        "- bm25: bm25 top_k=3 (recall@3 0.3750, mrr@3 0.3750), the best of 1 sets\n"
        "- vector: vector top_k=3 (recall@3 0.5000, mrr@3 0.5000), the best of 1 sets\n"
        "\n"
        "Solved by no set at recall@3: q3, q5.\n"
    )


def test_a_mode_is_shown_by_its_best_set() -> None:
    """Highest recall, then highest mrr, then the first of the grid."""
    means = [(HALF, HALF), (1, HALF), (1, 1), (1, 1)]
    sets = [
        a_set(
            {"mode": "bm25", "top_k": place},
            (1, 0),
            place=place,
            means={"recall@3": Fraction(recall), "mrr@3": Fraction(mrr)},
        )
        for place, (recall, mrr) in enumerate(means)
    ]
    assert representatives(a_sweep("top_k", sets=sets), "recall@3")["bm25"].place == 2


def test_a_question_that_some_set_solves_is_not_listed_as_unsolved() -> None:
    sets = [
        a_set({"mode": "bm25", "top_k": 1}, (0, 1, 0), place=0),
        a_set({"mode": "bm25", "top_k": 3}, (1, 0, 0), place=1),
    ]
    assert "\nSolved by no set at recall@3: q3.\n" in question_report(a_sweep("top_k", sets=sets))


def test_a_set_that_is_shown_by_nothing_else_has_its_name() -> None:
    sets = [a_set({"mode": "bm25"}, (1,), name="长" * 7000)]
    assert max(len(line) for line in question_report(a_sweep(sets=sets)).splitlines()) < 300


def test_without_a_set_there_is_no_table() -> None:
    assert question_report(a_sweep(sets=[])) == "No parameter set has finished.\n"
