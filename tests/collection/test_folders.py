"""Folders of plain text, HTML and PDF."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection import CORPUS_READERS, CorpusSource
from harness.records import Corpus
from tests.collection.pdfs import pdf

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

BLANK = {
    "text": ("void.txt", b" \n"),
    "html": ("void.html", b"<html><title>Void</title></html>"),
    "pdf": ("v.pdf", pdf("")),
}


def read(form: str, path: Path) -> Corpus:
    return CORPUS_READERS[form](CorpusSource(format=form, path=path)).result()


def page(write: Write, content: str | bytes) -> tuple[str, str]:
    """Return title and text of an HTML page."""
    (document,) = read("html", write({"a.html": content})).documents
    return document.title, document.text


def test_text_is_taken_as_it_stands(write: Write) -> None:
    root = write(
        {"b/a.txt": "---\nid: x\n---\n# A", "b/c.md": b"\xef\xbb\xbf# T\r\n", "x.TXT": "x", ".h.txt": "x", "y.py": "y"}
    )
    corpus = read("text", root)
    found = [(document.id, document.title, document.text, document.source) for document in corpus.documents]
    assert found == [("b/a.txt", "a", "---\nid: x\n---\n# A", "b/a.txt"), ("b/c.md", "c", "# T\n", "b/c.md")]
    assert corpus.notes == (
        "1 file left out, because only names in '.txt' or '.md' are read: x.TXT",
        "1 file with a byte order mark was read without it",
        "1 file with CRLF line ends was read as LF",
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<h1>A</h1><p>b<p>c", "# A\n\nb\n\nc"),
        ("<h1>A</h1><h2>B</h2>c<h6>D</h6>", "# A\n\n## B\n\nc\n\n###### D"),
        ("<h1>A<br>B</h1>", "# A B"),
        ("<h1>A</h1><ul><li>b<li>c</ul>d", "# A\n\n- b\n- c\n\nd"),
        ("<h1>A</h1><table><tr><td>1<td>2</tr><tr><td>3</td><td>4</td></tr></table>", "# A\n\n| 1 | 2\n| 3 | 4"),
        ("<h1>A</h1><pre># b\n  c</pre>", "# A\n\n```\n# b\n  c\n```"),
        ("<h1>A</h1><pre>```</pre>", "# A\n\n~~~\n```\n~~~"),
        ("<h1>A</h1>a\n  <b>b</b>c<i> d</i>", "# A\n\na bc d"),
        ("<h1>A</h1>a<br>b", "# A\n\na\nb"),
        ("<h1>A</h1><p># b</p><p>===</p><p>```</p>", "# A\n\n\\# b\n\n\\===\n\n\\```"),
        (
            "<h1>A</h1><script>s</script><style>t</style><nav>n</nav><!-- c --><footer>f</footer>b",
            "# A\n\nb",
        ),
        ("<h1>A</h1>&lt;b&gt; &amp;&#20013;&#xD800;", "# A\n\n<b> &中\ufffd"),
        ("<h1>A</h1>漢<ruby>字<rt>じ</rt></ruby>", "# A\n\n漢字"),
        ("<div>" * 3000 + "<h1>A</h1>b", "# A\n\nb"),
    ],
)
def test_a_page_becomes_markdown(write: Write, body: str, text: str) -> None:
    assert page(write, f"<!doctype html><html><head><title>A</title></head><body>{body}")[1] == text


@pytest.mark.parametrize(
    ("content", "title", "text"),
    [
        ("<title> The\nTitle </title><p>b", "The Title", "# The Title\n\nb"),
        ("<title>T</title><h1>H</h1>b", "T", "# H\n\nb"),
        ("<head><title>T</title><p>b", "T", "# T\n\nb"),
        ("<h1>H</h1>b", "H", "# H\n\nb"),
        ("b", "a", "b"),
        ("http://example.org", "a", "http://example.org"),
    ],
)
def test_titles_of_pages(write: Write, content: str, title: str, text: str) -> None:
    assert page(write, content) == (title, text)


@pytest.mark.parametrize(
    "content",
    [
        "<p>中文".encode(),
        "\ufeff<p>中文".encode(),
        "<p>中文".encode("utf-16"),
        '<meta charset="gb2312"><p>中文'.encode("gb18030"),
        '<meta charset="gb2312"><p>中文'.encode(),
        '<meta http-equiv="Content-Type" content="text/html; charset=big5"><p>中文'.encode("big5"),
    ],
)
def test_a_page_is_read_in_its_own_encoding(write: Write, content: bytes) -> None:
    assert page(write, content)[1] == "中文"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"\xff",
            "a.html:1: must be UTF-8, found byte 0xff at offset 0, and the page declares no other encoding; save",
        ),
        (
            b'<meta charset="nonsense">\xff',
            "a.html: declares the encoding 'nonsense' and isn't in it, nor in UTF-8; save",
        ),
        (b'<meta charset="base64">\xff', "a.html: declares the encoding 'base64' and isn't in it, nor in UTF-8; save"),
        (b'<meta charset="big5">\xff', "a.html: declares the encoding 'big5' and isn't in it, nor in UTF-8; save"),
    ],
)
def test_a_page_in_no_encoding(write: Write, refused: Refused, content: bytes, message: str) -> None:
    (found,) = refused(read, "html", write({"a.html": content}))
    assert found.startswith(message)


def test_the_pages_of_a_pdf(write: Write) -> None:
    root = write({"b/Two pages.pdf": pdf("Refunds (all)", "", "Five days"), "a.PDF": pdf("x")})
    corpus = read("pdf", root)
    found = [(document.id, document.title, document.text) for document in corpus.documents]
    assert found == [("b/Two pages.pdf", "Two pages", "Refunds (all)\n\nFive days")]
    assert corpus.notes == ("1 file left out, because only names in '.pdf' are read: a.PDF",)


def test_damaged_and_encrypted_pdfs(write: Write, refused: Refused) -> None:
    import io

    from pypdf import PdfWriter

    writer = PdfWriter(io.BytesIO(pdf("secret")))
    writer.encrypt("word", algorithm="RC4-128")
    secret = io.BytesIO()
    writer.write(secret)
    write({"a.pdf": b"%PDF-1.4 nothing", "b.pdf": b"", "c.pdf": secret.getvalue(), "good.pdf": pdf("x")})
    messages = refused(read, "pdf", write({}))
    assert [message.split(": ")[:2] for message in messages[:2]] == [
        ["a.pdf", "can't be read as PDF"],
        ["b.pdf", "can't be read as PDF"],
    ]
    assert messages[2:] == ["c.pdf: is encrypted; save it without a password"]


@pytest.mark.parametrize("form", sorted(BLANK))
def test_a_file_without_text_is_counted_among_good_ones_and_refused_alone(
    write: Write, refused: Refused, form: str
) -> None:
    name, content = BLANK[form]
    good: dict[str, str | bytes] = {"text": "x", "html": "x", "pdf": pdf("x")}
    suffix = {"text": "txt"}.get(form, form)
    corpus = read(form, write({f"g/a.{suffix}": good[form], f"g/{name}": content}) / "g")
    assert corpus.blank == (name,)
    assert corpus.notes[-1] == f"1 document holds no text and is never retrieved: {name}"
    assert refused(read, form, write({f"b/{name}": content}) / "b") == [
        f"b/{name}: no document holds any text: {name}; put text into at least one"
    ]


@pytest.mark.parametrize(
    ("form", "what", "wanted"),
    [("text", "text", "'.txt' or '.md'"), ("html", "HTML", "'.html' or '.htm' or '.xhtml'"), ("pdf", "PDF", "'.pdf'")],
)
def test_folders_that_hold_nothing(write: Write, refused: Refused, form: str, what: str, wanted: str) -> None:
    root = write({"d/x.py": "x"})
    nothing = f"d: holds no {what} file; wanted at least one whose name ends in {wanted}"
    assert refused(read, form, root / "d") == [nothing]
    assert refused(read, form, root / "no") == [f"no: must be a folder of {what} files, there is nothing at this path"]


@pytest.mark.parametrize(("form", "module", "name"), [("html", "bs4", "beautifulsoup4"), ("pdf", "pypdf", "pypdf")])
def test_without_the_extra_the_error_says_what_to_install(
    write: Write, refused: Refused, monkeypatch: pytest.MonkeyPatch, form: str, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    cure = "pip install 'retriever-ablation-harness[documents]'"
    assert refused(read, form, write({"d/a": "x"}) / "d") == [
        f"d: format {form} needs the package {name}; install it with: {cure}"
    ]


def test_what_a_library_extracts_is_part_of_the_fingerprint(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write({"a.html": "<p>b"})
    before = read("html", root).sha256
    monkeypatch.setattr("harness.collection.html._markdown", lambda soup: "other")
    assert read("html", root).sha256 != before
