"""Reads the questions of a table: a row each, its columns named by the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from harness.collection.cells import flag_of, gold_of, id_of, labels_of, text_of
from harness.collection.reading import GoldenFile, Ids, Reading, nfc
from harness.collection.rows import Table
from harness.collection.sources import GoldenSource
from harness.fingerprint import sha256_json
from harness.records import GoldenSet, Judgments, Query

_SPLIT = "test"


def table_golden_reader(form: str) -> Callable[[GoldenSource, str], Reading[GoldenFile]]:
    """Return the reader of a form of table."""
    return partial(_scan, form)


def _scan(form: str, source: GoldenSource, split: str) -> Reading[GoldenFile]:
    """Read a table; without a column of splits all questions are in ``test``, as in a YAML golden set."""
    columns = source.columns
    wanted = dict.fromkeys(name for name in columns.model_dump().values() if name is not None)
    table = Table(path=source.path, form=form, wanted=tuple(wanted))
    book = _Book(table=table, source=source)
    for row, cells in table.rows():
        book.enter(row, cells)
    if not table.problems and not book.queries:
        table.fault(None, "must hold at least one question, found none")
    digest = sha256_json([table.sha256, columns.model_dump(), source.separator, source.judgments])
    judgments = Judgments(exhaustive=source.judgments == "exhaustive", grades=book.grades)
    file = str(source.path)
    lines = {} if form == "parquet" else book.lines
    golden = GoldenFile(
        golden=GoldenSet(queries=tuple(book.queries), judgments=judgments, sha256=digest),
        query_file=file,
        query_lines=lines,
        judgment_file=file,
        judgment_lines={(name, document): line for name, line in lines.items() for document in book.grades[name]},
    )
    return Reading(value=golden, problems=tuple(table.problems))


@dataclass(slots=True)
class _Book:
    """Takes one row after the other."""

    table: Table
    source: GoldenSource
    queries: list[Query] = field(default_factory=list)
    grades: dict[str, dict[str, int]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    ids: Ids = field(default_factory=lambda: Ids(kind="question", cure="keep one, with all its ids in one row"))

    def enter(self, row: int, cells: Mapping[str, Any]) -> None:
        """Check a row and take it in, unless it has a fault."""
        table, columns, separator = self.table, self.source.columns, self.source.separator
        before = len(table.problems)
        name = table.take(row, cells, columns.id, id_of)
        fault = self.ids.add(name, table.place(row)) if name is not None else None
        if fault:
            table.fault(row, fault, columns.id)
        question = table.take(row, cells, columns.question, text_of)
        gold = table.take(row, cells, columns.gold, lambda value: gold_of(value, separator))
        split = table.take(row, cells, columns.split, text_of) if columns.split else _SPLIT
        tags = table.take(row, cells, columns.tags, lambda value: labels_of(value, separator)) if columns.tags else ()
        answerable = table.take(row, cells, columns.answerable, flag_of) if columns.answerable else True
        if question is not None and not question.strip():
            table.fault(row, f"must not be blank, found {question!r}; write the question", columns.question)
        if split is not None and not split.strip():
            table.fault(row, f"must not be blank, found {split!r}; name the split, such as 'test'", columns.split)
        if gold is not None and answerable is not None:
            self._fits(row, gold, answerable)
        if len(table.problems) > before or name is None or gold is None:
            return
        self.lines[nfc(name)] = row
        self.grades[nfc(name)] = gold
        self.queries.append(
            Query(
                id=nfc(name),
                text=question or "",
                split=split or "",
                tags=tags or (),
                answerable=answerable is not False,
            )
        )

    def _fits(self, row: int, gold: Mapping[str, int], answerable: bool) -> None:
        columns = self.source.columns
        relevant = any(grade > 0 for grade in gold.values())
        if answerable and not relevant:
            found = "only grades below 1" if gold else "none"
            cure = "name it, or map a column 'answerable' that says false"
            self.table.fault(row, f"must name at least one relevant document, found {found}; {cure}", columns.gold)
        if relevant and not answerable:
            cure = "say true, or take the documents out"
            self.table.fault(
                row, f"is false although {columns.gold} names relevant documents; {cure}", columns.answerable
            )
