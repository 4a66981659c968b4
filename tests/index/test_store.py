"""The store: complete or not there, never changed, whoever is killed and whoever builds at the same time."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.processes import start_python

from harness.errors import DamagedError, StoreError
from harness.index import IndexStore

INGREDIENTS = {"chunking": "c" * 64, "tokenizer": "word", "k": [1, None, 0.5]}


def builder(calls: list[Path], content: str = "built") -> Callable[[Path], Mapping[str, Any]]:
    def build(path: Path) -> Mapping[str, Any]:
        calls.append(path)
        assert list(path.iterdir()) == []
        (path / "data").write_text(content)
        return {"content": content, "n": 1}

    return build


def visible(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if not path.name.startswith("."))


def unfinished(root: Path) -> list[Path]:
    return [path for folder in root.iterdir() if folder.name.startswith(".") for path in folder.iterdir()]


def test_built_once_and_found_afterwards(tmp_path: Path) -> None:
    store, calls = IndexStore(tmp_path / "deep" / "store"), []
    first = store.get_or_build("bm25", INGREDIENTS, builder(calls))
    again = store.get_or_build("bm25", dict(reversed(INGREDIENTS.items())), builder(calls))
    elsewhere = IndexStore(store.root).get_or_build("bm25", INGREDIENTS, builder(calls))
    assert len(calls) == 1
    assert [entry.built for entry in (first, again, elsewhere)] == [True, False, False]
    for entry in (first, again, elsewhere):
        assert (entry.path, entry.sha256, entry.facts) == (first.path, first.sha256, {"content": "built", "n": 1})
        assert (entry.path / "data").read_text() == "built"
    assert calls[0] != first.path
    assert unfinished(store.root) == []


def test_an_index_is_moved_into_place_as_a_whole(tmp_path: Path) -> None:
    """It is the very directory that was filled, so there is no moment at which half of it can be seen."""
    inodes: list[int] = []

    def build(path: Path) -> Mapping[str, Any]:
        inodes.append(path.stat().st_ino)
        assert visible(tmp_path) == []
        return {}

    entry = IndexStore(tmp_path).get_or_build("bm25", INGREDIENTS, build)
    assert [entry.path.stat().st_ino] == inodes


def test_every_ingredient_has_its_own_directory(tmp_path: Path) -> None:
    store, calls = IndexStore(tmp_path), []
    variants: list[tuple[str, dict[str, Any]]] = [
        ("bm25", INGREDIENTS),
        ("vector", INGREDIENTS),
        ("bm25", INGREDIENTS | {"tokenizer": "jieba"}),
        ("bm25", INGREDIENTS | {"k": [1, 0.5, None]}),
        ("bm25", INGREDIENTS | {"more": None}),
        ("bm25", INGREDIENTS | {"tokenizer": "bge 小 / k=5 (v2)".ljust(80, "x")}),
    ]
    entries = [store.get_or_build(kind, ingredients, builder(calls)) for kind, ingredients in variants]
    assert len({entry.path for entry in entries}) == len({entry.sha256 for entry in entries}) == len(variants)
    for (kind, ingredients), entry in zip(variants, entries, strict=True):
        assert store.locate(kind, ingredients) == (entry.path, entry.sha256)
        assert entry.path.name.startswith(f"{kind}-")
        assert entry.path.name.isascii()
    assert visible(tmp_path) == sorted(entry.path.name for entry in entries)


class StoppedError(Exception):
    """What a builder may die of."""


@pytest.mark.parametrize("error", [StoppedError, KeyboardInterrupt])
def test_a_build_that_fails_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    store, calls = IndexStore(tmp_path), []

    def fail(path: Path) -> Mapping[str, Any]:
        (path / "data").write_text("half")
        raise error

    with pytest.raises(error):
        store.get_or_build("bm25", INGREDIENTS, fail)
    assert visible(tmp_path) == []
    assert unfinished(tmp_path) == []
    assert store.get_or_build("bm25", INGREDIENTS, builder(calls)).built


KILLED = """
import json, sys, time
from pathlib import Path
import numpy as np
from harness.index import IndexStore, write_vectors
from harness.vectors import unit_on_grid

def build(path):
    facts = write_vectors(path, unit_on_grid(np.eye(8))).facts
    print("half", flush=True)
    time.sleep(600)
    return facts

IndexStore(Path(sys.argv[1])).get_or_build("vector", json.loads(sys.argv[2]), build)
"""


def test_a_killed_build_leaves_nothing_that_is_used(tmp_path: Path) -> None:
    process = start_python(KILLED, tmp_path, json.dumps(INGREDIENTS))
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n", process.communicate()[1]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert visible(tmp_path) == []
    assert len(unfinished(tmp_path)) == 1
    calls: list[Path] = []
    entry = IndexStore(tmp_path).get_or_build("vector", INGREDIENTS, builder(calls))
    assert entry.built
    assert len(calls) == 1
    assert sorted(path.name for path in entry.path.iterdir()) == ["data", "manifest.json"]


MEETING = """
import json, sys, time
from pathlib import Path
from harness.index import IndexStore
root, name, other = Path(sys.argv[1]), sys.argv[3], sys.argv[4]

def build(path):
    (path / "data").write_text("the same")
    (root.parent / name).touch()
    while not (root.parent / other).exists():
        time.sleep(0.01)
    return {"by": "either"}

entry = IndexStore(root).get_or_build("bm25", json.loads(sys.argv[2]), build)
print(json.dumps([str(entry.path), entry.sha256, entry.facts, (entry.path / "data").read_text()]))
"""


def test_two_processes_that_build_the_same_index_both_end_well(tmp_path: Path) -> None:
    """Each waits in the middle of its build until the other is there too."""
    root = tmp_path / "store"
    pairs = [("one", "two"), ("two", "one")]
    processes = [start_python(MEETING, root, json.dumps(INGREDIENTS), *pair) for pair in pairs]
    ends = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    assert ends[0][0] == ends[1][0]
    path, sha256 = IndexStore(root).locate("bm25", INGREDIENTS)
    assert json.loads(ends[0][0]) == [str(path), sha256, {"by": "either"}, "the same"]
    assert visible(root) == [path.name]
    assert unfinished(root) == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b'"text"', b"null", b"{}", b'{"sha256": "0"}'],
    ids=["empty", "cut", "not-utf8", "list", "text", "null", "bare", "other"],
)
def test_a_damaged_manifest_is_refused_and_named(tmp_path: Path, content: bytes) -> None:
    store, calls = IndexStore(tmp_path), []
    entry = store.get_or_build("bm25", INGREDIENTS, builder(calls))
    (entry.path / "manifest.json").write_bytes(content)
    with pytest.raises(StoreError) as caught:
        store.get_or_build("bm25", INGREDIENTS, builder(calls))
    assert str(entry.path) in str(caught.value)
    assert len(calls) == 1


def test_a_directory_under_a_wrong_name_is_refused(tmp_path: Path) -> None:
    store, calls = IndexStore(tmp_path), []
    entry = store.get_or_build("bm25", INGREDIENTS, builder(calls))
    other = INGREDIENTS | {"tokenizer": "jieba"}
    entry.path.rename(store.locate("bm25", other)[0])
    with pytest.raises(StoreError, match="another index than its name says"):
        store.get_or_build("bm25", other, builder(calls))


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    path, _ = store.locate("bm25", INGREDIENTS)
    path.write_text("in the way")
    with pytest.raises(StoreError) as caught:
        store.get_or_build("bm25", INGREDIENTS, builder([]))
    assert str(path) in str(caught.value)


def test_a_store_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        IndexStore(tmp_path / "file" / "store").get_or_build("bm25", INGREDIENTS, builder([]))
    assert str(tmp_path / "file" / "store") in str(caught.value)


def test_a_directory_without_a_manifest_is_no_index(tmp_path: Path) -> None:
    store, calls = IndexStore(tmp_path), []
    path, _ = store.locate("bm25", INGREDIENTS)
    path.mkdir()
    (path / "data").write_text("half")
    with pytest.raises(StoreError) as caught:
        store.get_or_build("bm25", INGREDIENTS, builder(calls))
    assert str(path) in str(caught.value)


def check_data(path: Path, facts: Mapping[str, Any]) -> str:
    """Open what ``builder`` built."""
    text = (path / "data").read_text()
    if text != facts["content"]:
        raise DamagedError(f"{path}: its data have changed")
    return text


@pytest.mark.parametrize("name", ["data", "manifest.json"])
def test_a_damaged_index_is_put_aside_reported_and_built_again(tmp_path: Path, name: str) -> None:
    store, calls = IndexStore(tmp_path), []
    opened, first = store.open_or_build("bm25", INGREDIENTS, builder(calls), check_data)
    assert (opened, first.built, store.damage) == ("built", True, [])
    (first.path / name).write_text("spoilt")
    opened, second = store.open_or_build("bm25", INGREDIENTS, builder(calls), check_data)
    assert (opened, second.built, second.path) == ("built", True, first.path)
    assert len(calls) == 2
    (damage,) = store.damage
    assert damage.path == str(first.path)
    (aside,) = unfinished(tmp_path)
    assert str(aside) in damage.what
    assert (aside / name).read_text() == "spoilt"
    assert store.open_or_build("bm25", INGREDIENTS, builder(calls), check_data)[1].built is False
    assert len(store.damage) == 1


def test_what_can_not_be_opened_right_after_it_was_built_is_an_error(tmp_path: Path) -> None:
    def refuse(path: Path, facts: Mapping[str, Any]) -> str:
        raise DamagedError(f"{path}: never")

    with pytest.raises(DamagedError, match="never"):
        IndexStore(tmp_path).open_or_build("bm25", INGREDIENTS, builder([]), refuse)


def test_changed_facts_are_noticed(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    entry = store.get_or_build("bm25", INGREDIENTS, builder([]))
    path = entry.path / "manifest.json"
    path.write_text(path.read_text().replace('"n":1', '"n":2'))
    with pytest.raises(StoreError) as caught:
        store.get_or_build("bm25", INGREDIENTS, builder([]))
    assert str(path) in str(caught.value)
