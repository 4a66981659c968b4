"""TREC documents, topics and judgments."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.collection import CORPUS_READERS, GOLDEN_READERS, CorpusSource, GoldenSource, load_collection
from harness.records import Corpus, GoldenSet

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

ONE = (
    "<DOC>\n<DOCNO> FT-1 </DOCNO>\n<DOCID>x</DOCID>\n<HEADLINE>Tea</HEADLINE>\n"
    "<TEXT>\nHot  &amp; sweet.\n</TEXT>\n</DOC>\n"
)
TWO = "<doc>\n<docno>007</docno>\n<!-- no -->\n<text>\n<p>Cold</p>\n\n\n\n<p>2 &lt; 3, a < b</p>\n</text>\n</doc>\n"
TOPICS = """\
<top>

<num> Number: 051
<title> Topic: Airbus
 subsidies

<desc> Description:
Something about it.

<narr> Narrative:
A relevant document <b>names</b> Airbus.
</top>
<top><num>52</num><title>South &amp; Africa</title><desc>x</desc></top>
<top><num>53</num><title>Left out</title></top>
"""
QRELS = "051 0 FT-1 1\n051\t0\t007\t0\n\n52  0  007 2\r\n"


def corpus(path: Path) -> Corpus:
    return CORPUS_READERS["trec"](CorpusSource(format="trec", path=path)).result()


def golden(path: Path, split: str = "test") -> GoldenSet:
    return GOLDEN_READERS["trec"](GoldenSource(format="trec", path=path), split).result().golden


def named(root: Path) -> GoldenSet:
    source = GoldenSource(format="trec", topics=root / "t", qrels=root / "q")
    return GOLDEN_READERS["trec"](source, "dev").result().golden


def test_documents_of_a_folder(write: Write) -> None:
    files: dict[str, str | bytes] = {
        "b/ft.gz": gzip.compress(ONE.encode()),
        "a": TWO,
        "topics.txt": TOPICS,
        "qrels.txt": QRELS,
        "readme": "nothing",
        ".hidden": ONE,
    }
    found = corpus(write(files))
    assert [(document.id, document.title, document.text, document.source) for document in found.documents] == [
        ("007", "", "Cold\n\n2 < 3, a < b", "a:1"),
        ("FT-1", "Tea", "Tea\n\nHot  & sweet.", "b/ft.gz:1"),
    ]
    assert found.notes == ("1 file left out, because no <DOC> is in it: readme",)


def test_documents_of_a_file(write: Write) -> None:
    root = write({"x.sgml": "\ufeff" + (ONE + TWO).replace("\n", "\r\n"), "y": ONE + TWO})
    found = corpus(root / "x.sgml")
    assert [document.source for document in found.documents] == ["x.sgml:1", "x.sgml:9"]
    assert [document.text for document in found.documents] == [
        document.text for document in corpus(root / "y").documents
    ]


@pytest.mark.parametrize(
    ("content", "messages"),
    [
        (
            "<DOC><TEXT>x</TEXT></DOC>",
            ["d:1: <DOC> must hold one <DOCNO>…</DOCNO>, found none; give the document one id"],
        ),
        ("\n<DOC><DOCNO>a</DOCNO><DOCNO>b</DOCNO></DOC>", ["d:2: <DOC> must hold one <DOCNO>…</DOCNO>, found 2; give"]),
        ("<DOC><DOCNO>a</DOCNO>x\n<DOC><DOCNO>b</DOCNO>x</DOC>", ["d:1: <DOC> isn't closed; end the document with"]),
        ("<DOC><DOCNO> </DOCNO>x</DOC>", ["d:1: an id must not be empty"]),
        ("<DOC><DOCNO>a\tb</DOCNO>x</DOC>", ["d:1: an id must hold no control character"]),
        (
            "<DOC><DOCNO>a</DOCNO>x</DOC>\n<DOC><DOCNO>a</DOCNO>y</DOC>\n<DOC></DOC>",
            ["d:2: duplicate document id 'a', first given at d:1; rename or delete one", "d:3: <DOC> must hold one"],
        ),
        (
            "<DOC><DOCNO>a</DOCNO> <P></P></DOC>",
            ["d: must hold at least one document (<DOC> … </DOC>) with text, found no"],
        ),
        ("nothing", ["d: must hold at least one document (<DOC> … </DOC>) with text, found no <DOC>"]),
        (b"<DOC><DOCNO>a</DOCNO>\xff</DOC>", ["d:1: must be UTF-8, found byte 0xff"]),
    ],
)
def test_documents_with_faults(write: Write, refused: Refused, content: str | bytes, messages: list[str]) -> None:
    found = refused(corpus, write({"d": content}) / "d")
    assert len(found) == len(messages)
    assert all(message.startswith(wanted) for message, wanted in zip(found, messages, strict=True))


def test_documents_that_are_not_there(write: Write, refused: Refused) -> None:
    (message,) = refused(corpus, write({}) / "no")
    assert message.startswith("no: must be a file or a folder of TREC documents")
    (message,) = refused(corpus, write({"x.gz": "<DOC>"}) / "x.gz")
    assert message.startswith("x.gz: isn't whole gzip: ")


def test_topics_and_judgments(write: Write) -> None:
    found = golden(write({"topics.51-53": TOPICS, "qrels.txt": QRELS}), "dev")
    assert [(query.id, query.text, query.split, query.need) for query in found.queries] == [
        ("051", "Airbus subsidies", "dev", "A relevant document names Airbus."),
        ("52", "South & Africa", "dev", "x"),
    ]
    assert found.judgments.grades == {"051": {"FT-1": 1, "007": 0}, "52": {"007": 2}}
    assert not found.judgments.exhaustive
    assert found.notes == ("1 topic of topics.51-53 left out, because qrels.txt doesn't judge them",)
    root = write({"g/topics.gz": gzip.compress(TOPICS.encode()), "g/qrels.gz": gzip.compress(QRELS.encode())})
    assert golden(root / "g", "dev").queries == found.queries
    assert named(write({"t": TOPICS, "q": QRELS})).queries == found.queries


def test_a_collection_in_one_folder(write: Write) -> None:
    root = write({"docs": ONE + TWO, "topics": TOPICS, "qrels": QRELS})
    source = GoldenSource(format="trec", path=root)
    found = load_collection(CorpusSource(format="trec", path=root), source, "test")
    assert [query.id for query in found.queries] == ["051", "52"]


@pytest.mark.parametrize(
    ("topics", "qrels", "messages"),
    [
        (TOPICS, "51 0 FT-1 1\n", ["q:1: topic '51' is judged here but isn't in t; did you mean '051'?"]),
        (TOPICS, "99 0 FT-1 1\n", ["q:1: topic '99' is judged here but isn't in t; add the topic, or delete its"]),
        (TOPICS, "051 0 a 1\n051 0 a 2\n", ["q:2: conflicting judgments of query '051' and document 'a': score 1 on"]),
        (TOPICS, "051 0 a x\n051 a 1\n", ["q:1: grade: must be a whole number, found 'x'", "q:2: must have 4 columns"]),
        (
            TOPICS,
            "query-id\tcorpus-id\tscore\n",
            ["q:1: must have 4 columns (query iteration document grade), found 3 in"],
        ),
        (TOPICS, "", ["q: must hold at least one judgment, found none"]),
        ("<top><title>x</title></top>", "1 0 a 1", ["t:1: <top> must hold a <num>, found none"]),
        ("<top><num>1<title></top>", "1 0 a 1", ["t:1: topic '1' has no <title>; write the question there"]),
        (
            "<top><num>1<title>a</top>\n<top><num>1<title>a</top>",
            "1 0 a 1",
            ["t:2: duplicate topic id '1', first given"],
        ),
        ("none", "1 0 a 1", ["t: must hold topics (<top> <num> … <title> … </top>), found none"]),
    ],
)
def test_topics_and_judgments_with_faults(
    write: Write, refused: Refused, topics: str, qrels: str, messages: list[str]
) -> None:
    found = refused(named, write({"t": topics, "q": qrels}))
    assert len(found) == len(messages), found
    assert all(message.startswith(wanted) for message, wanted in zip(found, messages, strict=True))


def test_a_folder_must_hold_one_file_of_each(write: Write, refused: Refused) -> None:
    root = write({"g/topics.a": "", "g/topics.b": "", "file": ""})
    cure = "or name 'topics' and 'qrels'"
    assert refused(golden, root / "g") == [
        f"g: must hold one file whose name begins with 'topics', found 'topics.a', 'topics.b'; {cure}",
        f"g: must hold one file whose name begins with 'qrels', found none; {cure}",
    ]
    (message,) = refused(golden, root / "file")
    assert (
        message
        == "file: must be a folder with a file topics* and a file qrels*, found a file; or name 'topics' and 'qrels'"
    )
