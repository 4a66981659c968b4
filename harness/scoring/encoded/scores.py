"""What scoring an encoded run returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from harness.scoring.encoded.means import bounds, means_of_one
from harness.scoring.encoded.rows import query_scores
from harness.scoring.encoded.runs import EncodedRuns
from harness.scoring.measures.measure import NamedMeasure
from harness.scoring.scores import QueryScores, RunScores, Values


@dataclass(frozen=True, kw_only=True, eq=False)
class EncodedScores:
    """One scored run. Means are there at once; bounds and rows are worked out when first asked for.

    Attributes:
        runs: the checked runs it is one of.
        place: which of them.
        measures: what was asked for.
        means: name of each measure → exact macro average over the queries that have a value; None when none has.
    """

    runs: EncodedRuns
    place: int
    measures: tuple[NamedMeasure, ...]
    means: Mapping[str, Fraction | None]

    @property
    def total_queries(self) -> int:
        """Queries of the ledger."""
        return len(self.runs.judgments.ledger)

    @property
    def eligible_queries(self) -> int:
        """Queries with a relevant document."""
        return self.runs.judgments.eligible_queries

    @property
    def no_relevant_queries(self) -> tuple[str, ...]:
        """Ids without a relevant document."""
        return self.runs.judgments.no_relevant_queries

    @property
    def missing_queries(self) -> tuple[str, ...]:
        """Ids the run leaves out."""
        missing = self.runs.missing[self.place]
        return tuple(self.runs.judgments.ledger[row] for row in missing.nonzero()[0].tolist())

    @cached_property
    def lower(self) -> Values:
        """Mean of the rows' smallest values for the measures that have bounds; empty for exhaustive judgments."""
        return {name: pair[0] for name, pair in self._bounds.items()}

    @cached_property
    def upper(self) -> Values:
        """Mean of the rows' largest values, likewise."""
        return {name: pair[1] for name, pair in self._bounds.items()}

    @cached_property
    def _bounds(self) -> Mapping[str, tuple[Fraction | None, ...]]:
        if self.runs.judgments.judgments.exhaustive:
            return {}
        return bounds(self.runs, self.place, self.measures)

    @cached_property
    def _rows(self) -> tuple[QueryScores, ...]:
        return query_scores(self.runs, self.place)

    def rows(self) -> tuple[QueryScores, ...]:
        """Return one row per query of the ledger, with all measures of the view, as ``score_run`` gives them."""
        return self._rows

    def run_scores(self) -> RunScores:
        """Return exactly what ``score_run`` (or ``score_chunk_view``) returns for this run, all measures included."""
        judgments, view = self.runs.judgments, self.runs.view
        measures = judgments.conventions.of_view(view)
        whole = self if measures == self.measures else self._with(measures)
        rows = self.rows()
        returned = sum(row.returned for row in rows)
        return RunScores(
            view=view,
            conventions_sha256=judgments.conventions.sha256,
            rows=rows,
            means=dict(whole.means),
            lower=whole.lower,
            upper=whole.upper,
            total_queries=len(rows),
            eligible_queries=self.eligible_queries,
            missing_queries=self.missing_queries,
            no_relevant_queries=self.no_relevant_queries,
            judged_share=Fraction(sum(row.judged for row in rows), returned) if returned else None,
        )

    def _with(self, measures: tuple[NamedMeasure, ...]) -> EncodedScores:
        return replace(self, measures=measures, means=means_of_one(self.runs, self.place, measures))
