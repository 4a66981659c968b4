"""harness score: what it prints, what it refuses, what it loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.scorecard import scoring
from harness.scorecard.main import score
from harness.scoring import MEASURES

ROOT = Path(__file__).parents[2]
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 0\n"
RUN = "q1 Q0 b 1 3.5 x\nq1 Q0 a 2 3.5 x\nq2 Q0 zz 1 2 x\nq2 Q0 c 2 1.5 x\nq3 Q0 a 1 0.5 x\n"
JUDGED_RUN = "q1 Q0 b 1 3.5 x\nq1 Q0 a 2 3 x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {"j.qrels": QRELS, "r.run": RUN, "judged.run": JUDGED_RUN}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return what ``--json`` prints."""
    assert score([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(["--qrels", "j.qrels", "--run", "r.run", "judged.run", "--unjudged", "nonrelevant", "--k", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "j.qrels: 3 queries, relevant from grade 1, unjudged: nonrelevant"
    head = "run         n  eligible  missing  unjudged  recall@2   mrr@2  ndcg@2  judged@2"
    assert lines[2] == head
    assert lines[3].split() == ["r.run", "3", "2", "0", "2", "1.0000", "0.5000", "0.6309", "0.5000"]
    assert lines[4].split() == ["judged.run", "3", "2", "2", "0", "0.5000", "0.2500", "0.3155", "1.0000"]
    assert "1.0000 to 1.0000" in lines[8]
    assert "0.5000 to 0.7500" in lines[8]


def test_json_holds_exact_fractions_bounds_and_conventions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "--qrels", "j.qrels", "--run", "r.run", "--unjudged", "condense", "--k", "1")
    (run,) = found["runs"]
    assert run["means"] == {"recall@1": "1/2", "mrr@1": "1/2", "ndcg@1": "1/2", "judged@1": "1/3"}
    assert run["upper"]["mrr@1"] == "1/2"
    assert run["no_relevant_queries"] == ["q3"]
    assert (run["returned"], run["unjudged"], run["missing_queries"]) == (5, 2, [])
    assert found["conventions"]["unjudged"] == "condense"
    assert len(found["conventions_sha256"]) == 64


def test_rows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--qrels", "j.qrels", "--run", "judged.run", "--per-query", "--measures", "recall@1,r_precision"]
    rows = answer(capsys, *arguments)["runs"][0]["rows"]
    assert [row["query"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["values"] == {"recall@1": "0", "r_precision": "0"}
    assert rows[1]["missing"] is True
    assert rows[2]["values"] == {"recall@1": None, "r_precision": None}
    assert score(arguments) == 0
    assert "judged.run, query by query" in capsys.readouterr().out


def test_the_ledger_comes_from_the_queries(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "q.txt").write_text("q2\nq1\n", encoding="utf-8")
    arguments = ["--qrels", "j.qrels", "--queries", "q.txt", "--run", "r.run", "--unjudged", "nonrelevant"]
    assert score(arguments) == 2
    error = capsys.readouterr().err
    assert "r.run:5: 1 query not in --queries, such as 'q3'" in error
    found = answer(capsys, *arguments, "--on-unknown-query", "drop", "--per-query")
    assert found["total_queries"] == 2
    assert [row["query"] for row in found["runs"][0]["rows"]] == ["q2", "q1"]
    assert found["runs"][0]["notes"] == ["1 query not in --queries, dropped"]


def test_the_threshold_shows_both_sides(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--qrels", "j.qrels", "--run", "r.run", "--unjudged", "nonrelevant", "--k", "2", "--threshold", "2"]
    found = answer(capsys, *arguments)["runs"][0]["threshold"]
    assert found["abstention"] == "1"
    assert found["cost"] == "0"
    assert (found["relevant_lost"], found["relevant_returned"]) == (1, 2)
    assert found["means_of_what_passes"]["recall@2"] == "1/2"
    assert score(arguments) == 0
    assert "unanswerable silent" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "r.run:3: document 'zz' isn't judged for query 'q2'"),
        ([], "2 returned without a judgment; judge them, or choose --unjudged nonrelevant or condense"),
        (["--measures", "mrr"], "Did you mean rr?"),
        (["--measures", "chunk_rr"], "chunk_rr@10 is about chunks"),
        (["--k", "0"], "recall needs a cutoff"),
        (["--relevance-threshold", "0"], "relevance_threshold must be a positive integer"),
        (["--queries", "none.txt"], "none.txt: can't be read"),
        (["--threshold", "nan", "--unjudged", "nonrelevant"], "--threshold: a threshold must be a finite number"),
        (["--unjudged", "whatever"], "invalid choice"),
        (["--qrels-format", "json"], "isn't valid JSON"),
        (["--nonsense"], "unrecognized arguments"),
    ],
)
def test_bad_input_ends_with_two(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert score(["--qrels", "j.qrels", "--run", "r.run", *arguments]) == 2
    streams = capsys.readouterr()
    assert words in streams.err
    assert streams.out == ""


def test_a_threshold_needs_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "r.jsonl").write_text('{"query": "q1", "ranking": ["a"]}\n', encoding="utf-8")
    assert score(["--qrels", "j.qrels", "--run", "r.jsonl", "--threshold", "1"]) == 2
    assert "r.jsonl: --threshold needs scores" in capsys.readouterr().err


def test_queries_without_judgments_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "q.txt").write_text("q9\n", encoding="utf-8")
    assert score(["--qrels", "j.qrels", "--queries", "q.txt", "--run", "judged.run"]) == 2
    assert "q.txt: 1 query without judgments in j.qrels, such as 'q9'" in capsys.readouterr().err


def test_help_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert score(["--help"]) == 0
    assert "--qrels" in capsys.readouterr().out


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condense"])
def test_big_files_give_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, unjudged: str
) -> None:
    arguments = ["--qrels", "j.qrels", "--run", "r.run", "judged.run", "--unjudged", unjudged, "--k", "1,2"]
    small = answer(capsys, *arguments)
    monkeypatch.setattr(scoring, "_BIG", 0)
    assert answer(capsys, *arguments) == small


_ID = st.sampled_from("abcdefg")


@given(
    st.dictionaries(st.sampled_from("pqrs"), st.dictionaries(_ID, st.integers(-1, 2), min_size=1), min_size=1),
    st.dictionaries(st.sampled_from("pqrs"), st.dictionaries(_ID, st.sampled_from([0.5, 1.0, 2.0]), min_size=1)),
    st.sampled_from(["refuse", "nonrelevant", "condense"]),
)
@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_readers_lead_to_the_same_scores(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    grades: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    unjudged: str,
) -> None:
    judged = [f"{query} 0 {name} {grade}\n" for query, row in grades.items() for name, grade in row.items()]
    ranked = [f"{query} Q0 {name} 1 {score} t\n" for query, row in run.items() for name, score in row.items()]
    (folder / "j.qrels").write_text("".join(judged), encoding="utf-8")
    (folder / "r.run").write_text("".join(ranked), encoding="utf-8")
    said = []
    for big in (10**9, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "_BIG", big)
            names = "recall,rr,ndcg,ap,r_precision"
            arguments = ["--qrels", "j.qrels", "--run", "r.run", "--json", "--k", "1,3", "--measures", names]
            code = score([*arguments, "--unjudged", unjudged, "--on-unknown-query", "drop"])
            streams = capsys.readouterr()
            said.append((code, streams.out, sorted(streams.err.splitlines())))
    assert said[0][:2] == said[1][:2]
    assert len(said[0][2]) == len(said[1][2])


def test_big_files_are_refused_alike(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    for big in (10**9, 0):
        monkeypatch.setattr(scoring, "_BIG", big)
        assert score(["--qrels", "j.qrels", "--run", "r.run"]) == 2
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]


_LOADED = """
import sys
sys.argv = ["harness", "score", *sys.argv[1:]]
from harness.entry import main
try:
    main()
except SystemExit as stopped:
    assert not stopped.code, stopped.code
print(*sorted(sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize("extra", [[], ["--json", "--per-query", "--threshold", "1"]])
def test_a_small_input_needs_the_standard_library_alone(folder: Path, extra: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, "--qrels", "j.qrels", "--run", "judged.run", *extra],
        capture_output=True,
        check=True,
        text=True,
    )
    loaded = set(done.stderr.split())
    tops = {name.partition(".")[0] for name in loaded}
    assert tops & {"numpy", "pandas", "pyarrow", "mlflow", "pydantic", "typer", "click", "yaml", "scipy"} == set()
    assert loaded & {"harness.cli", "harness.config", "harness.scoring.encoded", "harness.runs.columnar"} == set()


def test_the_shortest_way_loads_little_of_the_standard_library_and_the_measures_asked_for(folder: Path) -> None:
    """Each of these takes as long to load as the scores of a small run take to work out."""
    arguments = ["--qrels", "j.qrels", "--run", "judged.run", "--measures", "recall,rr"]
    command = [sys.executable, "-S", "-c", _LOADED, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    loaded = set(done.stderr.split())
    slow = {"contextlib", "csv", "dataclasses", "difflib", "hashlib", "inspect", "json", "pathlib", "typing"}
    assert loaded & slow == set()
    measures = "harness.scoring.measures."
    kinds = {name.removeprefix(measures) for name in loaded if name.startswith(measures)}
    assert kinds == {"discount", "labelled", "measure", "recall", "rr"}


def test_only_chunk_measures_are_named_chunk() -> None:
    """The help tells them apart by name."""
    assert {name for name, measure in MEASURES.items() if measure.view == "chunk"} == {
        name for name in MEASURES if name.startswith("chunk_")
    }


def test_the_command_is_listed_and_passed_on_by_the_others(folder: Path) -> None:
    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "harness", *arguments]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    assert "score" in run("--help")
    code = "from harness.cli import main; main()"
    command = [sys.executable, "-c", code, "score", "--qrels", "j.qrels", "--run", "judged.run", "--json"]
    old = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert old == run("score", "--qrels", "j.qrels", "--run", "judged.run", "--json")
    assert Fraction(json.loads(old)["runs"][0]["means"]["recall@10"]) == Fraction(1, 2)
