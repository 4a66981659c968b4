"""Two finished parameter sets, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from harness.errors import InputError
from harness.review.comparable import require_comparable
from harness.scoring.measures import mean_name
from harness.stages import parting_stage
from harness.stats import PairedTest, Verdict, align, sign_flip, verdict
from harness.summary import QueryRow, Scalar, SetSummary, row_name
from harness.tracking.reading import LoggedSet

MEASURES = ("recall", "rr", "ndcg", "hit")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChange:
    """One measure in both sets, over the questions that have a value.

    Attributes:
        measure: name of the mean.
        before: mean of A.
        after: mean of B.
        wins: questions on which B is better.
        losses: questions on which B is worse.
        ties: questions with the same value.
    """

    measure: str
    before: Fraction
    after: Fraction
    wins: int
    losses: int
    ties: int

    @property
    def difference(self) -> Fraction:
        """B minus A."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionChange:
    """A question whose document ranking or value differs.

    Attributes:
        query: its id.
        question: its text.
        tags: its labels.
        before: document rank of the first relevant document in A, None where none was retrieved.
        after: the same in B.
        values: measure → value in A and in B.
        stage: first stage at which the two part.
    """

    query: str
    question: str
    tags: tuple[str, ...]
    before: int | None
    after: int | None
    values: Mapping[str, tuple[Fraction | None, Fraction | None]]
    stage: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TagChange:
    """The main measure over the questions of one tag."""

    tag: str
    questions: int
    before: Fraction
    after: Fraction
    wins: int
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """A against B.

    Attributes:
        before: label of A.
        after: label of B.
        k: document cutoff.
        measure: the main measure, which the verdict is about.
        parameters: parameters that differ → value in A and in B.
        measures: the means at ``k``.
        tags: the main measure by tag.
        questions: those whose ranking, first relevant rank or values differ.
        eligible: questions with a value.
        test: sign-flip test of the main measure.
        verdict: by the rules of ``harness.stats.verdicts``.
    """

    before: str
    after: str
    k: int
    measure: str
    parameters: Mapping[str, tuple[Scalar, Scalar]]
    measures: tuple[MeasureChange, ...]
    tags: tuple[TagChange, ...]
    questions: tuple[QuestionChange, ...]
    eligible: int
    test: PairedTest
    verdict: Verdict


def compare_sets(before: LoggedSet, after: LoggedSet, measure: str | None = None) -> RunComparison:
    """Compare two sets that were asked the same questions under the same rules.

    Args:
        before: A.
        after: B.
        measure: what the verdict is about, such as ``ndcg@3``; the main measure of A's study by default.

    Raises:
        InputError: documents, questions, judgments, split or conventions differ (each is named), or the measure isn't
            there.
    """
    require_comparable(before, after)
    k = before.header.k
    main = per_query_name(measure or before.header.main_measure, before.summary)
    names = dict.fromkeys([main, *(f"{name}@{k}" for name in MEASURES)])
    rows = list(zip(before.summary.rows, after.summary.rows, strict=True))
    panel = align({"A": _column(before.summary, main), "B": _column(after.summary, main)})
    differences = panel.differences("B", "A")
    test = sign_flip(differences)
    old, new = before.summary.parameters, after.summary.parameters
    return RunComparison(
        before=before.label,
        after=after.label,
        k=k,
        measure=main,
        parameters={name: (old.get(name), new.get(name)) for name in {**old, **new} if old.get(name) != new.get(name)},
        measures=tuple(_measure_change(name, rows) for name in names),
        tags=tuple(_tag_changes(main, rows)),
        questions=tuple(_question_changes(list(names), rows, before, after)),
        eligible=len(panel.queries),
        test=test,
        verdict=verdict(differences, test.p),
    )


def per_query_name(measure: str, summary: SetSummary) -> str:
    """Return the name a measure has question by question (``mrr@3`` is the mean of ``rr@3``).

    Raises:
        InputError: the set has no such measure.
    """
    name = row_name(measure)
    known = list(summary.rows[0].values) if summary.rows else []
    if name not in known:
        raise InputError(f"no measure {measure!r} was logged; there are {', '.join(known) or 'none'}")
    return name


def _column(summary: SetSummary, measure: str) -> dict[str, Fraction | None]:
    return {row.query: row.values[measure] for row in summary.rows}


def _pairs(measure: str, rows: list[tuple[QueryRow, QueryRow]]) -> list[tuple[Fraction, Fraction]]:
    pairs = [(a.values[measure], b.values[measure]) for a, b in rows]
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _measure_change(measure: str, rows: list[tuple[QueryRow, QueryRow]]) -> MeasureChange:
    pairs = _pairs(measure, rows)
    n = len(pairs)
    return MeasureChange(
        measure=mean_name(measure),
        before=Fraction(sum(a for a, _ in pairs), n),
        after=Fraction(sum(b for _, b in pairs), n),
        wins=sum(b > a for a, b in pairs),
        losses=sum(b < a for a, b in pairs),
        ties=sum(b == a for a, b in pairs),
    )


def _tag_changes(measure: str, rows: list[tuple[QueryRow, QueryRow]]) -> Iterator[TagChange]:
    for tag in dict.fromkeys(tag for a, _ in rows for tag in a.tags):
        pairs = _pairs(measure, [(a, b) for a, b in rows if tag in a.tags])
        if pairs:
            yield TagChange(
                tag=tag,
                questions=len(pairs),
                before=Fraction(sum(a for a, _ in pairs), len(pairs)),
                after=Fraction(sum(b for _, b in pairs), len(pairs)),
                wins=sum(b > a for a, b in pairs),
                losses=sum(b < a for a, b in pairs),
            )


def _question_changes(
    names: list[str], rows: list[tuple[QueryRow, QueryRow]], before: LoggedSet, after: LoggedSet
) -> Iterator[QuestionChange]:
    for a, b in rows:
        if a.retrieved == b.retrieved and a.values == b.values:
            continue
        yield QuestionChange(
            query=a.query,
            question=a.question,
            tags=a.tags,
            before=a.first_relevant_rank,
            after=b.first_relevant_rank,
            values={name: (a.values[name], b.values[name]) for name in names},
            stage=parting_stage(a.query, before.stages, after.stages),
        )
