"""What the engine shares to be fast changes nothing: hit for hit what the plain loop finds."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.processes import run_python
from support.worlds import ROOT

from harness.embedding import EmbedderSpec, load_embedder
from harness.index import IndexStore
from harness.records import Hit, Leg
from harness.report import ablation_report
from harness.retrieval import LegMatrix, Retriever
from harness.scoring import adapt_runs, evaluate
from harness.scoring.scorer import score_run
from harness.study.bench import _tied
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.parameters import ParameterSet
from harness.study.protocol import corpus_table, query_table
from harness.study.results import SetResult
from harness.study.summarise import header_of, summary_of
from harness.summary import Sweep

from .files import DOCUMENTS, write_study
from .plain import plain_hits, plain_retriever
from .strategies import axis


def bits(hits: tuple[Hit, ...]) -> list[tuple[Any, ...]]:
    """Return every hit with the exact bits of every number in it."""
    return [
        (
            hit.chunk,
            hit.rank,
            hit.score.hex(),
            hit.explain.fused_score,
            hit.explain.rank_before_rerank,
            None if hit.explain.rerank_score is None else hit.explain.rerank_score.hex(),
            [(place.route, place.rank, place.score.hex(), place.contribution) for place in hit.explain.places],
        )
        for hit in hits
    ]


def check_hits(result: SetResult, expected: dict[str, tuple[Hit, ...]]) -> None:
    assert [query for query in result.hits if query in expected] == list(expected)
    for query, hits in expected.items():
        assert bits(result.hits[query]) == bits(hits), (query, result.parameters.flat())


def check_scores(study: Study, result: SetResult) -> None:
    """Hold the result's document scores against the strict evaluator, cutoff by cutoff."""
    collection = study.collection
    corpus, queries, split = corpus_table(collection), query_table(collection), collection.split
    chunk_runs = {query: [hit.chunk.id for hit in hits] for query, hits in result.hits.items()}
    chunk_to_doc = {hit.chunk.id: hit.chunk.document_id for hits in result.hits.values() for hit in hits}
    runs = adapt_runs(corpus, queries, chunk_to_doc or {"none": next(iter(corpus))}, chunk_runs, split)["document_runs"]
    assert result.adapted["document_runs"] == runs
    for k in {*study.schema.evaluation.cutoffs, study.schema.evaluation.k}:
        strict = evaluate(corpus, queries, collection.dense_qrels(), runs, split, k)
        assert result.documents.means[f"recall@{k}"] == strict["recall_at_k"]
        assert result.documents.means[f"rr@{k}"] == strict["mrr_at_k"]
        for row, expected in zip(result.documents.rows, strict["rows"], strict=True):
            assert (row.query, row.missing, row.relevant) == (expected["query"], False, expected["relevant"])
            assert (row.values[f"recall@{k}"], row.values[f"rr@{k}"]) == (expected["recall"], expected["rr"])


def check_oracles(study: Study, result: SetResult, retriever: Retriever) -> None:
    """Ask each route and, where there is one, the reranker for its candidates; put them in order of their grades."""
    one, grades = result.parameters, study.collection.golden.judgments.grades
    depth = one.fetch_k or one.top_k
    pools: dict[str, dict[str, set[str]]] = {route: {} for route in (*one.routes, "candidates")}
    for query in study.collection.queries:
        for route in one.routes:
            hits = retriever.search(query.text, mode=route, top_k=depth)
            pools[route][query.id] = {hit.chunk.document_id for hit in hits}
        pools["candidates"][query.id] = set().union(*(pools[route][query.id] for route in one.routes))
        if one.rerank:
            legs = {route: retriever.routes[route].legs([query.text], depth)[0].cut(depth) for route in one.routes}
            merged = [fused.position for fused in retriever.fusion.fuse(legs)][: one.rerank.depth]
            pools["candidates"][query.id] = {retriever.chunks[position].document_id for position in merged}
    assert set(result.oracles) == set(pools)
    for name, held in pools.items():
        run = {
            query: sorted(found, key=lambda document: -grades[query].get(document, 0))[: one.top_k]
            for query, found in held.items()
        }
        best = score_run(
            ledger=[query.id for query in study.collection.queries],
            judgments=study.collection.golden.judgments,
            document_ids=study.collection.document_ids,
            run=run,
            conventions=study.conventions,
        ).means
        assert result.oracles[name] == {measure: best[measure] for measure in result.oracles[name]}, name


def test_every_set_of_the_default_study_is_the_plain_loop(
    default_study: Study, default_results: list[SetResult], tmp_path: Path
) -> None:
    """The plain loop has indexes of its own, one pair for each way to cut, and embeds every question anew.

    Every set is asked a third of the questions, another one in turn: all of them for all sets take half a minute.
    """
    hybrid = {one.chunk: one for one in default_study.grid.sets if one.mode == "hybrid"}
    packaged = load_embedder(EmbedderSpec(name="packaged-multilingual"))
    plain = {
        chunk: plain_retriever(default_study.collection.corpus, one, tmp_path / str(place), packaged)
        for place, (chunk, one) in enumerate(hybrid.items())
    }
    for place, result in enumerate(default_results):
        one, asked = result.parameters, default_study.collection.queries[place % 3 :: 3]
        check_hits(result, plain_hits(plain[one.chunk], one, asked))


def test_every_set_of_the_default_study_is_there_once_by_chunking(
    default_study: Study, default_results: list[SetResult]
) -> None:
    found = [result.parameters for result in default_results]
    assert sorted(found, key=default_study.grid.sets.index) == list(default_study.grid.sets)
    assert found == sorted(found, key=lambda one: (one.chunk.size or 0, default_study.grid.sets.index(one)))


def test_every_score_of_the_default_study_is_that_of_the_strict_evaluator(
    default_study: Study, default_results: list[SetResult]
) -> None:
    for result in default_results:
        check_scores(default_study, result)
        assert result.documents.eligible_queries == 90
        assert len(result.documents.no_relevant_queries) == 8


def test_a_larger_budget_only_adds(default_results: list[SetResult]) -> None:
    """Within one search, the hits for ``top_k`` are the first of those for a larger one."""
    searches: dict[tuple[Any, ...], dict[int, SetResult]] = {}
    for result in default_results:
        one = result.parameters
        searches.setdefault((one.mode, one.chunk, one.fetch_k), {})[one.top_k] = result
    assert len(searches) == 3 + 3 + 3 * 5
    for by_budget in searches.values():
        largest = by_budget[max(by_budget)]
        for top_k, result in by_budget.items():
            assert result.hits == {query: hits[:top_k] for query, hits in largest.hits.items()}


CHILD = """
import sys
from pathlib import Path
from harness.index import IndexStore
from harness.study.config import read_study
from harness.study.engine import run_study
for result in run_study(read_study(Path(sys.argv[1])), IndexStore(Path(sys.argv[2]))):
    print(result.parameters.sha256, result.fingerprints.run, result.fingerprints.adapter)
"""


def fingerprints(results: list[SetResult]) -> str:
    return "".join(f"{r.parameters.sha256} {r.fingerprints.run} {r.fingerprints.adapter}\n" for r in results)


def test_another_process_from_an_empty_store_gives_the_same_fingerprints(
    default_results: list[SetResult], tmp_path: Path
) -> None:
    known = fingerprints(default_results)
    assert run_python(CHILD, ROOT / "configs" / "default.yaml", tmp_path, hash_seed=31337) == known
    assert len({result.fingerprints.run for result in default_results}) > 50


@st.composite
def sections(draw: st.DrawFn, encoder: str, reranker: str) -> dict[str, Any]:
    """Draw parameters that can be run on the small corpus, with few axes."""
    tokenizers = axis(["jieba", "char-bigram", "word"])
    lsa = st.fixed_dictionaries({"name": st.just("lsa")}, optional={"dimensions": st.sampled_from([2, 5])})
    prompted = st.fixed_dictionaries(
        {"name": st.just(encoder)}, optional={"query_prompt": st.sampled_from(["", "b: "])}
    )
    return {
        "mode": draw(axis(["bm25", "vector", "hybrid"], 3)),
        "chunk": {
            "splitter": draw(st.sampled_from(["markdown", "text", "fixed", "document"])),
            "size": draw(st.sampled_from([24, 40, 400])),
            "overlap": draw(st.sampled_from([0, 7])),
        },
        "bm25": {
            "engine": draw(st.sampled_from(["rank-bm25", "sparse"])),
            "variant": draw(st.sampled_from(["lucene", "okapi", "plus"])),
            "k1": draw(st.sampled_from([0, 0.9, 1.5])),
            "b": draw(st.sampled_from([0, 0.75, 1])),
            "tokenizer": draw(tokenizers),
            "stemmer": draw(st.sampled_from(["none", "english"])),
        },
        "vector": {"embedder": draw(st.one_of(lsa, prompted, st.just(encoder)))},
        "fusion": {
            "k": draw(st.sampled_from([1, 60])),
            "weights": {"bm25": draw(axis([0.3, 1, 2.5])), "vector": draw(st.sampled_from([0.7, 1]))},
        },
        "rerank": {
            "model": draw(st.sampled_from([None, [None, reranker], reranker])),
            "depth": draw(st.sampled_from([4, 8])),
        },
        "top_k": draw(axis(st.integers(1, 4))),
        "fetch_k": draw(axis(st.integers(4, 12))),
    }


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_every_set_of_any_small_study_is_the_plain_loop(
    tiny_encoder: Path, tiny_reranker: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Every set from scratch: its own chunks, indexes, embedder and reranker."""
    folder = tmp_path_factory.mktemp("study")
    section = data.draw(sections(str(tiny_encoder), str(tiny_reranker)))
    study = read_study(write_study(folder, {"parameters": section}))
    sets = study.grid.sets
    chosen = [sets[place] for place in sorted({0, len(sets) // 2, len(sets) - 1})]
    seen = 0
    for result in run_study(study, IndexStore(folder / "store"), cache=folder / "cache"):
        check_scores(study, result)
        if result.parameters in chosen:
            plain = plain_retriever(study.collection.corpus, result.parameters, folder / f"plain-{seen}")
            check_hits(result, plain_hits(plain, result.parameters, study.collection.queries))
            seen += 1
    assert seen == len(chosen)


def run(folder: Path, section: dict[str, Any], **files: Any) -> tuple[Study, list[SetResult]]:
    study = read_study(write_study(folder, {"parameters": section}, **files))
    return study, list(run_study(study, IndexStore(folder / "store"), cache=folder / "cache"))


def test_reranked_hybrid_sets_are_the_plain_loop(tmp_path: Path, tiny_encoder: Path, tiny_reranker: Path) -> None:
    """Depth of the pool, depth of reranking and budget, each more than once, over shared legs and shared scores."""
    section = {
        "mode": ["bm25", "vector", "hybrid"],
        "chunk": {"splitter": "fixed", "size": 30, "overlap": 5},
        "vector": {"embedder": str(tiny_encoder)},
        "rerank": {"model": [None, str(tiny_reranker)], "depth": [3, 10]},
        "top_k": [1, 3],
        "fetch_k": [4, 12],
    }
    study, results = run(tmp_path, section)
    assert len(results) == len(study.grid.sets) > 20
    plain: dict[str, Retriever] = {}
    for result in results:
        one = result.parameters
        key = f"{one.mode}-{one.rerank is None}"
        if key not in plain:
            plain[key] = plain_retriever(study.collection.corpus, one, tmp_path / key)
        check_hits(result, plain_hits(plain[key], one, study.collection.queries))
        check_scores(study, result)
        check_oracles(study, result, plain[key])


def by(results: list[SetResult], **wanted: Any) -> SetResult:
    """Return the one result whose parameters have these values (``__`` for a dot)."""
    flat = {name.replace("__", "."): value for name, value in wanted.items()}
    (found,) = [r for r in results if all(r.parameters.flat().get(name) == value for name, value in flat.items())]
    return found


def test_the_pool_for_10_is_the_first_10_of_the_pool_for_16(tmp_path: Path) -> None:
    """Chunk by chunk and route by route, although both sets share their legs."""
    section = {
        "mode": "hybrid",
        "chunk": {"splitter": "fixed", "size": 12, "overlap": 0},
        "bm25": {"tokenizer": "char-bigram"},
        "vector": {"embedder": "lsa"},
        "top_k": 10,
        "fetch_k": [10, 16],
    }
    _, results = run(tmp_path, section)
    small, large = by(results, fetch_k=10), by(results, fetch_k=16)
    ranked = 0
    for query, hits in small.hits.items():
        deep = {hit.chunk.id: {p.route: p.rank for p in hit.explain.places} for hit in large.hits[query]}
        for hit in hits:
            places = {place.route: place.rank for place in hit.explain.places}
            assert max(places.values()) <= 10
            if hit.chunk.id in deep:
                assert places == {route: rank for route, rank in deep[hit.chunk.id].items() if rank <= 10}
                ranked += 1
    assert ranked > 20


def test_what_was_cut_off_is_counted_and_said(tmp_path: Path) -> None:
    """Encoder and reranker read 8 and 16 tokens; every other document has twelve words."""
    from support.models import build_encoder, build_reranker

    encoder = build_encoder(tmp_path / "encoder-8", limit=8)
    reranker = build_reranker(tmp_path / "reranker-16", limit=16)
    long, short = "a b c d e f g h i j k l", "a b c"
    golden = "judgments: exhaustive\nqueries:\n  - {id: q, question: a b c d, gold: [one], split: test}\n"
    section = {
        "mode": "vector",
        "chunk": {"splitter": "document"},
        "vector": {"embedder": str(encoder)},
        "rerank": {"model": str(reranker), "depth": 4},
        "top_k": 4,
    }
    documents = {"one": long, "two": short, "three": long[::-1], "four": short[::-1]}
    _, (result,) = run(tmp_path / "study", section, documents=documents, golden=golden)
    assert result.facts["vector_chunks_truncated"] == 2
    assert (result.facts["rerank_pairs"], result.facts["rerank_pairs_truncated"]) == (4, 2)
    # 14 + 5 + 14 + 5 tokens with the special ones, 6 + 6 of them beyond the limit
    assert (
        f"2 of 4 chunks are longer than {encoder} reads; {12 / 38:.1%} of all tokens were never embedded"
        in result.notes
    )
    assert f"2 of 4 rerank pairs were longer than {reranker} reads" in result.notes


def test_depths_and_models_are_in_the_fingerprints(tmp_path: Path, tiny_reranker: Path) -> None:
    section = {
        "mode": "bm25",
        "chunk": {"splitter": "fixed", "size": 20, "overlap": 0},
        "bm25": {"tokenizer": "char-bigram"},
        "rerank": {"model": [None, str(tiny_reranker)], "depth": [3, 10]},
        "top_k": 3,
        "fetch_k": 10,
    }
    _, results = run(tmp_path, section)
    assert [result.parameters.flat().get("rerank.depth") for result in results] == [None, 3, 10]
    assert len({result.parameters.sha256 for result in results}) == 3
    assert len({result.fingerprints.run for result in results}) == 3
    assert ["rerank" in result.fingerprints.weights for result in results] == [False, True, True]


def test_another_model_gets_another_index(tmp_path: Path, tiny_encoder: Path) -> None:
    """Same corpus, same chunks, one bit of the weights flipped: nothing of the first index is used."""
    shutil.copytree(tiny_encoder, tmp_path / "other")
    weights = tmp_path / "other" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 0x40
    weights.write_bytes(data)
    names = [str(tiny_encoder), str(tmp_path / "other")]
    _, results = run(tmp_path, {"mode": "vector", "vector": {"embedder": names}})
    first, second = results
    assert first.fingerprints.weights != second.fingerprints.weights
    assert first.fingerprints.indexes != second.fingerprints.indexes
    assert first.fingerprints.chunking == second.fingerprints.chunking
    assert len(list((tmp_path / "store").glob("vector-*"))) == 2
    for name in names:
        index = {"mode": "vector", "vector": {"embedder": name}}
        _, (again,) = run(tmp_path, index)
        assert again.fingerprints == by(results, vector__embedder=name).fingerprints


def test_an_index_is_built_once_and_used_by_the_next_study(tmp_path: Path) -> None:
    section = {"vector": {"embedder": "lsa"}, "chunk": {"size": [40, 90]}, "bm25": {"k1": [1.2, 1.5]}}
    _, first = run(tmp_path, section)
    built = sorted(path.name for path in (tmp_path / "store").glob("*-*"))
    stamps = {name: (tmp_path / "store" / name).stat().st_ino for name in built}
    assert sorted(name.partition("-")[0] for name in built) == ["bm25", "bm25", "vector", "vector"]
    _, again = run(tmp_path, section)
    assert {name: (tmp_path / "store" / name).stat().st_ino for name in built} == stamps
    assert fingerprints(again) == fingerprints(first)


def spoil_indexes(folder: Path) -> None:
    for index in (folder / "store").glob("*-*"):
        for path in [*index.glob("*.npy"), *index.glob("chroma.sqlite3")]:
            path.write_bytes(b"spoilt" * 500)


def spoil_cache(folder: Path) -> None:
    files = list((folder / "cache").rglob("*.sqlite"))
    assert len(files) >= 2
    for path in files:
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE rows SET value = zeroblob(length(value))")
        connection.close()


def drop_indexes(folder: Path) -> None:
    shutil.rmtree(folder / "store")


@pytest.mark.parametrize("spoil", [[drop_indexes], [spoil_indexes], [spoil_cache], [drop_indexes, spoil_cache]])
def test_what_lies_on_disk_changes_no_result(
    tmp_path: Path, tiny_encoder: Path, tiny_reranker: Path, spoil: list[Callable[[Path], None]]
) -> None:
    """Found, lost or spoilt: indexes, vectors and rerank scores are used when they are sound, and made again if not."""
    section = {
        "mode": ["bm25", "vector"],
        "vector": {"embedder": str(tiny_encoder)},
        "rerank": {"model": str(tiny_reranker)},
    }
    _, first = run(tmp_path, section)
    for step in spoil:
        step(tmp_path)
    _, again = run(tmp_path, section)
    assert fingerprints(again) == fingerprints(first)
    assert [result.hits for result in again] == [result.hits for result in first]


def test_a_changed_corpus_gets_other_indexes(tmp_path: Path) -> None:
    section = {"mode": "bm25"}
    _, (first,) = run(tmp_path, section)
    _, (second,) = run(tmp_path, section, documents=DOCUMENTS | {"note": "y"})
    assert first.fingerprints.chunking != second.fingerprints.chunking
    assert first.fingerprints.indexes != second.fingerprints.indexes
    assert len(list((tmp_path / "store").glob("bm25-*"))) == 2


@pytest.mark.parametrize(
    ("size", "uncut"),
    [(512, True), (40, False)],
)
def test_cutting_that_makes_no_difference_is_said(tmp_path: Path, size: int, uncut: bool) -> None:
    """Short documents are one chunk each under a large size, so splitters of that size all tie."""
    section = {"mode": "bm25", "chunk": {"splitter": ["markdown", "text"], "size": size}}
    _, results = run(tmp_path, section)
    said = [[note for note in result.notes if "every document is one chunk" in note] for result in results]
    assert [bool(notes) for notes in said] == [uncut, uncut]
    if uncut:
        assert results[0].fingerprints.ranking == results[1].fingerprints.ranking


def test_what_can_not_be_found_is_counted_and_said(tmp_path: Path) -> None:
    section = {"mode": "hybrid", "bm25": {"tokenizer": "word", "stop_words": "english"}, "vector": {"embedder": "lsa"}}
    documents = DOCUMENTS | {"note": " \n ", "lists": "???"}
    _, (result,) = run(tmp_path, section, documents=documents)
    assert result.facts["documents_without_chunks"] == 1
    assert result.facts["bm25_chunks_without_terms"] == 1
    assert result.facts["bm25_questions_without_terms"] == 1  # "???"
    assert any("they count as missed for q5" in note for note in result.notes)
    assert "1 chunk yields no term under word and can't be found by BM25: lists#0" in result.notes
    assert "1 question yields no term under word and gets no hit from BM25: q5" in result.notes


def test_questions_that_a_route_can_not_tell_chunks_apart_for_are_counted_and_named(tmp_path: Path) -> None:
    """Equal texts have equal scores under any route; of a single hit there is nothing to tell apart."""
    documents = {"a": "red kite", "b": "red kite", "c": "red kite", "d": "blue sea"}
    golden = """\
judgments: exhaustive
queries:
  - {id: same, question: kite, gold: [a]}
  - {id: one, question: sea, gold: [d]}
  - {id: both, question: "red sea", gold: [d]}
  - {id: none, question: "???", gold: [a]}
"""
    section = {"mode": "hybrid", "bm25": {"tokenizer": "word"}, "vector": {"embedder": "lsa"}, "fetch_k": 10}
    study, (result,) = run(tmp_path, section, documents=documents, golden=golden)
    assert result.facts["bm25_questions_all_tied"] == 1
    note = "1 question gets the same score for every hit from bm25, so the tie rule alone orders them: same"
    assert note in result.notes
    sweep = Sweep(header=header_of(study), sets=(summary_of(study, result),))
    assert f"- {note}\n" in ablation_report(sweep)


def test_a_row_is_tied_when_two_or_more_hits_all_have_one_score() -> None:
    legs = [
        Leg(positions=(0, 1, 2), scores=(0.5, 0.5, 0.5)),
        Leg(positions=(0, 1, 2), scores=(0.5, 0.5, 0.4)),
        Leg(positions=(0, 1), scores=(0.0, 0.0)),
        Leg(positions=(0,), scores=(0.5,)),
        Leg(positions=(), scores=()),
    ]
    assert _tied(LegMatrix.of(legs)) == [0, 2]
    assert _tied(LegMatrix.of(legs[3:])) == _tied(LegMatrix.of(legs[4:])) == []


def test_a_question_without_terms_has_no_hits_and_scores_nothing(tmp_path: Path) -> None:
    _, (result,) = run(tmp_path, {"mode": "bm25", "bm25": {"tokenizer": "word"}})
    assert result.hits["q4"] == result.hits["q5"] == ()
    rows = {row.query: row for row in result.documents.rows}
    assert (rows["q5"].missing, rows["q5"].values["recall@3"]) == (False, 0)
    assert rows["q4"].values["recall@3"] is None


def test_equal_questions_get_equal_hits(default_study: Study, tmp_path: Path) -> None:
    del default_study
    _, results = run(tmp_path, {"vector": {"embedder": "lsa"}, "chunk": {"size": 40}})
    assert len(results) == 3
    assert all(result.hits["q1"] == result.hits["q6"] for result in results)


def test_approximate_search_is_named_and_measured(tmp_path: Path) -> None:
    section = {"mode": "vector", "vector": {"embedder": "lsa", "search": ["exact", "approximate"]}, "top_k": 3}
    _, results = run(tmp_path, section)
    exact, approximate = results
    assert "vector_search_recall_at_100" not in exact.facts
    assert 0 <= approximate.facts["vector_search_recall_at_100"] <= 1
    assert exact.fingerprints.indexes != approximate.fingerprints.indexes
    assert all(len(hits) <= 3 for hits in approximate.hits.values())
    assert any("vector.search approximate finds" in note for note in approximate.notes)


def test_sets_do_not_depend_on_their_neighbours(tmp_path: Path) -> None:
    """Alone in a study of its own, from an empty store, a set gives what it gives among others."""
    section = {
        "vector": {"embedder": "lsa"},
        "chunk": {"size": [30, 60], "overlap": 10},
        "fusion": {"k": [1, 60]},
        "top_k": [2, 4],
        "fetch_k": [4, 300],
    }
    study, results = run(tmp_path, section)
    for place in (0, len(results) // 2, len(results) - 1):
        one: ParameterSet = results[place].parameters
        alone = replace(study, grid=replace(study.grid, sets=(one,)))
        (again,) = run_study(alone, IndexStore(tmp_path / f"alone-{place}"))
        assert again.fingerprints == results[place].fingerprints
        assert again.hits == results[place].hits
