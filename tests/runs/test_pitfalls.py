"""Ids and files: faults that were reported of neighbouring tools, and what is right."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.worlds import ROOT

from harness.runs import Run, read_qrels, read_run, write_run

from .test_faults import write


def test_numeric_ids_match_their_digits(tmp_path: Path) -> None:  # I1
    run = read_run(write(tmp_path, "r.jsonl", '{"query": 3, "ranking": [7, "8"]}\n'))
    qrels = read_qrels(write(tmp_path, "j.qrels", "3 0 7 1\n"))
    assert run.rankings == {"3": ["7", "8"]}
    assert qrels.grades == {"3": {"7": 1}}


def test_no_table_guesses_types(tmp_path: Path) -> None:  # I2
    ids = ["007", "7", "1002", "1002.0", "NA", "null", "nan", "1e5", "True", "#x"]
    for name, between in (("r.csv", ","), ("r.tsv", "\t")):
        rows = [between.join(["q", text, str(50 - place)]) for place, text in enumerate(ids)]
        head = between.join(["query", "document", "score"])
        assert read_run(write(tmp_path, name, "\n".join([head, *rows]))).rankings == {"q": ids}
    rows = [f"q Q0 {text} 1 {50 - place} t" for place, text in enumerate(ids)]
    assert read_run(write(tmp_path, "r.trec", "\n".join(rows))).rankings == {"q": ids}


def test_the_same_judgment_twice_is_a_note(tmp_path: Path) -> None:  # I6
    qrels = read_qrels(write(tmp_path, "j.qrels", "q1 0 a 1\nq1 0 a 1\n"))
    assert qrels.grades == {"q1": {"a": 1}}
    assert qrels.notes == ("1 judgment repeated with the same grade, counted once",)


@pytest.mark.parametrize("name", ["r.trec", "r.csv", "r.jsonl", "r.json"])
def test_bom_and_crlf_change_nothing(tmp_path: Path, name: str) -> None:  # I7
    run = Run(rankings={"q1": ["b", "a"], "q2": ["c"]}, scores={"q1": [2.0, 1.0], "q2": [0.5]})
    write_run(run, tmp_path / name)
    plain = (tmp_path / name).read_bytes()
    for bom, end in itertools.product([b"", b"\xef\xbb\xbf"], [b"\n", b"\r\n", b"\r"]):
        again = write(tmp_path, f"again-{name}", bom + plain.replace(b"\n", end))
        assert read_run(again).rankings == run.rankings


def test_tabs_runs_of_spaces_and_blank_lines_are_equal(tmp_path: Path) -> None:  # I8
    texts = ["q1 Q0 a 1 2 t\n", "q1\tQ0\ta\t1\t2\tt\n", "  q1   Q0 a\t 1  2   t  \n", "q1 Q0 a 1 2 t\n\n \t\n"]
    for text in texts:
        assert read_run(write(tmp_path, "r.trec", text)).rankings == {"q1": ["a"]}
    for text in ("q1 0 a 1\n", "q1\t0\ta\t1", " q1  0   a 1 \n\n"):
        assert read_qrels(write(tmp_path, "j.qrels", text)).grades == {"q1": {"a": 1}}


def test_other_blanks_are_part_of_an_id(tmp_path: Path) -> None:
    for blank in ("\u2028", "\u00a0", "\u3000"):
        text = f"q{blank}1 Q0 a{blank}b 1 2 t\n"
        assert read_run(write(tmp_path, "r.trec", text)).rankings == {f"q{blank}1": [f"a{blank}b"]}


def test_ids_that_are_not_in_nfc_are_brought_there_and_counted(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, "r.trec", "q Q0 e\u0301 1 2 t\n"))
    assert run.rankings == {"q": ["\xe9"]}
    assert run.notes == ("1 document id brought to Unicode NFC",)


def test_files_are_utf8_whatever_the_platform_says(tmp_path: Path) -> None:  # I9
    write(tmp_path, "j.qrels", "问题 0 仓库 1\n")
    write(tmp_path, "r.run", "问题 Q0 仓库 1 2 t\n")
    done = subprocess.run(
        [sys.executable, "-m", "harness", "score", "--qrels", "j.qrels", "--run", "r.run", "--per-query"],
        cwd=tmp_path,
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert "问题" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_ties_are_put_in_one_order_whatever_the_file_order(tmp_path: Path, order: tuple[str, ...]) -> None:  # M6, M8
    text = "".join(f"q Q0 {name} 1 1.0 t\n" for name in order)
    assert read_run(write(tmp_path, "r.trec", text)).rankings == {"q": ["c", "b", "a"]}
