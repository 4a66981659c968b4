"""A collection as the exact core takes it, and the fingerprints of what is asked, of what, and judged how."""

from __future__ import annotations

from harness.collection import Collection
from harness.records import Judgments
from harness.scoring import protocol_sha256, sparse_protocol_sha256
from harness.study.schema import EvaluationSection


def corpus_table(collection: Collection) -> dict[str, str]:
    """Return ``{document id: text}``, as the exact core takes a corpus."""
    return {document.id: document.text for document in collection.corpus.documents}


def query_table(collection: Collection) -> dict[str, dict[str, str]]:
    """Return ``{query id: {"text": ..., "split": ...}}`` of all splits, as the exact core takes queries."""
    return {query.id: {"text": query.text, "split": query.split} for query in collection.golden.queries}


def protocol_of(collection: Collection, evaluation: EvaluationSection) -> str:
    """Return the hash of the protocol that the split is scored under (see ``harness.scoring.protocol``)."""
    judgments = collection.golden.judgments
    binary = all(grade in (0, 1) for grades in judgments.grades.values() for grade in grades.values())
    if judgments.exhaustive and binary:
        return protocol_sha256(
            corpus_table(collection),
            query_table(collection),
            collection.dense_qrels(),
            evaluation.split,
            evaluation.k,
        )
    return sparse_protocol_sha256(
        documents=collection.corpus.documents,
        queries=collection.golden.queries,
        judgments=judgments,
        split=evaluation.split,
    )


def split_of(collection: Collection) -> str:
    """Return the hash of what a look at the split is a look at: documents, the split's questions, their judgments.

    Unlike the protocol's it stays the same when another ``k`` is scored or another split is given more questions:
    neither makes a split that has been looked at a fresh one.
    """
    judgments = collection.golden.judgments
    return sparse_protocol_sha256(
        documents=collection.corpus.documents,
        queries=collection.queries,
        judgments=Judgments(
            exhaustive=judgments.exhaustive,
            grades={query.id: judgments.grades[query.id] for query in collection.queries},
        ),
        split=collection.split,
    )
