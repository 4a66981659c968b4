"""The section ``selection``: what it may say, and the rules it names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.sweeps import a_set

from harness.errors import InputError
from harness.study.choosing import RULES, choose
from harness.study.config import read_study
from harness.study.halves import choosing_half, reporting_half
from harness.summary import SetSummary

from .files import GOLDEN, problems_of, write_study

GRID = """\
parameters:
  mode: [bm25, hybrid]
  chunk: {size: [20, 40], overlap: 0}
  vector: {embedder: lsa}
  rerank: {model: null}
  top_k: [2, 3]
evaluation: {k: 3, cutoffs: [1]}
"""
"""Eight sets; what follows begins on line 11."""


def selection(
    tune_on: str = "dev",
    measure: str = "ndcg@3",
    rule: str = "best",
    baseline: str = "{mode: bm25, chunk.size: 40, top_k: 2}",
) -> str:
    lines = [f"tune_on: {tune_on}", f"measure: {measure}", f"rule: {rule}", f"baseline: {baseline}"]
    return GRID + "selection:\n" + "".join(f"  {line}\n" for line in lines)


def test_a_sound_selection_names_its_baseline_and_its_questions(tmp_path: Path) -> None:
    study = read_study(write_study(tmp_path, selection()))
    assert study.tuning is not None
    flat = study.tuning.baseline.flat()
    assert (flat["mode"], flat["chunk.size"], flat["top_k"]) == ("bm25", 40, 2)
    assert [query.id for query in study.tuning.collection.queries] == ["d1"]
    assert study.collection.queries[0].id == "q1"


@pytest.mark.parametrize(
    "baseline",
    ["{mode: bm25, chunk.size: 40.0, top_k: 2}", "{mode: bm25, chunk.size: 40, top_k: 2, rerank.model: null}"],
)
def test_values_are_compared_as_values(tmp_path: Path, baseline: str) -> None:
    assert problems_of(write_study(tmp_path, selection(baseline=baseline))) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            selection(tune_on="test"),
            ":12: selection.tune_on must differ from evaluation.split, found 'test' in both; what is chosen on a split "
            "can't be reported on it",
        ),
        (selection(rule="luckiest"), ":14: selection.rule must be 'best' or 'simplest-within-one-question', found"),
        (selection(baseline="[bm25]"), ":15: selection.baseline must be a mapping of keys, found a list"),
        (
            selection(baseline="{mode: [bm25]}"),
            ":15: selection.baseline.mode must be one value, as a parameter set has it, found a list",
        ),
        (
            selection(baseline="{top_k: true}"),
            ":15: selection.baseline.top_k must be one value, as a parameter set has it, found true",
        ),
        (GRID + "selection: {tune_on: dev, baseline: {}}", ":11: selection.measure is required and absent"),
        (selection() + "  tune: dev\n", ":16: selection.tune unknown key; did you mean 'tune_on'?"),
        # a mean that isn't computed
        (
            selection(measure="ndcg@7"),
            ":13: selection.measure must be a mean that is computed, found 'ndcg@7'; add 7 to evaluation.cutoffs",
        ),
        (
            selection(measure="rr@3"),
            ":13: selection.measure must be a mean that is computed, found 'rr@3'; did you mean 'mrr@3'? known: "
            "recall@k, mrr@k, ndcg@k, hit@k, precision@k, ap@k, chunk_hit@k, chunk_mrr@k, chunk_ndcg_retrieved@k, "
            "r_precision",
        ),
        (selection(measure="judged@3"), ":13: selection.measure must be a mean that is computed, found 'judged@3'; "),
        (selection(measure="r_precision@3"), ":13: selection.measure must be a mean that is computed, found 'r_pr"),
        # a baseline that isn't exactly one set
        (
            selection(baseline="{mode: bm25, top_k: 2}"),
            ":15: selection.baseline must name exactly one parameter set of the grid, found 2: "
            "'bm25 chunk.size=20 top_k=2', 'bm25 chunk.size=40 top_k=2'; give a value of chunk.size as well",
        ),
        (
            selection(baseline="{}"),
            ":15: selection.baseline must name exactly one parameter set of the grid, found 8: "
            "'bm25 chunk.size=20 top_k=2', 'bm25 chunk.size=20 top_k=3', 'bm25 chunk.size=40 top_k=2', "
            "'bm25 chunk.size=40 top_k=3', 'hybrid chunk.size=20 top_k=2' and 3 more; give a value of mode, "
            "chunk.size, top_k as well",
        ),
        (
            selection(baseline="{mode: bm25, chunk.size: 30, top_k: 3}"),
            ":15: selection.baseline must name exactly one parameter set of the grid, found none: none has chunk.size "
            "30, there is 20, 40; the nearest: 'bm25 chunk.size=20 top_k=3', 'bm25 chunk.size=40 top_k=3'",
        ),
        (
            selection(baseline="{mode: bm25, chunk.size: '40', top_k: 3}"),
            "found none: none has chunk.size '40', there is 20, 40; the nearest: ",
        ),
        (
            selection(baseline="{mode: bm25, chunk.sise: 40}"),
            "found none: none has a parameter 'chunk.sise', did you mean 'chunk.size'?; the nearest: ",
        ),
        (
            selection(baseline="{mode: bm25, fetch_k: 10}"),
            "found none: none has all these values; the nearest: 'bm25 chunk.size=20 top_k=2', ",
        ),
    ],
)
def test_each_fault_is_told_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    found = problems_of(write_study(tmp_path, text))
    assert len(found) == 1, found
    assert problem in found[0]


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    text = selection(tune_on="tset", measure="mrr", baseline="{mode: vector}")
    found = problems_of(write_study(tmp_path, text))
    assert [line.split(" must")[0] for line in found[:2]] == [
        "study.yaml:13: selection.measure",
        "study.yaml:15: selection.baseline",
    ]
    assert found[2:] == [
        "golden.yaml: has no question in split 'tset'; there are 'test' (7 questions), 'dev' (1 question); "
        "did you mean 'test'?"
    ]


def test_a_split_where_nothing_can_be_chosen_is_refused(tmp_path: Path) -> None:
    golden = GOLDEN.replace("gold: [kite], split: dev", "gold: [], answerable: false, split: dev")
    [problem] = problems_of(write_study(tmp_path, selection(), golden=golden))
    assert problem == (
        "study.yaml:12: selection.tune_on no question of split 'dev' has a relevant document, so nothing can be chosen "
        "on it"
    )


def beir(folder: Path, dev: str) -> Path:
    """Write a BEIR collection with a question for each split, and a study of it."""
    lines = [{"_id": name, "text": text} for name, text in (("a", "red kite"), ("b", "pump seal"))]
    asked = [{"_id": name, "text": text} for name, text in (("q1", "kite"), ("q2", "pump"))]
    (folder / "qrels").mkdir()
    for name, rows in (("corpus", lines), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    head = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "test.tsv").write_text(f"{head}q1\ta\t1\n", encoding="utf-8")
    (folder / "qrels" / "dev.tsv").write_text(f"{head}{dev}\n", encoding="utf-8")
    source = "{format: beir, path: .}"
    text = f"name: b\ncorpus: {source}\ngolden: {source}\nparameters: {{mode: bm25, top_k: [1, 2]}}\n"
    text += "evaluation: {unjudged: nonrelevant}\n"
    text += "selection: {tune_on: dev, measure: mrr@3, baseline: {top_k: 1}}\n"
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder / "study.yaml"


def test_a_beir_collection_has_a_file_for_each_split(tmp_path: Path) -> None:
    study = read_study(beir(tmp_path, "q2\tb\t1"))
    half = choosing_half(study)
    assert [query.id for query in half.collection.queries] == ["q2"]
    assert half.collection.corpus is study.collection.corpus
    assert len({half.split_sha256, study.split_sha256}) == 2


def test_a_question_that_both_files_judge_is_refused(tmp_path: Path) -> None:
    assert problems_of(beir(tmp_path, "q1\ta\t1")) == [
        "study.yaml:6: selection.tune_on question 'q1' lies in split 'dev' and in 'test'; keep it in one"
    ]


def test_the_selection_is_in_the_fingerprint_of_what_reports_alone(tmp_path: Path) -> None:
    def read(text: str) -> tuple[str, str]:
        study = read_study(write_study(tmp_path, text))
        return choosing_half(study).sha256, reporting_half(study).sha256

    first, other = read(selection()), read(selection(rule="simplest-within-one-question"))
    assert first[0] == other[0] == read_study(write_study(tmp_path, GRID.replace("{k: 3", "{split: dev, k: 3"))).sha256
    assert len({first[1], other[1], read_study(write_study(tmp_path, GRID)).sha256}) == 3
    assert "selection" not in read_study(write_study(tmp_path, GRID)).resolved_yaml()


def scored(place: int, value: int | None, **parameters: str | int) -> SetSummary:
    """Return a set with a mean of so many of four questions."""
    flat: dict[str, str | int] = {
        "mode": "bm25",
        "top_k": 3,
        **{n.replace("__", "."): v for n, v in parameters.items()},
    }
    mean = None if value is None else Fraction(value, 4)
    return a_set(flat, (1, 0), place=place, name=str(place), means={"ndcg@3": mean}, eligible=4)


@pytest.mark.parametrize("order", [1, -1])
def test_the_best_is_the_first_of_the_highest(order: int) -> None:
    sets = [scored(0, 1), scored(1, 3), scored(2, 3), scored(3, None), scored(4, 2)]
    assert choose("best", "ndcg@3", sets[::order]).name == "1"


def test_nothing_is_chosen_where_nothing_is_defined() -> None:
    with pytest.raises(InputError, match=r"selection\.measure: ndcg@3 is undefined for every parameter set"):
        choose("best", "ndcg@3", [scored(0, None)])


BY_COST = [
    {"mode": "bm25", "top_k": 2},
    {"mode": "bm25", "top_k": 3},
    {"mode": "vector", "top_k": 2},
    {"mode": "hybrid", "top_k": 1, "fetch_k": 5},
    {"mode": "hybrid", "top_k": 3, "fetch_k": 5},
    {"mode": "hybrid", "top_k": 1, "fetch_k": 9},
    {"mode": "bm25", "top_k": 1, "fetch_k": 5, "rerank__depth": 5},
    {"mode": "hybrid", "top_k": 1, "fetch_k": 5, "rerank__depth": 5},
    {"mode": "bm25", "top_k": 1, "fetch_k": 9, "rerank__depth": 9},
]
"""From the cheapest on, by the order that docs/config.md states."""


@pytest.mark.parametrize("first", range(len(BY_COST)))
def test_the_simplest_is_the_cheapest_that_is_near_enough(first: int) -> None:
    """The cheaper ones are worse by more than a question, the dearest is best."""
    sets = [
        scored(len(BY_COST) - rank, 1 if rank < first else 3, **parameters)  # type: ignore[arg-type]
        for rank, parameters in enumerate(BY_COST)
    ]
    sets.append(scored(0, 4, mode="hybrid", fetch_k=99, rerank__depth=99))
    assert choose("simplest-within-one-question", "ndcg@3", sets).name == str(len(BY_COST) - first)


def test_equals_in_cost_are_taken_in_the_order_of_the_grid() -> None:
    sets = [scored(2, 4), scored(1, 3), scored(0, 2)]
    assert choose("simplest-within-one-question", "ndcg@3", sets).name == "1"


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), min_size=1, max_size=8), st.randoms())
def test_no_rule_depends_on_the_order_in_which_sets_have_finished(
    values: Sequence[tuple[int, int]], draw: object
) -> None:
    sets = [scored(place, value, top_k=top_k) for place, (value, top_k) in enumerate(values)]
    shuffled = list(sets)
    draw.shuffle(shuffled)  # type: ignore[attr-defined]
    for rule in RULES:
        assert choose(rule, "ndcg@3", shuffled) == choose(rule, "ndcg@3", sets)
