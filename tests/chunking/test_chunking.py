"""What a chunking refuses, reports and is named by."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.worlds import corpus_of

from harness.chunking import SPLITTERS, ChunkParams, chunk_corpus

TEXTS = {"warehouse": "仓库温度每天记录两次。货车在周五检修。", "empty": "", "blank": " \n\u3000", "hill": "green hill"}
CUT = ChunkParams(splitter="fixed", size=8, overlap=2)


@pytest.mark.parametrize(("size", "overlap"), [(5, 5), (3, 5), (0, 0), (5, -1), (-2, -3)])
@pytest.mark.parametrize("splitter", [name for name, info in SPLITTERS.items() if info.uses_size])
def test_an_overlap_that_would_never_end_is_refused(splitter: str, size: int, overlap: int) -> None:
    params = ChunkParams(splitter=splitter, size=size, overlap=overlap)
    with pytest.raises(ValueError, match=f"smaller than size {size}, found {overlap}"):
        chunk_corpus(corpus_of(TEXTS), params)


def test_documents_without_chunks_are_listed() -> None:
    chunking = chunk_corpus(corpus_of(TEXTS), CUT)
    assert chunking.unreachable == ("empty", "blank")
    assert {chunk.document_id for chunk in chunking.chunks} == {"warehouse", "hill"}


def test_overlap_is_measured_between_neighbours_of_one_document() -> None:
    """Nine characters in windows of 4 with overlap 1 make three chunks, two overlaps; the other document has none."""
    chunking = chunk_corpus(corpus_of({"a": "abcdefghi", "b": "xyz"}), ChunkParams(splitter="fixed", size=4, overlap=1))
    assert [chunk.text for chunk in chunking.chunks] == ["abcd", "defg", "ghi", "xyz"]
    assert (chunking.overlap_mean, chunking.overlap_max) == (1.0, 1)


def test_ids_stay_unique_when_a_document_is_named_like_a_chunk() -> None:
    chunking = chunk_corpus(corpus_of({"a": "abcdefghi", "a#1": "jklmnopqr", "a#1#0": "s"}), CUT)
    assert [chunk.id for chunk in chunking.chunks] == ["a#0", "a#1", "a#1#0", "a#1#1", "a#1#0#0"]


def test_the_fingerprint_names_all_that_shapes_a_chunking() -> None:
    corpus = corpus_of(TEXTS)
    known = chunk_corpus(corpus, CUT).sha256
    assert chunk_corpus(corpus_of(dict(TEXTS)), CUT).sha256 == known
    first = corpus.documents[0]
    others = [
        chunk_corpus(replace(corpus, sha256="0" * 64), CUT),
        chunk_corpus(
            replace(corpus, documents=(replace(first, text="X" + first.text[1:]), *corpus.documents[1:])), CUT
        ),
        chunk_corpus(replace(corpus, documents=(replace(first, id="store"), *corpus.documents[1:])), CUT),
        chunk_corpus(replace(corpus, documents=corpus.documents[::-1]), CUT),
        chunk_corpus(corpus, replace(CUT, size=9)),
        chunk_corpus(corpus, replace(CUT, overlap=3)),
        *(chunk_corpus(corpus, replace(CUT, splitter=name)) for name in SPLITTERS if name != "fixed"),
    ]
    prints = {known, *(chunking.sha256 for chunking in others)}
    assert len(prints) == 1 + len(others)
