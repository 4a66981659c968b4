"""Reads a corpus and its golden set, whatever their formats, and checks them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from harness.collection.beir import scan_beir_corpus, scan_beir_golden
from harness.collection.check import cross_check
from harness.collection.golden import scan_golden_yaml
from harness.collection.html import scan_html_folder
from harness.collection.markdown import scan_markdown_folder
from harness.collection.pdf import scan_pdf_folder
from harness.collection.reading import GoldenFile, Reading, capped
from harness.collection.rows import TABLES
from harness.collection.sources import CorpusSource, GoldenSource
from harness.collection.squad import scan_squad_corpus, scan_squad_golden
from harness.collection.table_corpus import table_corpus_reader
from harness.collection.table_golden import table_golden_reader
from harness.collection.text import scan_text_folder
from harness.collection.trec_documents import scan_trec_documents
from harness.collection.trec_topics import scan_trec_golden
from harness.errors import InputError
from harness.records import Corpus, GoldenSet, Query
from harness.wording import counted

CORPUS_READERS: dict[str, Callable[[CorpusSource], Reading[Corpus]]] = {
    "markdown": lambda source: scan_markdown_folder(source.path),
    "text": lambda source: scan_text_folder(source.path),
    "html": lambda source: scan_html_folder(source.path),
    "pdf": lambda source: scan_pdf_folder(source.path),
    "beir": lambda source: scan_beir_corpus(source.path),
    "trec": lambda source: scan_trec_documents(source.path),
    "squad": lambda source: scan_squad_corpus(source.path),
    **{form: table_corpus_reader(form) for form in TABLES},
}
"""Format name → reader of a corpus."""

GOLDEN_READERS: dict[str, Callable[[GoldenSource, str], Reading[GoldenFile]]] = {
    "yaml": lambda source, split: scan_golden_yaml(source.path),
    "beir": lambda source, split: scan_beir_golden(source.path, split),
    "trec": scan_trec_golden,
    "squad": scan_squad_golden,
    **{form: table_golden_reader(form) for form in TABLES},
}
"""Format name → reader of a golden set; the reader gets the split that is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A corpus and a golden set that fit together.

    Attributes:
        corpus: all documents.
        golden: the questions of all splits that were read, with their judgments.
        split: the split that is scored.
        notes: what was accepted although it is unusual, one sentence each, of both and of their check.
    """

    corpus: Corpus
    golden: GoldenSet
    split: str
    notes: tuple[str, ...] = ()

    @property
    def queries(self) -> tuple[Query, ...]:
        """The questions of the split, in file order."""
        return tuple(query for query in self.golden.queries if query.split == self.split)

    @property
    def document_ids(self) -> tuple[str, ...]:
        """The ids of all documents, blank ones included, in reading order."""
        return tuple(document.id for document in self.corpus.documents)

    def dense_qrels(self) -> Mapping[str, Mapping[str, int]]:
        """Return a label for every question of every split and every document: what the exact core takes.

        A row is made each time it is asked for, so that questions times documents labels are never held.

        Raises:
            InputError: the judgments are partial, or hold a grade other than 0 and 1.
        """
        judgments = self.golden.judgments
        if not judgments.exhaustive:
            raise InputError(
                "judgments are partial: a document that isn't listed is unjudged, not 0; "
                "declare 'judgments: exhaustive' if every document was judged"
            )
        for query, grades in judgments.grades.items():
            for document, grade in grades.items():
                if grade not in (0, 1):
                    pair = f"question {query!r}, document {document!r}"
                    raise InputError(f"{pair}: must have grade 0 or 1 for exact binary scores, found {grade}")
        return _DenseRows(
            unjudged=dict.fromkeys(self.document_ids, 0),
            grades={query.id: judgments.grades[query.id] for query in self.golden.queries},
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _DenseRows(Mapping[str, Mapping[str, int]]):
    unjudged: Mapping[str, int]
    grades: Mapping[str, Mapping[str, int]]

    def __getitem__(self, query: str) -> Mapping[str, int]:
        return {**self.unjudged, **self.grades[query]}

    def __iter__(self) -> Iterator[str]:
        return iter(self.grades)

    def __len__(self) -> int:
        return len(self.grades)


def load_collection(corpus: CorpusSource, golden: GoldenSource, split: str, *, quotes: bool = True) -> Collection:
    """Read both sources and check them against each other.

    Judgments are held against the corpus when it could be read; the split is looked for when the golden set
    is without fault. ``quotes`` False leaves the quotes of the questions out, unchecked.

    Raises:
        InputError: every problem of the corpus, the golden set and their cross-check, at once.
        KeyError: no reader has the name of a format.
    """
    return _together(CORPUS_READERS[corpus.format](corpus), golden, split, quotes=quotes)


def load_split(collection: Collection, golden: GoldenSource, split: str, *, quotes: bool = True) -> Collection:
    """Return a collection with another split of its golden set; the corpus isn't read again.

    Raises:
        InputError: as ``load_collection``.
    """
    return _together(Reading(value=collection.corpus), golden, split, quotes=quotes)


def _together(documents: Reading[Corpus], golden: GoldenSource, split: str, *, quotes: bool) -> Collection:
    questions = GOLDEN_READERS[golden.format](golden, split)
    left_out: tuple[str, ...] = ()
    if questions.value is not None and not quotes:
        questions, left_out = _without_quotes(questions, questions.value)
    problems = [*documents.problems, *questions.problems]
    notes: tuple[str, ...] = ()
    if documents.value is not None and questions.value is not None:
        findings = cross_check(documents.value, questions.value, None if questions.problems else split)
        problems += findings.problems
        notes = findings.notes
    if problems or documents.value is None or questions.value is None:
        raise InputError(capped(dict.fromkeys(problems)))  # one file may hold both, and a fault of both
    return Collection(
        corpus=documents.value,
        golden=questions.value.golden,
        split=split,
        notes=(*documents.value.notes, *questions.value.golden.notes, *left_out, *notes),
    )


def _without_quotes(read: Reading[GoldenFile], file: GoldenFile) -> tuple[Reading[GoldenFile], tuple[str, ...]]:
    number = sum(1 for query in file.golden.queries if query.evidence)
    queries = tuple(replace(query, evidence=()) for query in file.golden.queries)
    golden = replace(file.golden, queries=queries)
    notes = (f"quotes of {counted(number, 'question')} left out, because evidence is to be ignored",) if number else ()
    return replace(read, value=replace(file, golden=golden)), notes
