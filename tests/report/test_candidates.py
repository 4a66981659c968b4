"""What the report says of the candidates: the column, and what holds a set back."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from harness.report import ablation_report
from harness.report.html import html_report
from harness.report.judged import judge
from harness.summary import SetSummary, Sweep, from_json, to_json

from .sweeps import a_set, a_sweep

HALF = Fraction(1, 2)
EXPLAINED = (
    "**oracle** is recall@3 had a perfect reranker ordered the set's candidates: what its routes retrieved, or what "
    "was reranked, cut at top_k. Up to it a better order helps; above it only retrieving more does."
)


def oracles(**pools: Fraction | int) -> dict[str, Mapping[str, Fraction]]:
    return {pool: {"recall@3": Fraction(value)} for pool, value in pools.items()}


def two_modes() -> Sweep:
    sets = [
        a_set({"mode": "bm25"}, (1, 0, 0, 0), place=0, oracles=oracles(bm25=HALF, candidates=HALF)),
        a_set(
            {"mode": "hybrid"},
            (1, HALF, 1, 0),
            place=1,
            oracles=oracles(vector=Fraction(3, 4), bm25=HALF, candidates=Fraction(7, 8)),
        ),
    ]
    return a_sweep("mode", sets=sets)


def test_every_set_says_what_its_candidates_would_reach() -> None:
    table, *_ = ablation_report(two_modes()).split("\n\n")[1:]
    header, _, first, second, last = ([cell.strip() for cell in line.split("|")] for line in table.splitlines())
    column = header.index("oracle")
    assert [line[column] for line in (first, second, last)] == ["0.5000", "0.8750", "·"]


def test_what_is_lost_by_the_order_and_what_by_the_retrieval() -> None:
    """The baseline loses 1/4 to its order and 1/2 to what isn't among its candidates; hybrid 1/4 and 1/8."""
    report = ablation_report(two_modes())
    assert f"{EXPLAINED}\n" in report
    assert (
        "\nBaseline, bm25: recall@3 0.2500, oracle 0.5000, best possible 1.0000: 0.2500 is lost by the order, 0.5000 "
        "by what wasn't retrieved, the larger part.\n"
    ) in report
    assert (
        "\nHighest, hybrid: recall@3 0.6250, oracle 0.8750 (0.7500 from vector alone, 0.5000 from bm25 alone), best "
        "possible 1.0000: 0.2500 is lost by the order, 0.1250 by what wasn't retrieved, the smaller part.\n"
    ) in report


def test_sets_that_score_alike_can_hold_different_candidates() -> None:
    sets = [
        a_set({"top_k": k}, (1, 0), place=place, oracles=oracles(candidates=reach))
        for place, (k, reach) in enumerate({3: HALF, 5: Fraction(3, 4)}.items())
    ]
    assert "| 3, 5          |" in ablation_report(a_sweep("top_k", sets=sets))
    assert "0.5000 to 0.7500" in ablation_report(a_sweep("top_k", sets=sets))


def test_a_sweep_without_oracles_has_no_column() -> None:
    plain = a_sweep("mode", sets=[a_set({"mode": m}, (1, 0), place=p) for p, m in enumerate("ab")])
    assert "oracle" not in ablation_report(plain)
    assert "oracle" not in html_report(plain, judge(plain), None)


def test_the_page_has_the_column_and_the_routes() -> None:
    page = html_report(two_modes(), judge(two_modes()), None)
    assert '<button type="button">oracle</button>' in page
    assert 'title="best order of the candidates of each route: vector 0.7500, bm25 0.5000">0.8750</span>' in page
    assert "0.5000 by what wasn&#x27;t retrieved, the larger part." in page
    assert "<b>oracle</b> is recall@3" in page


def test_oracles_are_kept_exactly() -> None:
    summary = two_modes().sets[1]
    assert from_json(SetSummary, to_json(summary)).oracles == summary.oracles
