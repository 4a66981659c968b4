"""How much work a test may do before it takes a cheaper way, and the seed of what is random."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Bounds of work for one comparison, in countable steps, so the way that is taken never depends on the machine.

    Attributes:
        bits: how many bits may be moved to count p as a fraction.
        sums: how many different sums half the questions may have to count p as a fraction.
        cells: how long the array for p in float64 may be.
        additions: how many additions p in float64 may take.
        generators: how many sign patterns are drawn when p can't be computed; all 2^``generators`` products of them are
            used.
        seed: of the sign patterns.
    """

    bits: int = 1 << 26
    sums: int = 1 << 14
    cells: int = 1 << 22
    additions: int = 1 << 28
    generators: int = 14
    seed: int = 1

    @property
    def patterns(self) -> int:
        """Number of sign patterns that are used when p can't be computed, the observed one among them."""
        return 1 << self.generators


DEFAULT = Effort()
