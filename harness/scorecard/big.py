"""Scores a run that was read as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.runs.columnar import ColumnRun
from harness.scorecard.scoring import Judged, Scored, refuse_unjudged, unknown_queries
from harness.scoring.encoded import EncodedJudgments, EncodedRuns, score_many
from harness.scoring.encoded.judgments import NOT_LISTED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.runs.formats import FilePath
    from harness.scorecard.arguments import Request


def score_columns(judged: Judged, request: Request, path: FilePath, run: ColumnRun) -> Scored:
    """Score a column run; the same values and refusals as for the careful reader's run.

    Raises:
        InputError: it holds what the rules of the request refuse.
    """
    import numpy as np

    notes = unknown_queries(judged, request, path, dict.fromkeys(run.queries))
    encoded = EncodedJudgments.encode(
        ledger=judged.ledger,
        judgments=judged.judgments,
        document_ids=tuple(dict.fromkeys(document for row in judged.grades.values() for document in row)) or ("none",),
        conventions=judged.conventions,
    )
    row_of = {query: row for row, query in enumerate(judged.ledger)}
    at = np.array([row_of.get(query, -1) for query in run.queries], dtype=np.int64)
    table = np.full((len(judged.ledger), run.ranked.shape[1]), -1, dtype=np.int32)
    table[at[at >= 0]] = run.ranked[at >= 0]
    missing = np.ones(len(judged.ledger), dtype=np.bool_)
    missing[at[at >= 0]] = False
    runs = _runs(encoded, run, table, missing)
    cells = encoded.lookup.cells(runs.cells[:, 0])
    returned = int(runs.lengths.sum())
    unjudged = returned - len(encoded.lookup.listed(cells)[0])
    if unjudged and request.unjudged == "refuse":
        strange = np.argwhere((encoded.lookup.spread(cells).T == NOT_LISTED) & (table >= 0))[:3].tolist()
        examples = [(judged.ledger[row], run.names[int(table[row, rank])].as_py()) for row, rank in strange]
        refuse_unjudged(request, path, unjudged, examples)
    scores = score_many(encoded, runs)[0]
    return Scored(
        file=str(path),
        eligible=scores.eligible_queries,
        missing=scores.missing_queries,
        no_relevant=scores.no_relevant_queries,
        returned=returned,
        unjudged=unjudged,
        scores=scores,
        notes=tuple(notes),
    )


def _runs(
    encoded: EncodedJudgments, run: ColumnRun, table: NDArray[np.int32], missing: NDArray[np.bool_]
) -> EncodedRuns:
    """Return the run as the scorer holds it; the reader has checked that no row holds a document twice.

    Only judged documents have a number of their own. All others become ``fill``, which no judgment lists either;
    the lengths still count them.
    """
    import numpy as np

    known = np.append(run.places_in(encoded.document_ids, encoded.fill), encoded.fill).astype(np.int32)
    return EncodedRuns(
        judgments=encoded,
        view="document",
        cells=np.ascontiguousarray(known.take(table, mode="wrap").T[:, None]),
        lengths=(table >= 0).sum(axis=1, dtype=np.int32)[None],
        missing=missing[None],
    )
