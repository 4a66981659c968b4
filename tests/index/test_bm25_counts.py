"""Counts on disk: each cell once, in order, however many terms are counted at a time."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import chunks_of

from harness.index import Bm25Index, write_bm25_tokens
from harness.index.bm25_counts import COUNT_FILES, TermCounts, write_counts
from harness.tokenizing import make_tokenizer

CHUNKS = st.lists(st.lists(st.integers(0, 4), max_size=9), max_size=12)


def written(folder: Path, chunks: list[list[int]], vocabulary: int, at_once: int) -> TermCounts:
    codes = np.array([code for chunk in chunks for code in chunk], dtype=np.int32)
    ends = np.cumsum([len(chunk) for chunk in chunks], dtype=np.int64)
    write_counts(folder, codes, ends, vocabulary, at_once)
    return TermCounts.open(folder)


def test_a_small_table_by_hand(tmp_path: Path) -> None:
    """Term 0 is in chunks 0 (twice) and 3; term 1 in none; term 2 in chunks 0, 2 (three times) and 3."""
    found = written(tmp_path, [[0, 2, 0], [], [2, 2, 2], [2, 0]], 3, at_once=4)
    assert found.starts.tolist() == [0, 2, 2, 5]
    assert found.chunks.tolist() == [0, 3, 0, 2, 3]
    assert found.counts.tolist() == [2, 1, 1, 3, 1]
    chunks, counts = found.of(2)
    assert (chunks.tolist(), counts.tolist(), counts.dtype) == ([0, 2, 3], [1.0, 3.0, 1.0], np.float64)


@given(chunks=CHUNKS, at_once=st.integers(1, 40))
def test_cells_are_those_of_a_plain_count(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[list[int]], at_once: int
) -> None:
    found = written(tmp_path_factory.mktemp("counts"), chunks, 5, at_once)
    plain = [Counter(chunk) for chunk in chunks]
    for code in range(5):
        expected = [(place, held[code]) for place, held in enumerate(plain) if held[code]]
        places, counts = found.of(code)
        assert list(zip(places.tolist(), counts.tolist(), strict=True)) == expected


@pytest.mark.parametrize("times", [255, 256, 65_536])
def test_a_count_of_any_size_is_kept(tmp_path: Path, times: int) -> None:
    assert written(tmp_path, [[0] * times, [0]], 1, at_once=10).of(0)[1].tolist() == [times, 1]


def test_the_size_of_a_piece_changes_no_byte(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    chunks = [rng.integers(0, 50, length).tolist() for length in rng.integers(0, 30, 200)]
    prints = set()
    for at_once in (1, 17, 1000, 10**9):
        written(tmp_path, chunks, 50, at_once)
        prints.add(tuple(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in COUNT_FILES))
    assert len(prints) == 1


@pytest.mark.parametrize("texts", [("a b a", "", "c"), ("", "?")])
def test_terms_on_disk_are_what_numpy_would_save(tmp_path: Path, texts: tuple[str, ...]) -> None:
    """The file is written piece by piece, its header last."""
    tokenizer = make_tokenizer("word")
    facts = write_bm25_tokens(tmp_path, chunks_of(*texts), tokenizer)
    index = Bm25Index.open(tmp_path, facts, tokenizer)
    assert [index.vocabulary[code] for code in index.codes.tolist()] == [w for text in texts for w in tokenizer(text)]
    np.save(tmp_path / "again.npy", np.array(index.codes, dtype=np.int32))
    assert (tmp_path / "terms.npy").read_bytes() == (tmp_path / "again.npy").read_bytes()


def test_chunks_and_counts_are_mapped(tmp_path: Path) -> None:
    found = written(tmp_path, [[0, 1], [1]], 2, at_once=10)
    assert isinstance(found.chunks, np.memmap)
    assert isinstance(found.counts, np.memmap)
