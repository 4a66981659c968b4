"""Reads the documents of a table: a row each, its columns named by the study."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from harness.collection.cells import id_of, text_of
from harness.collection.reading import Ids, Reading, blank_note, nfc, some
from harness.collection.rows import Table
from harness.collection.sources import CorpusSource
from harness.fingerprint import sha256_json
from harness.records import Corpus, Document


def table_corpus_reader(form: str) -> Callable[[CorpusSource], Reading[Corpus]]:
    """Return the reader of a form of table."""
    return partial(_scan, form)


def _scan(form: str, source: CorpusSource) -> Reading[Corpus]:
    """Read a table: ``Document.text`` is the columns of text that aren't blank, parted by blank lines."""
    columns = source.columns
    wanted = tuple(dict.fromkeys([columns.id, *columns.text, *([columns.title] if columns.title else [])]))
    table = Table(path=source.path, form=form, wanted=wanted)
    ids = Ids(kind="document")
    documents = []
    for row, cells in table.rows():
        name = table.take(row, cells, columns.id, id_of)
        texts = [table.take(row, cells, column, text_of) for column in columns.text]
        title = table.take(row, cells, columns.title, text_of) if columns.title else ""
        fault = ids.add(name, table.place(row)) if name is not None else None
        if fault:
            table.fault(row, fault, columns.id)
        elif name is not None and title is not None:
            text = "\n\n".join(part for part in texts if part and part.strip())
            documents.append(Document(id=nfc(name), title=title, text=text, source=f"{source.path.name}:{row}"))
    blank = tuple(document.source for document in documents if not document.text)
    if not table.problems and len(blank) == len(documents):
        found = f"no text in any of them: {some(blank)}" if blank else "none"
        table.fault(None, f"must hold at least one document with text, found {found}")
    if table.problems:
        return Reading(value=None, problems=tuple(table.problems))
    digest = sha256_json([table.sha256, columns.model_dump()])
    notes = (blank_note(blank),) if blank else ()
    return Reading(value=Corpus(documents=tuple(documents), sha256=digest, blank=blank, notes=notes))
