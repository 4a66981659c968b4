"""From chunk rankings to document rankings, by first occurrence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from harness.fingerprint import sha256_json
from harness.scoring.checks import (
    check_chunk_ranking,
    check_chunk_table,
    check_run_queries,
    check_snapshot,
    split_ledger,
)

ADAPTER = "first-occurrence-document-v1"


class DocumentEvidence(TypedDict):
    """Where one document's place comes from; ranks are 1-based chunk ranks."""

    document_id: str
    first_chunk_id: str
    first_chunk_rank: int
    chunk_ranks: list[int]


class QueryEvidence(TypedDict):
    """What the adapter received for one query and what it made of it."""

    received_chunks: int
    distinct_documents: int
    documents: list[DocumentEvidence]


class Adapted(TypedDict):
    """What ``adapt_runs`` returns, keys in this order."""

    adapter_sha256: str
    document_runs: dict[str, list[str]]
    evidence: dict[str, QueryEvidence]


def adapt_runs(
    corpus: Mapping[str, str],
    queries: Mapping[str, Mapping[str, str]],
    chunk_to_doc: Mapping[str, str],
    chunk_runs: Mapping[str, list[str]],
    split: str = "test",
) -> Adapted:
    """Turn chunk rankings into document rankings: a document stands where its best chunk stood.

    Later chunks of a document fall away. There is no cutoff here: exactly the chunks received are converted,
    so a candidate budget is applied before and a document cutoff after. A query absent from ``chunk_runs``
    stays absent, an empty one stays empty. Ids are compared as exact strings; nothing is parsed out of them.

    Args:
        corpus: ``{document id: text}``, not empty.
        queries: ``{query id: {"text": ..., "split": ...}}``, not empty.
        chunk_to_doc: ``{chunk id: document id}``, from the same snapshot as the judgments.
        chunk_runs: ``{query id: [chunk id, ...]}``, best first.
        split: the split the runs belong to.

    Returns:
        ``adapter_sha256``, ``document_runs`` and ``evidence``, queries in the order of ``queries``.

    Raises:
        ValueError: any part of the input is refused, even an unused chunk of the mapping or the last chunk of
            a ranking; the message names the id and the place. No input is modified.
    """
    check_snapshot(corpus, queries, chunk_runs)
    ledger = split_ledger(queries, split)
    check_chunk_table(chunk_to_doc, corpus)
    check_run_queries(chunk_runs, ledger, queries)
    for query, ranking in chunk_runs.items():
        check_chunk_ranking(query, ranking, chunk_to_doc)
    answered = [query for query in ledger if query in chunk_runs]
    evidence = {query: collapse(chunk_runs[query], chunk_to_doc) for query in answered}
    return {
        "adapter_sha256": adapter_sha256(chunk_to_doc),
        "document_runs": {query: _document_ids(found) for query, found in evidence.items()},
        "evidence": evidence,
    }


def adapter_sha256(chunk_to_doc: Mapping[str, str]) -> str:
    """Return the hash of the adapter's rule and its mapping; the order of the mapping doesn't matter."""
    return sha256_json({"adapter": ADAPTER, "chunk_to_doc": dict(chunk_to_doc)})


def collapse(ranking: Sequence[str], chunk_to_doc: Mapping[str, str]) -> QueryEvidence:
    """Return the documents of one checked chunk ranking by first occurrence, with all their chunk ranks."""
    documents: dict[str, DocumentEvidence] = {}
    for rank, chunk in enumerate(ranking, start=1):
        document = chunk_to_doc[chunk]
        known = documents.get(document)
        if known is not None:
            known["chunk_ranks"].append(rank)
            continue
        documents[document] = {
            "document_id": document,
            "first_chunk_id": chunk,
            "first_chunk_rank": rank,
            "chunk_ranks": [rank],
        }
    return {
        "received_chunks": len(ranking),
        "distinct_documents": len(documents),
        "documents": list(documents.values()),
    }


def _document_ids(found: QueryEvidence) -> list[str]:
    return [document["document_id"] for document in found["documents"]]
