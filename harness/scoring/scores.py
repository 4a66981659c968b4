"""What scoring a run returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.scoring.measures.measure import View

Values = Mapping[str, Fraction | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryScores:
    """One query of a scored run.

    Attributes:
        query: its id.
        missing: True when the run leaves it out (an empty ranking isn't missing).
        returned: how many items the run returned, whatever the cutoffs.
        judged: how many of those are judged.
        relevant: how many relevant documents the query has, returned or not.
        first_relevant_rank: rank of the first relevant item, **not cut at any k**; None when there is none.
            Under ``condense`` it is the rank after unjudged items were dropped.
        values: name of each measure → value, None where undefined.
        lower: smallest value over all labellings of the unjudged documents in the top k, for the measures
            that have bounds; empty when judgments are exhaustive.
        upper: the largest, likewise.
    """

    query: str
    missing: bool
    returned: int
    judged: int
    relevant: int
    first_relevant_rank: int | None
    values: Values
    lower: Values
    upper: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """A scored run, one row per query of the ledger.

    Attributes:
        view: ``document``, ``chunk`` or ``evidence``.
        conventions_sha256: the rules it was scored under.
        rows: in ledger order.
        means: name of each measure → macro average over the rows that have a value; None when none has.
        lower: mean of the rows' smallest values, for the measures that have bounds; empty when judgments are
            exhaustive. Attained, since queries are labelled independently.
        upper: mean of the largest, likewise.
        total_queries: rows.
        eligible_queries: rows with a relevant document.
        missing_queries: ids the run leaves out.
        no_relevant_queries: ids without a relevant document.
        judged_share: judged items ÷ returned items over the whole ledger, not cut; None when nothing was
            returned.
    """

    view: View
    conventions_sha256: str
    rows: tuple[QueryScores, ...]
    means: Values
    lower: Values
    upper: Values
    total_queries: int
    eligible_queries: int
    missing_queries: tuple[str, ...]
    no_relevant_queries: tuple[str, ...]
    judged_share: Fraction | None
