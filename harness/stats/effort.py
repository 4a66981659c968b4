"""How much work a test may do before it takes a cheaper way, and the seed of what is random."""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import InputError

_MOST_GENERATORS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Bounds of work for one comparison, in countable steps, so the way that is taken never depends on the machine.

    Attributes:
        bits: how many bits may be moved to count p as a fraction.
        sums: how many different sums half the questions may have to count p as a fraction.
        cells: how long the array for p in float64 may be.
        additions: how many additions p in float64 may take.
        generators: how many sign patterns are drawn when p can't be computed, 1 to 24; all 2^``generators`` products
            of them are used.
        seed: of the sign patterns, 0 or more.

    Raises:
        InputError: ``generators`` or ``seed`` is out of range.
    """

    bits: int = 1 << 26
    sums: int = 1 << 14
    cells: int = 1 << 22
    additions: int = 1 << 28
    generators: int = 14
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.generators <= _MOST_GENERATORS:
            raise InputError(f"generators must lie between 1 and {_MOST_GENERATORS}, got {self.generators}")
        if self.seed < 0:
            raise InputError(f"a seed must be 0 or more, got {self.seed}")

    @property
    def patterns(self) -> int:
        """Number of sign patterns that are used when p can't be computed, the observed one among them."""
        return 1 << self.generators


DEFAULT = Effort()
