"""The refusals that the evaluator, the adapter and the scorer share.

Each check takes whatever it's given and either returns quietly or raises a ``ValueError``: fixed words first,
then the offending id and where it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

CUTOFF = "k must be a positive integer"
NONEMPTY = "nonempty corpus and queries, mapping run required"
COVERAGE = "qrels must cover every query"
NO_QUERIES = "split has no queries"
WRONG_QUERY = "unknown or wrong-split query"
EXHAUSTIVE = "unjudged or unknown documents: exhaustive qrels required"
LABELS = "qrels labels must be integer 0 or 1"
RANKING = "ranking must be a list of document IDs"
DUPLICATE = "duplicate document ID; deduplicate upstream explicitly"
UNKNOWN = "unknown document ID"
CHUNK_TABLE = "chunk_to_doc must be a mapping of chunk IDs to document IDs"
OUTSIDE = "mapping points outside the corpus"
CHUNK_RANKING = "ranking must be a list of chunk IDs"
CHUNK_UNKNOWN = "unknown or invalid chunk ID"
CHUNK_DUPLICATE = "duplicate chunk ID"

_LONGEST = 80
_QUERY_KEYS = {"text", "split"}


def refuse(words: str, detail: str) -> NoReturn:
    """Raise the ``ValueError`` for fixed ``words`` with what was found and where."""
    raise ValueError(f"{words}: {detail}")


def show(value: object) -> str:
    """Return a short ``repr`` for a message; never fails."""
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({type(value).__name__})"


def check_cutoff(k: object) -> None:
    """Refuse a cutoff that isn't a real ``int`` of at least 1 (``True`` isn't one)."""
    if type(k) is not int or k < 1:
        refuse(CUTOFF, f"got {show(k)}")


def check_text(value: object, words: str, place: str) -> None:
    """Refuse what isn't text, or can't be written in UTF-8 and therefore not hashed."""
    if not isinstance(value, str):
        refuse(words, f"{place} is {show(value)}")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            refuse(words, f"{place} holds a lone surrogate, which UTF-8 can't write: {show(value)}")


def check_id(value: object, kind: str, place: str) -> None:
    """Refuse an id that isn't non-empty text."""
    words = f"{kind} IDs must be nonempty text"
    check_text(value, words, f"an ID {place}")
    if not value:
        refuse(words, f"an ID {place} is empty")


def check_snapshot(corpus: object, queries: object, run: object) -> None:
    """Refuse a corpus, queries or run of the wrong shape; rankings are looked at elsewhere."""
    if not isinstance(corpus, Mapping) or not corpus:
        refuse(NONEMPTY, f"corpus is {show(corpus)}")
    if not isinstance(queries, Mapping) or not queries:
        refuse(NONEMPTY, f"queries is {show(queries)}")
    if not isinstance(run, Mapping):
        refuse(NONEMPTY, f"run is {show(run)}")
    for document, text in corpus.items():
        check_id(document, "document", "in the corpus")
        check_text(text, "corpus must map document IDs to text", f"the text of {show(document)}")
    for query, entry in queries.items():
        _check_query(query, entry)


def _check_query(query: object, entry: object) -> None:
    words = 'each query must be {"text": str, "split": str}'
    check_id(query, "query", "in the queries")
    if not isinstance(entry, Mapping) or entry.keys() != _QUERY_KEYS:
        refuse(words, f"query {show(query)} is {show(entry)}")
    for key in _QUERY_KEYS:
        check_text(entry[key], words, f"{key} of query {show(query)}")


def split_ledger(queries: Mapping[str, Mapping[str, str]], split: object) -> list[str]:
    """Return the ids of the split in the order of ``queries``; refuse a split without any."""
    ledger = [query for query, entry in queries.items() if isinstance(split, str) and entry["split"] == split]
    if not ledger:
        refuse(NO_QUERIES, f"{show(split)} is the split of none of the {len(queries)} queries")
    return ledger


def check_qrels(corpus: Mapping[str, str], queries: Collection[str], qrels: object) -> None:
    """Refuse judgments that aren't exhaustive and binary over all queries and documents."""
    if not isinstance(qrels, Mapping):
        refuse(COVERAGE, f"qrels is {show(qrels)}")
    for query in queries:
        if query not in qrels:
            refuse(COVERAGE, f"{show(query)} has no judgments")
    for query, row in qrels.items():
        if query not in queries:
            refuse(COVERAGE, f"{show(query)} is judged but isn't among the queries")
        _check_row(corpus, query, row)


def _check_row(corpus: Mapping[str, str], query: object, row: object) -> None:
    if not isinstance(row, Mapping):
        refuse(EXHAUSTIVE, f"judgments of query {show(query)} are {show(row)}")
    if row.keys() != corpus.keys():
        for document in corpus:
            if document not in row:
                refuse(EXHAUSTIVE, f"document {show(document)} isn't judged for query {show(query)}")
        stranger = next(document for document in row if document not in corpus)
        refuse(EXHAUSTIVE, f"document {show(stranger)}, judged for query {show(query)}, isn't in the corpus")
    for document, label in row.items():
        if type(label) is not int or label not in (0, 1):
            refuse(LABELS, f"{show(label)} for document {show(document)} of query {show(query)}")


def check_run_queries(run: Mapping[Any, object], ledger: Collection[str], known: Collection[str]) -> None:
    """Refuse a run that holds a query outside the ledger; ``known`` are the queries of all splits."""
    wanted = frozenset(ledger)
    for query in run:
        if query not in wanted:
            where = "it belongs to another split" if query in known else "no query has this ID"
            refuse(WRONG_QUERY, f"{show(query)} in the run; {where}")


def check_document_ranking(query: str, ranking: object, documents: Collection[str]) -> None:
    """Refuse a ranking that isn't a list of distinct document ids of the corpus, at any rank."""
    ids = _check_list(query, ranking, RANKING)
    _check_distinct(query, ids, DUPLICATE)
    for rank, document in enumerate(ids, start=1):
        if document not in documents:
            refuse(UNKNOWN, f"{show(document)} at rank {rank} of query {show(query)} isn't in the corpus")


def check_chunk_table(chunk_to_doc: object, documents: Collection[str]) -> None:
    """Refuse a mapping with a bad id or one that leads outside the corpus, used or not."""
    if not isinstance(chunk_to_doc, Mapping):
        refuse(CHUNK_TABLE, f"got {show(chunk_to_doc)}")
    for chunk, document in chunk_to_doc.items():
        check_text(chunk, CHUNK_UNKNOWN, "an ID in the mapping")
        if not chunk:
            refuse(CHUNK_UNKNOWN, f"an empty ID in the mapping, for document {show(document)}")
        if not isinstance(document, str) or document not in documents:
            refuse(OUTSIDE, f"chunk {show(chunk)} leads to {show(document)}, which isn't in the corpus")


def check_chunk_ranking(query: str, ranking: object, chunk_to_doc: Collection[str]) -> None:
    """Refuse a ranking that isn't a list of distinct chunk ids of the mapping, at any rank."""
    if not isinstance(ranking, list):
        refuse(CHUNK_RANKING, f"query {show(query)} has {show(ranking)}")
    for rank, chunk in enumerate(ranking, start=1):
        if not isinstance(chunk, str) or chunk not in chunk_to_doc:
            refuse(CHUNK_UNKNOWN, f"{show(chunk)} at rank {rank} of query {show(query)} isn't in the mapping")
    _check_distinct(query, ranking, CHUNK_DUPLICATE)


def _check_list(query: str, ranking: object, words: str) -> list[str]:
    if not isinstance(ranking, list):
        refuse(words, f"query {show(query)} has {show(ranking)}")
    for rank, item in enumerate(ranking, start=1):
        if not isinstance(item, str):
            refuse(words, f"{show(item)} at rank {rank} of query {show(query)}")
    return ranking


def _check_distinct(query: str, ids: Sequence[str], words: str) -> None:
    if len(set(ids)) == len(ids):
        return
    first: dict[str, int] = {}
    for rank, item in enumerate(ids, start=1):
        if item in first:
            refuse(words, f"{show(item)} at ranks {first[item]} and {rank} of query {show(query)}")
        first[item] = rank
