"""Controls: what a wrong metric would have said beside the true value, on the run at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.records import Judgments
from harness.scoring.checks import DUPLICATE, check_cutoff
from harness.scoring.exact import ONE, ZERO, mean, ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One wrong way to compute a mean, with its outcome.

    Attributes:
        fault: the wrong way, in words.
        wrong: the mean it gives; None when it has nothing to average.
        right: the true mean; None when no query is eligible.
    """

    fault: str
    wrong: Fraction | None
    right: Fraction | None

    @property
    def differs(self) -> bool:
        """True when the fault would have changed the reported value."""
        return self.wrong != self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class RawReplacement:
    """What becomes of chunk rankings whose ids are replaced by document ids without collapsing.

    Attributes:
        affected_queries: queries whose ranking then holds a document twice, in ledger order.
    """

    affected_queries: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """True when no ranking holds a document twice, so that nothing is refused."""
        return not self.affected_queries

    @property
    def reason(self) -> str | None:
        """The refusal's words, None when accepted."""
        return None if self.accepted else DUPLICATE

    @property
    def differs(self) -> bool:
        """True when the fault would have been refused."""
        return not self.accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """All controls of one run.

    Attributes:
        dropping_missing_recall: Recall@k averaged over the queries present in the run only.
        dropping_missing_rr: RR@k averaged likewise.
        hit_rate_as_recall: "any relevant document in the top k" reported as recall.
        occurrence_counting: chunk occurrences of relevant documents in the first k chunks ÷ relevant
            documents; not capped, so it can pass 1.
        raw_id_replacement: chunk ids replaced by document ids without collapsing.
    """

    dropping_missing_recall: Control
    dropping_missing_rr: Control
    hit_rate_as_recall: Control
    occurrence_counting: Control
    raw_id_replacement: RawReplacement


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    present: bool
    recall: Fraction
    rr: Fraction
    hit: Fraction
    occurrences: Fraction


def run_controls(
    *,
    ledger: Sequence[str],
    judgments: Judgments,
    document_runs: Mapping[str, Sequence[str]],
    chunk_runs: Mapping[str, Sequence[str]],
    chunk_to_doc: Mapping[str, str],
    k: int,
    relevance_threshold: int = 1,
) -> Controls:
    """Compute every control beside its true value, over the eligible queries of the ledger.

    Args:
        ledger: ids of the scored queries, in order.
        judgments: for every query of the ledger; an unlisted document counts as not relevant.
        document_runs: what was scored, already accepted by ``evaluate`` or ``score_run``.
        chunk_runs: the chunk rankings it came from, already accepted by ``adapt_runs``.
        chunk_to_doc: chunk id → document id.
        k: the cutoff, of documents for the true values and of chunks for occurrence counting.
        relevance_threshold: the smallest grade that counts as relevant.

    Raises:
        ValueError: k isn't an int of at least 1.
    """
    check_cutoff(k)
    rows: list[_Row] = []
    for query in ledger:
        grades = judgments.grades[query]
        relevant = frozenset(item for item, grade in grades.items() if grade >= relevance_threshold)
        if relevant:
            chunks = [chunk_to_doc[chunk] for chunk in chunk_runs.get(query, ())[:k]]
            rows.append(_row(relevant, document_runs.get(query), chunks, k))
    repeated = tuple(query for query in ledger if _repeats(chunk_runs.get(query, ()), chunk_to_doc))
    return _controls(rows, RawReplacement(affected_queries=repeated))


def _controls(rows: Sequence[_Row], raw: RawReplacement) -> Controls:
    present = [row for row in rows if row.present]
    recall = mean(row.recall for row in rows)
    return Controls(
        dropping_missing_recall=Control(
            fault="missing queries dropped from the mean of recall",
            wrong=mean(row.recall for row in present),
            right=recall,
        ),
        dropping_missing_rr=Control(
            fault="missing queries dropped from the mean of rr",
            wrong=mean(row.rr for row in present),
            right=mean(row.rr for row in rows),
        ),
        hit_rate_as_recall=Control(fault="hit rate called recall", wrong=mean(row.hit for row in rows), right=recall),
        occurrence_counting=Control(
            fault="a document counted once per chunk in the first k chunks",
            wrong=mean(row.occurrences for row in rows),
            right=recall,
        ),
        raw_id_replacement=raw,
    )


def _row(relevant: frozenset[str], ranking: Sequence[str] | None, chunks: Sequence[str], k: int) -> _Row:
    ranks = [rank for rank, item in enumerate((ranking or ())[:k], start=1) if item in relevant]
    return _Row(
        present=ranking is not None,
        recall=ratio(len(ranks), len(relevant)),
        rr=ratio(1, ranks[0]) if ranks else ZERO,
        hit=ONE if ranks else ZERO,
        occurrences=ratio(sum(document in relevant for document in chunks), len(relevant)),
    )


def _repeats(ranking: Sequence[str], chunk_to_doc: Mapping[str, str]) -> bool:
    return len({chunk_to_doc[chunk] for chunk in ranking}) < len(ranking)
