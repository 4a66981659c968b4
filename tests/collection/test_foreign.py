"""Golden sets of other tools turned into ours."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from harness.collection import read_golden_yaml
from harness.collection.foreign import Conversion, Wishes, convert, golden_yaml
from harness.errors import InputError
from harness.records import GoldenSet, Judgments, Query

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

KNOWN = frozenset({"a", "b", "my doc.md", "c,d", "c", "d"})


def entry(gold: Any, **more: Any) -> dict[str, Any]:
    return {"id": "1", "question": "Q?", "gold": gold, **more}


def converted(write: Write, *entries: Any, known: frozenset[str] | None = None, **wishes: Any) -> Conversion:
    return convert(write({"f.json": json.dumps(entries)}) / "f.json", Wishes(**wishes), known)


def grades(done: Conversion) -> dict[str, dict[str, int]]:
    return {name: dict(held) for name, held in done.file.golden.judgments.grades.items()}


@pytest.mark.parametrize(
    ("gold", "found", "how"),
    [
        (["a", "b"], {"a": 1, "b": 1}, "a list of ids: 2 documents"),
        (["my doc.md"], {"my doc.md": 1}, "a list of ids: 1 document"),
        (["a, b"], {"a, b": 1}, "a list of ids: 1 document"),
        ([7, "007"], {"7": 1, "007": 1}, "a list of ids: 2 documents"),
        (["a", "a"], {"a": 1}, "a list of ids, 1 repeated: 1 document"),
        ([["a"], ["b"]], {"a": 1, "b": 1}, "a list of lists, flattened: 2 documents"),
        ([["a", "b"]], {"a": 1, "b": 1}, "a list of lists, flattened: 2 documents"),
        ("doc1", {"doc1": 1}, "one id: 1 document"),
        ("NA", {"NA": 1}, "one id: 1 document"),
        ("null", {"null": 1}, "one id: 1 document"),
        (1002, {"1002": 1}, "one id: 1 document"),
        ('["a", "b"]', {"a": 1, "b": 1}, "a list of ids in a JSON text: 2 documents"),
        ('[["a"], ["b"]]', {"a": 1, "b": 1}, "a list of lists, flattened in a JSON text: 2 documents"),
        ('{"a": 2, "b": 0}', {"a": 2, "b": 0}, "an object of grades in a JSON text: 2 documents"),
        ("['a', 'b']", {"a": 1, "b": 1}, "a Python list in a text: 2 documents"),
        ("""['a,x', "b's"]""", {"a,x": 1, "b's": 1}, "a Python list in a text: 2 documents"),
        ({"a": 2, "b": 0}, {"a": 2, "b": 0}, "an object of grades: 2 documents"),
        ({"a": 2.0, "b": "1"}, {"a": 2, "b": 1}, "an object of grades: 2 documents"),
        ([{"id": "a", "grade": 2}, {"doc_id": "b"}], {"a": 2, "b": 1}, "a list of objects: 2 documents"),
        ({"document": "a", "text": "x"}, {"a": 1}, "an object: 1 document"),
    ],
)
def test_spellings_of_gold(write: Write, gold: Any, found: dict[str, int], how: str) -> None:
    done = converted(write, entry(gold))
    assert grades(done) == {"1": found}
    assert done.report[-1] == f"entry 1: 1: {how}"


@pytest.mark.parametrize(
    ("gold", "known", "separator", "found"),
    [
        ("a, b", KNOWN, None, ["a", "b"]),
        ("a b", KNOWN, None, ["a", "b"]),
        ("a;b", KNOWN, None, ["a", "b"]),
        ("a\nb\n", KNOWN, None, ["a", "b"]),
        ("my doc.md", KNOWN, None, ["my doc.md"]),
        ("a, my doc.md", KNOWN, None, ["a", "my doc.md"]),
        ("a, b", None, ",", ["a", "b"]),
        ("my doc.md", None, ",", ["my doc.md"]),
        ("c,d", KNOWN, "|", ["c,d"]),
        ("c,d", KNOWN, ",", ["c", "d"]),
        ('["a"]', frozenset({'["a"]'}), None, ['["a"]']),
        ("unknown", KNOWN, None, ["unknown"]),
    ],
)
def test_a_text_is_cut_only_where_that_is_beyond_doubt(
    write: Write, gold: str, known: frozenset[str] | None, separator: str | None, found: list[str]
) -> None:
    assert grades(converted(write, entry(gold), known=known, separator=separator)) == {"1": dict.fromkeys(found, 1)}


@pytest.mark.parametrize(
    ("gold", "known", "message"),
    [
        ("a, b", None, "may be one id or several: 'a, b'; say what stands between ids with --separator, or give the"),
        ("my doc.md", None, "may be one id or several: 'my doc.md'"),
        ("c,d", KNOWN, "can be read in several ways: 'c,d'; say what stands between ids with --separator"),
        ("a, x", KNOWN, "is no id of the corpus, nor are its parts: 'a, x'"),
        ("['a' 'b']", None, """begins like a list or an object, but is neither: "['a' 'b']"; write it as JSON"""),
        ("[array(['a'], dtype=object)]", None, "begins like a list or an object, but is neither"),
        ("{'a': 1}", None, "begins like a list or an object, but is neither"),
        ("[a, b]", None, "begins like a list or an object, but is neither"),
        (['["a"]'], None, "holds a list written as a text inside a list: '[\"a\"]'; write the ids themselves"),
        (
            [["a", 1], ["b", 0]],
            None,
            "holds lists with numbers or objects in them, which may be ids, or ids with their",
        ),
        ([[["a"]]], None, "holds lists with numbers or objects in them"),
        (["a", ["b"]], None, "must hold ids alone, or objects alone, or lists alone; found a list among others"),
        ([True], None, "must hold ids alone"),
        (True, None, "must be a text or a whole number, found true"),
        (1002.0, None, "must be a text or a whole number, found the number 1002.0; a tool has made numbers of the ids"),
        ({"a": 0.5}, None, "must have a whole number as its grade, found the number 0.5; write 0, 1 or 2"),
        ({"a": "yes"}, None, "must have a whole number as its grade, found the text 'yes'"),
        (
            [{"name": "a"}],
            None,
            "must hold objects with one id (id, doc_id, document_id, corpus_id, document, doc, source)",
        ),
        ([{"id": "a", "grade": 1}, {"id": "a", "grade": 2}], None, "gives 'a' two grades, 1 and 2; keep one"),
        ([""], None, "an id must not be empty"),
        ([], None, "has no relevant document; name one, or say what such questions are: --empty unanswerable, or"),
        (None, None, "has no relevant document"),
        ("", None, "has no relevant document"),
        ({"a": 0}, None, "has no relevant document"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(
    write: Write, refused: Refused, gold: Any, known: frozenset[str] | None, message: str
) -> None:
    (found,) = refused(lambda: converted(write, entry(gold), known=known))
    assert found.startswith(f"f.json: entry 1 gold {message}")


ENTRIES = [{"id": "1", "question": "Q?", "gold": ["a"]}, {"id": "2", "question": "R?", "gold": ["b"]}]
LINES = "".join(json.dumps(each) + "\n" for each in ENTRIES)


def packed(rows: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "shape"),
    [
        ("f.json", json.dumps(ENTRIES), "a list of entries"),
        ("f.json", json.dumps({"version": 1, "samples": ENTRIES}), "a list of entries under 'samples'"),
        ("f.json", json.dumps({"1": {"q": 0} | ENTRIES[0], "2": ENTRIES[1]}), "an object of entries by their ids"),
        ("f.json", json.dumps({key: [each[key] for each in ENTRIES] for key in ENTRIES[0]}), "an object of columns"),
        (
            "f.json",
            json.dumps(
                {
                    "queries": {"1": "Q?", "2": "R?"},
                    "corpus": {},
                    "relevant_docs": {"1": ["a"], "2": ["b"]},
                    "mode": "text",
                }
            ),
            "'queries' and 'relevant_docs' by id",
        ),
        ("f.jsonl", LINES, "a row an entry (jsonl)"),
        ("f.ndjson", "\ufeff" + LINES.replace("\n", "\r\n") + "\n", "a row an entry (jsonl)"),
        ("f.csv", ",id,question,gold\n0,1,Q?,a\n1,2,R?,b\n", "a row an entry (csv)"),
        ("f.tsv", "id\tquestion\tgold\n1\tQ?\ta\n2\tR?\tb\n", "a row an entry (tsv)"),
        (
            "f.yaml",
            "- {id: '1', question: 'Q?', gold: [a]}\n- {id: '2', question: 'R?', gold: b}\n",
            "a list of entries",
        ),
        ("f.parquet", packed(ENTRIES), "a row an entry (parquet)"),
    ],
)
def test_shapes_of_files(write: Write, name: str, content: str | bytes, shape: str) -> None:
    done = convert(write({name: content}) / name, Wishes())
    assert [(query.id, query.text, query.split) for query in done.file.golden.queries] == [
        ("1", "Q?", "test"),
        ("2", "R?", "test"),
    ]
    assert grades(done) == {"1": {"a": 1}, "2": {"b": 1}}
    assert done.report[0].startswith(shape + "; ")


@pytest.mark.parametrize(
    ("keys", "roles"),
    [
        (("id", "question", "gold"), "id = 'id', question = 'question', gold = 'gold'"),
        (("qid", "query", "retrieval_gt"), "id = 'qid', question = 'query', gold = 'retrieval_gt'"),
        (("Question-ID", "User Input", "expectedDocIds"), "question = 'User Input', gold = 'expectedDocIds'"),
        (("_id", "input", "source_ids"), "id = '_id', question = 'input', gold = 'source_ids'"),
        (("query_id", "query", "doc_id"), "id = 'query_id', question = 'query', gold = 'doc_id'"),
    ],
)
def test_names_of_keys(write: Write, keys: tuple[str, str, str], roles: str) -> None:
    done = converted(write, {**dict(zip(keys, ["1", "Q?", ["a"]], strict=True)), "answer": "x"})
    assert roles in done.report[0]
    assert done.report[1] == "ignored: 'answer'"
    assert grades(done) == {"1": {"a": 1}}


def test_keys_that_only_the_caller_knows(write: Write, refused: Refused) -> None:
    one = {"nr": "1", "text": "Q?", "sources": ["web"], "gold_ids": ["a"]}
    there = "'nr', 'text', 'sources', 'gold_ids'"
    assert refused(lambda: converted(write, one)) == [
        f"f.json: no key is known to be the question; name it with --question KEY out of {there}",
        "f.json: 'sources', 'gold_ids' could each be the gold; say which with --gold KEY",
    ]
    done = converted(write, one, keys={"id": "nr", "question": "text", "gold": "gold_ids"})
    assert grades(done) == {"1": {"a": 1}}
    (message,) = refused(lambda: converted(write, one, keys={"question": "no", "gold": "gold_ids"}))
    assert (
        message == "f.json: --question: there is no key 'no'; the keys there are: 'nr', 'text', 'sources', 'gold_ids'"
    )


def test_rows_of_one_question_are_put_together(write: Write) -> None:
    table = "qid,query,doc_id,relevance,split\n1,Q?,a,2,dev\n1,Q?,b,0,dev\n2,R?,c,1,test\n"
    done = convert(write({"f.csv": table}) / "f.csv", Wishes())
    assert grades(done) == {"1": {"a": 2, "b": 0}, "2": {"c": 1}}
    assert [query.split for query in done.file.golden.queries] == ["dev", "test"]
    assert done.report[-2] == "line 3: 1: one id with its grade, joined with line 2: 1 document"
    unnamed = convert(write({"g.csv": "question,source\nQ?,a\nR?,b\nQ?,c\n"}) / "g.csv", Wishes())
    assert grades(unnamed) == {"q001": {"a": 1, "c": 1}, "q002": {"b": 1}}


def test_questions_without_documents(write: Write) -> None:
    entries = entry(["a"]), entry([], id="2", question="R?"), entry(None, id="3", question="S?")
    done = converted(write, *entries, empty="unanswerable")
    assert [query.answerable for query in done.file.golden.queries] == [True, False, False]
    assert done.report[-1] == "entry 3: 3: no relevant document: answerable: false"
    assert list(grades(converted(write, *entries, empty="drop"))) == ["1"]
    marked = converted(write, entry(["a"]), entry([], id="2", question="R?", is_impossible=True))
    assert [query.answerable for query in marked.file.golden.queries] == [True, False]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            [entry("a"), entry("b", question="R?")],
            "entry 2 id '1' is another question at entry 1; give one of them another",
        ),
        (
            [entry("a", grade=1), entry("a", grade=2)],
            "entry 2 gold conflicting judgments of '1' and 'a': grade 1 before, 2",
        ),
        ([entry(["a", "b"], grade=1)], "entry 1 grade is one grade for 2 documents; give each its own"),
        (
            [entry("a"), {"question": "R?", "gold": "a"}],
            "entry 2 id is absent here; the keys there are: 'question', 'gold'",
        ),
        ([entry("a", question=" ")], "entry 1 question must not be blank, found ' '; write the question"),
        ([entry("a", question=["x"])], "entry 1 question must be a text, found a list"),
        ([entry("a", id=1.5)], "entry 1 id must be a text or a whole number, found the number 1.5"),
        ([entry("a", is_impossible=True)], "entry 1 is said to have no answer, but has relevant documents"),
        ([1], "entry 1 must be an object with its keys, found the number 1"),
        ([], "must hold at least one question, found none"),
    ],
)
def test_entries_with_faults(write: Write, refused: Refused, entries: list[Any], message: str) -> None:
    (found,) = refused(lambda: converted(write, *entries))
    assert found.startswith(f"f.json: {message}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "f.txt",
            "",
            "f.txt: must end in one of .json, .jsonl, .ndjson, .csv, .tsv, .parquet, .yaml, .yml, found '.txt'",
        ),
        ("f.json", LINES, "f.json:2: isn't valid JSON: Extra data at column 1; one object a line belongs into .jsonl"),
        ("f.json", '{"a": 1, "a": 2}', "f.json: isn't valid JSON: the key 'a' stands twice in one object; keep one"),
        ("f.json", "7", "f.json: must be a list of entries or an object, found the number 7"),
        ("f.json", '{"a": 1}', "f.json: must be a list of entries, an object that holds one, entries by their ids, or"),
        ("f.json", '{"a": [{}], "b": [{}]}', "f.json: holds several lists of entries: 'a', 'b'; leave one in the file"),
        ("f.json", '{"queries": {}, "qrels": {"1": []}}', "f.json: qrels '1' isn't in queries"),
        ("f.jsonl", '{"id": "1"}\n[]\n', "f.jsonl:2: must be a JSON object, found a list"),
        ("f.csv", "id,id\n1,2\n", "f.csv:1: has column 'id' 2 times; keep one"),
        ("f.yaml", "- *x\n", "f.yaml:1: aliases aren't used here"),
        ("f.parquet", "x", "f.parquet: isn't a readable Parquet file"),
    ],
)
def test_files_with_faults(write: Write, refused: Refused, name: str, content: str, message: str) -> None:
    assert refused(convert, write({name: content}) / name, Wishes())[0].startswith(message)


def test_all_faults_come_at_once(write: Write, refused: Refused) -> None:
    found = refused(lambda: converted(write, entry("a b"), entry(1.5, id="2"), entry([], id="3", question=" ")))
    assert len(found) == 3


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda name: bool(name.strip()))


def nfc(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", text)


@given(
    st.dictionaries(
        NAME.map(nfc) | st.sampled_from(["007", "no", "null", "1e3", "2024-01-05", "a: b", "- a", "#", "'", '"', "~"]),
        st.tuples(
            TEXT.filter(lambda text: bool(text.strip())), st.dictionaries(NAME.map(nfc), st.integers(1, 3), min_size=1)
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None)
def test_what_is_written_reads_back(content: Any) -> None:
    queries = tuple(
        Query(id=name, text=text, split="test", tags=tuple(held)[:2]) for name, (text, held) in content.items()
    )
    judgments = Judgments(exhaustive=True, grades={name: held for name, (_, held) in content.items()})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "g.yaml"
        path.write_text(golden_yaml(GoldenSet(queries=queries, judgments=judgments, sha256=""), "x"), encoding="utf-8")
        found = read_golden_yaml(path)
    assert found.queries == queries
    assert found.judgments == judgments


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["['a', 'b']", '["a"]']),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "gold", "question", "a"]), inner)
    ),
    max_leaves=8,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["id", "question", "gold", "grade", "tags", "split"]), VALUES)) | VALUES
)
@settings(deadline=None, max_examples=300)
def test_any_value_is_taken_over_or_refused_in_words(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "f.json", Path(folder) / "again.yaml"
        path.write_text(json.dumps(value), encoding="utf-8")
        for known in (None, KNOWN):
            try:
                done = convert(path, Wishes(empty="drop"), known)
            except InputError as error:
                str(error).encode()
            else:
                again.write_text(golden_yaml(done.file.golden, "x"), encoding="utf-8")
                assert read_golden_yaml(again).judgments.grades == done.file.golden.judgments.grades


@given(st.binary(max_size=80), st.sampled_from(["json", "jsonl", "csv", "tsv", "yaml", "parquet", "json.gz"]))
@settings(deadline=None, max_examples=200)
def test_any_bytes(data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"f.{suffix}"
        path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            convert(path, Wishes())
    assert all(str(problem).encode() for problem in caught.value.problems)
