"""TREC topics in XML, and which field of a topic is its question."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.collection import GOLDEN_READERS, GoldenSource, TopicField
from harness.records import GoldenSet

Refused = Callable[..., list[str]]
Write = Callable[[dict[str, str | bytes]], Path]

COVID = """\
<?xml version="1.0" encoding="UTF-8"?>
<topics task="COVIDSearch Round 1" batch="1">
  <topic number="1">
    <query>coronavirus origin</query>
    <question>what is the origin of COVID-19</question>
    <narrative>seeking range of information about the SARS-CoV-2 virus's origin,
      including its evolution &amp; animal source</narrative>
  </topic>
  <topic number="2">
    <query>coronavirus <b>response</b> to weather</query>
    <question>how does it respond to changes?</question>
  </topic>
</topics>
"""
TRIALS = """\
<topics task="2021 TREC Clinical Trials">
  <topic number="1">
Patient is a 45-year-old man
with anaplastic&#32;astrocytoma.
  </topic>
  <!-- none --><topic number="2">48 M &lt; 50, <![CDATA[Hb < 7]]></topic>
</topics>
"""
OLDER = """\
<TOPICS>
<TOPIC lang="en"><num>007</num><title>鱼油</title><desc>Does it help?</desc><narr>A trial.</narr></TOPIC>
<topic><number> 1a </number><description>x</description><title>Tea</title></topic>
</TOPICS>
"""
WEB = """\
<webtrack2012>
<topic number="1" type="faceted">
  <query>tea</query>
  <description>
    What is tea made of?
  </description>
  <subtopic number="1" type="inf">
    Which plants?
  </subtopic>
  <subtopic number="2" type="nav">Find a <b>shop</b>.</subtopic>
</topic>
<topic number="2" type="single"><query>ice</query></topic>
</webtrack2012>
"""
QRELS = "1 0 d 1\n2 0 d 1\n"

Read = list[tuple[str, str, str | None]]


def golden(root: Path, field: TopicField = "title") -> GoldenSet:
    source = GoldenSource(format="trec", topics=root / "t", qrels=root / "q", topic_field=field)
    return GOLDEN_READERS["trec"](source, "test").result().golden


def read(root: Path, field: TopicField = "title") -> Read:
    return [(query.id, query.text, query.need) for query in golden(root, field).queries]


ORIGIN = "seeking range of information about the SARS-CoV-2 virus's origin, including its evolution & animal source"
ASTRO = "Patient is a 45-year-old man with anaplastic astrocytoma."
SGML = "<top><num>1<title>one<desc> Description: two<narr>three</top>\n<top><num>2<title>four<desc>five</top>"


@pytest.mark.parametrize(
    ("topics", "field", "expected"),
    [
        (
            COVID,
            "title",
            [
                ("1", "coronavirus origin", ORIGIN),
                ("2", "coronavirus response to weather", "how does it respond to changes?"),
            ],
        ),
        (
            COVID,
            "desc",
            [("1", "what is the origin of COVID-19", ORIGIN), ("2", "how does it respond to changes?", None)],
        ),
        (WEB, "title", [("1", "tea", "What is tea made of?"), ("2", "ice", None)]),
        (TRIALS, "title", [("1", ASTRO, None), ("2", "48 M < 50, Hb < 7", None)]),
        (SGML, "title", [("1", "one", "three"), ("2", "four", "five")]),
        (SGML, "desc", [("1", "two", "three"), ("2", "five", None)]),
        (SGML.replace("<desc>five", "<narr>six"), "narr", [("1", "three", "two"), ("2", "six", None)]),
    ],
)
def test_each_form_and_field(write: Write, topics: str, field: TopicField, expected: Read) -> None:
    assert read(write({"t": topics, "q": QRELS}), field) == expected


def test_older_names_and_numbers_in_fields(write: Write) -> None:
    root = write({"t": OLDER, "q": "007 0 d 1\n1a 0 d 1\n"})
    assert read(root) == [("007", "鱼油", "A trial."), ("1a", "Tea", "x")]
    assert read(root, "desc") == [("007", "Does it help?", "A trial."), ("1a", "x", None)]


def test_a_folder_may_hold_them_packed_and_with_a_byte_order_mark(write: Write) -> None:
    data = ("\ufeff" + COVID).replace("\n", "\r\n").encode()
    root = write({"topics-rnd1.xml.gz": gzip.compress(data), "qrels.txt": QRELS})
    found = GOLDEN_READERS["trec"](GoldenSource(format="trec", path=root), "dev").result()
    assert [query.text for query in found.golden.queries] == ["coronavirus origin", "coronavirus response to weather"]
    assert found.query_lines == {"1": 3, "2": 9}


def test_facets_that_are_not_read_are_counted(write: Write) -> None:
    found = golden(write({"t": WEB, "q": QRELS}))
    assert found.notes == ("2 subtopics of t not read: every measure here takes a topic whole",)


def test_another_field_is_another_golden_set(write: Write) -> None:
    root = write({"t": COVID, "q": QRELS})
    assert golden(root, "desc").sha256 != golden(root).sha256 == golden(root, "title").sha256


@pytest.mark.parametrize("seed", range(5))
def test_questions_are_those_of_the_standard_librarys_reader(write: Write, seed: int) -> None:
    rng = random.Random(seed)
    root = ElementTree.Element("topics")
    for number in range(1, 30):
        topic = ElementTree.SubElement(root, "topic", number=f"{number:03}")
        for name in rng.sample(["query", "question", "narrative"], 3):
            ElementTree.SubElement(topic, name).text = "".join(rng.choices("ab<&>\"' \n\t鱼é", k=20)) + "."
    text = ElementTree.tostring(root, encoding="unicode")
    found = read(write({"t": text, "q": "".join(f"{n:03} 0 d 1\n" for n in range(1, 30))}), "desc")
    expected = []
    for topic in ElementTree.fromstring(text):
        need, question = (" ".join((topic.findtext(name) or "").split()) for name in ("narrative", "question"))
        expected.append((topic.attrib["number"], question, need))
    assert found == expected


def one(inside: str, before: str = "") -> str:
    return f"{before}<topics>\n<topic number='1'>{inside}</topic>\n</topics>"


KNOWN = "known are <num>, <number>, <title>, <query>, <desc>, <description>, <question>, <narr>, <narrative>"
LAUGHS = '<!DOCTYPE topics [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n'
THIEF = '<?xml version="1.0"?>\n<!DOCTYPE topics [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'


@pytest.mark.parametrize(
    ("topics", "messages"),
    [
        (one("<disease>flu</disease>"), [f"t:2: unknown field <disease> in a topic, {KNOWN}; take it out"]),
        (
            one("<query>a</query>\n<title>b</title>"),
            ["t:3: 'title' says the same as 'query' on line 2; keep one of the two in each topic"],
        ),
        (one("<num>2</num>a"), ["t:2: 'num' says the same as 'number' on line 2; keep one"]),
        (
            "<topics>\n<topic>a</topic><topic number=' '>b</topic></topics>",
            ['t:2: <topic> must hold a number (<topic number="1">, or a <number>), found none; give the topic its'] * 2,
        ),
        (one("a") + "\n<more/>", ["t:4: isn't well-formed XML: junk after document element; mend it there"]),
        (
            "<topics>\n<topic number='1'>a</topic>\n\n<topic number='1'>b</topic>\n</topics>",
            ["t:4: duplicate topic id '1', first given on line 2; rename or delete one"],
        ),
        (one("<query>a</question>"), ["t:2: isn't well-formed XML: mismatched tag; mend it there"]),
        (one("R&D"), ["t:2: isn't well-formed XML: "]),
        (one("a&nbsp;b"), ["t:2: isn't well-formed XML: undefined entity; mend it there"]),
        ("<topics>\n<topic number='1'>a</topic>", ["t:2: isn't well-formed XML: no element found; mend it there"]),
        (one("a", LAUGHS), ["t:1: must not declare a document type, found <!DOCTYPE topics; delete it, with the"]),
        (one("&a;", THIEF), ["t:2: must not declare a document type, found <!DOCTYPE topics; delete it, with the"]),
        (one(" \n "), ["t:2: topic '1' has no text, <query> or <title>; write the question there"]),
        (
            one("<query> </query><question>b</question>"),
            [
                "t:2: topic '1' has no text, <query> or <title>; write the question there; what it has is desc: say so "
                "under golden.topic_field"
            ],
        ),
        (one("a <query>b</query>"), ["t:2: a topic with fields must hold no text beside them, found 'a'"]),
        (one("a\x00"), ["t:2: isn't well-formed XML: "]),
        ("<topics>\n<query>a</query></topics>", ["t:2: must be <topic>, found <query>; name it so, or take it out"]),
        ("<topics>\nhello<topic number='1'>a</topic></topics>", ["t:1: <topics> must hold nothing but topics, found"]),
        ("<topics></topics>", ['t: must hold topics (<topic number="1"> … </topic>), found none']),
        (
            "<topics>\n<topic number='1'><x>a</x></topic>\n<topic/>\n</topics>",
            ["t:2: unknown field <x> in a topic", "t:3: <topic> must hold a number"],
        ),
        (one("a").encode() + b"\xff", ["t:3: must be UTF-8, found byte 0xff"]),
        (
            one("a").replace("'1'", "'3'"),
            ["q:1: topic '1' is judged here but isn't in t; add", "q:2: topic '2' is judged"],
        ),
    ],
)
def test_topics_with_faults(write: Write, refused: Refused, topics: str | bytes, messages: list[str]) -> None:
    found = refused(golden, write({"t": topics, "q": QRELS}))
    assert len(found) == len(messages), found
    assert all(message.startswith(wanted) for message, wanted in zip(found, messages, strict=True)), found


def test_entities_are_never_expanded(write: Write, refused: Refused) -> None:
    """Ten levels of ten would be ten thousand million letters; the document type is refused before the first."""
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">\n' for n in range(1, 11))
    bomb = one("&e10;", f'<!DOCTYPE topics [<!ENTITY e0 "x">\n{levels}]>\n')
    (message,) = refused(golden, write({"t": bomb, "q": QRELS}))
    assert message.startswith("t:1: must not declare a document type")
