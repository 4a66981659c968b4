"""One word for a comparison, by fixed rules.

In this order, for mean difference D over n questions, p of the sign-flip test and level alpha (5 %):

1. The corrected p (the plain one where none is given) is at most alpha:
   a. **rests on a question**: leaving out one question puts p above the level, or turns D to 0 or to the other side;
   b. else **differs**.
2. It is above alpha:
   a. D is 0: **can't be told apart**;
   b. exactly one question turns D to 0 or to the other side when it is left out: **rests on question X alone**;
   c. |D| is at most 1/n: **one question's worth**, no more than a single question can move a mean (values lie
      between 0 and 1);
   d. else **can't be told apart**.

"Can't be told apart" doesn't say that two sets are equal. ``power`` says how large a difference would have been seen.

**Leave-one-out.** A corrected p can't be computed again for each question, so the level is corrected instead: with a
question left out, the plain p is held against alpha · p / corrected p. Not every question has to be tried. In the
terms of ``counting``, without a question that went against D, U shrinks by its |d|, which can't raise p; without one
that went with D, U stays, and the larger its |d|, the more subsets of the rest reach up to U. So p after leaving out
never falls from a smaller to a larger winner, and the questions whose absence lifts p above the level are found by
trying the different winning amounts, largest first, until one no longer does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from harness.stats.effort import DEFAULT, Effort
from harness.stats.panel import Differences
from harness.stats.sensitivity import ALPHA
from harness.stats.signflip import sign_flip


class Word(Enum):
    """What can be said of a comparison."""

    DIFFERS = "differs"
    CANT_TELL = "can't be told apart"
    ONE_QUESTION = "one question's worth"
    RESTS_ON_ONE = "rests on one question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A word, and the questions it hangs on.

    Attributes:
        word: by the rules of this module.
        significant: whether the corrected p is at most alpha.
        questions: with ``RESTS_ON_ONE``: ids of the questions each of which overturns the result when left out.
    """

    word: Word
    significant: bool
    questions: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.word is not Word.RESTS_ON_ONE:
            return str(self.word.value)
        if len(self.questions) == 1:
            return f"rests on question {self.questions[0]} alone"
        return f"rests on one question, any of {len(self.questions)}"


def verdict(
    differences: Differences,
    p: Fraction | float,
    *,
    adjusted: Fraction | float | None = None,
    alpha: Fraction = ALPHA,
    effort: Effort = DEFAULT,
) -> Verdict:
    """Return what can be said of a comparison.

    Args:
        differences: of the set from the baseline.
        p: of the sign-flip test.
        adjusted: p corrected for the number of sets; ``p`` itself when None.
        alpha: two-sided level.
        effort: bounds of work for the tests with a question left out.
    """
    corrected = p if adjusted is None else max(adjusted, p)
    if corrected <= alpha:
        overturning = _overturning(differences, Fraction(alpha) * Fraction(p) / Fraction(corrected), effort)
        word = Word.RESTS_ON_ONE if overturning else Word.DIFFERS
        return Verdict(word=word, significant=True, questions=overturning)
    turning = turning_questions(differences)
    if len(turning) == 1:
        return Verdict(word=Word.RESTS_ON_ONE, significant=False, questions=turning)
    small = differences.slack < abs(sum(differences.units)) <= differences.denominator
    return Verdict(word=Word.ONE_QUESTION if small else Word.CANT_TELL, significant=False)


def turning_questions(differences: Differences) -> tuple[str, ...]:
    """Return the questions without which the mean difference would be 0 or on the other side; none when it is 0."""
    total, slack = sum(differences.units), differences.slack
    return tuple(
        query
        for query, unit in zip(differences.queries, differences.units, strict=True)
        if abs(total) > slack and abs(unit) >= abs(total) - slack and (unit > 0) == (total > 0)
    )


def _overturning(differences: Differences, level: Fraction, effort: Effort) -> tuple[str, ...]:
    direction = 1 if sum(differences.units) > 0 else -1
    winning = {unit: query for query, unit in zip(differences.queries, differences.units, strict=True)}
    least: int | None = None
    for unit in sorted((unit for unit in winning if unit * direction > 0), key=abs, reverse=True):
        if not _overturns(differences, winning[unit], level, effort):
            break
        least = abs(unit)
    if least is None:
        return ()
    pairs = zip(differences.queries, differences.units, strict=True)
    return tuple(query for query, unit in pairs if unit * direction >= least)


def _overturns(differences: Differences, query: str, level: Fraction, effort: Effort) -> bool:
    if query in turning_questions(differences):
        return True
    rest = differences.without(query)
    return not rest.queries or sign_flip(rest, effort).p > level
