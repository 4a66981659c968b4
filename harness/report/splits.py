"""Sentences on what a split was used for."""

from __future__ import annotations

from harness.report.markdown import number
from harness.splits import Choice, Looks
from harness.wording import counted, shortened


def looks_sentence(split: str, looks: Looks) -> str:
    """Return how often a split has been scored."""
    times, sets = counted(looks.times, "time"), counted(looks.sets, "parameter set")
    return f"This {split} split has been scored {times} by {sets}."


def choice_sentence(split: str, choice: Choice) -> str:
    """Return which set was chosen, by which rule, where and with which value, and what ``split`` was used for."""
    if choice.value == choice.best:
        place = f"the highest of {counted(choice.sets, 'parameter set')}"
    else:
        place = f"where the highest of {counted(choice.sets, 'parameter set')} is {number(choice.best)}"
    sentence = (
        f"Chosen on {choice.split}: **{shortened(choice.chosen)}**, by the rule {choice.rule}, with {choice.measure} "
        f"{number(choice.value)}, {place} (sweep {choice.sweep}); this sweep used {split} only for "
    )
    if choice.left == 1:
        return f"{sentence}this set, which is the baseline as well."
    baseline = f"{shortened(choice.baseline)} ({number(choice.baseline_value)} on {choice.split})"
    return f"{sentence}this set and the baseline, {baseline}."
