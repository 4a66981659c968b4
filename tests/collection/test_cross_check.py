"""A corpus and a golden set held against each other, and loaded together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection import (
    CORPUS_READERS,
    GOLDEN_READERS,
    Collection,
    CorpusSource,
    GoldenSource,
    cross_check,
    load_collection,
    read_markdown_folder,
)
from harness.collection.golden import scan_golden_yaml
from harness.errors import InputError

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

CORPUS: dict[str, str | bytes] = {"docs/policy.md": "Policy", "docs/hr/leave.md": "Leave", "docs/void.md": "\n"}
GOLDEN = """\
judgments: {judgments}
queries:
  - id: q1
    question: a
    gold: {gold}
  - id: q2
    question: b
    split: dev
    gold:
      - policy.md
      - {second}
"""


def golden_text(judgments: str = "exhaustive", gold: str = "[policy.md]", second: str = "hr/leave.md") -> str:
    return GOLDEN.format(judgments=judgments, gold=gold, second=second)


def load(root: Path, split: str = "test") -> Collection:
    return load_collection(
        CorpusSource(format="markdown", path=root / "docs"), GoldenSource(format="yaml", path=root / "g.yaml"), split
    )


def test_a_collection(write: Write) -> None:
    collection = load(write({**CORPUS, "g.yaml": golden_text()}))
    assert [query.id for query in collection.queries] == ["q1"]
    assert collection.document_ids == ("hr/leave.md", "policy.md", "void.md")
    assert collection.dense_qrels() == {
        "q1": {"hr/leave.md": 0, "policy.md": 1, "void.md": 0},
        "q2": {"hr/leave.md": 1, "policy.md": 1, "void.md": 0},
    }
    assert collection.notes == ("1 document holds no text and is never retrieved: void.md",)


@pytest.mark.parametrize(
    ("judgments", "gold", "message"),
    [
        ("partial", "[policy.md]", "judgments are partial: a document that isn't listed is unjudged, not 0"),
        ("exhaustive", "{policy.md: 2}", "question 'q1', document 'policy.md': must have grade 0 or 1"),
    ],
)
def test_dense_qrels_need_exhaustive_binary_judgments(write: Write, judgments: str, gold: str, message: str) -> None:
    collection = load(write({**CORPUS, "g.yaml": golden_text(judgments, gold)}))
    with pytest.raises(InputError, match=message):
        collection.dense_qrels()


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('"policy.md#4"', "document 'policy.md#4', named by question 'q2', isn't in the corpus; {chunk}"),
        ("policy.md::4", "document 'policy.md::4', named by question 'q2', isn't in the corpus; {chunk}"),
        ("policy.md#chunk-4", "isn't in the corpus; {chunk}"),
        ("policy", "document 'policy', named by question 'q2', isn't in the corpus; did you mean 'policy.md'?"),
        ("hr/Leave.md", "isn't in the corpus; did you mean 'hr/leave.md'?"),
        ("quite-other", "isn't in the corpus; add the document, or correct the id"),
        ("quite-other#3", "isn't in the corpus; add the document, or correct the id"),
    ],
)
def test_gold_that_names_no_document(write: Write, refused: Refused, second: str, message: str) -> None:
    """Gold from another version or another chunking is refused, with the nearest id."""
    root = write({**CORPUS, "g.yaml": golden_text(second=second)})
    (found,) = refused(load, root)
    assert found.startswith("g.yaml:11: document ")
    assert found.endswith(message.format(chunk="gold names documents, not chunks: write 'policy.md'"))


def test_an_unknown_document_is_listed_once_with_those_who_ask_for_it(write: Write, refused: Refused) -> None:
    root = write({**CORPUS, "g.yaml": golden_text(gold="[gone, policy.md]", second="gone")})
    assert refused(load, root) == [
        "g.yaml:5: document 'gone', named by questions 'q1', 'q2', isn't in the corpus; "
        "add the document, or correct the id"
    ]


def test_many_unknown_documents_are_cut_short(write: Write, refused: Refused) -> None:
    gold = "[" + ", ".join(f"gone-{n}" for n in range(150)) + "]"
    messages = refused(load, write({**CORPUS, "g.yaml": golden_text(gold=gold)}))
    assert len(messages) == 101
    assert messages[-1] == "g.yaml: and 50 more problems in this file"


def test_a_split_without_questions(write: Write, refused: Refused) -> None:
    root = write({**CORPUS, "g.yaml": golden_text()})
    assert refused(load, root, "tset") == [
        "g.yaml: has no question in split 'tset'; there are 'test' (1 question), 'dev' (1 question); "
        "did you mean 'test'?"
    ]


def test_notes_on_gold_that_cannot_be_found(write: Write) -> None:
    root = write({**CORPUS, "g.yaml": golden_text(gold="{void.md: 1, policy.md: 0}")})
    assert load(root).notes[-1] == (
        "1 relevant document without text, which can never be found; question and document: 'q1' ('void.md')"
    )
    root = write({"g.yaml": golden_text(gold="[]\n    answerable: false")})
    assert load(root).notes[-1] == "no question of split 'test' has a relevant document, so every mean is undefined"


QUOTED = """\
judgments: exhaustive
queries:
  - id: q1
    question: a
    gold: [policy.md, hr/leave.md]
    evidence:
      - {document: policy.md, quote: "Twenty-five　days"}
      - document: hr/leave.md
        quote: QUOTE
"""
QUOTED_CORPUS: dict[str, str | bytes] = {
    "docs/policy.md": "# Policy\n\nTwenty-five\n  days a year.",
    "docs/hr/leave.md": "# Leave\n\n請假 ３ 天。",
}


@pytest.mark.parametrize("quote", ["請假 3 天。", "請假\u3000３ 天", "Leave 請假"])
def test_a_quote_is_found_whatever_its_width_and_white_space(write: Write, quote: str) -> None:
    collection = load(write({**QUOTED_CORPUS, "g.yaml": QUOTED.replace("QUOTE", quote)}))
    assert [held.text for held in collection.queries[0].evidence] == ["Twenty-five\u3000days", quote]


@pytest.mark.parametrize("quote", ["請假3天", "leave", "請假 3 日"])
def test_a_quote_that_is_not_there_is_refused(write: Write, refused: Refused, quote: str) -> None:
    (found,) = refused(load, write({**QUOTED_CORPUS, "g.yaml": QUOTED.replace("QUOTE", quote)}))
    assert found == (
        f"g.yaml:9: evidence question 'q1': {quote!r} isn't in document 'hr/leave.md' (width and white space aside); "
        "copy the quote from the document, or delete it"
    )


def test_quotes_can_be_left_out(write: Write) -> None:
    """As for questions over documents in another language."""
    root = write({**QUOTED_CORPUS, "g.yaml": QUOTED.replace("QUOTE", "nowhere")})
    corpus = CorpusSource(format="markdown", path=root / "docs")
    collection = load_collection(corpus, GoldenSource(format="yaml", path=root / "g.yaml"), "test", quotes=False)
    assert collection.queries[0].evidence == ()
    assert collection.notes == ("quotes of 1 question left out, because evidence is to be ignored",)


def test_a_quote_of_another_document_is_told_where_it_stands(write: Write, refused: Refused) -> None:
    (found,) = refused(load, write({**QUOTED_CORPUS, "g.yaml": QUOTED.replace("QUOTE", "days a year")}))
    assert "(width and white space aside); it stands in 'policy.md'; copy" in found


def test_a_quote_of_an_unknown_document_is_one_fault(write: Write, refused: Refused) -> None:
    text = QUOTED.replace("QUOTE", "x").replace("hr/leave.md", "gone.md")
    (found,) = refused(load, write({**QUOTED_CORPUS, "g.yaml": text}))
    assert "document 'gone.md', named by question 'q1', isn't in the corpus" in found


def test_cross_check_by_itself(write: Write) -> None:
    root = write({**CORPUS, "g.yaml": golden_text(second="gone")})
    golden = scan_golden_yaml(root / "g.yaml").value
    assert golden is not None
    findings = cross_check(read_markdown_folder(root / "docs"), golden)
    assert [(problem.line, problem.file) for problem in findings.problems] == [(11, str(root / "g.yaml"))]


def test_problems_of_both_files_and_of_their_check_come_at_once(write: Write, refused: Refused) -> None:
    """Sound entries are held against the corpus although another entry has a fault."""
    root = write({**CORPUS, "g.yaml": golden_text(gold="[]", second="gone")})
    assert [message.split(": ")[0] for message in refused(load, root, "no")] == ["g.yaml:5", "g.yaml:11"]
    write({"docs/bad.md": b"\xff"})
    assert [message.split(": ")[0] for message in refused(load, root)] == ["docs/bad.md:1", "g.yaml:5"]
    (root / "g.yaml").unlink()
    assert [message.split(": ")[0] for message in refused(load, root)] == ["docs/bad.md:1", "g.yaml"]


def test_a_beir_folder(write: Write, refused: Refused) -> None:
    files: dict[str, str | bytes] = {
        "b/corpus.jsonl": '{"_id": 1, "text": "a"}\n{"_id": 2, "text": ""}\n',
        "b/queries.jsonl": '{"_id": 1, "text": "q"}\n',
        "b/qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\t1\t1\n1\t2\t1\n",
    }
    root = write(files)

    def both(split: str) -> Collection:
        return load_collection(
            CorpusSource(format="beir", path=root / "b"), GoldenSource(format="beir", path=root / "b"), split
        )

    assert [query.id for query in both("test").queries] == ["1"]
    assert len(both("test").notes) == 2
    assert refused(both, "dev") == ["b/qrels: holds no split 'dev'; there are 'test'"]
    write({"b/qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\t1\t1\n1\t07\t1\n"})
    (message,) = refused(both, "test")
    assert message.startswith("b/qrels/test.tsv:3: document '07', named by question '1', isn't in the corpus")


def test_the_tables_of_readers() -> None:
    tables = ["csv", "jsonl", "parquet", "tsv"]
    assert sorted(CORPUS_READERS) == sorted(["beir", "html", "markdown", "pdf", "squad", "text", "trec", *tables])
    assert sorted(GOLDEN_READERS) == sorted(["beir", "squad", "trec", "yaml", *tables])
