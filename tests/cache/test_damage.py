"""What is damaged on disk is noticed, said, computed again, and never handed out."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.processes import run_python

from harness.cache import BlobCache
from harness.cache.blobs import UNREADABLE, sound_rows
from harness.errors import StoreError
from harness.retrieval import CachedReranker

from .probes import Counting, CountingReranker, change, files, logit_of, remembering, rows, vector_of

TEXTS = [f"text {n}" for n in range(40)]
VECTORS = np.array([vector_of(text) for text in TEXTS], dtype=np.float32).tobytes()


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """Return the one file of a cache that holds all texts."""
    remembering(Counting(), tmp_path).encode(TEXTS, "document")
    (path,) = files(tmp_path)
    return path


def read_again(path: Path) -> tuple[list[str], list[str]]:
    """Return the texts that are computed anew, and what is said; all vectors must be right."""
    model, opened = Counting(), list[BlobCache]()
    assert remembering(model, path.parents[1], opened).encode(TEXTS, "document").tobytes() == VECTORS
    return model.asked["document"], [found.what for blobs in opened for found in blobs.damage]


def key(path: Path, text: str) -> bytes:
    return BlobCache(path.parents[1], "embeddings", Counting().role_fingerprint("document")).key(text)


@pytest.mark.parametrize("column", ["value", "seal"])
@pytest.mark.parametrize("place", [0, 7, 15])
def test_a_flipped_byte_in_a_row_is_noticed(filled: Path, column: str, place: int) -> None:
    with closing(sqlite3.connect(filled)) as connection:
        held = connection.execute(f"SELECT {column} FROM rows WHERE key = ?", [key(filled, "text 7")]).fetchone()[0]
    spoilt = bytearray(held)
    spoilt[place] ^= 0x10
    change(filled, f"UPDATE rows SET {column} = ? WHERE key = ?", bytes(spoilt), key(filled, "text 7"))
    assert sound_rows(filled) == (39, 1)
    assert read_again(filled) == (["text 7"], ["1 rows failed their checksum; they are computed again"])
    assert sound_rows(filled) == (40, 0)
    assert read_again(filled) == ([], [])


@pytest.mark.parametrize("value", [b"", b"short", "text", 7, 0.5, bytes(16)], ids=repr)
def test_a_value_of_any_kind_is_noticed(filled: Path, value: object) -> None:
    change(filled, "UPDATE rows SET value = ? WHERE key = ?", value, key(filled, "text 3"))
    assert sound_rows(filled) == (39, 1)
    assert read_again(filled) == (["text 3"], ["1 rows failed their checksum; they are computed again"])
    assert sound_rows(filled) == (40, 0)


def test_a_value_under_another_key_is_noticed(filled: Path) -> None:
    """The sound row of one text, moved to another, is not sound there."""
    change(filled, "DELETE FROM rows WHERE key = ?", key(filled, "text 1"))
    change(filled, "UPDATE rows SET key = ? WHERE key = ?", key(filled, "text 1"), key(filled, "text 2"))
    asked, said = read_again(filled)
    assert asked == ["text 1", "text 2"]
    assert said == ["1 rows failed their checksum; they are computed again"]


@pytest.mark.parametrize(
    "content",
    [b"this is no database, and never was one", b"SQLite format 3\0" + bytes(range(256)) * 20, bytes(5000)],
    ids=["text", "header", "zeros"],
)
def test_a_file_that_can_not_be_read_is_put_aside(filled: Path, content: bytes) -> None:
    filled.write_bytes(content)
    asked, said = read_again(filled)
    assert asked == TEXTS
    assert len(said) == 1
    assert "it was put aside as" in said[0]
    (aside,) = filled.parent.glob("*.damaged.*")
    assert aside.read_bytes() == content
    assert sound_rows(filled) == (40, 0)
    assert read_again(filled) == ([], [])


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_file_that_was_cut_short_gives_nothing_wrong(filled: Path, share: float) -> None:
    content = filled.read_bytes()
    filled.write_bytes(content[: int(len(content) * share)])
    asked, said = read_again(filled)
    assert asked
    assert said
    assert read_again(filled) == ([], [])


def test_an_empty_file_is_filled(filled: Path) -> None:
    filled.write_bytes(b"")
    assert read_again(filled) == (TEXTS, [])
    assert read_again(filled) == ([], [])


def test_the_file_of_another_model_under_this_name_is_put_aside(filled: Path) -> None:
    remembering(Counting("another"), filled.parents[1]).encode(TEXTS, "document")
    (other,) = [path for path in files(filled.parents[1]) if path != filled]
    shutil.copy(other, filled)
    asked, said = read_again(filled)
    assert asked == TEXTS
    assert "it holds other values than its name says" in said[0]


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_flipped_byte_anywhere_gives_a_wrong_vector(filled: Path, data: st.DataObject) -> None:
    """Wherever the file is hit: every vector is right, nothing but words is raised, and counting goes on."""
    original = filled.read_bytes()
    spots = st.integers(0, 120) | st.integers(0, len(original) - 1)
    spoilt = bytearray(original)
    for spot in data.draw(st.lists(spots, min_size=1, max_size=3)):
        spoilt[spot] ^= data.draw(st.integers(1, 255))
    try:
        filled.write_bytes(spoilt)
        place = BlobCache(filled.parents[1], "embeddings", Counting().role_fingerprint("document"))
        assert place.held([place.key(text) for text in TEXTS]) <= len(TEXTS)
        place.count()
        place.pace()
        with_words(filled)
        read_again(filled)
        read_again(filled)
    finally:
        for path in filled.parent.iterdir():
            path.unlink()
        filled.write_bytes(original)


def with_words(path: Path) -> None:
    """Verify a file; what is raised must be what callers expect."""
    try:
        good, bad = sound_rows(path)
    except UNREADABLE:
        return
    assert good <= len(TEXTS)
    assert bad >= 0


def test_a_file_that_is_locked_is_waited_for(filled: Path) -> None:
    with closing(sqlite3.connect(filled, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        threading.Timer(0.3, lambda: holder.execute("COMMIT")).start()
        assert read_again(filled) == ([], [])


FULL = """
import resource, sys
from pathlib import Path
from cache.probes import Counting, files, remembering
from harness.errors import StoreError
root = Path(sys.argv[1])
(path,) = files(root)
size = path.stat().st_size + 8192
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    remembering(Counting(), root).encode([f"new {n}" for n in range(5000)], "document")
except StoreError as error:
    print(error)
"""


def test_a_full_disk_is_said_and_spoils_nothing(filled: Path) -> None:
    """Files may not grow beyond a limit: what SQLite can't write then is no reason to give up what it holds."""
    said = run_python(FULL, filled.parents[1])
    assert str(filled) in said
    assert "is the disk full?" in said
    assert [path.name for path in filled.parent.iterdir() if ".damaged." in path.name] == []
    assert rows(filled) >= 40
    assert read_again(filled) == ([], [])


def test_something_else_in_the_place_of_the_file_is_named(filled: Path) -> None:
    filled.unlink()
    filled.mkdir()
    with pytest.raises(StoreError) as caught:
        read_again(filled)
    assert str(filled) in str(caught.value)


QUESTIONS = ["pump", "seal"]
PASSAGES = ["a pump", "a seal", "a very long valve", ""]


def reranker(root: Path, opened: list[BlobCache]) -> tuple[CachedReranker, CountingReranker]:
    model = CountingReranker()
    opened.append(BlobCache(root, "rerank", model.fingerprint))
    return CachedReranker(model, opened[-1]), model


def score_all(root: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Score all pairs; return those that were computed, and what was said. All scores must be right."""
    opened: list[BlobCache] = []
    cached, model = reranker(root, opened)
    for question in QUESTIONS:
        found = cached.score(question, PASSAGES)
        assert [logit.hex() for logit in found.logits] == [logit_of(question, text).hex() for text in PASSAGES]
        assert found.truncated == tuple(len(text) > 8 for text in PASSAGES)
    assert cached.tally() == (8, 2)
    return model.asked, [damage.what for blobs in opened for damage in blobs.damage]


ALL_PAIRS = [(question, text) for question in QUESTIONS for text in PASSAGES]


def test_each_pair_is_scored_once(tmp_path: Path) -> None:
    assert score_all(tmp_path) == (ALL_PAIRS, [])
    assert score_all(tmp_path) == ([], [])
    cached, model = reranker(tmp_path, [])
    assert cached.score("pump", ["new", "a pump", "new"]).logits[1] == logit_of("pump", "a pump")
    assert model.asked == [("pump", "new")]
    assert cached.tally() == (3, 0)
    assert cached.tally() == (0, 0)


def test_a_pair_is_not_its_texts_run_together(tmp_path: Path) -> None:
    cached, _ = reranker(tmp_path, [])
    assert cached.score("ab", ["c"]).logits == (logit_of("ab", "c"),)
    assert cached.score("a", ["bc"]).logits == (logit_of("a", "bc"),)


@pytest.mark.parametrize("column", ["value", "seal"])
def test_a_damaged_score_is_noticed(tmp_path: Path, column: str) -> None:
    score_all(tmp_path)
    (path,) = files(tmp_path, "rerank")
    blobs = BlobCache(tmp_path, "rerank", CountingReranker().fingerprint)
    (held,) = blobs.get([blobs.key("seal", "a pump")]).values()
    spoilt = bytes([held[0] ^ 1, *held[1:]])
    change(path, f"UPDATE rows SET {column} = ? WHERE key = ?", spoilt, blobs.key("seal", "a pump"))
    assert score_all(tmp_path) == ([("seal", "a pump")], ["1 rows failed their checksum; they are computed again"])
    assert score_all(tmp_path) == ([], [])


def test_a_file_of_scores_that_can_not_be_read_is_put_aside(tmp_path: Path) -> None:
    score_all(tmp_path)
    (path,) = files(tmp_path, "rerank")
    path.write_bytes(b"no database")
    asked, said = score_all(tmp_path)
    assert asked == ALL_PAIRS
    assert "it was put aside as" in said[0]
    assert score_all(tmp_path) == ([], [])


def test_another_model_has_its_own_scores(tmp_path: Path) -> None:
    score_all(tmp_path)
    other = CountingReranker("another")
    cached = CachedReranker(other, BlobCache(tmp_path, "rerank", other.fingerprint))
    cached.score("pump", PASSAGES)
    assert other.asked == [("pump", text) for text in PASSAGES]
    assert len(files(tmp_path, "rerank")) == 2
