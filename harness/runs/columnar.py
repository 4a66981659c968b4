"""Big TREC run files as columns: pyarrow reads, numpy orders; no Python loop over rows.

It takes a file only when every row is beyond doubt. For anything else (runs of spaces, a strange score, a document
twice, an id that isn't in NFC) it gives None, and the careful reader finds out what it is and on which line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.runs.opening import read_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NOT_IN_AN_ID = re.compile(r"[\x00-\x1f \x7f-\x9f]")
_COLUMNS = ("query", "q0", "document", "rank", "score", "tag")
_BLOCK = 1 << 24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnRun:
    """A run as integers, in the order of trec_eval.

    Attributes:
        queries: ids of the queries, in file order.
        documents: distinct ids of the documents.
        ranked: int32 (q, w): places in ``documents``, best first, -1 after a ranking's end.
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    ranked: NDArray[np.int32]

    def rankings(self) -> dict[str, list[str]]:
        """Return the rankings as ``read_run`` does."""
        names = self.documents
        return {
            query: [names[item] for item in row if item >= 0]
            for query, row in zip(self.queries, self.ranked.tolist(), strict=True)
        }


def read_trec_columns(path: Path) -> ColumnRun | None:
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
    document, documents = _coded(table.column("document"))
    scores = table.column("score").to_numpy()
    if not (np.isfinite(scores).all() and _plain(queries) and _plain(documents)):
        return None
    ranked = _rank(query, document, scores, documents)
    return None if ranked is None else ColumnRun(queries=tuple(queries), documents=tuple(documents), ranked=ranked)


def _table(data: bytes) -> Any:
    import pyarrow
    from pyarrow import csv

    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    first = data[: data.find(b"\n") + 1 or len(data)]
    try:
        return csv.read_csv(
            pyarrow.BufferReader(data),
            read_options=csv.ReadOptions(column_names=list(_COLUMNS), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter="\t" if b"\t" in first else " ", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={"query": names, "document": names, "score": pyarrow.float64()},
                include_columns=["query", "document", "score"],
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowException:
        return None


def _coded(column: Any) -> tuple[NDArray[np.int32], list[str]]:
    """Return one integer per row and the names they stand for, in order of first appearance."""
    whole = column.unify_dictionaries().combine_chunks()
    return whole.indices.to_numpy(), whole.dictionary.to_pylist()


def _plain(names: Sequence[str]) -> bool:
    """Say whether all ids are clean as they stand."""
    joined = "\n".join(names)
    if not all(names) or _NOT_IN_AN_ID.search(joined.replace("\n", "")) or joined.count("\n") != len(names) - 1:
        return False
    return joined.isascii() or (
        unicodedata.is_normalized("NFC", joined) and all(unicodedata.is_normalized("NFC", name) for name in names)
    )


def _rank(
    query: NDArray[np.int32], document: NDArray[np.int32], scores: NDArray[np.float64], documents: Sequence[str]
) -> NDArray[np.int32] | None:
    """Return the documents of each query in order, or None when one stands twice."""
    import numpy as np

    same = query[1:] == query[:-1]
    falling = scores[1:] < scores[:-1]
    grouped = not np.any(query[1:] < query[:-1])
    if not (grouped and np.all(falling | ~same)):
        by_name = np.empty(len(documents), dtype=np.int64)
        by_name[np.argsort(np.array(documents, dtype=object), kind="stable")] = np.arange(len(documents))
        order = np.lexsort((-by_name[document], -scores, query))
        query, document = query[order], document[order]
    counts = np.bincount(query)
    starts = np.concatenate(([0], counts.cumsum()[:-1]))
    ranked = np.full((len(counts), int(counts.max())), -1, dtype=np.int32)
    ranked[query, np.arange(len(query)) - starts[query]] = document
    ordered = np.sort(ranked, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    return None if twice.any() else ranked
