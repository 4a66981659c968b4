"""Whether a finished set may pass: conditions for continuous integration, compared exactly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.errors import InputError
from harness.review.comparing import compare_sets
from harness.summary import SetSummary
from harness.tracking.reading import LoggedSet

_CONDITION = re.compile(r"(?P<name>[a-z_]+(?:@[0-9]+)?)\s*(?P<sign>>=|>|<=|<|==)\s*(?P<bound>\S+)")
_SIGNS = {
    ">=": lambda value, bound: value >= bound,
    ">": lambda value, bound: value > bound,
    "<=": lambda value, bound: value <= bound,
    "<": lambda value, bound: value < bound,
    "==": lambda value, bound: value == bound,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A bound on a mean.

    Attributes:
        text: as it was written.
        measure: name of the mean.
        sign: ``>=``, ``>``, ``<=``, ``<`` or ``==``.
        bound: exact: 0.9 means 9/10.
    """

    text: str
    measure: str
    sign: str
    bound: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One condition and whether it holds."""

    holds: bool
    text: str


def parse_condition(text: str) -> Condition:
    """Read ``hit@3>=14/15`` or ``recall@3 >= 0.9``.

    Raises:
        InputError: it isn't of that form.
    """
    found = _CONDITION.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError
        bound = Fraction(found["bound"])
    except (ValueError, ZeroDivisionError):
        wanted = "a measure, a sign (>=, >, <=, <, ==) and a fraction or decimal, such as 'hit@3>=14/15'"
        raise InputError(f"--min: must be {wanted}, found {text!r}") from None
    return Condition(text=text.strip(), measure=found["name"], sign=found["sign"], bound=bound)


def check_condition(condition: Condition, summary: SetSummary) -> Finding:
    """Hold a mean against a bound; a mean that isn't defined doesn't hold.

    Raises:
        InputError: there is no such mean.
    """
    if condition.measure not in summary.means:
        raise InputError(f"--min: no mean {condition.measure!r} was logged; there are {', '.join(summary.means)}")
    value = summary.means[condition.measure]
    if value is None:
        return Finding(
            holds=False, text=f"{condition.text}: the mean is undefined, no question has a relevant document"
        )
    holds = _SIGNS[condition.sign](value, condition.bound)
    return Finding(holds=holds, text=f"{condition.text}: {condition.measure} is {value} ({float(value):.4f})")


def check_missing(summary: SetSummary, allowed: int) -> Finding:
    """Hold the number of questions the run left out against a limit."""
    count = len(summary.missing)
    named = f": {', '.join(summary.missing[:10])}" if count else ""
    return Finding(holds=count <= allowed, text=f"missing questions: {count}, allowed {allowed}{named}")


def check_protocol(summary: LoggedSet, wanted: str) -> Finding:
    """Hold the protocol hash against a wanted one or its beginning.

    Raises:
        InputError: the wanted one is no hash.
    """
    if not re.fullmatch(r"[0-9a-f]{8,64}", wanted):
        raise InputError(f"--protocol: must be 8 to 64 hexadecimal digits, found {wanted!r}")
    found = summary.header.hashes["protocol"]
    return Finding(holds=found.startswith(wanted), text=f"protocol: {found[:16]}, wanted {wanted[:16]}")


def check_regression(run: LoggedSet, baseline: LoggedSet, measure: str | None, allowed: int) -> Finding:
    """Hold the questions on which a run is worse than a baseline against a limit.

    Raises:
        InputError: the two can't be compared.
    """
    found = compare_sets(baseline, run, measure)
    worse = [q for q in found.questions if _falls(q.values[found.measure])]
    named = "".join(f"\n    {q.query}: {_change(q.values[found.measure])}, parts at {q.stage}" for q in worse)
    count = f"{len(worse)} question{'' if len(worse) == 1 else 's'}"
    text = f"{found.measure} worse than {baseline.label} on {count}, allowed {allowed}{named}"
    return Finding(holds=len(worse) <= allowed, text=text)


def gate(
    run: LoggedSet,
    *,
    conditions: Sequence[Condition],
    max_missing: int | None,
    protocol: str | None,
    baseline: LoggedSet | None,
    measure: str | None,
    allowed: int,
) -> list[Finding]:
    """Return every condition with whether it holds, in the order in which they are listed here.

    Raises:
        InputError: nothing was asked for, or a condition makes no sense for this run.
    """
    found = list(_findings(run, conditions, max_missing, protocol))
    if baseline is not None:
        found.append(check_regression(run, baseline, measure, allowed))
    if not found:
        wanted = "--min, --max-missing, --protocol or --no-regression-against"
        raise InputError(f"gate: give at least one condition ({wanted}); without one everything would pass")
    return found


def _findings(
    run: LoggedSet, conditions: Sequence[Condition], max_missing: int | None, protocol: str | None
) -> Iterator[Finding]:
    if protocol is not None:
        yield check_protocol(run, protocol)
    if max_missing is not None:
        yield check_missing(run.summary, max_missing)
    for condition in conditions:
        yield check_condition(condition, run.summary)


def _falls(values: tuple[Fraction | None, Fraction | None]) -> bool:
    before, after = values
    return before is not None and after is not None and after < before


def _change(values: tuple[Fraction | None, Fraction | None]) -> str:
    return " → ".join("undefined" if value is None else str(value) for value in values)
