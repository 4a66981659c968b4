"""What is kept of a sweep: everything a report needs, exact, and the same whether fresh or read back from MLflow.

Values are fractions; in JSON they are text (``"5/6"``, ``"1"``), and what is undefined is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from harness.plainjson import from_json as from_json  # noqa: PLC0414
from harness.plainjson import to_json as to_json  # noqa: PLC0414
from harness.splits import Choice, Looks
from harness.wording import Scalar as Scalar  # noqa: PLC0414

Values = Mapping[str, Fraction | None]


def row_name(mean: str) -> str:
    """Return what one question's value is called: ``rr@3`` for the mean ``mrr@3``, else as the mean."""
    return mean.replace("mrr@", "rr@")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRow:
    """One question under one parameter set.

    Attributes:
        query: its id.
        question: its text.
        tags: its labels.
        relevant: ids of the relevant documents.
        retrieved: ids of the documents that were ranked, best first.
        missing: True when the run left the question out.
        first_relevant_rank: 1-based document rank, not cut at k; None when nothing relevant was retrieved.
        values: measure → value, None where undefined.
    """

    query: str
    question: str
    tags: tuple[str, ...]
    relevant: tuple[str, ...]
    retrieved: tuple[str, ...]
    missing: bool
    first_relevant_rank: int | None
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRow:
    """What one wrong way to compute a mean would have said.

    Attributes:
        fault: the wrong way, in words.
        measure: the mean it distorts.
        wrong: what it gives; None when it gives nothing.
        right: the true mean.
    """

    fault: str
    measure: str
    wrong: Fraction | None
    right: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSummary:
    """One parameter set.

    Attributes:
        name: readable, unique within its sweep.
        place: 0-based place in the grid, which orders reports.
        parameters: the parameters that matter, by dotted config name.
        means: name of the mean (``recall@3``, ``mrr@3``) → value.
        lower: smallest value over all labellings of unjudged documents; empty when judgments are exhaustive.
        upper: the largest.
        oracles: pool of candidates (``bm25``, ``vector``; ``candidates``: those the set ordered) → mean → its value had
            the pool been put into the best order; empty where it wasn't worked out.
        eligible: questions with a relevant document.
        missing: ids the run left out.
        no_relevant: ids without a relevant document.
        rows: one per question, in file order.
        controls: those of ``harness.scoring.controls`` that differ from the truth on this run.
        repeated: ids of questions whose ranking would be refused if chunk ids were merely renamed to document ids.
        hashes: name → SHA-256.
        facts: counts a reader should see.
        notes: sentences on what may mislead.
    """

    name: str
    place: int
    parameters: Mapping[str, Scalar]
    means: Values
    lower: Values
    upper: Values
    eligible: int
    missing: tuple[str, ...]
    no_relevant: tuple[str, ...]
    rows: tuple[QueryRow, ...]
    controls: tuple[ControlRow, ...]
    repeated: tuple[str, ...]
    hashes: Mapping[str, str]
    facts: Mapping[str, float]
    notes: tuple[str, ...]
    oracles: Mapping[str, Values] = field(default_factory=dict)

    def column(self, mean: str) -> dict[str, Fraction | None]:
        """Return the values that a mean is over: query id → value.

        Raises:
            KeyError: no such mean was computed.
        """
        name = row_name(mean)
        return {row.query: row.values[name] for row in self.rows}

    def valued(self, measure: str) -> int:
        """Return how many questions have a value of a measure (as rows name it): the n of its mean."""
        return sum(1 for row in self.rows if row.values.get(measure) is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRecord:
    """All that is logged for one parameter set.

    Attributes:
        summary: what reports need.
        files: name → text of each artifact.
        seconds: wall-clock time of the set's own search.
    """

    summary: SetSummary
    files: Mapping[str, str]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFailure:
    """A parameter set that could not be run.

    Attributes:
        name: as in ``SetSummary``.
        place: as in ``SetSummary``.
        parameters: as in ``SetSummary``.
        sha256: fingerprint of the parameters.
        reason: the error in one line.
        detail: the traceback.
    """

    name: str
    place: int
    parameters: Mapping[str, Scalar]
    sha256: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """A grid point that has no parameter set of its own, and what became of it."""

    point: Mapping[str, Scalar]
    fate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepHeader:
    """What all parameter sets of a sweep share.

    Attributes:
        study: name of the study.
        k: the document cutoff the table shows.
        cutoffs: all cutoffs that were scored, ascending, ``k`` among them.
        split: the split that was scored.
        exhaustive: whether unlisted documents were judged 0.
        unjudged: the policy for unjudged documents.
        varying: dotted names of the parameters that differ between sets, in config order.
        planned: number of distinct parameter sets.
        points: number of points of the grid as written.
        collapsed: points that repeat a parameter set.
        skipped: points that can't be run.
        hashes: protocol, split, conventions, config, corpus, golden, and evidence where there are quotes → SHA-256.
        notes: sentences on the collection.
        choice: how the sets were chosen on another split; None when all of the grid are run.
        measure: the mean that verdicts go by; None in sweeps that were logged before a study could name one.
        baseline: name of the set that the study says all others are held against; None where it doesn't say.
        floors: name of the mean → its expected value when all documents stand in random order; where it is known.
    """

    study: str
    k: int
    cutoffs: tuple[int, ...]
    split: str
    exhaustive: bool
    unjudged: str
    varying: tuple[str, ...]
    planned: int
    points: int
    collapsed: tuple[PointRow, ...]
    skipped: tuple[PointRow, ...]
    hashes: Mapping[str, str]
    notes: tuple[str, ...]
    choice: Choice | None = None
    baseline: str | None = None
    floors: Values = field(default_factory=dict)
    measure: str | None = None

    @property
    def main_measure(self) -> str:
        """The mean that verdicts go by."""
        return self.measure or f"recall@{self.k}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A sweep as reports see it.

    Attributes:
        header: what all sets share.
        sets: in grid order; fewer than ``header.planned`` when the sweep was stopped.
        looks: how often the split has been scored by now; None when nobody has counted.
    """

    header: SweepHeader
    sets: tuple[SetSummary, ...]
    looks: Looks | None = None
