"""A gate for continuous integration: conditions are compared exactly, and the exit code says whether all hold."""

from __future__ import annotations

import pytest
from cli.sweeps import Swept
from cli.world import invoke, run

BM25 = "latest/bm25 top_k=3"
"""recall@3 is 5/6, hit@3 is 1, nothing is missing."""

HOLDS = [
    ["--min", "recall@3>=5/6"],
    ["--min", "recall@3 <= 5/6"],
    ["--min", "recall@3==5/6"],
    ["--min", "hit@3>=1", "--min", "recall@3>0.8333333333333333"],
    ["--max-missing", "0"],
    ["--no-regression-against", "latest/bm25 top_k=1"],
    ["--no-regression-against", BM25, "--measure", "ndcg@3"],
]
FAILS = [
    (["--min", "recall@3>5/6"], "FAILED  recall@3>5/6: recall@3 is 5/6 (0.8333)"),
    (["--min", "recall@3>=0.83333333333333334"], "FAILED  recall@3>=0.83333333333333334"),
    (["--protocol", "00000000"], "FAILED  protocol: "),
]
MISUSE = [
    ([], "gate: give at least one condition"),
    (["--min", "recall@3"], "--min: must be a measure, a sign"),
    (["--min", "recall@3>=x"], "--min: must be a measure, a sign"),
    (["--min", "recall@3>=1/0"], "--min: must be a measure, a sign"),
    (["--min", "recall@7>=1/2"], "no mean 'recall@7' was logged; there are"),
    (["--protocol", "xyz"], "--protocol: must be 8 to 64 hexadecimal digits"),
    (["--no-regression-against", "ffffffff"], "no run begins with ffffffff"),
]


@pytest.mark.parametrize("options", HOLDS, ids=" ".join)
def test_open(small: Swept, options: list[str]) -> None:
    done = invoke("gate", BM25, *options, "--dir", small.folder)
    assert (done.code, "gate open" in done.out, "FAILED" in done.out) == (0, True, False), done.out + done.err


@pytest.mark.parametrize(("options", "told"), FAILS)
def test_closed(small: Swept, options: list[str], told: str) -> None:
    done = invoke("gate", BM25, *options, "--dir", small.folder)
    assert done.code == 1
    assert told in done.out
    assert "gate closed: 1 of 1 conditions failed" in done.out


@pytest.mark.parametrize(("options", "told"), MISUSE)
def test_misuse(small: Swept, options: list[str], told: str) -> None:
    done = invoke("gate", BM25, *options, "--dir", small.folder)
    assert done.code == 2
    assert told in done.err


def test_a_question_that_got_worse_is_named(small: Swept) -> None:
    options = ["--no-regression-against", BM25, "--dir", small.folder]
    done = run("gate", "latest/bm25 top_k=1", *options)
    assert done.code == 1
    assert "recall@3 worse than bm25 top_k=3" in done.out
    assert "    lights: 1 → 0, parts at adapter" in done.out
    assert invoke("gate", "latest/bm25 top_k=1", *options, "--allow-questions", "1").code == 0


def test_the_protocol_that_was_logged(small: Swept) -> None:
    sha = small.store.children(small.sweep_id)[0].data.tags["protocol_sha256"]
    assert invoke("gate", BM25, "--protocol", sha, "--dir", small.folder).code == 0
    assert invoke("gate", BM25, "--protocol", sha[:12], "--dir", small.folder).code == 0
