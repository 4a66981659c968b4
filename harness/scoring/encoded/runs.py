"""Runs as integers: checked once, cell by cell, and held with the ranks outermost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.scoring.checks import CHUNK_DUPLICATE, CHUNK_UNKNOWN, DUPLICATE, OUTSIDE, RANKING, UNKNOWN, refuse, show
from harness.scoring.encoded.judgments import EncodedJudgments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.scoring.measures.measure import View

_SHAPE = "a run must be an array of whole numbers, one row per query of the ledger"
_MISSING = "missing must be one truth value per query of the ledger"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EncodedRuns:
    """Any number of checked runs over one ledger; copies, so the arrays they came from may change.

    Attributes:
        judgments: what they are scored against.
        view: ``document``, or ``chunk`` when the cells are the documents of chunks.
        cells: int32 (w, r, q): the document at each rank, ``judgments.fill`` after a ranking's end.
        lengths: int32 (r, q): items of each ranking.
        missing: bool (r, q): the run leaves the query out.
    """

    judgments: EncodedJudgments
    view: View
    cells: NDArray[np.int32]
    lengths: NDArray[np.int32]
    missing: NDArray[np.bool_]

    @classmethod
    def stack(cls, judgments: EncodedJudgments, runs: Any, *, missing: Any = None) -> EncodedRuns:
        """Check document rankings and put them together.

        Args:
            judgments: encoded judgments.
            runs: integer array (r, q, w), or a sequence of (q, w) arrays whose widths may differ; documents
                best first, -1 after a ranking's end.
            missing: bool (r, q) or one (q,) per run: queries the run leaves out. None: no query is missing.

        Raises:
            ValueError: with the words of ``score_run`` for a document outside 0 to n-1 or one twice in a
                ranking, at any rank; for a -1 that isn't at the end; for another shape or kind of array.
        """
        checked = _Checking(judgments, None, None)
        return checked.stack(runs, missing, "document")

    @classmethod
    def stack_chunks(
        cls,
        judgments: EncodedJudgments,
        chunk_runs: Any,
        chunk_document: Any,
        *,
        chunk_ids: Sequence[str] | None = None,
        missing: Any = None,
    ) -> EncodedRuns:
        """Check chunk rankings and put them together as the documents of their chunks.

        Args:
            judgments: encoded judgments.
            chunk_runs: as ``runs`` of ``stack``, with integers of chunks.
            chunk_document: integer array (c,): chunk → document.
            chunk_ids: names of the chunks for messages; without them messages show the integers.
            missing: as in ``stack``.

        Raises:
            ValueError: with the words of ``score_chunk_view``; see ``stack`` for shapes.
        """
        table = _chunk_table(judgments, chunk_document)
        return _Checking(judgments, table, chunk_ids).stack(chunk_runs, missing, "chunk")

    def __len__(self) -> int:
        return int(self.lengths.shape[0])


class _Checking:
    """The checks of one kind of run: documents, or chunks when there is a table of their documents."""

    def __init__(
        self, judgments: EncodedJudgments, table: NDArray[np.int32] | None, names: Sequence[str] | None
    ) -> None:
        self.judgments = judgments
        self.table = table
        self.size = len(judgments.document_ids) if table is None else len(table) - 1
        self.names = judgments.document_ids if table is None else names

    def stack(self, runs: Any, missing: Any, view: View) -> EncodedRuns:
        import numpy as np

        arrays = [self._shaped(run) for run in runs]
        rows, count = len(self.judgments.ledger), len(arrays)
        left_out = np.zeros((count, rows), dtype=np.bool_)
        width = max((array.shape[1] for array in arrays), default=0)
        cells = np.full((width, count, rows), self.judgments.fill, dtype=np.int32)
        lengths = np.zeros((count, rows), dtype=np.int32)
        for at, array in enumerate(arrays):
            lengths[at] = self._lengths(array)
            self._distinct(array)
            known = array if self.table is None else self.table.take(array, mode="wrap")
            cells[: array.shape[1], at] = known.T
        if self.table is None:
            cells[cells < 0] = self.judgments.fill
        if missing is not None:
            _fill_missing(left_out, missing, lengths, self.judgments)
        return EncodedRuns(judgments=self.judgments, view=view, cells=cells, lengths=lengths, missing=left_out)

    def _shaped(self, run: Any) -> NDArray[Any]:
        import numpy as np

        rows = len(self.judgments.ledger)
        if not isinstance(run, np.ndarray) or run.ndim != 2 or run.shape[0] != rows:
            found = f"an array of shape {run.shape}" if isinstance(run, np.ndarray) else show(run)
            refuse(_SHAPE, f"wanted shape ({rows}, width), got {found}")
        if run.dtype.kind != "i":
            refuse(_SHAPE, f"wanted int32, got {run.dtype}")
        return run

    def _lengths(self, run: NDArray[Any]) -> Any:
        """Return the length of each row; refuse strange integers and a -1 before the end."""
        if not run.size:
            return 0
        least, most = int(run.min()), int(run.max())
        if least < -1 or most >= self.size:
            self._explain(run)
        if least >= 0:
            return run.shape[1]
        ended = run < 0
        if (ended[:, :-1] & ~ended[:, 1:]).any():
            self._explain(run)
        return run.shape[1] - ended.sum(axis=1)

    def _distinct(self, run: NDArray[Any]) -> None:
        """Refuse an item that occurs twice in a row."""
        import numpy as np

        ordered = np.sort(run, axis=1)
        twice = ordered[:, 1:] == ordered[:, :-1]
        if run.size and twice.any() and (twice & (ordered[:, 1:] >= 0)).any():
            self._explain(run)

    def _explain(self, run: NDArray[Any]) -> None:
        """Raise the error of the first faulty row, as the reference scorer would."""
        for query, row in zip(self.judgments.ledger, run.tolist(), strict=True):
            end = next((place for place, item in enumerate(row) if item == -1), len(row))
            for rank, item in enumerate(row[end:], start=end + 1):
                if item != -1:
                    refuse(RANKING, f"-1 at rank {end + 1} of query {show(query)} stands before {item} at rank {rank}")
            checks = (self._twice, self._strange) if self.table is None else (self._strange, self._twice)
            for check in checks:
                check(query, row[:end])

    def _twice(self, query: str, row: list[int]) -> None:
        first: dict[int, int] = {}
        for rank, item in enumerate(row, start=1):
            if item in first:
                words = DUPLICATE if self.table is None else CHUNK_DUPLICATE
                refuse(words, f"{self._name(item)} at ranks {first[item]} and {rank} of query {show(query)}")
            first[item] = rank

    def _strange(self, query: str, row: list[int]) -> None:
        for rank, item in enumerate(row, start=1):
            if not 0 <= item < self.size:
                words, home = (UNKNOWN, "corpus") if self.table is None else (CHUNK_UNKNOWN, "mapping")
                refuse(words, f"{item} at rank {rank} of query {show(query)} isn't in the {home} of {self.size}")

    def _name(self, item: int) -> str:
        return show(self.names[item]) if self.names is not None and 0 <= item < len(self.names) else str(item)


def _chunk_table(judgments: EncodedJudgments, chunk_document: Any) -> NDArray[np.int32]:
    """Return chunk → document with ``fill`` behind the last, so that -1 leads there."""
    import numpy as np

    documents = len(judgments.document_ids)
    words = "chunk_document must be a one-dimensional array of whole numbers"
    if not isinstance(chunk_document, np.ndarray) or chunk_document.ndim != 1 or chunk_document.dtype.kind != "i":
        refuse(words, f"got {show(chunk_document)}")
    outside = np.flatnonzero((chunk_document < 0) | (chunk_document >= documents))
    if len(outside):
        at = int(outside[0])
        refuse(OUTSIDE, f"chunk {at} leads to {int(chunk_document[at])}, which isn't in the corpus of {documents}")
    return np.append(chunk_document, judgments.fill).astype(np.int32)


def _fill_missing(
    left_out: NDArray[np.bool_], missing: Any, lengths: NDArray[np.int32], judgments: EncodedJudgments
) -> None:
    """Copy the masks; refuse a shape or kind that doesn't fit, and a missing query with a ranking."""
    import numpy as np

    masks = list(missing)
    if len(masks) != len(left_out):
        refuse(_MISSING, f"{len(left_out)} runs, {len(masks)} masks")
    for at, mask in enumerate(masks):
        if mask is None:
            continue
        given = np.asarray(mask)
        if given.shape != left_out[at].shape or given.dtype != np.bool_:
            refuse(_MISSING, f"wanted bool of shape {left_out[at].shape}, got {given.dtype} of shape {given.shape}")
        left_out[at] = given
    for at, row in zip(*np.nonzero(left_out & (lengths > 0)), strict=True):
        query = judgments.ledger[row]
        refuse(_MISSING, f"query {show(query)} is called missing but has {lengths[at, row]} items")
