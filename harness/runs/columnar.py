"""Big TREC run files as columns: pyarrow reads, numpy orders; no Python loop over rows.

It takes a file only when every row is beyond doubt. For anything else (runs of spaces, a strange score, a document
twice, an id that isn't in NFC) it gives None, and the careful reader finds out what it is and on which line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.runs.opening import read_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.runs.formats import FilePath

_NOT_IN_AN_ID = re.compile(r"[\x00-\x1f \x7f-\x9f]")
_COLUMNS = ("query", "q0", "document", "rank", "score", "tag")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnRun:
    """A run as integers, in the order of trec_eval.

    Attributes:
        queries: ids of the queries, in file order.
        names: pyarrow array of the distinct ids of the documents; text of 100,000 ids is made only where needed.
        ranked: int32 (q, w): places in ``names``, best first, -1 after a ranking's end; each at most once a row.
    """

    queries: tuple[str, ...]
    names: Any
    ranked: NDArray[np.int32]

    def rankings(self) -> dict[str, list[str]]:
        """Return the rankings as ``read_run`` does."""
        names = self.names.to_pylist()
        return {
            query: [names[item] for item in row if item >= 0]
            for query, row in zip(self.queries, self.ranked.tolist(), strict=True)
        }

    def places_in(self, wanted: Sequence[str], otherwise: int) -> NDArray[np.int32]:
        """Return, for each of ``names``, its place in ``wanted``, or ``otherwise`` when it isn't there."""
        import pyarrow
        from pyarrow import compute

        found = compute.index_in(self.names, value_set=pyarrow.array(wanted, pyarrow.string()))
        places: NDArray[np.int32] = found.fill_null(otherwise).to_numpy(zero_copy_only=False)
        return places


def read_trec_columns(path: FilePath) -> ColumnRun | None:
    """Read a TREC run file, or return None where only the careful reader will do.

    Raises:
        InputError: the file can't be read at all.
    """
    data = read_bytes(path)
    table = _table(data)
    if table is None or not len(table):
        return None
    import numpy as np

    query, queries = _coded(table.column("query"))
    document, names = _coded(table.column("document"))
    scores = table.column("score").to_numpy()
    if not (np.isfinite(scores).all() and _plain(queries) and _plain(names)):
        return None
    ranked = _rank(query, document, scores, names)
    return None if ranked is None else ColumnRun(queries=tuple(queries.to_pylist()), names=names, ranked=ranked)


def _table(data: bytes) -> Any:
    import pyarrow
    from pyarrow import csv

    text = pyarrow.string()
    first = data[: data.find(b"\n") + 1 or len(data)]
    try:
        return csv.read_csv(
            pyarrow.BufferReader(data),
            read_options=csv.ReadOptions(column_names=list(_COLUMNS), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter="\t" if b"\t" in first else " ", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={"query": text, "document": text, "score": pyarrow.float64()},
                include_columns=["query", "document", "score"],
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowException:
        return None


def _coded(column: Any) -> tuple[NDArray[np.int32], Any]:
    """Return one integer per row and the names they stand for, in order of first appearance."""
    whole = column.dictionary_encode().combine_chunks()
    return whole.indices.to_numpy(), whole.dictionary


def _plain(names: Any) -> bool:
    """Say whether all ids are clean as they stand."""
    from pyarrow import compute

    if compute.min(compute.binary_length(names)).as_py() == 0:
        return False
    text = b"".join(bytes(buffer) for buffer in names.buffers()[2:] if buffer is not None).decode("utf-8")
    if _NOT_IN_AN_ID.search(text):
        return False
    return text.isascii() or all(name.strip() and unicodedata.is_normalized("NFC", name) for name in names.to_pylist())


def _rank(
    query: NDArray[np.int32], document: NDArray[np.int32], scores: NDArray[np.float64], names: Any
) -> NDArray[np.int32] | None:
    """Return the documents of each query in order, or None when one stands twice."""
    import numpy as np

    same = query[1:] == query[:-1]
    falling = scores[1:] < scores[:-1]
    grouped = not np.any(query[1:] < query[:-1])
    if not (grouped and np.all(falling | ~same)):
        by_name = np.empty(len(names), dtype=np.int64)
        by_name[np.argsort(np.array(names.to_pylist(), dtype=object), kind="stable")] = np.arange(len(names))
        order = np.lexsort((-by_name[document], -scores, query))
        query, document = query[order], document[order]
    counts = np.bincount(query)
    starts = np.concatenate(([0], counts.cumsum()[:-1]))
    ranked = np.full((len(counts), int(counts.max())), -1, dtype=np.int32)
    ranked[query, np.arange(len(query)) - starts[query]] = document
    ordered = np.sort(ranked, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    return None if twice.any() else ranked
