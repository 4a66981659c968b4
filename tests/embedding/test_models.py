"""Where model files are looked for, what names them, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.models import build_reranker
from support.processes import run_python

from harness.errors import InputError
from harness.models import library_versions, load_cross_encoder, locate_model, model_sha256


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "~/no-such-folder-here", "a/b/c"])
def test_a_path_that_leads_nowhere_is_refused_without_asking_the_hub(name: str) -> None:
    with pytest.raises(InputError, match=r"no such folder \(a hub name looks like 'owner/model'\)"):
        locate_model(name)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "holds neither config.json nor modules.json"),
        (["config.json"], "holds no weights"),
        (["modules.json", "1_Pooling/config.json"], "holds no weights"),
    ],
)
def test_a_folder_that_is_no_model_is_refused(tmp_path: Path, files: list[str], words: str) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match=words) as caught:
        locate_model(str(tmp_path))
    assert str(tmp_path) in str(caught.value)


def test_a_local_folder_is_found_from_anywhere(tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate_model(str(tiny_encoder)) == tiny_encoder
    monkeypatch.chdir(tiny_encoder.parent)
    assert locate_model(tiny_encoder.name) == locate_model(f"./{tiny_encoder.name}") == tiny_encoder


HUB = """
from harness.errors import InputError
from harness.models import locate_model
try:
    print(locate_model("owner/tiny"))
except InputError as error:
    print(error)
"""


def hub_cache(home: Path, model: Path, names: list[str]) -> Path:
    """Lay out a hub cache as a download of these files leaves it; return the snapshot."""
    repository = home / "hub" / "models--owner--tiny"
    snapshot = repository / "snapshots" / ("0" * 40)
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("0" * 40)
    snapshot.mkdir(parents=True)
    for name in names:
        shutil.copy(model / name, snapshot / name)
    return snapshot


def test_the_local_cache_of_the_hub_is_used(tiny_reranker: Path, tmp_path: Path) -> None:
    snapshot = hub_cache(tmp_path, tiny_reranker, [path.name for path in tiny_reranker.iterdir()])
    assert run_python(HUB, HF_HOME=str(tmp_path)).strip() == str(snapshot)


def test_an_interrupted_download_is_not_taken_for_the_model(tiny_reranker: Path, tmp_path: Path) -> None:
    hub_cache(tmp_path, tiny_reranker, ["config.json"])
    printed = run_python(HUB, HF_HOME=str(tmp_path))
    assert "model 'owner/tiny' isn't on this machine" in printed


def test_weights_are_named_by_content_and_not_by_what_lies_around(tiny_reranker: Path, tmp_path: Path) -> None:
    known = model_sha256(tiny_reranker)
    same = tmp_path / "same"
    shutil.copytree(tiny_reranker, same)
    (same / "README.md").write_text("other words")
    (same / ".gitattributes").write_text("x")
    (same / ".cache" / "huggingface").mkdir(parents=True)
    (same / ".cache" / "huggingface" / "model.safetensors.metadata").write_text("1732900000.25")
    assert model_sha256(same) == known
    for place, (name, content) in enumerate(
        [("config.json", b"{}"), ("extra.json", b"{}"), ("1_Pooling/config.json", b"")]
    ):
        other = tmp_path / str(place)
        shutil.copytree(tiny_reranker, other)
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_bytes(content)
        assert model_sha256(other) != known


def test_a_reranker_gives_one_number(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one score for a pair, this gives 3"):
        load_cross_encoder(build_reranker(tmp_path / "three", labels=3))


def test_the_versions_of_all_libraries_are_known() -> None:
    assert sorted(library_versions()) == ["sentence-transformers", "tokenizers", "torch", "transformers"]
    assert all(library_versions().values())
