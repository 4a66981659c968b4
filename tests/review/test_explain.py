"""One question on one screen, with exact contributions."""

from __future__ import annotations

from cli.sweeps import Swept
from cli.world import cells, invoke, run

HYBRID = "latest/hybrid top_k=3 fetch_k=3"


def test_every_candidate_with_exact_contributions(small: Swept) -> None:
    done = run("explain", HYBRID, "--query", "red", "--dir", small.folder)
    assert done.code == 0, done.err
    assert "Relevant (★): boats.md, ships.md." in done.out
    header, *rows = cells(done.out)
    assert header == [
        *("", "document", "chunk", "bm25 rank", "bm25 score", "vector rank", "vector score"),
        *("contributions", "fused", "fused rank", "rank", "document rank"),
    ]
    first = dict(zip(header, rows[0], strict=True))
    assert (first[""], first["document"], first["bm25 rank"]) == ("★", "boats.md", "1")
    assert first["contributions"] == "1/61 + 1/61"
    assert first["fused"] == "2/61"
    assert (first["fused rank"], first["rank"], first["document rank"]) == ("1", "1", "1")
    assert "isn't the logged ranking" not in done.out


def test_a_single_route_has_no_fusion(small: Swept) -> None:
    done = invoke("explain", "latest/bm25 top_k=3", "--query", "lights", "--dir", small.folder)
    header, *rows = cells(done.out)
    assert header == ["", "document", "chunk", "bm25 rank", "bm25 score", "rank", "document rank"]
    assert [row[1] for row in rows] == ["boats.md", "tower.md"]
    assert [row[0] for row in rows] == ["", "★"]


def test_other_values_side_by_side(small: Swept) -> None:
    done = invoke("explain", HYBRID, "--query", "red", "--at", "fetch_k=3,10", "--at", "top_k=2", "--dir", small.folder)
    assert done.code == 0, done.err
    header, *_ = cells(done.out)
    assert header == ["", "document", "fetch_k=3", "fetch_k=10"]
    assert "### fetch_k=3" in done.out


WRONG = [
    (["--query", "reed"], "split test has no question 'reed'; did you mean red"),
    (["--query", "red", "--at", "fetch_k"], "--at: must be a parameter and its values"),
    (["--query", "red", "--at", "fetchk=3"], "parameters.fetchk unknown key"),
    (["--query", "red", "--at", "mode=cosine"], "parameters.mode"),
]


def test_misuse(small: Swept) -> None:
    for options, told in WRONG:
        done = invoke("explain", HYBRID, *options, "--dir", small.folder)
        assert done.code == 2, options
        assert told in done.err, (told, done.err)
