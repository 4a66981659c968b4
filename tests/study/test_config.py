"""A study file: every fault has a file, a line and a field, and all of them come at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.worlds import ROOT

from harness.errors import InputError, Problem
from harness.study.config import Study, read_study
from harness.study.grid import expand
from harness.study.parameters import ParameterSet
from harness.study.resolved import nested, study_yaml
from harness.study.schema import ParametersSection, StudySchema
from harness.study.summarise import header_of
from harness.yamlfile import parse_yaml, validate

from .files import DOCUMENTS, GOLDEN, problems_of, write_study
from .strategies import parameters


def test_a_sound_study_has_no_problems(tmp_path: Path) -> None:
    study = read_study(write_study(tmp_path, "parameters:\n  mode: bm25\n"))
    assert [query.id for query in study.collection.queries] == ["q1", "q2", "q3", "q4", "q5", "q6", "q7"]
    assert len(study.grid.sets) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        # an overlap that would never end
        (
            "parameters:\n  chunk: {size: 5, overlap: 5}",
            ":5: parameters.chunk overlap must be smaller than size, found overlap 5 with size 5",
        ),
        (
            "parameters:\n  chunk: {size: 3, overlap: 5}",
            ":5: parameters.chunk overlap must be smaller than size, found overlap 5 with size 3",
        ),
        (
            "parameters:\n  chunk:\n    size: [9, 4]\n    overlap: [1, 4]",
            ":5: parameters.chunk overlap must be smaller than size, found overlap 4 with size 4",
        ),
        (
            "parameters:\n  chunk:\n    overlap: 0\n    size: 0",
            ":7: parameters.chunk.size must be greater than or equal to 1, found 0",
        ),
        (
            "parameters:\n  chunk:\n    overlap: -1",
            ":6: parameters.chunk.overlap must be greater than or equal to 0, found -1",
        ),
        # what YAML readers would change or lose
        (
            "parameters:\n  bm25:\n    k1: 1.2\n    b: 1\n    k1: 0.9",
            ":8: parameters.bm25.k1 duplicate key, first given on line 6; keep one",
        ),
        ("parameters:\n  mode: on", ":5: parameters.mode must be 'bm25', 'vector' or 'hybrid', found 'on'"),
        ("on: 1", ':4: a key must be text, but YAML readers change on; write "on" with quotes'),
        ("parameters:\n  top_k: 010", ":5: parameters.top_k must be a whole number, found '010'"),
        ("parameters:\n  top_k: 12:30", ":5: parameters.top_k must be a whole number, found '12:30'"),
        ("parameters:\n  top_k: 1e3", ":5: parameters.top_k must be a whole number, found 1e3"),
        # another type, another range
        ("parameters:\n  top_k: '5'", ":5: parameters.top_k must be a whole number, found '5'"),
        ("parameters:\n  top_k: true", ":5: parameters.top_k must be a whole number, found true"),
        (
            "parameters:\n  top_k:\n    - 3\n    - 0",
            ":7: parameters.top_k[1] must be greater than or equal to 1, found 0",
        ),
        ("parameters:\n  bm25: {k1: -1}", ":5: parameters.bm25.k1 must be greater than or equal to 0, found -1"),
        ("parameters:\n  bm25: {b: 1.5}", ":5: parameters.bm25.b must be less than or equal to 1, found 1.5"),
        ("parameters:\n  bm25: {k1: true}", ":5: parameters.bm25.k1 must be a number, found true"),
        (
            "parameters:\n  fusion: {weights: {bm25: 0}}",
            ":5: parameters.fusion.weights.bm25 must be greater than 0, found 0",
        ),
        ("parameters:\n  vector: {space: l2}", ":5: parameters.vector.space must be 'cosine', found 'l2'"),
        ("parameters: 5", ":4: parameters must be a mapping of keys, found 5"),
        ("parameters:\n  top_k: []", ":5: parameters.top_k must be a value or a list of values, found an empty list"),
        ("parameters:\n  top_k: [1, 2, 1]", ":5: parameters.top_k lists 1 twice; each value of an axis once"),
        # unknown keys
        ("parametres: {}", ":4: parametres unknown key; did you mean 'parameters'?"),
        ("parameters:\n  fetchk: 10", ":5: parameters.fetchk unknown key; did you mean 'fetch_k'?"),
        ("parameters:\n  chunk:\n    sise: 4", ":6: parameters.chunk.sise unknown key; did you mean 'size'?"),
        (
            "parameters:\n  fusion:\n    weights: {bm52: 1}",
            ":6: parameters.fusion.weights.bm52 unknown key; did you mean 'bm25'?",
        ),
        ("evaluation:\n  cutofs: [1]", ":5: evaluation.cutofs unknown key; did you mean 'cutoffs'?"),
        # embedders
        (
            "parameters:\n  vector:\n    embedder: [lsa, {name: lsa, query_prompt: q}]",
            ":6: parameters.vector.embedder[1] lsa takes no prompts; it takes dimensions and seed",
        ),
        (
            "parameters:\n  vector:\n    embedder: {name: lsa, document_prompt: ''}",
            ":6: parameters.vector.embedder lsa takes no prompts",
        ),
        (
            "parameters:\n  vector:\n    embedder: {name: x/y, seed: 1}",
            ":6: parameters.vector.embedder dimensions and seed belong to lsa, found them with 'x/y'",
        ),
        (
            "parameters:\n  vector:\n    embedder: ./nowhere",
            ":6: parameters.vector.embedder model './nowhere': no such folder",
        ),
        (
            "parameters:\n  vector:\n    embedder:\n      - lsa\n      - nobody/none",
            ":8: parameters.vector.embedder model 'nobody/none' isn't on this machine",
        ),
        (
            "parameters:\n  rerank:\n    model: [null, nobody/none]",
            ":6: parameters.rerank.model model 'nobody/none' isn't on this machine",
        ),
        # a grid of which nothing is left
        (
            "parameters: {mode: hybrid, top_k: 10, fetch_k: [5, 6]}",
            ":4: parameters no point of the grid can be run: fetch_k 5 is smaller than top_k 10; fetch_k 6",
        ),
    ],
)
def test_a_fault_has_a_line_and_a_field(tmp_path: Path, text: str, problem: str) -> None:
    (found,) = problems_of(write_study(tmp_path, text))
    assert found.startswith(f"study.yaml{problem}")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("parameters: {mode: bm25, bm25: {k1: 1e3}}", "bm25.k1", 1000.0),
        ("parameters: {mode: bm25, bm25: {k1: 1e-5}}", "bm25.k1", 1e-05),
        ("parameters: {mode: bm25, bm25: {k1: 1.0e3}}", "bm25.k1", 1000.0),
        ("parameters: {mode: bm25, bm25: {k1: 2}}", "bm25.k1", 2.0),
        ("parameters: {mode: bm25, chunk: {splitter: document, size: 5, overlap: 5}}", "chunk.splitter", "document"),
    ],
)
def test_what_is_sound_means_what_is_written(tmp_path: Path, text: str, name: str, value: object) -> None:
    (found,) = read_study(write_study(tmp_path, text)).grid.sets
    assert found.flat()[name] == value
    assert type(found.flat()[name]) is type(value)


@pytest.mark.parametrize("name", ["2024-01-05", "12:30", "no", "007", "1_000", "bge 小 k=5 (v2)".ljust(80, "x")])
def test_a_name_is_text_as_it_was_written(tmp_path: Path, name: str) -> None:
    path = write_study(tmp_path, "parameters: {mode: bm25}")
    path.write_text(path.read_text().replace("name: small", f"name: {name}"))
    study = read_study(path)
    assert study.schema.name == name
    assert json.loads(json.dumps(study.schema.model_dump(mode="json")))["name"] == name


def test_a_split_named_no_is_the_text_no(tmp_path: Path) -> None:
    text = "parameters: {mode: bm25}\nevaluation: {split: no}"
    golden = GOLDEN.replace("split: dev", "split: no")
    assert [query.id for query in read_study(write_study(tmp_path, text, golden=golden)).collection.queries] == ["d1"]


def test_ids_that_yaml_would_change_ask_for_quotes(tmp_path: Path) -> None:
    golden = GOLDEN.replace("gold: [note]", "gold: [007, 010, 08]")
    found = problems_of(write_study(tmp_path, golden=golden))
    assert [problem.split(" must be ")[0] for problem in found] == [
        f"golden.yaml:7: queries[4].gold[{place}]" for place in range(3)
    ]
    assert all("with quotes" in problem for problem in found)


def test_config_corpus_and_golden_set_are_checked_at_once(tmp_path: Path) -> None:
    text = "parameters:\n  fetchk: 1\n  fetchk: 2\n  chunk: {size: 5, overlap: 9}\nevaluation: {k: 0}"
    golden = GOLDEN.replace("gold: [kite], split: test", "gold: [kyte], split: test").replace("id: q2", "id: 010")
    path = write_study(tmp_path, text, golden=golden, documents=DOCUMENTS | {"more": "text"})
    (tmp_path / "corpus" / "more.md").write_text("---\nid: kite\n---\nanother kite")
    found = "\n".join(problems_of(path))
    for words in [
        "study.yaml:6: parameters.fetchk duplicate key, first given on line 5",
        "study.yaml:5: parameters.fetchk unknown key",
        "study.yaml:7: parameters.chunk overlap must be smaller than size",
        "study.yaml:8: evaluation.k must be",
        "corpus/more.md:2: ",
        "golden.yaml:4: queries[1].id must be text",
    ]:
        assert words in found


def test_models_and_golden_set_are_checked_at_once(tmp_path: Path) -> None:
    text = "parameters:\n  vector: {embedder: nobody/a}\n  rerank: {model: nobody/b}"
    golden = GOLDEN.replace("gold: [kite], split: test", "gold: [kyte], split: test")
    found = problems_of(write_study(tmp_path, text, golden=golden))
    assert len(found) == 3
    assert "'kyte'" in found[0]
    assert "hf download nobody/a" in found[1]
    assert "hf download nobody/b" in found[2]


def test_models_that_no_mode_needs_are_not_looked_for(tmp_path: Path) -> None:
    assert problems_of(write_study(tmp_path, "parameters:\n  mode: bm25\n  vector: {embedder: nobody/a}")) == []


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("name: x\ncorpus: corpus\n", "study.yaml:1: golden is required and absent"),
        ("name: x\ngolden: golden.yaml\n", "study.yaml:1: corpus is required and absent"),
        ("name: x\ncorpus: 5\ngolden: golden.yaml\n", "study.yaml:2: corpus must be a mapping of keys, found 5"),
        ("name: x\ncorpus: {format: beri, path: a}\ngolden: golden.yaml\n", "study.yaml:2: corpus.format must be"),
        ("name: ''\ncorpus: corpus\ngolden: golden.yaml\n", "study.yaml:1: name "),
        ("[]", "study.yaml:1: must be a mapping of keys, found a list"),
        ("", "study.yaml:1: must be a mapping of keys, found nothing"),
        ("name: [", "study.yaml:1: isn't valid YAML"),
    ],
)
def test_what_every_study_needs(tmp_path: Path, head: str, problem: str) -> None:
    path = write_study(tmp_path)
    path.write_text(head)
    assert problems_of(path)[0].startswith(problem)


def test_a_study_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "none.yaml") == ["none.yaml: can't be read: No such file or directory"]


def test_partial_judgments_need_a_word_on_what_is_unjudged(tmp_path: Path) -> None:
    golden = GOLDEN.replace("exhaustive", "partial")
    (problem,) = problems_of(write_study(tmp_path, "parameters: {mode: bm25}", golden=golden))
    assert problem.startswith("study.yaml:1: evaluation.unjudged judgments are partial")
    declared = "parameters: {mode: bm25}\nevaluation: {unjudged: nonrelevant}"
    assert problems_of(write_study(tmp_path, declared, golden=golden)) == []


def test_paths_are_relative_to_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_study(tmp_path / "deep", "parameters: {mode: bm25}")
    known = read_study(path)
    monkeypatch.chdir(tmp_path)
    moved = read_study(Path("deep") / "study.yaml")
    assert moved.collection.corpus.sha256 == known.collection.corpus.sha256
    assert (moved.sha256, moved.protocol_sha256) == (known.sha256, known.protocol_sha256)


def test_the_fingerprint_of_a_config_names_what_is_written_or_implied(tmp_path: Path) -> None:
    def sha256(text: str) -> str:
        return read_study(write_study(tmp_path, text)).sha256

    known = sha256("parameters: {mode: bm25}")
    assert sha256("# a remark\nparameters:\n  mode: [bm25]\n  top_k: 5\n") == known
    assert sha256("parameters: {mode: bm25, top_k: 4}") != known
    assert sha256("parameters: {mode: bm25}\nevaluation: {k: 4}") != known


def again(text: str) -> StudySchema:
    return validate(StudySchema, parse_yaml(text, "resolved.yaml"))


def test_a_resolved_study_reads_back_as_the_same(tmp_path: Path) -> None:
    study = read_study(ROOT / "configs" / "default.yaml")
    assert again(study.resolved_yaml()) == study.schema
    for one in study.grid.sets:
        assert expand(again(study.resolved_yaml(one)).parameters).sets == (one,)
    one = study.grid.sets[50]
    path = ROOT / "configs" / "default.yaml"
    copy = tmp_path / "configs" / "one.yaml"
    copy.parent.mkdir()
    for folder in ("corpus", "golden"):
        (tmp_path / folder).symlink_to(path.parents[1] / folder)
    copy.write_text(study.resolved_yaml(one), encoding="utf-8")
    reread = read_study(copy)
    assert reread.grid.sets == (one,)
    assert reread.protocol_sha256 == study.protocol_sha256
    assert reread.conventions == study.conventions


def narrowed(one: ParameterSet, name: str = "x") -> str:
    return study_yaml({"name": name, "corpus": "c", "golden": "g", "parameters": nested(one)})


@settings(max_examples=40)
@given(section=parameters())
def test_any_set_reads_back_as_itself(section: dict[str, object]) -> None:
    for one in expand(ParametersSection.model_validate(section)).sets:
        assert expand(again(narrowed(one)).parameters).sets == (one,)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\x85\u2028"), min_size=1, max_size=30)


@given(
    name=st.one_of(TEXT, st.sampled_from(["1e3", "-.5", "no", "~", "007", "0x1F", " a ", "a: b", "#", "- a", "'", '"']))
)
def test_any_text_reads_back_as_itself(name: str) -> None:
    text = study_yaml({"name": name, "nested": {"list": [name, 1.0, None]}})
    assert parse_yaml(text, "x").value == {"name": name, "nested": {"list": [name, 1.0, None]}}


def test_problems_say_where_they_are() -> None:
    problem = Problem(file="a.yaml", line=3, field="x.y", message="must be 1")
    assert str(problem) == "a.yaml:3: x.y must be 1"
    assert str(Problem(message="m")) == "m"
    assert str(Problem(file="a", message="m")) == "a: m"
    assert str(Problem(field="f", line=3, message="m")) == "f m"
    assert InputError("m").problems == (Problem(message="m"),)
    assert str(InputError([problem, Problem(message="m")])) == "a.yaml:3: x.y must be 1\nm"


def test_studies_share_nothing_with_their_paths(tmp_path: Path) -> None:
    first: Study = read_study(write_study(tmp_path / "a", "parameters: {mode: bm25}"))
    second: Study = read_study(write_study(tmp_path / "b" / "c", "parameters: {mode: bm25}"))
    assert first.path != second.path
    assert first.collection.corpus.sha256 == second.collection.corpus.sha256
    assert first.protocol_sha256 == second.protocol_sha256


def test_a_baseline_is_one_set_of_the_grid_and_shapes_no_result(tmp_path: Path) -> None:
    text = "parameters:\n  mode: [bm25, vector]\n  vector: {embedder: lsa}\n"
    plain = read_study(write_study(tmp_path, text))
    named = read_study(write_study(tmp_path, f"{text}baseline: {{mode: vector}}\n"))
    assert (header_of(plain).baseline, header_of(named).baseline) == (None, "vector")
    assert named.sha256 == plain.sha256
    assert "baseline" not in plain.resolved_yaml()
    assert "baseline:\n  mode: vector\n" in named.resolved_yaml()
    assert "baseline" not in named.resolved_yaml(named.grid.sets[0]), "the other set isn't there"


@pytest.mark.parametrize(
    ("baseline", "told"),
    [
        ("{mode: bm52}", "none has mode 'bm52', there is 'bm25', 'vector'; the nearest: 'bm25', 'vector'"),
        ("{chunk.size: 300}", "found 2: 'bm25', 'vector'; give a value of mode as well"),
        ("vector", "baseline must be a mapping"),
    ],
)
def test_a_baseline_that_is_not_one_set_is_refused(tmp_path: Path, baseline: str, told: str) -> None:
    text = f"parameters:\n  mode: [bm25, vector]\n  vector: {{embedder: lsa}}\nbaseline: {baseline}\n"
    with pytest.raises(InputError) as caught:
        read_study(write_study(tmp_path, text))
    assert told in str(caught.value)
    assert "baseline" in str(caught.value)


def test_the_measure_of_verdicts_is_named_and_shapes_no_result(tmp_path: Path) -> None:
    text = "parameters: {mode: bm25}\nevaluation: {k: 3, cutoffs: [10]}\n"
    plain = read_study(write_study(tmp_path, text))
    named = read_study(write_study(tmp_path, f"{text}measure: ndcg@10\n"))
    assert (header_of(plain).main_measure, header_of(named).main_measure) == ("recall@3", "ndcg@10")
    assert named.sha256 == plain.sha256
    assert "measure" not in plain.resolved_yaml()
    assert "measure: ndcg@10\n" in named.resolved_yaml(named.grid.sets[0])


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        (
            "ndgc@3",
            "measure must be a mean that is computed, found 'ndgc@3'; did you mean 'ndcg@3'? known: recall@k, mrr@k",
        ),
        ("ndcg@7", "measure must be a mean that is computed, found 'ndcg@7'; add 7 to evaluation.cutoffs"),
        ("rr@3", "did you mean 'mrr@3'?"),
        ("judged@3", "measure must be a mean that is computed, found 'judged@3'"),
        ("3", "measure must be"),
    ],
)
def test_a_measure_that_is_not_computed_is_refused(tmp_path: Path, measure: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        read_study(write_study(tmp_path, f"parameters: {{mode: bm25}}\nmeasure: {measure}\n"))
    assert told in str(caught.value)
    assert "study.yaml:" in str(caught.value)
