"""What a sweep knows of its split beyond its own results: how often it has been scored."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How often a split has been scored by now, over everything its store has ever held.

    Attributes:
        times: parameter sets that were scored on it, each as often as it was.
        sets: distinct parameter sets among them.
    """

    times: int
    sets: int
