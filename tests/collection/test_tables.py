"""Tables of documents and of questions: JSONL, CSV, TSV, Parquet, with a mapping of columns."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from harness.collection import (
    CORPUS_READERS,
    GOLDEN_READERS,
    CorpusColumns,
    CorpusSource,
    GoldenColumns,
    GoldenSource,
)
from harness.records import Corpus, GoldenSet

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]
Rows = Sequence[Mapping[str, Any]]

FORMS = ["jsonl", "csv", "tsv", "parquet"]
MAPPED = GoldenColumns(id="qid", question="q", gold="docs", split="part", tags="labels", answerable="can")


def table(form: str, rows: Rows) -> bytes:
    """Write rows as a file; lists and mappings are JSON where cells are text."""
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if form == "parquet":
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), buffer)
        return buffer.getvalue()
    cells = [[value if isinstance(value, str) else json.dumps(value) for value in row.values()] for row in rows]
    if form == "tsv":
        return "".join("\t".join(line) + "\n" for line in [list(rows[0]), *cells]).encode()
    out = io.StringIO()
    csv.writer(out).writerows([list(rows[0]), *cells])
    return out.getvalue().encode()


def corpus(path: Path, form: str, columns: CorpusColumns | None = None) -> Corpus:
    return CORPUS_READERS[form](CorpusSource(format=form, path=path, columns=columns or CorpusColumns())).result()


def golden(path: Path, form: str, columns: GoldenColumns | None = None, **more: Any) -> GoldenSet:
    source = GoldenSource(format=form, path=path, columns=columns or GoldenColumns(), **more)
    return GOLDEN_READERS[form](source, "test").result().golden


def place(form: str, row: int) -> str:
    """Return how a message names a row; those before it are one line each."""
    return {"parquet": f" row {row}", "jsonl": f"{row}:"}.get(form, f"{row + 1}:")


@pytest.mark.parametrize("form", FORMS)
def test_documents(write: Write, form: str) -> None:
    rows = [
        {"nr": "007", "head": "Tea", "body": 'Hot, "sweet".', "other": "x"},
        {"nr": "NA", "head": "", "body": "中文"},
        {"nr": "null", "head": "Only a head", "body": " "},
        {"nr": "1002", "head": " ", "body": ""},
    ]
    rows = [{"nr": row["nr"], "head": row["head"], "body": row["body"], "other": "x"} for row in rows]
    root = write({"t": table(form, rows)})
    found = corpus(root / "t", form, CorpusColumns(id="nr", text=["head", "body"], title="head"))
    assert [(document.id, document.title, document.text) for document in found.documents] == [
        ("007", "Tea", 'Tea\n\nHot, "sweet".'),
        ("NA", "", "中文"),
        ("null", "Only a head", "Only a head"),
        ("1002", " ", ""),
    ]
    assert len(found.blank) == 1
    plain = corpus(root / "t", form, CorpusColumns(id="nr", text=["body"]))
    assert plain.documents[0].text == 'Hot, "sweet".'
    assert plain.sha256 != found.sha256


@pytest.mark.parametrize("form", FORMS)
def test_questions(write: Write, form: str) -> None:
    rows = [
        {"qid": "1", "q": "One?", "docs": ["a", "b c"], "part": "dev", "labels": ["x", "y"], "can": True},
        {"qid": "NA", "q": " Two, too? ", "docs": ["007"], "part": "test", "labels": [], "can": True},
        {"qid": "3", "q": "None?", "docs": [], "part": "test", "labels": [], "can": False},
    ]
    found = golden(write({"t": table(form, rows)}) / "t", form, MAPPED, judgments="exhaustive")
    assert [(query.id, query.text, query.split, query.tags, query.answerable) for query in found.queries] == [
        ("1", "One?", "dev", ("x", "y"), True),
        ("NA", " Two, too? ", "test", (), True),
        ("3", "None?", "test", (), False),
    ]
    assert found.judgments.grades == {"1": {"a": 1, "b c": 1}, "NA": {"007": 1}, "3": {}}
    assert found.judgments.exhaustive


@pytest.mark.parametrize(
    ("gold", "separator", "grades"),
    [
        ("a", None, {"a": 1}),
        ("a, b", None, {"a, b": 1}),
        ("a, b", ",", {"a": 1, "b": 1}),
        ("a|b", "|", {"a": 1, "b": 1}),
        ('["a", "b"]', None, {"a": 1, "b": 1}),
        ('["a", 7]', ",", {"a": 1, "7": 1}),
        ('{"a": 2, "b": 0}', None, {"a": 2, "b": 0}),
        (" [1]", None, {"1": 1}),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_gold_as_text(write: Write, form: str, gold: str, separator: str | None, grades: dict[str, int]) -> None:
    content = table(form, [{"id": "1", "question": "?", "gold": gold}])
    if form != "tsv" or "\t" not in gold:
        assert golden(write({"t": content}) / "t", form, separator=separator).judgments.grades == {"1": grades}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_whole_numbers_become_their_digits_and_null_is_nothing(write: Write, form: str) -> None:
    rows = [{"id": 7, "question": "?", "gold": [7, 8], "tags": None, "split": "test"}]
    found = golden(write({"t": table(form, rows)}) / "t", form, GoldenColumns(tags="tags"))
    assert found.judgments.grades == {"7": {"7": 1, "8": 1}}
    assert found.queries[0].tags == ()
    assert corpus(write({"c": table(form, [{"id": 7, "text": "x"}, {"id": 8, "text": None}])}) / "c", form).blank


def test_grades_in_a_mapping_of_json(write: Write) -> None:
    root = write({"t": table("jsonl", [{"id": "1", "question": "?", "gold": {"a": 2, "b": 0}}])})
    assert golden(root / "t", "jsonl").judgments.grades == {"1": {"a": 2, "b": 0}}
    schema = pyarrow.schema(
        {"id": pyarrow.string(), "question": pyarrow.string(), "gold": pyarrow.list_(pyarrow.int64())}
    )
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([{"id": "1", "question": "?", "gold": [3]}], schema), buffer)
    assert golden(write({"p": buffer.getvalue()}) / "p", "parquet").judgments.grades == {"1": {"3": 1}}


@pytest.mark.parametrize("form", FORMS)
def test_a_missing_column_lists_those_there_are(write: Write, refused: Refused, form: str) -> None:
    root = write({"t": table(form, [{"nr": "1", "body": "x"}, {"nr": "2", "body": "y"}])})
    messages = refused(corpus, root / "t", form, CorpusColumns(id="nr", text=["title", "body"]))
    (message,) = [message for message in messages if "has no" in message]
    assert "has no column 'title'" in message
    assert message.endswith("; the columns there are: 'nr', 'body'; say which is which under 'columns'")
    (message,) = refused(golden, root / "t", form)
    assert "has no columns 'id', 'question', 'gold'" in message


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("rows", "column", "message"),
    [
        ([("a", "x"), ("a", "y")], "id", "duplicate document id 'a', first given"),
        ([("a", "x"), (" ", "y")], "id", "an id must not be empty, found ' '; give it one"),
        ([("caf\u00e9", "x"), ("cafe\u0301", "y")], "id", "document id "),
    ],
)
def test_documents_with_faults(
    write: Write, refused: Refused, form: str, rows: list[tuple[str, str]], column: str, message: str
) -> None:
    root = write({"t": table(form, [{"id": name, "text": text} for name, text in rows])})
    (found,) = refused(corpus, root / "t", form)
    assert found.startswith(f"t:{place(form, 2)} {column} {message}")


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("id", 1002.0, "must be a text or a whole number, found the number 1002.0; a tool has made numbers of the ids"),
        ("id", None, "must be a text or a whole number, found null; write the id as text"),
        ("id", True, "must be a text or a whole number, found true"),
        ("question", 5, "must be a text, found the number 5"),
        ("question", None, "must not be blank, found ''; write the question"),
        ("gold", None, "must name at least one relevant document, found none; name it, or map a column 'answerable'"),
        ("gold", 1.5, "must be a list of texts, a mapping or a text, found the number 1.5"),
        ("gold", [1.5], "must be a text or a whole number, found the number 1.5"),
        ("gold", [["a"]], "must be a text or a whole number, found a list"),
        ("gold", ["a", "a"], "names document 'a' twice; keep one"),
        ("gold", "['a']", "begins like JSON, but isn't: Expecting value"),
        ("gold", '{"a": 0}', "must name at least one relevant document, found only grades below 1"),
        ("gold", '{"a": "1"}', "must give 'a' a whole number as its grade, found the text '1'"),
        ("gold", '{"a": 1, "a": 2}', "begins like JSON, but isn't: the key 'a' stands twice in one object"),
        ("split", "", "must not be blank, found ''; name the split, such as 'test'"),
        ("answerable", "maybe", "must be true or false, found the text 'maybe'"),
        ("answerable", "false", "is false although gold names relevant documents"),
        ("tags", '{"a": 1}', "must be a list of texts, found an object"),
    ],
)
def test_questions_with_faults(
    write: Write, refused: Refused, form: str, column: str, value: Any, message: str
) -> None:
    row = {"id": "1", "question": "?", "gold": "a", "split": "x", "tags": "", "answerable": None}
    content = table(form, [{**row, column: value}])
    columns = GoldenColumns(split="split", tags="tags", answerable="answerable")
    found = refused(golden, write({"t": content}) / "t", form, columns)
    assert found[0].startswith(f"t:{place(form, 1)} {column} {message}")
    assert len(found) == 1


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        ("csv", "", "t: must begin with a header that names id, text, found nothing"),
        ("csv", "id,text\n", "t: must hold at least one document with text, found none"),
        ("csv", "id,text\na,b,c\n", "t:2: must have 2 cells as the header has, found 3: ['a', 'b', 'c']; put a cell"),
        ("csv", 'id,text\na,"b\n', "t:2: isn't valid CSV: unexpected end of data; check the quotes"),
        ("csv", "id,id,text\na,b,c\n", "t:1: has column 'id' 2 times; keep one"),
        ("csv", "id;text\na;b\n", "t:1: has no columns 'id', 'text'; the columns there are: 'id;text'"),
        ("csv", 'id,text\n"a\nb",x\n', "t:2: id an id must hold no control character"),
        ("tsv", "id\ttext\na\n", "t:2: must have 2 cells as the header has, found 1"),
        ("jsonl", "[]\n", "t:1: must be a JSON object with id, text, found a list"),
        ("jsonl", '{"id": "a", "text": "\\ud800"}\n', "t:1: text holds half of a surrogate pair"),
        ("parquet", "PAR1", "t: isn't a readable Parquet file: "),
        ("csv", b"id,text\na,\xff", "t:2: must be UTF-8"),
    ],
)
def test_files_with_faults(write: Write, refused: Refused, form: str, content: str | bytes, message: str) -> None:
    found = refused(corpus, write({"t": content}) / "t", form)
    assert found[0].startswith(message)


@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv"])
def test_packed_tables_and_byte_order_marks(write: Write, form: str) -> None:
    rows = [{"id": "a", "text": "x"}, {"id": "b", "text": "y" * 200_000}]
    plain = table(form, rows)
    root = write({"t": b"\xef\xbb\xbf" + plain, "t.gz": gzip.compress(plain)})
    assert corpus(root / "t", form).documents[1].text == "y" * 200_000
    packed, unpacked = corpus(root / "t.gz", form), corpus(root / "t", form)
    assert [document.id for document in packed.documents] == [document.id for document in unpacked.documents]


def test_a_row_of_csv_may_span_lines(write: Write) -> None:
    root = write({"t": 'id,text\r\na,"one\r\ntwo"\r\n\r\nb,x\r\n'})
    found = corpus(root / "t", "csv")
    assert [(document.id, document.text, document.source) for document in found.documents] == [
        ("a", "one\ntwo", "t:2"),
        ("b", "x", "t:5"),
    ]


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda name: bool(name.strip()))


@given(
    st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=5, unique_by=lambda pair: pair[0]), st.sampled_from(FORMS)
)
@settings(deadline=None)
def test_ids_come_through_every_form_exactly(tmp_path_factory: pytest.TempPathFactory, rows: Any, form: str) -> None:
    import unicodedata

    path = tmp_path_factory.mktemp("t") / "t"
    path.write_bytes(table(form, [{"id": name, "text": text} for name, text in rows]))
    names = [unicodedata.normalize("NFC", name) for name, _ in rows]
    if len(set(names)) == len(names):
        assert [document.id for document in corpus(path, form).documents] == names
