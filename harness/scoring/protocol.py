"""Which questions, documents and judgments were used: one hash for each form of judgments.

The two hashes name different protocols and never agree, even over the same judgments. Neither covers a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from harness.fingerprint import canonical_json, sha256_text
from harness.scoring.checks import refuse

if TYPE_CHECKING:
    from harness.records import Document, Judgments, Query

SPARSE_PROTOCOL = "sparse-protocol-v1"


def protocol_sha256(
    corpus: Mapping[str, str],
    queries: Mapping[str, Mapping[str, str]],
    qrels: Mapping[str, Mapping[str, int]],
    split: str,
    k: int,
) -> str:
    """Return the SHA-256 of the canonical JSON of ``{corpus, queries, qrels, split, k}``.

    For exhaustive binary judgments, as ``evaluate`` takes them. The order of keys doesn't matter. The JSON is hashed
    document by document and row by row, and never held as a whole: a mapping may make its rows when they are asked for.
    """
    digest = hashlib.sha256()
    for piece in _canonical_pieces({"corpus": corpus, "k": k, "qrels": qrels, "queries": queries, "split": split}):
        digest.update(piece.encode())
    return digest.hexdigest()


def sparse_protocol_sha256(
    *, documents: Iterable[Document], queries: Iterable[Query], judgments: Judgments, split: str
) -> str:
    """Return one SHA-256 for sparse or graded judgments, without a dense table.

    The hash runs over canonical JSON lines: a header with the protocol's name, the split and whether the
    judgments are exhaustive; then one line per document (id and SHA-256 of its text), per query (id, text,
    split) and per grade (query, document, grade), each kind sorted by id. So the order in which things were
    read doesn't matter, and only ids and hashes are held in memory while ``documents`` streams past.

    When judgments are exhaustive an unlisted document is judged 0, so a listed 0 adds no line; otherwise a 0
    is a judgment of its own and counts.

    Raises:
        ValueError: an id occurs twice among the documents or the queries.
    """
    lines: list[list[Any]] = [[SPARSE_PROTOCOL, split, judgments.exhaustive]]
    lines += _sorted_lines("document", ((document.id, sha256_text(document.text)) for document in documents))
    lines += _sorted_lines("query", ((query.id, query.text, query.split) for query in queries))
    digest = hashlib.sha256()
    for line in lines:
        digest.update(f"{canonical_json(line)}\n".encode())
    for query in sorted(judgments.grades):
        row = judgments.grades[query]
        digest.update(f"{canonical_json(['judged', query])}\n".encode())
        for document in sorted(row):
            if row[document] or not judgments.exhaustive:
                digest.update(f"{canonical_json(['grade', query, document, row[document]])}\n".encode())
    return digest.hexdigest()


def _canonical_pieces(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the canonical JSON of an object whose values may be tables, an entry of a table at a time."""
    for place, key in enumerate(sorted(value)):
        yield f"{',' if place else '{'}{canonical_json(key)}:"
        table = value[key]
        if not isinstance(table, Mapping):
            yield canonical_json(table)
            continue
        for row, name in enumerate(sorted(table)):
            entry = table[name]
            plain = dict(entry) if isinstance(entry, Mapping) else entry
            yield f"{',' if row else '{'}{canonical_json(name)}:{canonical_json(plain)}"
        yield "}" if table else "{}"
    yield "}"


def _sorted_lines(kind: str, entries: Iterable[tuple[str, ...]]) -> list[list[Any]]:
    ordered = sorted(entries)
    for before, after in pairwise(ordered):
        if before[0] == after[0]:
            refuse(f"{kind} IDs must be unique", f"{before[0]!r} occurs twice")
    return [[kind, *entry] for entry in ordered]
