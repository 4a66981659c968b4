"""SQuAD JSON: paragraphs are documents, questions are answered by theirs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.collection import CorpusSource, GoldenSource, load_collection

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

EXTRA = {"answers": [{"text": "x", "answer_start": 0}]}


def article(title: Any, *paragraphs: Any) -> dict[str, Any]:
    return {"title": title, "paragraphs": list(paragraphs)}


def paragraph(context: Any, *questions: Any, **more: Any) -> dict[str, Any]:
    return {"context": context, "qas": list(questions), **more}


def asked(name: Any, question: Any = "?", **more: Any) -> dict[str, Any]:
    return {"id": name, "question": question, **EXTRA, **more}


def load(root: Path) -> Any:
    path = root / "s.json"
    return load_collection(CorpusSource(format="squad", path=path), GoldenSource(format="squad", path=path), "test")


def saved(write: Write, *articles: Any) -> Path:
    return write({"s.json": json.dumps({"version": "1.1", "data": list(articles)}, ensure_ascii=False)})


def test_paragraphs_and_questions(write: Write) -> None:
    root = saved(
        write,
        article(
            "Tea",
            paragraph("Green.", asked("a", "Which?"), asked(7)),
            paragraph("Black.", asked("no", is_impossible=True)),
        ),
        article("茶", paragraph(" Red. ", asked("c"))),
        article("Tea", paragraph("White.", asked("b"))),
        {"paragraphs": [paragraph("Grey.")]},
        article("T", paragraph("Own.", asked("o"), id="DEV_0")),
    )
    found = load(root)
    assert [(document.id, document.title, document.text) for document in found.corpus.documents] == [
        ("Tea/1", "Tea", "Green."),
        ("Tea/2", "Tea", "Black."),
        ("茶/1", "茶", " Red. "),
        ("Tea/3", "Tea", "White."),
        ("untitled/1", "", "Grey."),
        ("DEV_0", "T", "Own."),
    ]
    assert found.golden.judgments.grades == {
        **{"a": {"Tea/1": 1}, "7": {"Tea/1": 1}, "no": {}, "c": {"茶/1": 1}, "b": {"Tea/3": 1}, "o": {"DEV_0": 1}}
    }
    assert [query.id for query in found.queries if not query.answerable] == ["no"]
    assert found.queries[0].text == "Which?"
    assert found.corpus.sha256 == found.golden.sha256


def test_paragraphs_with_the_same_text_are_one_document(write: Write) -> None:
    root = saved(
        write,
        article(
            "A", paragraph("One  text", asked("a")), paragraph("two", asked("b")), paragraph("one text", asked("d"))
        ),
        article("B", paragraph("One text\n", asked("c")), paragraph(""), paragraph(" ")),
    )
    found = load(root)
    assert found.document_ids == ("A/1", "A/2", "A/3", "B/2", "B/3")
    assert found.golden.judgments.grades["c"] == {"A/1": 1}
    assert found.notes[0] == "1 paragraph with the text of an earlier one, taken as that one: B/1"
    assert found.corpus.blank == ("data[1].paragraphs[1]", "data[1].paragraphs[2]")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "s.json: must be a JSON object with the key 'data', found a list"),
        ("{}", "s.json: data must be a list, there is none among "),
        ('{"data": {}}', "s.json: data must be a list, found an object"),
        ('{"data": []}', "s.json: data must hold at least one paragraph with text, found none"),
        ('{"data": [1]}', "s.json: data[0] must be an object, found the number 1"),
        ('{"data": [{"title": "x"}]}', "s.json: data[0].paragraphs must be a list, there is none among 'title'"),
        ('{"data": [{"title": 1, "paragraphs": []}]}', "s.json: data[0].title must be a text, found the number 1"),
        ('{"data": [{"paragraphs": [{"qas": []}]}]}', "s.json: data[0].paragraphs[0].context must be a text, there is"),
        ('{"data": [{"paragraphs": [{"context": "\\ud800"}]}]}', "s.json: data[0].paragraphs[0].context holds half of"),
        ('{"data": [\n}', "s.json:2: isn't valid JSON: Expecting value at column 1"),
        ('{"data": 1, "data": 2}', "s.json: isn't valid JSON: the key 'data' stands twice in one object; keep one"),
        ('{"data": NaN}', "s.json: isn't valid JSON: NaN isn't valid JSON"),
        ("[" * 100_000, "s.json: isn't valid JSON: nested too deeply"),
        (b"\xff", "s.json:1: must be UTF-8"),
    ],
)
def test_a_file_with_a_fault(write: Write, refused: Refused, content: str | bytes, message: str) -> None:
    found = refused(load, write({"s.json": content}))
    assert found[0].startswith(message)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"question": "?"}, "id must be a text, there is none among 'question'"),
        (asked(1.5), "id must be a text, found the number 1.5"),
        (asked(""), "id an id must not be empty"),
        (
            asked("fine"),
            "id duplicate question id 'fine', first given at data[0].paragraphs[0].qas[0]; rename or delete",
        ),
        (asked("x", None), "question must be a text, found null"),
        (asked("x", " "), "question must not be blank; write the question"),
        (asked("x", is_impossible=1), "is_impossible must be true or false, found the number 1"),
    ],
)
def test_a_question_with_a_fault(write: Write, refused: Refused, question: Any, message: str) -> None:
    root = saved(write, article("A", paragraph("x", asked("fine"), question)))
    (found,) = refused(load, root)
    assert found.startswith(f"s.json: data[0].paragraphs[0].qas[1].{message}")


def test_all_faults_come_at_once_and_each_once(write: Write, refused: Refused) -> None:
    root = saved(write, article("A", paragraph(1, asked("a")), 2), article("B", paragraph("x", asked("b", 3))))
    assert [message.split(" ")[1] for message in refused(load, root)] == [
        "data[0].paragraphs[0].context",
        "data[0].paragraphs[1]",
        "data[1].paragraphs[0].qas[0].question",
    ]
