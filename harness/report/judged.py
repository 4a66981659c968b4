"""What the questions of a sweep can and can't show about its parameter sets, on the main measure.

Both reports, Markdown and HTML, say what stands here. ``judge`` is a second's work for a hundred sets, so call it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.errors import InputError
from harness.stats import Comparison, Panel, Question, align, compare, intervals, mean_ceiling
from harness.summary import SetSummary, Sweep, SweepHeader, Values
from harness.wording import counted

RATED = ("recall", "mrr", "ndcg", "hit")
"""Means with a floor and a ceiling in reports."""

BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A sweep's sets, held against one of them.

    Attributes:
        measure: name of the main mean, as in ``SetSummary.means``: ``recall@k``.
        baseline: name of the set the others are held against; empty when no set has finished.
        rule: how it was chosen, before any value was seen.
        questions: n, the questions with a value.
        panel: the main measure question by question; None without a question that has a value.
        comparisons: name of every other set → what can be said of it against the baseline.
        floors: mean → expected value in random order; absent where it isn't known.
        ceilings: mean → the best value the judgments allow.
    """

    measure: str
    baseline: str
    rule: str
    questions: int
    panel: Panel | None
    comparisons: Mapping[str, Comparison]
    floors: Values
    ceilings: Values

    @property
    def smallest(self) -> tuple[float, float, float] | None:
        """Least, middle and largest of the mean differences that each comparison would have seen with 80 % power."""
        known = sorted(c.power.smallest for c in self.comparisons.values() if c.power.smallest is not None)
        return (known[0], known[len(known) // 2], known[-1]) if known else None

    def verdict(self, name: str) -> str:
        """Return the word for one set, and which way it goes where it goes one; empty where nothing can be said."""
        if name == self.baseline:
            return BASELINE
        found = self.comparisons.get(name)
        if found is None:
            return ""
        if not found.verdict.significant:
            return str(found.verdict)
        return f"{found.verdict} ({'better' if found.test.mean > 0 else 'worse'})"

    def sentences(self) -> list[str]:
        """Return what has to stand beside every table of these values: n, 1/n, the baseline's rule, and the power."""
        n, measure = self.questions, self.measure
        if not n:
            return ["No question has a relevant document, so every mean is undefined and nothing can be compared."]
        told = [
            f"n = {n} questions; one question is worth at most 1/{n} = {1 / n:.4f} of a mean.",
            f"Verdicts go by {measure} against the baseline {self.baseline} ({self.rule}), two-sided at 5 %, "
            f"corrected for {counted(len(self.comparisons), 'comparison')} (max-T).",
        ]
        if len(self.panel.sets if self.panel else ()) < 2:
            told[1:] = ["There is one parameter set, so there is nothing to compare it with."]
        elif self.smallest is None:
            told.append(f"No set differs from the baseline in {measure} in a way that would show a spread.")
        else:
            least, middle, largest = self.smallest
            span = "" if least == largest else f" ({least:.4f} to {largest:.4f}, depending on the set)"
            told.append(
                f"With 80 % power a mean difference of about {middle:.4f}{span} would have been seen; what is smaller "
                "may be there all the same."
            )
        return told


def judge(sweep: Sweep, baseline: str | None = None, measure: str | None = None) -> Judged:
    """Hold all finished sets of a sweep against one; intervals are left to ``with_intervals``.

    Args:
        sweep: fresh, or read back.
        baseline: name of a set. None: the one the study names, else the first in grid order.
        measure: name of a mean. None: the one the study names, else recall at its k.

    Raises:
        InputError: no finished set is called ``baseline``, or no mean ``measure`` was computed.
    """
    measure = _choose_measure(sweep, measure)
    name, rule = choose_baseline(sweep, baseline)
    values = {summary.name: summary.column(measure) for summary in sweep.sets}
    defined = any(value is not None for row in values.values() for value in row.values())
    panel = align(values) if defined else None
    return Judged(
        measure=measure,
        baseline=name,
        rule=rule,
        questions=len(panel.queries) if panel else 0,
        panel=panel,
        comparisons=compare(panel, name, intervals=False) if panel else {},
        floors=sweep.header.floors,
        ceilings=_ceilings(sweep.header, sweep.sets[0]) if panel else {},
    )


def choose_baseline(sweep: Sweep, wanted: str | None) -> tuple[str, str]:
    """Return the name of the baseline and the rule it was chosen by; the rule never looks at a value.

    Raises:
        InputError: no finished set is called ``wanted``.
    """
    names, named = [summary.name for summary in sweep.sets], sweep.header.baseline
    if wanted is not None:
        if wanted in names:
            return wanted, "named when the report was asked for"
        listed = "".join(f"\n  {name}" for name in names)
        raise InputError(f"--baseline: no finished set is called {wanted!r}; there are:{listed}")
    if named is not None and named in names:
        return named, "named in the study"
    first = names[0] if names else ""
    absent = f", as {named}, which the study names, hasn't finished" if named is not None else ""
    return first, f"the first of the grid{absent}"


def with_intervals(judged: Judged) -> Judged:
    """Return the same with bootstrap intervals, which take longer than all the rest."""
    known = intervals({label: comparison.differences for label, comparison in judged.comparisons.items()})
    return replace(
        judged,
        comparisons={label: replace(found, interval=known[label]) for label, found in judged.comparisons.items()},
    )


def _choose_measure(sweep: Sweep, wanted: str | None) -> str:
    if wanted is None or not sweep.sets:
        return sweep.header.main_measure
    known = [name for name in sweep.sets[0].means if not name.startswith("judged@")]
    if wanted not in known:
        raise InputError(f"--measure: no mean is called {wanted!r}; there are {', '.join(known)}")
    return wanted


def _ceilings(header: SweepHeader, summary: SetSummary) -> dict[str, Fraction | None]:
    """Return the best means. They follow from how many documents are relevant; an ideal ranking's nDCG is 1."""
    left_out = set(summary.no_relevant)
    relevant = Counter(len(row.relevant) for row in summary.rows if row.query not in left_out)
    questions = [Question(documents=r, relevant=r, gains=(1,) * r) for r in relevant.elements()]
    cutoffs = sorted({*header.cutoffs, header.k})
    return {
        f"{name}@{k}": mean_ceiling(f"{name}@{k}", questions, discounts=(1,) * k) for name in RATED for k in cutoffs
    }
