"""Reading a folder of Markdown files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection import read_markdown_folder
from harness.fingerprint import sha256_json

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]


def test_ids_titles_texts_and_order(write: Write) -> None:
    root = write(
        {
            "b.md": "Just text",
            "a/z.md": "# Zed\n\nText\n",
            "a-b.md": "---\nid: own\ntitle: Front\n---\n\nBody\n",
            "c/d.md": "---\ntitle: Front\ntags: [x, 007]\ndate: 2024-01-05\n---\n\n# Inside\nBody",
            ".hidden.md": "x",
            ".git/x.md": "x",
            "notes.txt": "x",
        }
    )
    corpus = read_markdown_folder(root)
    found = [(document.id, document.title, document.text, document.source) for document in corpus.documents]
    assert found == [
        ("own", "Front", "# Front\n\nBody\n", "a-b.md"),
        ("a/z.md", "Zed", "# Zed\n\nText\n", "a/z.md"),
        ("b.md", "b", "Just text", "b.md"),
        ("c/d.md", "Front", "# Inside\nBody", "c/d.md"),
    ]
    assert corpus.blank == ()
    assert corpus.notes == ()


def test_the_hash_covers_names_and_bytes_and_nothing_else(write: Write, tmp_path: Path) -> None:
    root = write({"x/a.md": "A", "x/b.md": "B", "x/c.txt": "C"}) / "x"
    names = [(name, hashlib.sha256(name[0].upper().encode()).hexdigest()) for name in ("a.md", "b.md")]
    assert read_markdown_folder(root).sha256 == sha256_json([list(pair) for pair in names])
    moved = root.rename(tmp_path / "y")
    assert read_markdown_folder(moved).sha256 == sha256_json([list(pair) for pair in names])
    (moved / "a.md").write_text("A\n", encoding="utf-8")
    assert read_markdown_folder(moved).sha256 != sha256_json([list(pair) for pair in names])


@pytest.mark.parametrize("front", ["---\n---\n", "---\n# only a comment\n---\n", "--- \ntags: [a]\n---\t\n"])
def test_front_matter_without_id_and_title(write: Write, front: str) -> None:
    (document,) = read_markdown_folder(write({"a.md": f"{front}Body"})).documents
    assert (document.id, document.title, document.text) == ("a.md", "a", "Body")


@pytest.mark.parametrize("title", ["", " ''", " ~"])
def test_a_blank_title_counts_as_none(write: Write, title: str) -> None:
    (document,) = read_markdown_folder(write({"a.md": f"---\ntitle:{title}\n---\n# Inside"})).documents
    assert document.title == "Inside"


def test_a_title_is_one_line(write: Write) -> None:
    (document,) = read_markdown_folder(write({"a.md": "---\ntitle: >\n  Two\n  lines\n---\nBody"})).documents
    assert document.title == "Two lines"
    assert document.text == "# Two lines\n\nBody"


def test_bom_and_line_ends_are_read_and_noted(write: Write) -> None:
    """A byte order mark and CRLF change nothing."""
    root = write({"a.md": b"\xef\xbb\xbf---\r\nid: x\r\n---\r\nA\r\n", "b.md": b"B\r\nC", "c.md": "D\n"})
    corpus = read_markdown_folder(root)
    assert [(document.id, document.text) for document in corpus.documents] == [
        ("x", "A\n"),
        ("b.md", "B\nC"),
        ("c.md", "D\n"),
    ]
    assert corpus.notes == (
        "1 file with a byte order mark was read without it",
        "2 files with CRLF line ends were read as LF",
    )


def test_blank_files_among_others_are_counted(write: Write) -> None:
    root = write({"a.md": "A", "b.md": " \n\t\n", "c.md": "---\ntitle: Only a title\n---\n\n", "d.md": b""})
    corpus = read_markdown_folder(root)
    assert corpus.blank == ("b.md", "c.md", "d.md")
    assert [document.text for document in corpus.documents] == ["A", "", "", ""]
    assert corpus.notes == ("3 documents hold no text and are never retrieved: b.md, c.md, d.md",)


def test_a_corpus_without_any_text(write: Write, refused: Refused) -> None:
    root = write({"c/a.md": "\n"}) / "c"
    assert refused(read_markdown_folder, root) == [
        "c/a.md: no document holds any text: a.md; put text into at least one"
    ]
    (root / "b.md").write_text("---\nid: b\n---\n", encoding="utf-8")
    assert refused(read_markdown_folder, root) == [
        "c: no document holds any text: a.md, b.md; put text into at least one"
    ]


def test_a_folder_that_is_absent_empty_or_a_file(write: Write, refused: Refused) -> None:
    root = write({"e/x.txt": "x", "f.md": "F", "g/A.MD": "x", "g/b.markdown": "x"})
    wanted = "must be a folder of Markdown files"
    assert refused(read_markdown_folder, root / "no") == [f"no: {wanted}, there is nothing at this path"]
    assert refused(read_markdown_folder, root / "f.md") == [f"f.md: {wanted}, found a file"]
    none = "holds no Markdown file; wanted at least one whose name ends in '.md'"
    assert refused(read_markdown_folder, root / "e") == [f"e: {none}"]
    left = "2 files left out, because only names in '.md' are read: A.MD, b.markdown"
    assert refused(read_markdown_folder, root / "g") == [f"g: {none} ({left})"]
    assert "nothing at this path" in refused(read_markdown_folder, root / "a\0b")[0]
    assert "nothing at this path" in refused(read_markdown_folder, root / ("x" * 5000))[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("---\nid: 007\n---\nA", 'x.md:2: id must be text, but YAML readers change 007; write "007" with quotes'),
        ("---\ntitle: T\nid: 7\n---\nA", 'x.md:3: id must be text, but YAML readers change 7; write "7" with quotes'),
        ("---\nid:\n---\nA", "x.md:2: id must be text, found nothing"),
        ("---\nid: ''\n---\nA", "x.md:2: an id must not be empty, found ''; give it one"),
        ('---\nid: "a\\tb"\n---\nA', "x.md:2: an id must hold no control character"),
        ("---\ntitle: 1984\n---\nA", "x.md:2: title must be text, found 1984; write it with quotes"),
        ("---\ntags: a\nid: x\nid: y\n---\nA", "x.md:4: id duplicate key, first given on line 3; keep one"),
        ("---\na: b: c\n---\nA", "x.md:2: isn't valid YAML: mapping values are not allowed here"),
        ("---\n- a\n---\nA", "x.md:2: must be a mapping of keys, found a list"),
        ("---\nSome text\n---\nA", "x.md:2: must be a mapping of keys, found 'Some text'"),
        ("---\nid: x\nA", "x.md:1: the front matter that begins here never ends; close it with a line '---'"),
        (b"A\nB\xffC", "x.md:2: must be UTF-8, found byte 0xff at offset 3; save it as UTF-8"),
        ("A".encode("utf-16"), "x.md:1: must be UTF-8, found byte 0xff at offset 0"),
    ],
)
def test_a_file_with_a_fault(write: Write, refused: Refused, content: str | bytes, message: str) -> None:
    (found,) = refused(read_markdown_folder, write({"x.md": content, "y.md": "Fine"}))
    assert found.startswith(message)


def test_faults_of_all_files_come_at_once(write: Write, refused: Refused) -> None:
    root = write({"a.md": b"\xff", "b.md": "---\nid: 1\n---\n", "c.md": "---\nid: c\n", "d.md": "D"})
    assert [found.split(": ")[0] for found in refused(read_markdown_folder, root)] == ["a.md:1", "b.md:2", "c.md:1"]


def test_two_files_with_one_id(write: Write, refused: Refused) -> None:
    root = write({"a.md": "---\nid: same\n---\nA", "b.md": "---\n\nid: same\n---\nB", "c.md": "---\nid: b.md\n---\nC"})
    cure = "give one of the two another id in its front matter, or rename it"
    assert refused(read_markdown_folder, root) == [
        f"b.md:3: duplicate document id 'same', first given by a.md; {cure}",
    ]
    root = write({"b.md": "B"})
    assert refused(read_markdown_folder, root) == [f"c.md:2: duplicate document id 'b.md', first given by b.md; {cure}"]


def test_ids_equal_only_after_nfc(write: Write, refused: Refused) -> None:
    root = write({"a.md": "---\nid: caf\u00e9\n---\nA", "b.md": "---\nid: cafe\u0301\n---\nB"})
    (message,) = refused(read_markdown_folder, root)
    assert message.startswith("b.md:2: document id ")
    assert "is the same as the one first given by a.md once both are NFC-normalised" in message


def test_ids_and_order_do_not_depend_on_the_normal_form_of_names(write: Write) -> None:
    root = write({"x/cafe\u0301.md": "A", "x/cafz.md": "B", "y/caf\u00e9.md": "A", "y/cafz.md": "B"})
    one, other = read_markdown_folder(root / "x"), read_markdown_folder(root / "y")
    assert [document.id for document in one.documents] == ["cafz.md", "caf\u00e9.md"]
    assert [document.id for document in one.documents] == [document.id for document in other.documents]
    assert one.sha256 == other.sha256


def test_links(write: Write) -> None:
    root = write({"a/x.md": "X", "b/y.md": "Y"})
    (root / "a" / "loop").symlink_to(root / "a")
    (root / "a" / "other").symlink_to(root / "b")
    (root / "a" / "linked.md").symlink_to(root / "b" / "y.md")
    corpus = read_markdown_folder(root / "a")
    assert [document.id for document in corpus.documents] == ["linked.md", "x.md"]
    assert corpus.notes == ("2 linked folders not entered: loop, other",)


def test_files_that_are_none(write: Write, refused: Refused) -> None:
    root = write({"fine.md": "A"})
    (root / "gone.md").symlink_to(root / "nowhere.md")
    (root / "self.md").symlink_to(root / "self.md")
    os.mkfifo(root / "pipe.md")
    (root / "folder.md").mkdir()
    assert refused(read_markdown_folder, root) == [
        "gone.md: can't be read: No such file or directory",
        "pipe.md: must be a regular file, found a pipe or a device",
        "self.md: can't be read: Too many levels of symbolic links",
    ]


def test_a_name_that_is_not_utf8(write: Write, refused: Refused) -> None:
    root = write({"fine.md": "A"})
    try:
        (root / os.fsdecode(b"bad\xff.md")).write_text("A", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert refused(read_markdown_folder, root) == ["bad\\udcff.md: the name of the file must be UTF-8; rename it"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(write: Write, refused: Refused) -> None:
    root = write({"a/x.md": "X", "y.md": "Y"})
    (root / "a").chmod(0)
    try:
        assert refused(read_markdown_folder, root) == ["a: can't be read: Permission denied"]
    finally:
        (root / "a").chmod(0o700)


def test_paths_are_shown_as_given(write: Write, monkeypatch: pytest.MonkeyPatch, refused: Refused) -> None:
    monkeypatch.chdir(write({"docs/a.md": "---\nid: 1\n---\n"}))
    assert refused(read_markdown_folder, Path("docs"))[0].startswith("docs/a.md:2: id ")
