"""Canonical JSON and the hashes that name things."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.fingerprint import canonical_json, sha256_file, sha256_json, sha256_text, sha256_tree

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def reordered(value: Any) -> Any:
    """Return an equal value whose keys stand in the opposite order."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, 0.5]}, '{"a":[true,null,0.5],"b":1}'),
        ({"名": "值"}, '{"名":"值"}'),
        ("\n\u2028", '"\\n\u2028"'),
        ((1, 2), "[1,2]"),
        ({}, "{}"),
    ],
)
def test_canonical_json(value: Any, text: str) -> None:
    assert canonical_json(value) == text
    assert sha256_json(value) == hashlib.sha256(text.encode()).hexdigest()


@given(value=JSON)
def test_the_order_of_keys_makes_no_difference(value: Any) -> None:
    assert canonical_json(reordered(value)) == canonical_json(value)
    assert json.loads(canonical_json(value)) == value


@given(first=JSON, second=JSON)
def test_different_json_has_different_hashes(first: Any, second: Any) -> None:
    same = json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert (sha256_json(first) == sha256_json(second)) is same


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [-float("inf")]}])
def test_what_json_can_not_write_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


def test_text_is_hashed_in_utf8() -> None:
    assert sha256_text("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_text("值") == hashlib.sha256(b"\xe5\x80\xbc").hexdigest()


def test_a_file_is_hashed_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc" * 100_000)
    assert sha256_file(path) == hashlib.sha256(b"abc" * 100_000).hexdigest()


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def test_a_folder_is_hashed_by_names_and_bytes_wherever_it_lies(tmp_path: Path) -> None:
    files = {"b": b"1", "a/x": b"2", "a.x": b"3"}
    known = sha256_tree(write(tmp_path / "here", files))
    assert sha256_tree(write(tmp_path / "there" / "deeper", dict(reversed(files.items())))) == known
    changed = [
        {**files, "b": b"0"},
        {**files, "c": b""},
        {"b": b"1", "a/y": b"2", "a.x": b"3"},
        {"b": b"1", "a/x": b"3", "a.x": b"2"},
    ]
    prints = {sha256_tree(write(tmp_path / f"other{place}", other)) for place, other in enumerate(changed)}
    assert len(prints | {known}) == 5


def test_only_the_files_named_count(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", {"x": b"1", "y": b"2"})
    only = write(tmp_path / "b", {"x": b"1"})
    assert sha256_tree(folder, [folder / "x"]) == sha256_tree(only)
