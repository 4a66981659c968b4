"""Scores encoded runs, one or hundreds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.scoring.checks import refuse
from harness.scoring.encoded.judgments import EncodedJudgments
from harness.scoring.encoded.means import all_means
from harness.scoring.encoded.runs import EncodedRuns
from harness.scoring.encoded.scores import EncodedScores
from harness.scoring.measures.measure import NamedMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def score_encoded(
    judgments: EncodedJudgments, run: NDArray[np.int32], *, missing: NDArray[np.bool_] | None = None
) -> EncodedScores:
    """Score one document run with the document measures of the conventions.

    Args:
        judgments: encoded judgments.
        run: int32 (q, w), documents best first, -1 after a ranking's end.
        missing: bool (q,): queries the run leaves out; their rows hold -1 only. None: no query is missing.

    Raises:
        ValueError: see ``EncodedRuns.stack``.
    """
    return score_many(judgments, [run], missing=[missing])[0]


def score_encoded_chunks(
    judgments: EncodedJudgments,
    chunk_run: NDArray[np.int32],
    chunk_document: NDArray[np.int32],
    *,
    chunk_ids: Sequence[str] | None = None,
    missing: NDArray[np.bool_] | None = None,
) -> EncodedScores:
    """Score one chunk run with the chunk measures of the conventions.

    Args:
        judgments: encoded judgments, of documents.
        chunk_run: int32 (q, w), chunks best first, -1 after a ranking's end.
        chunk_document: int32 (c,), chunk → document.
        chunk_ids: names of the chunks, for messages.
        missing: as for ``score_encoded``.

    Raises:
        ValueError: see ``EncodedRuns.stack_chunks``.
    """
    return score_many_chunks(judgments, [chunk_run], chunk_document, chunk_ids=chunk_ids, missing=[missing])[0]


def score_many(
    judgments: EncodedJudgments, runs: Any, *, missing: Any = None, measures: Sequence[str] | None = None
) -> list[EncodedScores]:
    """Score many document runs over the same judgments.

    Args:
        judgments: encoded judgments.
        runs: integer array (r, q, w); or a sequence of (q, w) arrays whose widths may differ; or what
            ``EncodedRuns.stack`` made of either, which was checked there and isn't checked again.
        missing: bool (r, q), or a sequence of (q,) or None; not with ``EncodedRuns``, which hold their own.
        measures: names of the measures wanted, out of those of the conventions; all of the view by default.

    Raises:
        ValueError: see ``EncodedRuns.stack``; a measure that the conventions don't hold.
    """
    stacked = runs if isinstance(runs, EncodedRuns) else EncodedRuns.stack(judgments, runs, missing=missing)
    if stacked.judgments is not judgments:
        refuse("runs were encoded for other judgments", "stack them with the judgments they are scored against")
    wanted = _wanted(judgments.conventions.of_view(stacked.view), measures)
    means = all_means(stacked, wanted)
    return [EncodedScores(runs=stacked, place=place, measures=wanted, means=found) for place, found in enumerate(means)]


def score_many_chunks(
    judgments: EncodedJudgments,
    chunk_runs: Any,
    chunk_document: NDArray[np.int32],
    *,
    chunk_ids: Sequence[str] | None = None,
    missing: Any = None,
    measures: Sequence[str] | None = None,
) -> list[EncodedScores]:
    """Score many chunk runs over the same judgments; arguments as in ``score_many`` and ``score_encoded_chunks``."""
    stacked = EncodedRuns.stack_chunks(judgments, chunk_runs, chunk_document, chunk_ids=chunk_ids, missing=missing)
    return score_many(judgments, stacked, measures=measures)


def _wanted(known: tuple[NamedMeasure, ...], names: Sequence[str] | None) -> tuple[NamedMeasure, ...]:
    if names is None:
        return known
    table = {str(measure): measure for measure in known}
    for name in names:
        if name not in table:
            refuse("measure not in the conventions", f"{name!r}; they hold {', '.join(table) or 'none of this view'}")
    return tuple(table[name] for name in names)
