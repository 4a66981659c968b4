"""The rules, case by case, and leave-one-out against trying every question."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from harness.stats import Effort, Word, sign_flip, verdict
from tests.stats.plain import NEAR, brute_p, differences, of

ALPHA = Fraction(1, 20)
TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    ("values", "word", "text"),
    [
        ([0, 0, 0], Word.CANT_TELL, "can't be told apart"),
        ([1, -1, 0], Word.CANT_TELL, "can't be told apart"),
        ([1, 0, 0], Word.RESTS_ON_ONE, "rests on question q000 alone"),
        ([1, 1, -1, 0], Word.ONE_QUESTION, "one question's worth"),
        ([TENTH] * 4 + [0], Word.ONE_QUESTION, "one question's worth"),
        ([TENTH, -TENTH, TENTH, 1, -TENTH * 2], Word.RESTS_ON_ONE, "rests on question q003 alone"),
        ([1, 1, 1, 1, 1, 0], Word.CANT_TELL, "can't be told apart"),
        ([1] * 6, Word.RESTS_ON_ONE, "rests on one question, any of 6"),
        ([1] * 7, Word.DIFFERS, "differs"),
        ([-1] * 7 + [0] * 50, Word.DIFFERS, "differs"),
        ([TENTH] * 7, Word.DIFFERS, "differs"),
    ],
)
def test_rules(values: list[Fraction], word: Word, text: str) -> None:
    given_ = of(*values)
    found = verdict(given_, sign_flip(given_).p)
    assert (found.word, str(found)) == (word, text)
    assert found.significant == (sign_flip(given_).p <= ALPHA)


def test_one_question_alone_can_carry_a_significant_result() -> None:
    given_ = of(1, TENTH, TENTH, TENTH, TENTH, TENTH)
    found = verdict(given_, sign_flip(given_).p)
    assert found.significant
    assert found.questions == tuple(f"q{n:03d}" for n in range(6))


def test_a_corrected_p_decides_and_moves_the_level_of_leave_one_out() -> None:
    given_ = of(*[1] * 10)
    p = sign_flip(given_).p
    assert p == Fraction(1, 512)
    assert verdict(given_, p).word is Word.DIFFERS
    assert verdict(given_, p, adjusted=ALPHA / 2).word is Word.DIFFERS
    assert verdict(given_, p, adjusted=Fraction(3, 100)).word is Word.RESTS_ON_ONE
    assert verdict(given_, p, adjusted=Fraction(3, 10)).word is Word.CANT_TELL


def test_a_corrected_p_is_never_below_the_plain_one() -> None:
    given_ = of(*[1] * 5)
    assert not verdict(given_, Fraction(1, 16), adjusted=Fraction(1, 100)).significant


@given(differences(9))
def test_leaving_out_is_the_same_as_trying_every_question(values: list[Fraction]) -> None:
    given_ = of(*values)
    p = sign_flip(given_).p
    level = Fraction(1, 4)
    found = verdict(given_, p, alpha=level)
    if p > level:
        assert not found.significant
        return
    total = sum(values)
    flips = []
    for place, query in enumerate(given_.queries):
        rest = values[:place] + values[place + 1 :]
        if not rest or sum(rest) * (1 if total > 0 else -1) <= NEAR or brute_p(rest) > level:
            flips.append(query)
    assert found.questions == tuple(flips)
    assert found.word is (Word.RESTS_ON_ONE if flips else Word.DIFFERS)


def test_a_p_that_is_drawn_gives_a_verdict_too() -> None:
    given_ = of(*[Fraction(1, 3)] * 40, *[0] * 20)
    effort = Effort(bits=-1, sums=0, cells=0, generators=10)
    assert verdict(given_, sign_flip(given_, effort).p, effort=effort).word is Word.DIFFERS
