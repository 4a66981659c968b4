"""Reading corpus.jsonl and queries.jsonl of a BEIR folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection import read_beir_corpus, read_beir_golden
from harness.fingerprint import sha256_json

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

HEADER = "query-id\tcorpus-id\tscore\n"
LAYOUT = "a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/<split>.tsv"
FINE = '{"_id": "fine", "text": "fine"}\n'


def test_documents(write: Write) -> None:
    lines = [
        '{"_id": "a", "title": "Title", "text": "Text", "metadata": {"x": 1, "x": 2}}',
        '{"text": " Text only ", "_id": "b"}',
        '{"_id": "c", "title": "", "text": "Text"}',
        '{"_id": "d", "title": null, "text": "Text"}',
        '{"_id": "e", "title": "Title only", "text": ""}',
        "",
        '{"_id": "f", "title": " ", "text": "\\n"}',
    ]
    content = "\n".join(lines) + "\n"
    corpus = read_beir_corpus(write({"corpus.jsonl": content}))
    found = [(document.id, document.title, document.text, document.source) for document in corpus.documents]
    assert found == [
        ("a", "Title", "Title Text", "corpus.jsonl:1"),
        ("b", "", "Text only", "corpus.jsonl:2"),
        ("c", "", "Text", "corpus.jsonl:3"),
        ("d", "", "Text", "corpus.jsonl:4"),
        ("e", "Title only", "Title only", "corpus.jsonl:5"),
        ("f", " ", "", "corpus.jsonl:7"),
    ]
    assert corpus.blank == ("corpus.jsonl:7",)
    assert corpus.notes == ("1 document holds no text and is never retrieved: corpus.jsonl:7",)
    assert corpus.sha256 == hashlib.sha256(content.encode()).hexdigest()


def test_numeric_ids_match_as_text(write: Write) -> None:
    """A number in JSON and the same digits in a table are one id."""
    root = write(
        {
            "corpus.jsonl": '{"_id": 7, "text": "a"}\n{"_id": "8", "text": "b"}\n',
            "queries.jsonl": '{"_id": 1, "text": "q"}\n',
            "qrels/test.tsv": HEADER + "1\t7\t1\n1\t8\t0\n",
        }
    )
    golden = read_beir_golden(root, "test")
    assert golden.judgments.grades == {"1": {"7": 1, "8": 0}}
    assert not golden.judgments.exhaustive
    assert {document.id for document in read_beir_corpus(root).documents} == {"7", "8"}


def test_ids_are_kept_exactly(write: Write) -> None:
    """No id is taken for a number: leading zeros and words such as NA stay."""
    ids = ["007", "1002", "NA", "null", "nan", "1e3", "a b", "x#1", "True", '"q"', "1002.0", "+7", "O'Neil, A."]
    root = write(
        {
            "corpus.jsonl": "".join(json.dumps({"_id": name, "title": "", "text": "t"}) + "\n" for name in ids),
            "queries.jsonl": '{"_id": "007", "text": "q"}\n',
            "qrels/test.tsv": HEADER + "".join(f"007\t{name}\t1\n" for name in ids),
        }
    )
    assert [document.id for document in read_beir_corpus(root).documents] == ids
    assert list(read_beir_golden(root, "test").judgments.grades["007"]) == ids


def test_a_line_separator_does_not_break_a_line(write: Write) -> None:
    text = "one\u2028two\u2029three\x85four"
    root = write({"corpus.jsonl": json.dumps({"_id": "a", "text": text}, ensure_ascii=False)})
    assert read_beir_corpus(root).documents[0].text == text


def test_bom_and_crlf(write: Write) -> None:
    """A byte order mark and CRLF change nothing."""
    lines = b'{"_id": "q1", "text": "a"}\r\n{"_id": "q2", "text": "b"}\r\n\r\n'
    root = write(
        {
            "corpus.jsonl": b"\xef\xbb\xbf" + lines,
            "queries.jsonl": b"\xef\xbb\xbf" + lines,
            "qrels/test.tsv": b"\xef\xbb\xbf" + (HEADER + "q1\tq1\t1\nq2\tq2\t1\n").replace("\n", "\r\n").encode(),
        }
    )
    assert [document.id for document in read_beir_corpus(root).documents] == ["q1", "q2"]
    assert [query.id for query in read_beir_golden(root, "test").queries] == ["q1", "q2"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"_id": "x", "text": "a"', "isn't valid JSON: Expecting ',' delimiter at column"),
        ("{'_id': 'x'}", "isn't valid JSON: Expecting property name enclosed in double quotes at column 2; write one"),
        ('{"_id": "x", "text": "a"} {}', "isn't valid JSON: Extra data at column"),
        ('["x"]', "must be a JSON object with _id, title, text, found a list"),
        ('"x"', "must be a JSON object with _id, title, text, found the text 'x'"),
        ("7", "must be a JSON object with _id, title, text, found the number 7"),
        ("null", "must be a JSON object with _id, title, text, found null"),
        ('{"_id": "x", "text": NaN}', "isn't valid JSON: NaN isn't valid JSON"),
        ('{"_id": -Infinity, "text": "a"}', "isn't valid JSON: -Infinity isn't valid JSON"),
        ('{"_id": ' + "9" * 5000 + ', "text": "a"}', "isn't valid JSON: Exceeds the limit"),
        ("[" * 100_000, "isn't valid JSON: nested too deeply"),
        ('{"id": "x", "text": "a"}', "_id is required and absent; every line needs this key"),
        ('{"_id": true, "text": "a"}', "_id must be a text or a whole number, found true; write the id in quotes"),
        ('{"_id": 7.0, "text": "a"}', "_id must be a text or a whole number, found the number 7.0"),
        ('{"_id": null, "text": "a"}', "_id must be a text or a whole number, found null"),
        ('{"_id": {}, "text": "a"}', "_id must be a text or a whole number, found an object"),
        ('{"_id": "", "text": "a"}', "_id an id must not be empty, found ''; give it one"),
        ('{"_id": " ", "text": "a"}', "_id an id must not be empty, found ' '; give it one"),
        ('{"_id": "a\\nb", "text": "a"}', "_id an id must hold no control character"),
        ('{"_id": "\\ud800", "text": "a"}', "_id an id must be valid Unicode"),
        ('{"_id": "x", "_id": "y", "text": "a"}', "_id duplicate key; keep one"),
        ('{"_id": "x"}', "text is required and absent"),
        ('{"_id": "x", "text": 1}', "text must be a text, found the number 1; write it in double quotes"),
        ('{"_id": "x", "text": null}', "text must be a text, found null"),
        ('{"_id": "x", "text": "a", "title": []}', "title must be a text, found a list"),
        ('{"_id": "x", "text": "\\udc00"}', "text holds half of a surrogate pair"),
        (b'{"_id": "x", "text": "\xff"}', "must be UTF-8, found byte 0xff at byte 23; save it as UTF-8"),
        (
            '{"_id": "fine", "text": "a"}',
            "_id duplicate document id 'fine', first given on line 1; rename or delete one",
        ),
    ],
)
def test_a_line_with_a_fault(write: Write, refused: Refused, line: str | bytes, message: str) -> None:
    data = FINE.encode() + (line if isinstance(line, bytes) else line.encode()) + b'\n{"_id": "z", "text": "z"}\n'
    (found,) = refused(read_beir_corpus, write({"corpus.jsonl": data}))
    assert found.startswith(f"corpus.jsonl:2: {message}")


def test_ids_equal_only_after_nfc(write: Write, refused: Refused) -> None:
    lines = '{"_id": "caf\u00e9", "text": "a"}\n{"_id": "cafe\u0301", "text": "b"}\n'
    (message,) = refused(read_beir_corpus, write({"corpus.jsonl": lines}))
    assert message.startswith("corpus.jsonl:2: _id document id ")
    assert "the same as the one first given on line 1 once both are NFC-normalised" in message


def test_all_faults_of_a_file_come_at_once_up_to_a_limit(write: Write, refused: Refused) -> None:
    messages = refused(read_beir_corpus, write({"corpus.jsonl": '{"_id": 1.5}\n' * 60}))
    assert len(messages) == 101
    assert messages[-1] == "corpus.jsonl: and 20 more problems in this file"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "corpus.jsonl: must hold at least one document with text, found none"),
        ("\n\n", "corpus.jsonl: must hold at least one document with text, found none"),
        (
            '{"_id": "a", "text": " "}\n{"_id": "b", "text": ""}',
            "corpus.jsonl: must hold at least one document with text, found no text in any of them: "
            "corpus.jsonl:1, corpus.jsonl:2",
        ),
    ],
)
def test_a_corpus_without_text(write: Write, refused: Refused, content: str, message: str) -> None:
    assert refused(read_beir_corpus, write({"corpus.jsonl": content})) == [message]


def test_missing_files(write: Write, refused: Refused) -> None:
    root = write({"file": "x", "empty/x": "x", "some/queries.jsonl": '{"_id": "q", "text": "a"}'})
    assert refused(read_beir_corpus, root / "no") == [f"no: must be a folder, there is nothing at this path; {LAYOUT}"]
    assert refused(read_beir_corpus, root / "file") == [f"file: must be a folder, found a file; {LAYOUT}"]
    assert refused(read_beir_corpus, root / "empty") == [f"empty/corpus.jsonl: there is no such file; {LAYOUT}"]
    assert refused(read_beir_golden, root / "empty", "x") == [f"empty/queries.jsonl: there is no such file; {LAYOUT}"]
    assert refused(read_beir_golden, root / "some", "x") == [f"some/qrels: there is no such folder; {LAYOUT}"]


def test_queries_are_those_judged_in_their_own_order(write: Write) -> None:
    queries = "".join(f'{{"_id": "q{n}", "text": "question {n} "}}\n' for n in (3, 1, 2, 4))
    qrels = HEADER + "q1\ta\t2\nq3\tb\t-1\nq1\tc\t0\n"
    golden = read_beir_golden(write({"queries.jsonl": queries, "qrels/dev.tsv": qrels}), "dev")
    assert [(query.id, query.text, query.split) for query in golden.queries] == [
        ("q3", "question 3 ", "dev"),
        ("q1", "question 1 ", "dev"),
    ]
    assert golden.judgments.grades == {"q3": {"b": -1}, "q1": {"a": 2, "c": 0}}
    assert list(golden.judgments.grades) == ["q3", "q1"]
    assert golden.notes == ("2 queries of queries.jsonl left out, because qrels/dev.tsv doesn't judge them",)
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (queries, qrels)]
    assert golden.sha256 == sha256_json([["queries.jsonl", hashes[0]], ["qrels/dev.tsv", hashes[1]]])


def test_a_split_that_is_not_there(write: Write, refused: Refused) -> None:
    root = write({"queries.jsonl": FINE, "qrels/dev.tsv": HEADER, "qrels/a b.tsv": HEADER, "qrels/.x.tsv": HEADER})
    for split in ("test", "../qrels/dev", "", "a\0b"):
        assert refused(read_beir_golden, root, split) == [f"qrels: holds no split {split!r}; there are 'a b', 'dev'"]


def test_faults_of_both_files_come_at_once(write: Write, refused: Refused) -> None:
    queries = '{"_id": "q1", "text": "a"}\n{"_id": "q1", "text": "b"}\n{"_id": "q2", "text": ""}\n'
    root = write({"queries.jsonl": queries, "qrels/test.tsv": HEADER + "q1\ta\tx\nq2\ta\t1\n"})
    assert [message.split(": ")[0] for message in refused(read_beir_golden, root, "test")] == [
        *("queries.jsonl:2", "queries.jsonl:3", "qrels/test.tsv:2"),
    ]


def test_a_judged_query_that_is_not_there(write: Write, refused: Refused) -> None:
    root = write({"queries.jsonl": FINE, "qrels/test.tsv": HEADER + "no\ta\t1\nno\tb\t1\nfine\ta\t1\n"})
    assert refused(read_beir_golden, root, "test") == [
        "qrels/test.tsv:2: query 'no' is judged here but isn't in queries.jsonl; add the query, or delete its judgments"
    ]
