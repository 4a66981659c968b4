"""Two runs side by side: exact differences, every question that changed, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.sweeps import Swept, copy_store, empty_store
from cli.world import GOLDEN, STUDY, Done, cells, invoke, run, write_study

BM25 = "bm25 top_k=3"
HYBRID = "hybrid top_k=3 fetch_k=3"


def compare(small: Swept, before: str, after: str, *options: object) -> Done:
    names = [f"{small.sweep_id[:10]}/{name}" for name in (before, after)]
    return invoke("compare", *names, "--dir", small.folder, *options)


def test_a_run_against_itself(small: Swept) -> None:
    done = run("compare", f"latest/{BM25}", f"latest/{BM25}", "--dir", small.folder)
    assert done.code == 0, done.err
    assert "**Nothing changed**: the same document rankings on all 3 questions." in done.out
    assert "All parameters are the same." in done.out


def test_differences_are_fractions_and_each_question_is_named(small: Swept) -> None:
    """BM25 finds weather, one of two for red, and ranks boats before tower for lights."""
    done = compare(small, "bm25 top_k=1", BM25, "--json")
    found = json.loads(done.out)
    assert found["parameters"] == {"top_k": [1, 3]}
    recall = next(one for one in found["measures"] if one["measure"] == "recall@3")
    assert (recall["before"], recall["after"]) == ("1/2", "5/6")
    assert (recall["wins"], recall["losses"], recall["ties"]) == (1, 0, 2)
    moved = {q["query"]: (q["before"], q["after"], q["values"]["recall@3"]) for q in found["questions"]}
    assert moved["lights"] == (None, 2, ["0", "1"])
    assert {q["stage"] for q in found["questions"]} == {"adapter"}, "the legs are the same, one is cut earlier"
    assert found["verdict"]["words"] == "rests on question lights alone"


def test_one_question_is_called_one_question(small: Swept) -> None:
    done = compare(small, "bm25 top_k=1", BM25)
    assert "**One question**: B is better on lights alone, of 3; on all others recall@3 is the same." in done.out
    assert ["recall@3", "0.5000", "0.8333", "+1/3", "1", "0", "2"] in cells(done.out[done.out.index("| mean") :])


def test_tags_are_told_apart(small: Swept) -> None:
    done = compare(small, "bm25 top_k=1", BM25)
    by_tag = cells(done.out[done.out.index("| recall@3 by tag") :])
    assert [row[:2] for row in by_tag[1:]] == [["zh", "1"], ["en", "1"], ["two", "1"]]


def test_another_measure(small: Swept) -> None:
    assert "hit@3 is the same on every one of 3 questions" in compare(
        small, "bm25 top_k=3", "bm25 top_k=3", "--measure", "hit@3"
    ).out.replace("**Nothing changed**: the same document rankings on all 3", "hit@3 is the same on every one of 3")
    done = compare(small, BM25, HYBRID, "--measure", "recall@7")
    assert done.code == 2
    assert "no measure 'recall@7' was logged; there are" in done.err


OTHER = {
    "judgments": ("golden", GOLDEN.replace("gold: [tower.md]", "gold: [ships.md]"), "judgments: differs for lights"),
    "a question's words": ("golden", GOLDEN.replace("red boats,", "red boat,"), "question text: differs for red"),
    "a question more": (
        "golden",
        GOLDEN.replace("  - {id: nowhere", "  - {id: more, question: grain, gold: [ships.md]}\n  - {id: nowhere"),
        "query ledger: ",
    ),
    "cutoffs": (
        "study",
        STUDY.format(name="small", mode="bm25", k1="1.5", top_k="3").replace("[1, 2]", "[1]"),
        "conventions (measures, cutoffs, unjudged, relevance threshold): k=3, cutoffs [1, 2, 3]",
    ),
}


@pytest.mark.parametrize("case", OTHER)
def test_what_is_not_about_the_same_thing_is_refused(
    case: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kind, text, told = OTHER[case]
    folder = copy_store(empty_store(tmp_path_factory), tmp_path / "out").folder
    first = write_study(tmp_path / "one", mode="bm25", top_k="3")
    other: dict[str, str | bytes] = {kind: text}
    second = write_study(tmp_path / "two", name="other", mode="bm25", top_k="3", **other)
    ids = []
    for study in (first, second):
        done = invoke("sweep", study, "--dir", folder)
        assert done.code == 0, done.err
        ids.append(done.out.split("Sweep: ")[1][:32])
    done = invoke("compare", *ids, "--dir", folder)
    assert done.code == 2
    assert "can't be compared" in done.err
    assert told in done.err
