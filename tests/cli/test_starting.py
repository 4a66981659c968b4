"""From documents to the first table: harness init, questions, check, sweep; and golden sets of other tools."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.world import DOCUMENTS, invoke, run, set_cells, table_of, write_files
from tests.collection.pdfs import pdf

Files = dict[str, str | bytes]

MARKDOWN: Files = {f"docs/{name}": text for name, text in DOCUMENTS.items()}
QA = [
    {"qid": "red", "query": "red boats", "retrieval_gt": [["boats.md"], ["ships.md"]]},
    {"qid": "lights", "query": "lights of the harbour", "retrieval_gt": "tower.md, boats.md"},
]
NARROW = [
    ("mode: [bm25, vector, hybrid]", "mode: [bm25, vector]"),
    ("size: [200, 400] ", "size: 200 "),
    ("embedder: packaged-multilingual", "embedder: lsa"),
]


def uncommented(text: str) -> str:
    """Take the example questions out of their comments."""
    return re.sub(r"^#( {2,4}[- ] ?(?:id|question|gold|answerable):)", r"\1", text, flags=re.MULTILINE)


def narrowed(path: Path) -> None:
    """Make the study of a new folder a small one."""
    text = path.read_text(encoding="utf-8")
    for old, new in NARROW:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def test_the_whole_way_with_the_installed_command(tmp_path: Path) -> None:
    write_files(tmp_path, {**MARKDOWN, "docs/notes.rst": "x"})
    done = run("init", "docs", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "found 4 files (.md), format markdown: 4 documents\n"
        "  1 other file not read: notes.rst\n"
        "wrote study.yaml and golden.yaml\n"
        "next:\n"
        "  1. write ten questions or more into golden.yaml; examples are there\n"
        "  2. harness check study.yaml\n"
        "  3. harness sweep study.yaml\n"
    )
    empty = run("check", "study.yaml", cwd=tmp_path)
    assert (empty.code, "golden.yaml" in empty.err, "Traceback" in empty.err) == (2, True, False)
    golden = tmp_path / "golden.yaml"
    text = uncommented(golden.read_text(encoding="utf-8"))
    golden.write_text(text.replace("A question that Boats answers", "red boats of the harbour"), encoding="utf-8")
    narrowed(tmp_path / "study.yaml")
    checked = run("check", "study.yaml", cwd=tmp_path)
    assert (checked.code, checked.err) == (0, "")
    assert "golden set: 3 questions, 3 in split test, 2 of them answerable" in checked.out
    swept = run("sweep", "study.yaml", cwd=tmp_path)
    assert swept.code == 0, swept.err
    assert [row[0] for row in set_cells(table_of(swept.out))] == ["bm25", "vector"]


KINDS: dict[str, tuple[Files, str]] = {
    "text": ({"docs/a.txt": "one"}, "{format: text, path: docs}"),
    "html": ({"docs/a.html": "<p>one"}, "{format: html, path: docs}"),
    "pdf": ({"docs/a.pdf": pdf("one")}, "{format: pdf, path: docs}"),
    "trec": ({"docs/a": "<DOC><DOCNO>1</DOCNO>one</DOC>"}, "{format: trec, path: docs}"),
    "chinese": ({"docs/a.md": "明天有雨"}, "docs"),
    "odd names": ({"docs/no: 1.md": "# x: y\n"}, "docs"),
    "a table": (
        {"docs/t.csv": "id,text,title\n007,one,T\n"},
        "{format: csv, path: docs/t.csv, columns: {id: id, text: [title, text], title: title}}",
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_study_for_each_kind_of_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    files, corpus = KINDS[name]
    write_files(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    assert invoke("init", "docs").code == 0
    study, golden = tmp_path / "study.yaml", tmp_path / "golden.yaml"
    assert f"\ncorpus: {corpus}\n" in study.read_text(encoding="utf-8")
    assert ("tokenizer: jieba" in study.read_text(encoding="utf-8")) == (name == "chinese")
    golden.write_text(uncommented(golden.read_text(encoding="utf-8")), encoding="utf-8")
    checked = invoke("check", "study.yaml")
    assert (checked.code, checked.err) == (0, "")
    assert "corpus: 1 documents" in checked.out


def test_documents_that_bring_their_questions_need_no_golden_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: Files = {
        "set/corpus.jsonl": '{"_id": "1", "text": "one"}\n',
        "set/queries.jsonl": '{"_id": "q", "text": "one"}\n',
        "set/qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq\t1\t1\n",
    }
    write_files(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    done = invoke("init", "set")
    assert (done.code, "1. harness check study.yaml" in done.out) == (0, True)
    assert not (tmp_path / "golden.yaml").exists()
    assert "1 in split dev" in invoke("check", "study.yaml").out


@pytest.mark.parametrize("there", ["study.yaml", "golden.yaml"])
def test_init_overwrites_nothing(tmp_path: Path, there: str) -> None:
    write_files(tmp_path, {**MARKDOWN, there: "mine"})
    done = invoke("init", tmp_path / "docs", "--into", tmp_path)
    assert (done.code, done.err) == (
        2,
        f"error: {tmp_path / there}: is there already and is never overwritten; move it, or name another\n",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["docs", there])
    assert (tmp_path / there).read_text() == "mine"


def test_the_folder_to_write_into_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, MARKDOWN)
    monkeypatch.chdir(tmp_path)
    assert invoke("init", "docs", "--into", "new").code == 0
    assert "\ncorpus: ../docs\n" in (tmp_path / "new" / "study.yaml").read_text(encoding="utf-8")


def test_init_says_what_is_wrong_with_documents(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/a.md": b"\xff", "docs/b.md": "---\nid: 007\n---\nx"})
    done = invoke("init", tmp_path / "docs", "--into", tmp_path)
    assert (done.code, done.err.count("\n"), "a.md:1: must be UTF-8" in done.err) == (2, 3, True)
    told = f"error: {tmp_path / 'docs/a.md'}: must be a folder to write into, found a file; name another\n"
    assert invoke("init", tmp_path / "docs", "--into", tmp_path / "docs" / "a.md").err == told
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]


def test_a_golden_set_of_another_tool(tmp_path: Path) -> None:
    write_files(tmp_path, {**MARKDOWN, "qa.json": json.dumps(QA)})
    done = run("import", "qa.json", "--out", "golden.yaml", "--corpus", "docs", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "a list of entries; id = 'qid', question = 'query', gold = 'retrieval_gt'\n"
        "entry 1: red: a list of lists, flattened: 2 documents\n"
        "entry 2: lights: ids between ',': 2 documents\n"
        "golden.yaml: 2 in split test; every id is in the corpus\n"
    )
    assert (tmp_path / "golden.yaml").read_text(encoding="utf-8") == (
        "# Made by 'harness import' from qa.json.\n"
        "judgments: partial\n"
        "queries:\n"
        "  - id: red\n"
        '    question: "red boats"\n'
        "    gold: [boats.md, ships.md]\n"
        "  - id: lights\n"
        '    question: "lights of the harbour"\n'
        "    gold: [tower.md, boats.md]\n"
    )
    again = run("import", "qa.json", "--out", "golden.yaml", cwd=tmp_path)
    assert (again.code, "is there already and is never overwritten" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ([], ["qa.json: entry 2 retrieval_gt may be one id or several"]),
        (
            ["--corpus", "docs", "--separator", ";"],
            ["qa.json: document 'tower.md, boats.md', named by question 'lights'"],
        ),
        (["--gold", "no"], ["--gold: there is no key 'no'; the keys there are: 'qid', 'query', 'retrieval_gt'"]),
        (["--separator", ","], None),
        (["--separator", ""], ["--separator: must be a text that stands between ids"]),
        (["--empty", "x"], ["--empty: must be refuse, unanswerable or drop, found 'x'"]),
        (["--judgments", "x"], ["--judgments: must be partial or exhaustive, found 'x'"]),
        (["--corpus", "nowhere"], ["nowhere: must be a folder or a file of documents"]),
    ],
)
def test_what_is_refused_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], messages: list[str] | None
) -> None:
    write_files(tmp_path, {**MARKDOWN, "qa.json": json.dumps(QA)})
    monkeypatch.chdir(tmp_path)
    done = invoke("import", "qa.json", "--out", "golden.yaml", *options)
    assert (done.code, (tmp_path / "golden.yaml").exists()) == ((0, True) if messages is None else (2, False))
    assert all(message in done.err for message in messages or [])
    assert "Traceback" not in done.err


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    write_files(tmp_path, {"qa.json": json.dumps(QA[:1])})
    done = invoke("import", tmp_path / "qa.json", "--out", tmp_path / "no" / "no" / "golden.yaml")
    assert (done.code, "golden.yaml: can't be written: No such file or directory" in done.err) == (2, True)
