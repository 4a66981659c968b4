"""What a sweep knows beyond its own results: how often its split has been scored, and how its sets were chosen."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How often a split has been scored by now, over everything its store has ever held.

    Attributes:
        times: parameter sets that were scored on it, each as often as it was.
        sets: distinct parameter sets among them.
    """

    times: int
    sets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """How one parameter set was chosen on one split, to be scored on another beside a baseline.

    Attributes:
        split: the split that chose.
        sweep: id of the sweep over it.
        rule: by which rule.
        measure: by which mean.
        sets: how many parameter sets there were to choose from.
        value: the mean of the chosen set on the split that chose.
        best: the highest mean there.
        chosen: name of the chosen set.
        chosen_sha256: fingerprint of its parameters.
        baseline: name of the set it is held against.
        baseline_sha256: fingerprint of its parameters.
        baseline_value: its mean on the split that chose; None where undefined.
    """

    split: str
    sweep: str
    rule: str
    measure: str
    sets: int
    value: Fraction
    best: Fraction
    chosen: str
    chosen_sha256: str
    baseline: str
    baseline_sha256: str
    baseline_value: Fraction | None

    @property
    def left(self) -> int:
        """How many sets are left to score: 1 where the baseline itself was chosen."""
        return len({self.chosen_sha256, self.baseline_sha256})
