"""evidence@k from the golden set to the table: does what is handed on hold the words that answer?"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import ROOT, chunks_of

from harness.index import IndexStore
from harness.quotes import Quote
from harness.records import Chunk
from harness.report import ablation_report
from harness.scoring import Conventions, holding_chunks, parse_measures, score_evidence
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.results import SetResult
from harness.study.summarise import header_of, summary_of
from harness.summary import SetSummary, Sweep, from_json, to_json
from harness.tracking.content import query_table, set_metrics

from .files import GOLDEN, write_study

# chunks of 30 characters: the quote of the red boat lies in one, that of the manual is cut in two
QUOTED = """\
judgments: exhaustive
queries:
  - {id: q1, question: "red kite", gold: [kite], evidence: [{document: kite, quote: "a red boat"}]}
  - {id: q2, question: "prime the pump", gold: [pumps], evidence: [{document: pumps, quote: "Prime the pump first"}]}
  - {id: q3, question: "valve", gold: {valves: 1, kite: 2}, evidence: [{document: valves, quote: "is red"}]}
  - {id: q4, question: "far away hill", gold: [kite]}
  - {id: q5, question: "zulu", gold: [], answerable: false}
"""
SECTION: dict[str, Any] = {
    "mode": "bm25",
    "chunk": {"splitter": "fixed", "size": 30, "overlap": 0},
    "bm25": {"tokenizer": "word"},
    "top_k": [1, 3],
}


def run(folder: Path, golden: str, **evaluation: Any) -> tuple[Study, list[SetResult]]:
    content = {"parameters": SECTION, "evaluation": {"k": 3, "cutoffs": [1, 3], **evaluation}}
    study = read_study(write_study(folder, content, golden=golden))
    return study, list(run_study(study, IndexStore(folder / "store")))


def values(result: SetResult, measure: str = "evidence@3") -> dict[str, Fraction | None]:
    assert result.evidence is not None
    return {row.query: row.values[measure] for row in result.evidence.rows}


def test_a_quote_counts_where_a_chunk_holds_it_whole(tmp_path: Path) -> None:
    study, (one, three) = run(tmp_path, QUOTED)
    assert values(three) == {"q1": 1, "q2": 0, "q3": 1, "q4": None, "q5": None}
    rows = {row.query: row for row in three.documents.rows}
    assert rows["q2"].values["hit@3"] == 1, "the document is found all the same; its quote is cut in two"
    assert values(one, "evidence@3") == values(one, "evidence@1")
    assert [str(m) for m in study.conventions.of_view("evidence")] == ["evidence@1", "evidence@3"]


def test_the_mean_has_an_n_of_its_own(tmp_path: Path) -> None:
    study, (_, three) = run(tmp_path, QUOTED)
    assert three.evidence is not None
    assert three.evidence.means["evidence@3"] == Fraction(2, 3)
    assert (three.evidence.eligible_queries, three.evidence.no_relevant_queries) == (3, ("q4", "q5"))
    assert three.documents.eligible_queries == 4
    summary = summary_of(study, three)
    assert (summary.means["evidence@3"], summary.valued("evidence@3"), summary.eligible) == (Fraction(2, 3), 3, 4)
    metrics = {name: value for name, value, _ in set_metrics(summary, 3)}
    assert metrics["questions_with_evidence"] == 3
    assert metrics["evidence_at_3"] == metrics["evidence_at_k"] == pytest.approx(2 / 3)
    table = query_table(summary)
    column = table["columns"].index("evidence_at_3")
    assert [row[column] for row in table["data"]] == [1, 0, 1, None, None]
    assert from_json(SetSummary, to_json(summary)) == summary


def test_the_report_has_a_column_where_there_are_quotes_and_none_elsewhere(tmp_path: Path) -> None:
    study, results = run(tmp_path / "quoted", QUOTED)
    report = ablation_report(Sweep(header=header_of(study), sets=tuple(summary_of(study, r) for r in results)))
    assert "|  hit@3 | evidence@3 |" in report
    assert "Its mean is over the **n = 3** questions that have quotes." in report
    assert " · evidence `" in report
    plain, results = run(tmp_path / "plain", GOLDEN)
    assert results[0].evidence is None
    assert "evidence" not in ablation_report(
        Sweep(header=header_of(plain), sets=tuple(summary_of(plain, r) for r in results))
    )


def test_quotes_below_the_threshold_do_not_count(tmp_path: Path) -> None:
    study, results = run(tmp_path, QUOTED, relevance_threshold=2)
    assert results[1].evidence is None, "the one document of grade 2 has no quote"
    assert "evidence" not in header_of(study).hashes


def test_quotes_are_in_a_fingerprint_of_their_own_and_in_no_protocol(tmp_path: Path) -> None:
    changed = QUOTED.replace("is red", "pump P7 is red")
    first, second = (header_of(run(tmp_path / n, text)[0]).hashes for n, text in (("a", QUOTED), ("b", changed)))
    assert {name for name in first if first[name] != second[name]} == {"golden", "evidence"}
    dropped = "".join(
        line.partition(", evidence")[0] + "}\n" if "evidence" in line else line for line in QUOTED.splitlines(True)
    )
    third = header_of(run(tmp_path / "c", dropped)[0]).hashes
    assert third["protocol"] == first["protocol"]
    assert third["conventions"] != first["conventions"]


def test_a_split_without_quotes_keeps_its_conventions(tmp_path: Path) -> None:
    study, _ = run(tmp_path, GOLDEN)
    assert study.conventions.of_view("evidence") == ()
    assert "evidence" not in header_of(study).hashes


def test_ignored_quotes_are_neither_checked_nor_scored(tmp_path: Path) -> None:
    study, results = run(tmp_path, QUOTED.replace("is red", "is rouge"), evidence="ignore")
    assert results[0].evidence is None
    assert "quotes of 3 questions left out, because evidence is to be ignored" in study.collection.notes


def test_questions_in_one_language_over_documents_in_another() -> None:
    study = read_study(ROOT / "configs" / "cross-language.yaml")
    ids = {document.id for document in study.collection.corpus.documents}
    assert {document for grades in study.collection.golden.judgments.grades.values() for document in grades} <= ids
    assert study.schema.evaluation.evidence == "ignore"
    read_study(ROOT / "configs" / "android-en.yaml")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_shipped_quotes_are_in_their_documents(language: str, tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    corpus, golden = ROOT / "corpus" / f"android-{language}", ROOT / "golden" / f"android-{language}.yaml"
    path.write_text(f"name: shipped\ncorpus: {corpus}\ngolden: {golden}\n", encoding="utf-8")
    queries = read_study(path).collection.golden.queries
    assert sum(1 for query in queries if query.evidence) == 146


TEXT = st.text("ab ｂ\n", max_size=6)


@given(
    chunks=st.lists(st.tuples(st.sampled_from("de"), TEXT), max_size=5),
    quotes=st.lists(st.tuples(st.sampled_from("de"), TEXT.filter(str.strip)), max_size=3),
    k=st.integers(1, 6),
)
def test_any_chunks_and_quotes_against_a_plain_search(
    chunks: list[tuple[str, str]], quotes: list[tuple[str, str]], k: int
) -> None:
    """Once more with a regular expression in place of normal forms."""
    import re

    made = [
        Chunk(id=f"c{at}", document_id=document, ordinal=at, start=0, end=len(text), text=text)
        for at, (document, text) in enumerate(chunks)
    ]
    held = {"q": [Quote(document=document, text=text) for document, text in quotes]} if quotes else {}
    scored = score_evidence(
        ledger=["q", "absent"],
        quotes=held,
        holding=holding_chunks(held, made),
        chunk_ids={chunk.id for chunk in made},
        chunk_runs={"q": [chunk.id for chunk in made]},
        conventions=Conventions(measures=parse_measures([f"evidence@{k}"])),
    )
    patterns = [(document, r"\s+".join(text.replace("ｂ", "b").split())) for document, text in quotes]
    found = any(
        document == wanted and re.search(pattern, text.replace("ｂ", "b"))
        for document, text in chunks[:k]
        for wanted, pattern in patterns
    )
    expected = Fraction(found) if quotes else None
    assert scored.rows[0].values[f"evidence@{k}"] == expected
    assert scored.means[f"evidence@{k}"] == expected
    assert scored.missing_queries == ("absent",)


def test_what_the_scorer_refuses() -> None:
    chunks = chunks_of("a", "b")
    common: dict[str, Any] = {
        "ledger": ["q"],
        "quotes": {},
        "holding": {},
        "chunk_ids": [chunk.id for chunk in chunks],
        "conventions": Conventions(measures=parse_measures(["evidence@1"])),
    }
    with pytest.raises(ValueError, match="unknown or wrong-split query"):
        score_evidence(**common, chunk_runs={"other": []})
    with pytest.raises(ValueError, match="unknown or invalid chunk ID"):
        score_evidence(**common, chunk_runs={"q": ["d9#0"]})
    with pytest.raises(ValueError, match="duplicate chunk ID"):
        score_evidence(**common, chunk_runs={"q": ["d0#0", "d0#0"]})
