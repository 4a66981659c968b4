"""Which key of a file plays which part: known names, spelled in any way, and what the caller names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

ROLES: dict[str, tuple[str, ...]] = {
    "id": ("id", "qid", "query_id", "question_id", "qa_id"),
    "question": ("question", "query", "user_input", "input", "question_text", "query_text"),
    "gold": (
        *("gold", "gold_id", "gold_ids", "gold_docs", "gold_doc_ids", "gold_documents", "golden_ids"),
        *("relevant", "relevant_id", "relevant_ids", "relevant_doc", "relevant_docs", "relevant_doc_id"),
        *("relevant_doc_ids", "relevant_document_ids", "relevant_documents", "retrieval_gt", "ground_truth_ids"),
        *("ground_truth_doc_ids", "expected", "expected_id", "expected_ids", "expected_docs", "expected_doc_ids"),
        *("expected_documents", "expected_document_ids", "expected_sources", "source", "sources", "source_id"),
        *("source_ids", "reference_ids", "reference_context_ids", "positive_ids", "doc_id", "doc_ids", "document_id"),
        *("document_ids", "document", "documents", "corpus_id", "qrels"),
    ),
    "grade": ("grade", "relevance"),
    "split": ("split",),
    "tags": ("tags", "tag", "labels"),
    "answerable": ("answerable", "is_answerable"),
    "impossible": ("is_impossible", "unanswerable"),
}
"""Part → names of keys that play it."""


def assign(names: Iterable[str], given: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return part → key, and what is wrong.

    Args:
        names: all keys of the file.
        given: part → key, as the caller wants it.
    """
    there = list(names)
    roles: dict[str, str] = {}
    faults: list[str] = []
    for role, known in ROLES.items():
        if role in given:
            if given[role] not in there:
                faults.append(f"--{role}: there is no key {given[role]!r}; the keys there are: {listed(there)}")
            roles[role] = given[role]
            continue
        found = [name for name in there if spelled(name) in known and name not in given.values()]
        if len(found) == 1:
            roles[role] = found[0]
        elif found:
            cure = f"say which with --{role} KEY" if role in ("id", "question", "gold") else "leave one in the file"
            faults.append(f"{listed(found)} could each be the {role}; {cure}")
        elif role in ("question", "gold"):
            faults.append(f"no key is known to be the {role}; name it with --{role} KEY out of {listed(there)}")
    return roles, faults


def spelled(name: str) -> str:
    """Return a key in lower case with underscores (``relevantDocIds`` → ``relevant_doc_ids``)."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", parted.lower()).strip("_")


def listed(names: Iterable[str]) -> str:
    """Return keys as they read in a message."""
    return ", ".join(repr(name)[:60] for name in names)
