"""What chance would score on a study, worked by hand for its questions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from cli.world import write_study

from harness.scoring.measures.discount import SCALE, discounts
from harness.study.config import read_study
from harness.study.summarise import header_of

PARTIAL = """\
judgments: partial
queries:
  - {id: weather, question: 明天下雨吗, gold: [天气.md]}
"""


def test_floors_of_a_small_study(tmp_path: Path) -> None:
    """Four documents; of the three questions that are scored two have one relevant document, one has two."""
    floors = header_of(read_study(write_study(tmp_path))).floors
    assert floors["recall@3"] == Fraction(3, 4)
    # one relevant of four, and two of four
    assert floors["hit@1"] == (2 * Fraction(1, 4) + Fraction(2, 4)) / 3
    assert floors["hit@2"] == (2 * Fraction(2, 4) + 1 - Fraction(1, 6)) / 3
    assert (
        floors["mrr@2"]
        == (2 * (Fraction(1, 4) + Fraction(1, 8)) + Fraction(1, 2) + Fraction(1, 2) * Fraction(2, 3) / 2) / 3
    )
    one = Fraction(sum(discounts(2)[:2]), 4 * SCALE)
    two = 2 * Fraction(sum(discounts(2)[:2]), 4) / sum(discounts(2)[:2])
    assert floors["ndcg@2"] == (2 * one + two) / 3


def test_no_floor_where_unjudged_documents_are_dropped(tmp_path: Path) -> None:
    config = write_study(tmp_path, golden=PARTIAL)
    config.write_text(config.read_text(encoding="utf-8").replace("{k: 3,", "{unjudged: condense, k: 3,"), "utf-8")
    assert header_of(read_study(config)).floors == {}
    config.write_text(config.read_text(encoding="utf-8").replace("condense", "nonrelevant"), "utf-8")
    assert header_of(read_study(config)).floors["recall@2"] == Fraction(1, 2)
