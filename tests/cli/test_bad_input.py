"""Input that can't be used: exit code 2, the place and the cure on stderr, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.world import DOCUMENTS, GOLDEN, STUDY, invoke, run, write_files, write_study

Files = dict[str, str | bytes | None]
GOOD = STUDY.format(name="small", mode="[bm25, hybrid]", k1="1.5", top_k="[1, 3]")


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def study(old: str, new: str) -> Files:
    return {"study.yaml": edited(GOOD, old, new)}


def golden(old: str, new: str) -> Files:
    return {"golden.yaml": edited(GOLDEN, old, new)}


def unquoted(name: str) -> Files:
    return golden("id: weather", f"id: {name}")


CASES: dict[str, tuple[Files, list[str]]] = {
    "malformed YAML": (
        study("top_k: [1, 3]", "top_k: [1, 3"),
        ["study.yaml:10: isn't valid YAML"],
    ),
    "unknown key": (
        study("  top_k: [1, 3]", "  topk: [1, 3]"),
        ["study.yaml:9: parameters.topk", "top_k"],
    ),
    "duplicate key": (
        study("  fetch_k: [1, 3]", "  fetch_k: [1, 3]\n  top_k: 5"),
        ["study.yaml:11: parameters.top_k", "line 9"],
    ),
    "wrong type": (
        study("top_k: [1, 3]", "top_k: three"),
        ["study.yaml:9: parameters.top_k must be a whole number"],
    ),
    "text where a number belongs": (
        study("k1: 1.5", 'k1: "1.5"'),
        ["study.yaml:7: parameters.bm25.k1"],
    ),
    "id 007": (unquoted("007"), ["golden.yaml:3: queries[0].id", "007"]),
    "id 1e3": (unquoted("1e3"), ["golden.yaml:3: queries[0].id", "1e3"]),
    "id no": (unquoted("no"), ["golden.yaml:3: queries[0].id", "no"]),
    "id 2024-01-05": (unquoted("2024-01-05"), ["golden.yaml:3: queries[0].id", "2024-01-05"]),
    "id 12:30": (unquoted("12:30"), ["golden.yaml:3: queries[0].id", "12:30"]),
    "gold that is no document": (
        golden("gold: [tower.md]", "gold: [towre.md]"),
        ["golden.yaml:5: document 'towre.md', named by question 'lights', isn't in the corpus", "'tower.md'"],
    ),
    "gold that is a chunk": (
        golden("gold: [tower.md]", 'gold: ["tower.md#0"]'),
        ["golden.yaml:5: document 'tower.md#0'", "write 'tower.md'"],
    ),
    "no gold and no word why": (
        golden("gold: [], answerable: false", "gold: []"),
        ["golden.yaml:6: queries[3].gold", "answerable: false"],
    ),
    "a split without questions": (
        study("evaluation: {k: 3", "evaluation: {split: dev, k: 3"),
        ["golden.yaml: has no question in split 'dev'", "'test' (4 questions)"],
    ),
    "empty corpus": (
        {f"docs/{name}": None for name in DOCUMENTS},
        ["docs: holds no Markdown file"],
    ),
    "corpus of blank files": (
        {f"docs/{name}": " \n\n" for name in DOCUMENTS},
        ["docs: no document holds any text"],
    ),
    "two documents with one id": (
        {"docs/again.md": "---\nid: boats.md\n---\nagain\n"},
        ["docs/boats.md: duplicate document id 'boats.md'", "docs/again.md"],
    ),
    "overlap as large as the size": (
        study("size: 60, overlap: 0", "size: 5, overlap: 5"),
        ["study.yaml:6: parameters.chunk", "overlap 5 with size 5"],
    ),
    "overlap larger than one of the sizes": (
        study("size: 60, overlap: 0", "size: [60, 3], overlap: [0, 5]"),
        ["study.yaml:6: parameters.chunk", "overlap 5 with size 3"],
    ),
    "size 0": (study("size: 60", "size: 0"), ["study.yaml:6: parameters.chunk.size"]),
    "no point that can be run": (
        {"study.yaml": GOOD.replace("top_k: [1, 3]", "top_k: 7").replace("[bm25, hybrid]", "hybrid")},
        ["study.yaml:4: parameters no point of the grid can be run", "fetch_k 3 is smaller than top_k 7"],
    ),
    "missing corpus": (study("corpus: docs", "corpus: nowhere"), ["nowhere: must be a folder of Markdown files"]),
    "missing golden set": (study("golden: golden.yaml", "golden: nowhere.yaml"), ["nowhere.yaml: can't be read"]),
    "missing study": ({"study.yaml": None}, ["study.yaml: can't be read"]),
    "embedder that can't be had": (
        study("embedder: {name: lsa, dimensions: 3}", "embedder: nobody/has-this"),
        ["study.yaml:8: parameters.vector.embedder", "model 'nobody/has-this' isn't on this machine"],
    ),
    "reranker that can't be had": (
        study("evaluation:", "  rerank: {model: [null, nobody/has-this]}\nevaluation:"),
        ["study.yaml:11: parameters.rerank.model", "hf download nobody/has-this"],
    ),
    "not UTF-8": ({"golden.yaml": GOLDEN.encode("utf-16")}, ["golden.yaml"]),
}  # fmt: skip


def place(folder: Path, files: Files) -> Path:
    """Write the good study with these files changed, or deleted where there is None."""
    config = write_study(folder, study=GOOD)
    write_files(folder, {name: content for name, content in files.items() if content is not None})
    for name, content in files.items():
        if content is None:
            (folder / name).unlink()
    return config


@pytest.mark.parametrize(("files", "told"), CASES.values(), ids=CASES)
def test_what_cannot_be_used_is_refused_before_anything_is_written(
    tmp_path: Path, files: Files, told: list[str]
) -> None:
    config = place(tmp_path / "study", files)
    out = tmp_path / "out"
    out.mkdir()
    before = sorted(tmp_path.rglob("*"))
    for command in (["check", config], ["sweep", config, "--dir", out]):
        done = invoke(*command)
        assert (done.code, done.out) == (2, "")
        assert [text for text in told if text not in done.err.replace(f"{tmp_path}/study/", "")] == []
        assert "Traceback" not in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_one_of_them_by_the_installed_command(tmp_path: Path) -> None:
    config = place(tmp_path / "study", CASES["gold that is a chunk"][0])
    done = run("sweep", config, cwd=tmp_path)
    told = "document 'tower.md#0', named by question 'lights', isn't in the corpus"
    cure = "gold names documents, not chunks: write 'tower.md'"
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {tmp_path}/study/golden.yaml:5: {told}; {cure}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["study"]


def test_check_tells_everything_that_is_wrong_with_config_corpus_and_golden_set_at_once(tmp_path: Path) -> None:
    config = place(
        tmp_path / "study",
        {
            "study.yaml": edited(edited(GOOD, "size: 60", "size: small"), "{name: lsa, dimensions: 3}", "a/b/c"),
            "golden.yaml": edited(edited(GOLDEN, "id: red", "id: 007"), ", answerable: false", ""),
            "docs/again.md": "---\nid: boats.md\n---\nagain\n",
        },
    )
    done = invoke("check", config)
    assert (done.code, done.out) == (2, "")
    first, *lines = done.err.replace(f"{tmp_path}/study/", "").splitlines()
    assert first == "errors:"
    assert [line.split(" ")[0] for line in lines] == [
        "study.yaml:6:",
        "docs/boats.md:",
        "golden.yaml:4:",
        "golden.yaml:6:",
    ]


def test_a_model_is_looked_for_as_soon_as_the_config_is_sound_whatever_the_data(tmp_path: Path) -> None:
    config = place(
        tmp_path / "study",
        {
            "study.yaml": edited(GOOD, "{name: lsa, dimensions: 3}", "./no-such-folder"),
            "golden.yaml": edited(GOLDEN, "id: red", "id: 007"),
        },
    )
    done = invoke("check", config)
    assert done.code == 2
    assert "golden.yaml:4: queries[1].id" in done.err
    assert "study.yaml:8: parameters.vector.embedder model './no-such-folder': no such folder" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--executor", "nope"], "--executor"),
        (["--workers", "0"], "--workers"),
        (["--executor", "processes", "--address", "tcp://localhost:1"], "--executor: "),
    ],
)
def test_an_option_that_cannot_be_is_refused_like_the_config(tmp_path: Path, arguments: list[str], told: str) -> None:
    config = place(tmp_path / "study", {})
    done = invoke("sweep", config, "--dir", tmp_path, *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["study"]
