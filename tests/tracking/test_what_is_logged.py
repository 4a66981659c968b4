"""Everything a sweep leaves in MLflow, read back with MLflow's own client."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.sweeps import Swept
from cli.world import DOCUMENTS, table_of

from harness import scoring
from harness.study.config import read_study

SHA256 = re.compile(r"[0-9a-f]{64}")
SHARED_HASHES = ("protocol", "split", "conventions", "config", "corpus", "golden")
QUERIES = {
    "weather": {"text": "明天下雨吗", "split": "test"},
    "red": {"text": "red boats", "split": "test"},
    "lights": {"text": "lights of the harbour", "split": "test"},
    "nowhere": {"text": "quantum | physics", "split": "test"},
}
GOLD: dict[str, list[str]] = {
    "weather": ["天气.md"],
    "red": ["boats.md", "ships.md"],
    "lights": ["tower.md"],
    "nowhere": [],
}


@pytest.fixture(scope="module")
def parent(small: Swept) -> Any:
    return small.store.client.get_run(small.sweep_id)


@pytest.fixture(scope="module")
def children(small: Swept) -> list[Any]:
    return small.store.children(small.sweep_id)


@pytest.fixture(scope="module")
def bm25(children: list[Any]) -> Any:
    """Return the run of BM25 with top_k 3, whose values are worked by hand."""
    wanted = {"mode": "bm25", "top_k": "3"}
    return next(run for run in children if wanted.items() <= run.data.params.items())


def jsonl(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_sweep_is_a_parent_with_one_child_for_each_parameter_set(parent: Any, children: list[Any]) -> None:
    assert parent.info.run_name == "sweep of 7 sets"
    assert parent.data.tags["harness.kind"] == "sweep"
    assert len(children) == 7
    assert {run.data.tags["harness.kind"] for run in children} == {"set"}
    assert {run.data.tags["mlflow.parentRunId"] for run in children} == {parent.info.run_id}
    assert {run.data.tags["sweep_id"] for run in [parent, *children]} == {parent.info.run_id}
    assert {run.info.status for run in [parent, *children]} == {"FINISHED"}
    assert {run.info.run_name for run in children} == {
        *("bm25 top_k=1", "bm25 top_k=3", "vector top_k=1", "vector top_k=3"),
        *("hybrid top_k=1 fetch_k=1", "hybrid top_k=1 fetch_k=3", "hybrid top_k=3 fetch_k=3"),
    }


def test_the_experiment_has_the_name_of_the_study(small: Swept, parent: Any) -> None:
    assert small.store.client.get_experiment(parent.info.experiment_id).name == "small"
    assert parent.data.tags["study"] == "small"
    assert parent.data.tags["split"] == "test"


CHUNKING = {"chunk.splitter": "fixed", "chunk.size": "60", "chunk.overlap": "0"}
BM25 = {
    **{"bm25.engine": "rank-bm25", "bm25.variant": "lucene", "bm25.k1": "1.5", "bm25.b": "0.75"},
    "bm25.tokenizer": "char-bigram",
}
VECTOR = {
    **{"vector.embedder": "lsa", "vector.dimensions": "3", "vector.seed": "0"},
    **{"vector.search": "exact", "vector.space": "cosine"},
}
FUSION = {
    **{"fusion.method": "rrf", "fusion.k": "60"},
    **{"fusion.weights.bm25": "1.0", "fusion.weights.vector": "1.0"},
}


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("bm25 top_k=1", {"mode": "bm25", **CHUNKING, **BM25, "top_k": "1"}),
        ("vector top_k=3", {"mode": "vector", **CHUNKING, **VECTOR, "top_k": "3"}),
        (
            "hybrid top_k=1 fetch_k=3",
            {"mode": "hybrid", **CHUNKING, **BM25, **VECTOR, **FUSION, "top_k": "1", "fetch_k": "3"},
        ),
    ],
)
def test_the_parameters_that_matter_are_logged_flat_by_their_config_names(
    children: list[Any], name: str, params: dict[str, str]
) -> None:
    logged = next(run.data.params for run in children if run.info.run_name == name)
    assert logged == params | {"rerank.model": "none"}


@pytest.mark.parametrize(
    ("metric", "exact"),
    [
        ("recall_at_1", "1/2"),
        ("recall_at_2", "5/6"),
        ("recall_at_3", "5/6"),
        ("mrr_at_1", "2/3"),
        ("mrr_at_3", "5/6"),
        ("hit_at_1", "2/3"),
        ("hit_at_3", "1"),
        ("precision_at_1", "2/3"),
        ("precision_at_3", "1/3"),
        ("ap_at_3", "2/3"),
        ("judged_at_3", "1"),
        ("chunk_hit_at_1", "2/3"),
        ("chunk_mrr_at_3", "5/6"),
    ],
)
def test_metrics_are_the_floats_of_the_exact_values(bm25: Any, metric: str, exact: str) -> None:
    """By hand: weather ranks its one document first, red one of two first, lights its one second."""
    assert bm25.data.tags[f"exact.{metric}"] == exact
    assert bm25.data.metrics[metric] == float(Fraction(exact))


def test_ndcg_is_exact_over_a_declared_table_of_discounts(bm25: Any) -> None:
    d = Fraction(630929753571457437, 10**18)  # 1/log2(3), rounded to 18 places
    by_hand = (1 + 1 / (1 + d) + d) / 3
    assert Fraction(bm25.data.tags["exact.ndcg_at_3"]) == by_hand
    assert bm25.data.metrics["ndcg_at_3"] == float(by_hand)


def test_every_exact_tag_has_its_metric_and_every_name_is_safe(children: list[Any]) -> None:
    for run in children:
        exact = {name.removeprefix("exact."): value for name, value in run.data.tags.items() if name[:6] == "exact."}
        assert len(exact) == 3 * (6 + 1 + 3) + 1
        assert {name: float(Fraction(value)) for name, value in exact.items()}.items() <= run.data.metrics.items()
        assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in run.data.metrics)


def test_the_curve_over_k_has_the_cutoffs_as_steps(small: Swept, bm25: Any) -> None:
    curves = {
        name: [(point.step, point.value) for point in small.store.client.get_metric_history(bm25.info.run_id, name)]
        for name in ("recall_at_k", "mrr_at_k", "hit_at_k")
    }
    assert sorted(curves["recall_at_k"]) == [(1, 1 / 2), (2, 5 / 6), (3, 5 / 6)]
    assert sorted(curves["mrr_at_k"]) == [(1, 2 / 3), (2, 5 / 6), (3, 5 / 6)]
    assert sorted(curves["hit_at_k"]) == [(1, 2 / 3), (2, 1.0), (3, 1.0)]


def test_counts_are_logged_beside_the_means(bm25: Any) -> None:
    counts = {name: bm25.data.metrics[name] for name in ("questions", "questions_eligible", "questions_missing")}
    assert counts == {"questions": 4, "questions_eligible": 3, "questions_missing": 0}
    assert bm25.data.metrics["chunks"] == 5
    assert bm25.data.metrics["seconds"] >= 0


def test_every_hash_is_there_in_full(parent: Any, children: list[Any]) -> None:
    for run in [parent, *children]:
        assert all(SHA256.fullmatch(run.data.tags[f"{name}_sha256"]) for name in SHARED_HASHES)
    for run in children:
        routes = {"bm25": ["bm25"], "vector": ["vector"], "hybrid": ["bm25", "vector"]}[run.data.params["mode"]]
        own = ["adapter", "run", "ranking", "parameters", "chunking", *(f"index.{route}" for route in routes)]
        own += [f"weights.{route}" for route in routes if route == "vector"]
        assert all(SHA256.fullmatch(run.data.tags[f"{name}_sha256"]) for name in own)
        hashes = {name for name in run.data.tags if name.endswith("_sha256")}
        assert hashes == {f"{name}_sha256" for name in (*SHARED_HASHES, *own)}


def test_what_all_runs_share_has_one_hash_and_what_differs_has_several(parent: Any, children: list[Any]) -> None:
    for name in SHARED_HASHES:
        assert len({run.data.tags[f"{name}_sha256"] for run in [parent, *children]}) == 1
    assert len({run.data.tags["parameters_sha256"] for run in children}) == 7
    assert len({run.data.tags["adapter_sha256"] for run in children}) == 1  # one way of cutting


def test_the_protocol_hash_is_the_one_the_exact_core_gives(parent: Any) -> None:
    qrels = {query: {document: int(document in gold) for document in DOCUMENTS} for query, gold in GOLD.items()}
    assert parent.data.tags["protocol_sha256"] == scoring.protocol_sha256(DOCUMENTS, QUERIES, qrels, "test", 3)


def test_the_adapter_and_the_logged_ranking_give_the_logged_documents(small: Swept, children: list[Any]) -> None:
    chunks = {f"{document}#0": document for document in DOCUMENTS} | {"天气.md#1": "天气.md"}
    for run in children:
        ranking = jsonl(small.store.artifact(run.info.run_id, "ranking.jsonl"))
        chunk_runs = {line["query"]: [hit["chunk"] for hit in line["hits"]] for line in ranking}
        adapted = scoring.adapt_runs(DOCUMENTS, QUERIES, chunks, chunk_runs)
        assert run.data.tags["adapter_sha256"] == adapted["adapter_sha256"]
        assert json.loads(small.store.artifact(run.info.run_id, "evidence.json")) == adapted["evidence"]
        table = json.loads(small.store.artifact(run.info.run_id, "per_query.json"))
        place = table["columns"].index("retrieved")
        retrieved = {row[0]: row[place].split(", ") if row[place] else [] for row in table["data"]}
        assert retrieved == adapted["document_runs"]


def test_the_ranking_reads_back_bit_for_bit(small: Swept, bm25: Any, tmp_path: Path) -> None:
    from harness.index import IndexStore
    from harness.study.engine import run_study

    results = {result.parameters.sha256: result for result in run_study(read_study(small.config), IndexStore(tmp_path))}
    for run in small.store.children(small.sweep_id):
        hits = results[run.data.tags["parameters_sha256"]].hits
        logged = jsonl(small.store.artifact(run.info.run_id, "ranking.jsonl"))
        assert [line["query"] for line in logged] == list(QUERIES)
        for line in logged:
            computed = [(hit.rank, hit.chunk.id, float(hit.score).hex()) for hit in hits[line["query"]]]
            assert [(hit["rank"], hit["chunk"], hit["score"].hex()) for hit in line["hits"]] == computed


def test_a_logged_hit_tells_where_its_text_lies_and_how_it_came_there(small: Swept, children: list[Any]) -> None:
    run = next(run for run in children if run.info.run_name == "hybrid top_k=3 fetch_k=3")
    ranking = {line["query"]: line["hits"] for line in jsonl(small.store.artifact(run.info.run_id, "ranking.jsonl"))}
    for hit in ranking["weather"]:
        assert DOCUMENTS[hit["document"]][hit["start"] : hit["end"]]
        places = hit["explain"]["places"]
        fused = sum(Fraction(place["contribution"]) for place in places)
        assert fused == Fraction(hit["explain"]["fused_score"])
        assert all(Fraction(place["contribution"]) == Fraction(1, 60 + place["rank"]) for place in places)
    both = next(hit for hit in ranking["red"] if hit["document"] == "boats.md")
    assert [place["route"] for place in both["explain"]["places"]] == ["vector", "bm25"]


def test_a_childs_config_reads_back_as_a_study_of_exactly_that_set(
    small: Swept, children: list[Any], tmp_path: Path
) -> None:
    whole = read_study(small.config)
    for run in children:
        text = small.store.artifact(run.info.run_id, "config.yaml")
        path = small.config.parent / f"again-{run.info.run_id}.yaml"
        path.write_text(text, encoding="utf-8")
        again = read_study(path)
        path.unlink()
        assert [s.sha256 for s in again.grid.sets] == [run.data.tags["parameters_sha256"]]
        assert again.grid.sets[0] in whole.grid.sets
        assert again.conventions.sha256 == run.data.tags["conventions_sha256"]


def test_the_parents_config_reads_back_as_the_whole_study(small: Swept, parent: Any) -> None:
    path = small.config.parent / "again.yaml"
    path.write_text(small.store.artifact(parent.info.run_id, "config.yaml"), encoding="utf-8")
    again = read_study(path)
    path.unlink()
    assert again.grid == read_study(small.config).grid
    assert again.sha256 == parent.data.tags["config_sha256"]


def test_the_per_query_table_loads_with_mlflow_with_the_same_columns_in_every_run(
    small: Swept, parent: Any, children: list[Any]
) -> None:
    import mlflow

    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(small.store.uri)
    try:
        ids = [run.info.run_id for run in children]
        frame = small.store.client.load_table(
            parent.info.experiment_id, "per_query.json", run_ids=ids, extra_columns=["run_id"]
        )
    finally:
        mlflow.set_tracking_uri(before)
    assert len(frame) == 7 * 4
    assert list(frame.columns)[:4] == ["query", "retrieved", "relevant", "question"]
    tables = [json.loads(small.store.artifact(run, "per_query.json")) for run in ids]
    assert all(table["columns"] == tables[0]["columns"] for table in tables)
    assert list(frame.columns) == [*tables[0]["columns"], "run_id"]


def test_the_per_query_table_holds_the_rows_worked_by_hand(small: Swept, bm25: Any) -> None:
    table = json.loads(small.store.artifact(bm25.info.run_id, "per_query.json"))
    names = ["query", "question", "tags", "relevant", "retrieved", "missing", "first_relevant_rank", "recall_at_3"]
    places = [table["columns"].index(name) for name in names]
    assert [[row[place] for place in places] for row in table["data"]] == [
        ["weather", "明天下雨吗", "zh", "天气.md", "天气.md", False, 1, 1.0],
        ["red", "red boats", "en, two", "boats.md, ships.md", "boats.md", False, 1, 0.5],
        ["lights", "lights of the harbour", "", "tower.md", "boats.md, tower.md", False, 2, 1.0],
        ["nowhere", "quantum | physics", "", "", "", False, None, None],
    ]


def test_every_child_says_where_it_was_computed(small: Swept, parent: Any, children: list[Any]) -> None:
    for run in [parent, *children]:
        found = json.loads(small.store.artifact(run.info.run_id, "environment.json"))
        assert found["threads"] == "1"
        assert {"mlflow", "chromadb", "numpy"} <= {name.lower() for name in found["packages"]}
        assert re.fullmatch(r"\d+\.\d+\.\d+", found["python"])


def test_files_are_utf_8_and_strict_json(small: Swept, bm25: Any) -> None:
    def no_constant(name: str) -> None:
        raise AssertionError(name)

    for name in ("per_query.json", "summary.json", "evidence.json", "environment.json"):
        json.loads(small.store.artifact(bm25.info.run_id, name), parse_constant=no_constant)
    assert "明天下雨吗" in small.store.artifact(bm25.info.run_id, "per_query.json")


def test_corpus_and_golden_set_are_inputs_with_their_digests(parent: Any, children: list[Any]) -> None:
    for run in [parent, *children]:
        found = {
            entry.dataset.name: (entry.dataset.digest, json.loads(entry.dataset.source), entry.tags[0].value)
            for entry in run.inputs.dataset_inputs
        }
        assert found == {
            "corpus": (parent.data.tags["corpus_sha256"][:36], {"path": "docs"}, "evaluation"),
            "golden": (parent.data.tags["golden_sha256"][:36], {"path": "golden.yaml"}, "evaluation"),
        }


def test_the_parent_holds_the_table_that_was_printed(small: Swept, parent: Any) -> None:
    assert small.store.artifact(parent.info.run_id, "ablation.md") == table_of(small.done.out)
    links, _, table = parent.data.tags["mlflow.note.content"].partition("\n\n")
    assert table == table_of(small.done.out)
    assert re.findall(r"\[(.*?)\]", links) == [
        "parameter sets",
        "curves over k",
        "questions, set beside set",
        "report.html",
    ]


def test_the_parent_lists_what_was_collapsed_and_skipped(small: Swept, parent: Any) -> None:
    points = json.loads(small.store.artifact(parent.info.run_id, "points.json"))
    assert points["skipped"] == [
        {"point": {"mode": "hybrid", "top_k": 3, "fetch_k": 1}, "fate": "fetch_k 1 is smaller than top_k 3"}
    ]
    assert points["collapsed"] == [
        {"point": {"mode": mode, "top_k": top_k, "fetch_k": 3}, "fate": f"the same as {mode} top_k={top_k}"}
        for mode in ("bm25", "vector")
        for top_k in (1, 3)
    ]


def test_a_checkout_is_named_by_its_commit(parent: Any, children: list[Any]) -> None:
    """Outside of a checkout neither tag is there."""
    tags = [{name: run.data.tags.get(name) for name in ("git.commit", "git.dirty")} for run in [parent, *children]]
    assert all(found == tags[0] for found in tags)
    if tags[0]["git.commit"] is not None:
        assert re.fullmatch(r"[0-9a-f]{40}", tags[0]["git.commit"])
        assert tags[0]["git.dirty"] in ("true", "false")
