"""Whatever the bytes, a reader gives a result or an InputError, nothing else."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.collection import (
    CORPUS_READERS,
    GOLDEN_READERS,
    CorpusSource,
    GoldenSource,
    load_collection,
    read_beir_corpus,
    read_beir_golden,
    read_golden_yaml,
    read_markdown_folder,
)
from harness.errors import InputError
from harness.fingerprint import canonical_json
from tests.collection.pdfs import pdf

BYTES = st.binary(max_size=60) | st.sampled_from([b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\x00", b"\xe2\x80\xa8"])


def soup(*pieces: str) -> st.SearchStrategy[bytes]:
    """Return a strategy of the pieces in any order, with some arbitrary bytes among them."""
    known = st.sampled_from([piece.encode("utf-8") for piece in pieces])
    return st.lists(known | known | known | BYTES, max_size=20).map(b"".join)


MARKDOWN = soup(
    "---\n", "id: ", "title: ", "x", "\n", "# A\n", "```\n", "&a ", "*a", "[", "'", "007", "<!--", "\n===\n"
)
LINES = soup(
    *('{"_id": "a", "text": "b"}\n', '{"_id": ', '"_id": 1, ', '"text": ', '"x"', ", ", "}\n", "{", "NaN", "[", "\n")
)
QRELS = soup("query-id\tcorpus-id\tscore\n", "a\ta\t1\n", "a", "\t", "1", "-", "\n", " ", "\r\n")
GOLDEN = soup(
    *("judgments: partial\n", "queries:\n", "- id: a\n", "  question: b\n", "  gold: [a]\n", "  gold: {a: 1}\n"),
    *("  gold:\n", "  - ", "a: ", "  answerable: false\n", "  intent: i\n", "  split: dev\n", "&x ", "*x", "007", '"'),
    *("{", "}", "[", "\\ud800", "'", "!!int ", "  evidence: [{document: a, quote: b}]\n"),
)


def holds(function: Callable[..., Any], *arguments: Any) -> None:
    """Call a reader: its result can be hashed and printed, or its refusal says something printable."""
    try:
        result = function(*arguments)
    except InputError as error:
        messages = [str(problem) for problem in error.problems]
        canonical_json(messages).encode("utf-8")
        if not all(messages) or not messages:
            raise AssertionError("a refusal without a message") from error
    else:
        canonical_json(repr(result)).encode("utf-8")


@given(MARKDOWN, BYTES)
@example(b"---\nid: \x00\n---", b"")
@settings(deadline=None)
def test_markdown(one: bytes, other: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.md").write_bytes(one)
        (Path(folder) / "b.md").write_bytes(other)
        holds(read_markdown_folder, Path(folder))


@given(LINES, LINES, QRELS)
@example(b'{"_id": "a", "text": "\\ud800"}', b'{"_id": "\\udfff", "text": ""}', b"")
@settings(deadline=None)
def test_beir(corpus: bytes, queries: bytes, qrels: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "qrels").mkdir()
        (root / "corpus.jsonl").write_bytes(corpus)
        (root / "queries.jsonl").write_bytes(queries)
        (root / "qrels" / "test.tsv").write_bytes(qrels)
        holds(read_beir_corpus, root)
        holds(read_beir_golden, root, "test")
        holds(load_collection, CorpusSource(format="beir", path=root), GoldenSource(format="beir", path=root), "test")


@given(GOLDEN)
@settings(deadline=None, max_examples=300)
def test_golden_yaml(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a").write_bytes(data)
        (root / "a.md").write_bytes(b"---\nid: a\n---\nA")
        holds(read_golden_yaml, root / "a")
        corpus, golden = CorpusSource(format="markdown", path=root), GoldenSource(format="yaml", path=root / "a")
        holds(load_collection, corpus, golden, "test")


HTML = soup(
    *("<h1>", "</h1>", "<p>", "<pre>", "</pre>", "<tr>", "<td>", "<li>", "<title>", "<!--", "-->", "<![CDATA[", "]]>"),
    *(
        "&#xD800;",
        "&amp",
        "<",
        "x",
        "#",
        "\n",
        '<meta charset="gb2312">',
        '<meta charset="rot13">',
        "<?",
        "<!x",
        "<a b='",
    ),
)
PDF = st.tuples(st.integers(0, 900), st.integers(0, 900), BYTES).map(
    lambda cut: pdf("text", "more")[: cut[0]] + cut[2] + pdf("text", "more")[cut[1] :]
)
TREC = soup(
    *("<DOC>\n", "</DOC>\n", "<DOCNO>", "</DOCNO>", "a", "<TEXT>", "</TEXT>", "&lt;", "&#xD800;", "<top>", "</top>"),
    *("<num> Number: 1\n", "<title> b\n", "<desc>", "<!--", "-->", "<", "1 0 a 1\n", "1 0 b x\n", "\t"),
)
TOPICS_XML = soup(
    *(
        '<?xml version="1.0"?>\n',
        '<!DOCTYPE t [<!ENTITY a "b">]>',
        "<topics>",
        "</topics>",
        '<topic number="1">',
        "</topic>",
    ),
    *(
        "<query>",
        "</query>",
        "<number>2</number>",
        "<narrative>",
        "&a;",
        "&amp;",
        "&#0;",
        "x",
        "<!--",
        "-->",
        "<![CDATA[",
    ),
)
SQUAD = soup(
    *('{"data": [', '{"title": "t", "paragraphs": [', '{"context": "c", "qas": [', '{"id": "1", "question": "q"}'),
    *("]}", "]", "}", ",", "null", "1", '"\\ud800"', '"id": "x",', '"is_impossible": true,', "[" * 2000),
)
TABLE = soup(
    *(
        "id,question,gold,text\n",
        "id\tquestion\tgold\ttext\n",
        "a,b,c,d\n",
        "a\tb\tc\td\n",
        '"',
        ",",
        "\t",
        "NA",
        "007",
    ),
    *('{"id": "a", "question": "b", "gold": ["c"], "text": "d"}\n', '"[""c""]"', "{", "}", "[", '["c"]', "\n", "\r"),
)


@given(HTML, PDF)
@settings(deadline=None, max_examples=300)
def test_folders(page: bytes, paper: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for form, data in (("html", page), ("pdf", paper), ("txt", page)):
            (root / f"a.{form}").write_bytes(data)
        for form in ("html", "pdf", "text"):
            holds(CORPUS_READERS[form](CorpusSource(format=form, path=root)).result)


@given(TREC, TREC | TOPICS_XML, TREC)
@settings(deadline=None, max_examples=200)
def test_trec(documents: bytes, topics: bytes, qrels: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "d").write_bytes(documents)
        (root / "e.gz").write_bytes(gzip.compress(documents)[: 20 + len(qrels)])
        (root / "topics").write_bytes(topics)
        (root / "qrels").write_bytes(qrels)
        source = GoldenSource(format="trec", path=root)
        for path in (root, root / "d"):
            holds(load_collection, CorpusSource(format="trec", path=path), source, "test")
        holds(lambda: GOLDEN_READERS["trec"](source, "test").result())


@given(SQUAD | TABLE, st.sampled_from(["squad", "csv", "tsv", "jsonl", "parquet"]), st.sampled_from([None, ",", "c"]))
@settings(deadline=None, max_examples=400)
def test_tables_and_squad(data: bytes, form: str, separator: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(b"PAR1" + data + b"PAR1" if form == "parquet" else data)
        golden = GoldenSource(format=form, path=path, separator=separator)
        holds(load_collection, CorpusSource(format=form, path=path), golden, "test")
        holds(lambda: GOLDEN_READERS[form](golden, "test").result())
