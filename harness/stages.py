"""The stages a ranking goes through, and a print of what each made of every question.

Two results that part do so at a first stage; comparing prints finds it. A print is the beginning of a SHA-256 over the
stage's own outcome: places and the exact bits of scores, or exact values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SHARED_STAGES = ("chunks", "tokens", "vectors")
QUESTION_STAGES = ("bm25 leg", "vector leg", "fusion", "rerank", "adapter", "scores")
STAGES = ("chunks", "tokens", "bm25 leg", "vectors", "vector leg", "fusion", "rerank", "adapter", "scores")
"""In the order in which a result comes about; ``tokens`` and ``vectors`` hold chunks and questions."""

PRINT_LENGTH = 16
STAGES_FILE = "stages.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePrints:
    """What every stage made of a parameter set.

    Attributes:
        shared: stage of ``SHARED_STAGES`` → SHA-256 of its outcome; stages the set has no use for are absent.
        questions: stage of ``QUESTION_STAGES`` → query id → print.
    """

    shared: Mapping[str, str]
    questions: Mapping[str, Mapping[str, str]]


def first_difference(before: StagePrints, now: StagePrints) -> str | None:
    """Return the first stage whose outcomes differ, None when all agree.

    A stage that only one side has is a difference; questions that only one side has are not.
    """
    return next((stage for stage in STAGES if _differs(stage, before, now)), None)


def parting_stage(query: str, before: StagePrints, now: StagePrints) -> str | None:
    """Return the first stage at which one question's outcomes differ, None when all agree.

    ``chunks``, ``tokens`` and ``vectors`` are shared by all questions, so they are named only where both sides have
    them and the question's own outcomes differ too.
    """
    own = [stage for stage in QUESTION_STAGES if _of(stage, before, query) != _of(stage, now, query)]
    if not own:
        return None
    return next(stage for stage in STAGES if stage in own or (stage in SHARED_STAGES and _differs(stage, before, now)))


def differing_questions(stage: str, before: StagePrints, now: StagePrints) -> tuple[str, ...]:
    """Return the questions, of those both sides have, whose outcome at a stage differs."""
    old, new = before.questions.get(stage, {}), now.questions.get(stage, {})
    return tuple(query for query, value in old.items() if query in new and new[query] != value)


def _differs(stage: str, before: StagePrints, now: StagePrints) -> bool:
    if stage in SHARED_STAGES:
        return before.shared.get(stage) != now.shared.get(stage)
    if (stage in before.questions) != (stage in now.questions):
        return True
    return bool(differing_questions(stage, before, now))


def _of(stage: str, prints: StagePrints, query: str) -> str | None:
    return prints.questions.get(stage, {}).get(query)
