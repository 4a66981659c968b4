"""One call for everything, the questions that decide, and what importing costs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support.processes import run_python

from harness.errors import InputError
from harness.stats import Deciding, Spread, Word, compare, deciding, holm, interval, max_t, power, sign_flip
from tests.stats.plain import panel

HALF = Fraction(1, 2)


def test_everything_about_all_sets() -> None:
    given_ = panel([0] * 12, [1] * 12, [HALF] + [0] * 11, [0] * 12)
    found = compare(given_, "base", resamples=99)
    assert list(found) == ["s1", "s2", "s3"]
    for label, comparison in found.items():
        differences = given_.differences(label, "base")
        assert comparison.differences == differences
        assert comparison.test == sign_flip(differences)
        assert comparison.interval == interval(differences, resamples=99)
        assert comparison.power == power(differences)
        assert comparison.max_t == max_t(given_, "base").adjusted[label]
    assert [c.holm for c in found.values()] == list(holm({k: c.test.p for k, c in found.items()}).values())
    words = [comparison.verdict.word for comparison in found.values()]
    assert words == [Word.DIFFERS, Word.RESTS_ON_ONE, Word.CANT_TELL]


def test_intervals_can_be_left_out() -> None:
    assert compare(panel([0, 1], [1, 0]), "base", intervals=False)["s1"].interval is None


def test_the_verdict_goes_by_the_corrected_p() -> None:
    rows = [[int((q + s) % 12 < 8) for q in range(12)] for s in range(9)]
    steady = [1] * 6 + [0] * 6
    found = compare(panel([0] * 12, steady), "base", intervals=False)["s1"]
    assert found.verdict.significant
    many = compare(panel([0] * 12, steady, *rows), "base", intervals=False)["s1"]
    assert many.test.p == found.test.p
    assert many.max_t >= found.max_t


def test_an_unknown_baseline_is_refused() -> None:
    with pytest.raises(InputError, match="no parameter set is called 'x'"):
        compare(panel([0], [1]), "x")


def test_which_questions_tell_sets_apart() -> None:
    given_ = panel([0, 1, HALF, 0, HALF, 0], [0, 1, HALF, 1, 1, HALF])
    assert deciding(given_) == Deciding(
        unsolved=("q000",),
        solved=("q001",),
        alike=("q000", "q001", "q002"),
        spreads=(
            Spread(query="q003", least=Fraction(0), most=Fraction(1)),
            Spread(query="q004", least=HALF, most=Fraction(1)),
            Spread(query="q005", least=Fraction(0), most=HALF),
        ),
    )
    assert deciding(given_).spreads[0].width == 1
    assert deciding(given_, {"q002": HALF}).solved == ("q001", "q002")


def test_importing_the_room_loads_no_numerics() -> None:
    loaded = run_python("import sys, harness.stats; print(*{n.partition('.')[0] for n in sys.modules})").split()
    assert not {"numpy", "scipy"} & set(loaded)
