"""What the reference scorer refuses before it scores, beyond the rankings themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from harness.judgments import Judgments
from harness.scoring.checks import (
    COVERAGE,
    EXHAUSTIVE,
    NONEMPTY,
    check_id,
    check_run_queries,
    refuse,
    show,
)
from harness.scoring.conventions import Conventions


def check_request(ledger: object, judgments: object, documents: object, run: object, conventions: object) -> None:
    """Refuse a ledger, judgments, corpus, run or conventions that can't be scored together."""
    if not isinstance(conventions, Conventions):
        refuse("conventions must be a Conventions", f"got {show(conventions)}")
    if not isinstance(documents, Collection) or not documents:
        refuse(NONEMPTY, f"document IDs are {show(documents)}")
    if not isinstance(run, Mapping):
        refuse(NONEMPTY, f"run is {show(run)}")
    queries = _checked_ledger(ledger)
    known = _checked_judgments(queries, judgments, documents, conventions)
    check_run_queries(run, queries, known.grades)


def _checked_ledger(ledger: object) -> Sequence[str]:
    if not isinstance(ledger, Sequence) or isinstance(ledger, str) or not ledger:
        refuse(NONEMPTY, f"the ledger is {show(ledger)}")
    seen: set[str] = set()
    for query in ledger:
        check_id(query, "query", "in the ledger")
        if query in seen:
            refuse("the ledger must hold each query once", f"{show(query)} occurs twice")
        seen.add(query)
    return ledger


def _checked_judgments(
    ledger: Sequence[str], judgments: object, documents: Collection[str], conventions: Conventions
) -> Judgments:
    """Refuse judgments that lack a ledger query, name a strange document or don't fit ``unjudged``."""
    if not isinstance(judgments, Judgments) or not isinstance(judgments.grades, Mapping):
        refuse(COVERAGE, f"judgments are {show(judgments)}")
    if not judgments.exhaustive and conventions.unjudged == "refuse":
        refuse(EXHAUSTIVE, "these judgments are partial; choose unjudged: nonrelevant or condense by name")
    for query in ledger:
        if query not in judgments.grades:
            refuse(COVERAGE, f"{show(query)} has no judgments")
        row = judgments.grades[query]
        if not isinstance(row, Mapping):
            refuse(COVERAGE, f"judgments of query {show(query)} are {show(row)}")
        _check_grades(query, row, documents)
    return judgments


def _check_grades(query: str, row: Mapping[str, object], documents: Collection[str]) -> None:
    for document, grade in row.items():
        if document not in documents:
            refuse(
                "unjudged or unknown documents",
                f"document {show(document)}, judged for query {show(query)}, isn't in the corpus",
            )
        if type(grade) is not int:
            refuse(
                "qrels labels must be integers",
                f"{show(grade)} for document {show(document)} of query {show(query)}",
            )
