"""Corpus and golden set of every format, named by a study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.study.config import read_study
from harness.study.schema import StudySchema
from harness.yamlfile import parse_yaml, validate
from study.files import problems_of

FILES = {
    "docs/a.txt": "one",
    "trec/docs": "<DOC><DOCNO>a.txt</DOCNO>one</DOC>",
    "trec/topics": "<top><num>1<title>one</top>",
    "trec/qrels": "1 0 a.txt 1\n",
    "squad.json": json.dumps(
        {"data": [{"title": "T", "paragraphs": [{"context": "one", "qas": [{"id": "1", "question": "?"}]}]}]}
    ),
    "t.csv": "nr;body\n".replace(";", ",") + "a.txt,one\n",
    "q.jsonl": '{"id": "1", "question": "?", "docs": "a.txt;a.txt2", "part": "dev"}\n',
}
TABLE = "{format: csv, path: t.csv, columns: {id: nr, text: body}}"
QUESTIONS = '{format: jsonl, path: q.jsonl, columns: {gold: docs, split: part}, separator: ";", judgments: exhaustive}'


def written(folder: Path, corpus: str, golden: str, rest: str = "evaluation: {unjudged: nonrelevant}") -> Path:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = folder / "study.yaml"
    path.write_text(f"name: x\ncorpus: {corpus}\ngolden: {golden}\nparameters: {{mode: bm25}}\n{rest}\n")
    return path


@pytest.mark.parametrize(
    ("corpus", "golden"),
    [
        ("{format: text, path: docs}", "{format: trec, path: trec}"),
        ("{format: trec, path: trec}", "{format: trec, topics: trec/topics, qrels: trec/qrels}"),
        ("{format: text, path: docs}", "{format: trec, path: trec, topic_field: title}"),
        ("{format: squad, path: squad.json}", "{format: squad, path: squad.json}"),
        (TABLE, "{format: trec, path: trec}"),
    ],
)
def test_a_study_of_each_format_reads_and_its_resolved_form_is_the_same(
    tmp_path: Path, corpus: str, golden: str
) -> None:
    study = read_study(written(tmp_path, corpus, golden))
    assert [query.id for query in study.collection.queries] == ["1"]
    assert [document.text for document in study.collection.corpus.documents] == ["one"]
    assert validate(StudySchema, parse_yaml(study.resolved_yaml(), "resolved.yaml")) == study.schema


def test_the_settings_of_a_table_reach_the_reader(tmp_path: Path) -> None:
    (problem,) = problems_of(written(tmp_path, TABLE, QUESTIONS, "evaluation: {split: dev}"))
    assert problem.startswith("q.jsonl:1: document 'a.txt2', named by question '1', isn't in the corpus; did you mean")


def test_the_field_of_a_topic_reaches_the_reader(tmp_path: Path) -> None:
    """The one topic has a title alone."""
    golden = "{format: trec, path: trec, topic_field: desc}"
    (problem,) = problems_of(written(tmp_path, "{format: text, path: docs}", golden))
    assert problem.startswith("trec/topics:1: topic '1' has no <desc>; write the question there; what it has is title:")


@pytest.mark.parametrize(
    ("corpus", "golden", "message"),
    [
        (
            "{format: text, path: docs, columns: {id: x}}",
            "g",
            "study.yaml:2: corpus columns belongs to format jsonl, csv,",
        ),
        (
            "{format: csv, path: t.csv, columns: {nr: x}}",
            "g",
            "study.yaml:2: corpus.columns.nr unknown key; known here:",
        ),
        (
            "{format: csv, path: t.csv, columns: {text: []}}",
            "g",
            "study.yaml:2: corpus.columns.text must name a column or",
        ),
        (
            "{format: csv, path: t.csv, columns: {text: [a, a]}}",
            "g",
            "study.yaml:2: corpus.columns.text lists column 'a'",
        ),
        ("docs", "{format: yaml}", "study.yaml:3: golden path is required and absent"),
        ("docs", "{format: trec}", "study.yaml:3: golden format trec needs either path, a folder, or both topics and"),
        ("docs", "{format: trec, topics: a}", "study.yaml:3: golden format trec needs either path"),
        ("docs", "{format: trec, path: a, qrels: b}", "study.yaml:3: golden format trec needs either path"),
        (
            "docs",
            "{format: beir, path: a, topics: b}",
            "study.yaml:3: golden topics belongs to format trec, found it with",
        ),
        (
            "docs",
            "{format: yaml, path: a, topic_field: desc}",
            "study.yaml:3: golden topic_field belongs to format trec",
        ),
        (
            "docs",
            "{format: trec, path: a, topic_field: query}",
            "study.yaml:3: golden.topic_field must be 'title', 'desc'",
        ),
        (
            "docs",
            "{format: beir, path: a, separator: b}",
            "study.yaml:3: golden separator belongs to format jsonl, csv",
        ),
        ("docs", "{format: csv, path: a, judgments: all}", "study.yaml:3: golden.judgments must be 'exhaustive' or"),
        (
            "docs",
            "{format: xml, path: a}",
            "study.yaml:3: golden.format must be 'yaml', 'beir', 'trec', 'squad', 'jsonl',",
        ),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, corpus: str, golden: str, message: str) -> None:
    assert any(problem.startswith(message) for problem in problems_of(written(tmp_path, corpus, golden)))
