"""Scores a run that was read as columns."""

from __future__ import annotations

from pathlib import Path

from harness.runs.columnar import ColumnRun
from harness.scorecard.arguments import Request
from harness.scorecard.scoring import Judged, Scored, refuse_unjudged, unknown_queries
from harness.scoring.encoded import EncodedJudgments, EncodedRuns, score_many
from harness.scoring.encoded.judgments import NOT_LISTED


def score_columns(judged: Judged, request: Request, path: Path, run: ColumnRun) -> Scored:
    """Score a column run; the same values and refusals as for the careful reader's run.

    Raises:
        InputError: it holds what the rules of the request refuse.
    """
    import numpy as np

    notes = unknown_queries(judged, request, path, dict.fromkeys(run.queries))
    more = dict.fromkeys(document for row in judged.grades.values() for document in row)
    encoded = EncodedJudgments.encode(
        ledger=judged.ledger,
        judgments=judged.judgments,
        document_ids=tuple(dict.fromkeys((*run.documents, *more))),
        conventions=judged.conventions,
    )
    row_of = {query: row for row, query in enumerate(judged.ledger)}
    at = np.array([row_of.get(query, -1) for query in run.queries], dtype=np.int64)
    table = np.full((len(judged.ledger), run.ranked.shape[1]), -1, dtype=np.int32)
    table[at[at >= 0]] = run.ranked[at >= 0]
    missing = np.ones(len(judged.ledger), dtype=np.bool_)
    missing[at[at >= 0]] = False
    runs = EncodedRuns.stack(encoded, [table], missing=[missing])
    returned = int(runs.lengths.sum())
    codes = encoded.lookup.spread(encoded.lookup.cells(runs.cells[:, 0])).T
    strange = np.argwhere((codes == NOT_LISTED) & (table >= 0))
    examples = [(judged.ledger[row], run.documents[table[row, rank]]) for row, rank in strange[:3]]
    refuse_unjudged(request, path, len(strange), examples)
    scores = score_many(encoded, runs)[0]
    return Scored(
        file=str(path),
        eligible=scores.eligible_queries,
        missing=scores.missing_queries,
        no_relevant=scores.no_relevant_queries,
        returned=returned,
        unjudged=len(strange),
        means=scores.means,
        lower=scores.lower,
        upper=scores.upper,
        notes=tuple(notes),
    )
