"""Which corpus a file or a folder is."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection import CORPUS_READERS, recognise
from tests.collection.pdfs import pdf

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]
Files = dict[str, str | bytes]

DOC = "<DOC>\n<DOCNO>1</DOCNO>x</DOC>\n"
SQUAD = json.dumps({"data": [{"title": "T", "paragraphs": [{"context": "c", "qas": []}]}]})
BEIR: Files = {
    "corpus.jsonl": '{"_id": "1", "text": "x"}',
    "queries.jsonl": "",
    "qrels/train.tsv": "",
    "qrels/dev.tsv": "",
}
TABLE = '{"doc_id": "1", "title": "t", "body": "x"}\n'


@pytest.mark.parametrize(
    ("files", "form", "golden", "found", "left"),
    [
        ({"a.md": "x", "b/c.md": "x"}, "markdown", None, "2 files (.md), format markdown", ""),
        ({"a.txt": "x"}, "text", None, "1 file (.txt), format text", ""),
        ({"a.txt": "x", "b.md": "x"}, "text", None, "2 files (.txt, .md), format text", ""),
        ({"a.html": "x", "b.htm": "x"}, "html", None, "2 files (.html, .htm), format html", ""),
        ({"a.pdf": pdf("x")}, "pdf", None, "1 file (.pdf), format pdf", ""),
        (
            {"a.md": "x", "b.md": "x", "c.html": "x", "d.docx": "x"},
            "markdown",
            None,
            "2 files (.md), format markdown",
            "2 other files not read: c.html, d.docx",
        ),
        ({**BEIR}, "beir", "beir", "a BEIR folder with questions, splits dev, train", ""),
        ({"corpus.jsonl": '{"_id": "1", "text": "x"}'}, "beir", None, "a BEIR folder without questions", ""),
        ({"ft.gz": gzip.compress(DOC.encode())}, "trec", None, "TREC documents without topics and judgments", ""),
        ({"a.txt": DOC, "topics": "", "qrels": ""}, "trec", "trec", "TREC documents with topics and judgments", ""),
        ({"dev.json": SQUAD}, "squad", "squad", "SQuAD JSON", ""),
        ({"t.jsonl": TABLE}, "jsonl", None, "a table (jsonl) with the columns 'doc_id', 'title', 'body'", ""),
        ({"t.csv": "id,text\n1,x\n"}, "csv", None, "a table (csv) with the columns 'id', 'text'", ""),
    ],
)
def test_folders(write: Write, files: Files, form: str, golden: str | None, found: str, left: str) -> None:
    seen = recognise(write(files))
    assert (seen.corpus.format, seen.found, seen.left) == (form, found, left)
    assert (seen.golden.format if seen.golden else None) == golden
    assert CORPUS_READERS[form](seen.corpus).result().documents


def test_columns_of_a_table(write: Write) -> None:
    seen = recognise(write({"t.jsonl": TABLE}) / "t.jsonl").corpus
    assert (seen.columns.id, seen.columns.text, seen.columns.title) == ("doc_id", ["title", "body"], "title")


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({}, "no", "no: must be a folder or a file of documents, found nothing there"),
        (
            {"d/a.rst": "x"},
            "d",
            "d: holds no documents of a known kind; wanted Markdown, text, HTML, PDF, TREC, BEIR, or",
        ),
        ({"d/.a.md": "x"}, "d", "d: holds no documents of a known kind; wanted"),
        ({"a.rst": "x"}, "a.rst", "a.rst: isn't of a known kind; wanted a folder of documents, SQuAD JSON, a table"),
        ({"a.json": "[]"}, "a.json", "a.json: isn't of a known kind"),
        (
            {"a.csv": "x,y\n1,2\n"},
            "a.csv",
            "a.csv: has no columns that could be the id among 'x', 'y'; write the study by",
        ),
        (
            {"a.csv": "id,text,body\n1,2,3\n"},
            "a.csv",
            "a.csv: has 2 columns that could be the text among 'id', 'text',",
        ),
        ({"a.csv": ""}, "a.csv", "a.csv: must begin with a header, found nothing"),
        ({"a.jsonl": ""}, "a.jsonl", "a.jsonl: must hold at least one row, found none"),
    ],
)
def test_what_is_no_corpus(write: Write, refused: Refused, files: Files, path: str, message: str) -> None:
    (found,) = refused(recognise, write(files) / path)
    assert found.startswith(message)
