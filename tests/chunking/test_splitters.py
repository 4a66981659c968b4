"""What every splitter promises, and where each of them cuts."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import corpus_of

from harness.chunking import SPLITTERS, Chunking, ChunkParams, chunk_corpus

TEXTS = {
    "chinese-markdown": "# 冷链\n\n仓库温度每天记录两次。周五检修!\n\n## 门禁\n\n- 门禁卡遗失要上报。\n- 登记？\n",
    "english": "Pumps run dry.\r\nThey must be primed first.\r\n\r\nSee the manual, page 7.\r\n",
    "emoji": "ok 👩‍👩‍👧‍👦 family 🇨🇳 flags 👍🏽 done " * 4,
    "one-long-line": "x" * 137,
    "only-headings": "# A\n\n## B\n\n### C\n\n# D\n",
    "code-fence": "Before.\n\n```kotlin\nfun main() {\n    println(1)\n}\n```\n\nAfter the fence there is prose.\n",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\ntext",
    "white-space-inside": "first" + " \n\t" * 30 + "last",
    "ideographic-space": "　　段首空两格。　　再来一段。",
    "combining": "e\u0301a\u0308" * 20,
    "tiny": "a",
}
SIZES = [(1, 0), (7, 0), (7, 6), (20, 5), (64, 30), (1000, 100)]


def check_contract(texts: dict[str, str], chunking: Chunking) -> None:
    """Hold a chunking against everything a splitter promises."""
    info, params = SPLITTERS[chunking.params.splitter], chunking.params
    by_document = {name: [c for c in chunking.chunks if c.document_id == name] for name in texts}
    assert [c for held in by_document.values() for c in held] == list(chunking.chunks)
    assert len({chunk.id for chunk in chunking.chunks}) == len(chunking.chunks)
    assert chunking.unreachable == tuple(name for name, text in texts.items() if not text.strip())
    for name, text in texts.items():
        chunks = by_document[name]
        covered = {place for chunk in chunks for place in range(chunk.start, chunk.end)}
        assert all(character.isspace() for place, character in enumerate(text) if place not in covered)
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
        for chunk in chunks:
            assert chunk.id == f"{name}#{chunk.ordinal}"
            assert chunk.text == text[chunk.start : chunk.end]
            assert chunk.text.strip()
            if info.uses_size:
                assert params.size is not None
                assert len(chunk.text) <= params.size
        for before, after in pairwise(chunks):
            assert before.start < after.start
            assert before.end < after.end
            assert before.end - after.start <= (params.overlap or 0)


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize(("size", "overlap"), SIZES)
def test_every_splitter_keeps_the_contract(splitter: str, size: int, overlap: int) -> None:
    chunking = chunk_corpus(corpus_of(TEXTS), ChunkParams(splitter=splitter, size=size, overlap=overlap))
    check_contract(TEXTS, chunking)


PIECES = [
    "# ",
    "\n",
    "\n\n",
    "- ",
    "```\n",
    "。",
    "？",
    " ",
    "\t",
    "\u3000",
    "| a |",
    "中文",
    "word",
    "👩‍👩‍👧",
    "\r\n",
    "\x1c",
    "\ufeff",
]
MARKDOWN = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=30).map("".join)


@given(
    splitter=st.sampled_from(sorted(SPLITTERS)),
    texts=st.lists(st.one_of(MARKDOWN, st.text()), min_size=1, max_size=3),
    size=st.integers(1, 40),
    data=st.data(),
)
def test_every_splitter_keeps_the_contract_on_any_text(
    splitter: str, texts: list[str], size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    named = {f"doc{place}": text for place, text in enumerate(texts)}
    params = ChunkParams(splitter=splitter, size=size, overlap=overlap)
    check_contract(named, chunk_corpus(corpus_of(named), params))


@pytest.mark.parametrize(
    ("text", "size", "overlap", "spans"),
    [
        ("abcdefghij", 4, 0, [(0, 4), (4, 8), (8, 10)]),
        ("abcdefghij", 4, 1, [(0, 4), (3, 7), (6, 10)]),
        ("abcdefghij", 4, 2, [(0, 4), (2, 6), (4, 8), (6, 10)]),
        ("abcdefghij", 10, 3, [(0, 10)]),
        ("abcdefghij", 99, 98, [(0, 10)]),
        ("abcde", 3, 2, [(0, 3), (1, 4), (2, 5)]),
        ("abcde", 1, 0, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        ("仓库温度记录", 4, 2, [(0, 4), (2, 6)]),
        ("ab    cd", 2, 0, [(0, 2), (6, 8)]),  # the windows (2, 4) and (4, 6) hold white space only
    ],
)
def test_fixed_windows_stand_where_they_should(
    text: str, size: int, overlap: int, spans: list[tuple[int, int]]
) -> None:
    chunking = chunk_corpus(corpus_of({"d": text}), ChunkParams(splitter="fixed", size=size, overlap=overlap))
    assert [(chunk.start, chunk.end) for chunk in chunking.chunks] == spans


@given(text=st.text(st.characters(categories=["L", "N"]), min_size=1), size=st.integers(1, 20), data=st.data())
def test_fixed_overlaps_exactly(text: str, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    chunking = chunk_corpus(corpus_of({"d": text}), ChunkParams(splitter="fixed", size=size, overlap=overlap))
    assert [a.end - b.start for a, b in pairwise(chunking.chunks)] == [overlap] * (len(chunking.chunks) - 1)
    if len(chunking.chunks) > 1:
        assert (chunking.overlap_mean, chunking.overlap_max) == (overlap, overlap)


def cut(splitter: str, text: str, size: int, overlap: int = 0) -> list[str]:
    chunking = chunk_corpus(corpus_of({"d": text}), ChunkParams(splitter=splitter, size=size, overlap=overlap))
    return [chunk.text for chunk in chunking.chunks]


def test_markdown_is_cut_before_a_heading_although_more_would_fit() -> None:
    """The first section and the second heading have 20 characters together; only ``text`` joins them."""
    text = "# A\n\nalpha beta\n\n# B\n\ngamma"
    assert cut("markdown", text, 20) == ["# A\n\nalpha beta", "# B\n\ngamma"]
    assert cut("text", text, 20) == ["# A\n\nalpha beta\n\n# B", "gamma"]


@pytest.mark.parametrize("splitter", ["markdown", "text"])
@pytest.mark.parametrize("end", ["。", "？", "！"])
def test_chinese_sentences_stay_whole(splitter: str, end: str) -> None:
    first, second = f"仓库温度每天记录{end}", f"货车在周五检修{end}"
    assert cut(splitter, first + second, 12) == [first, second]
    assert cut("fixed", first + second, 12) == [(first + second)[:12], (first + second)[12:]]


def test_overlap_of_a_ceiling_splitter_repeats_whole_sentences() -> None:
    """Sentences of 5 characters, 10 fit: an overlap of 7 has room for one of them, an overlap of 4 for none."""
    sentences = ["甲乙丙丁。", "子丑寅卯。", "天地玄黄。"]
    assert cut("text", "".join(sentences), 10, 7) == ["甲乙丙丁。子丑寅卯。", "子丑寅卯。天地玄黄。"]
    assert cut("text", "".join(sentences), 10, 4)[0] == "甲乙丙丁。子丑寅卯。"


def test_the_whole_document_is_one_chunk_whatever_the_size() -> None:
    assert cut("document", " a\n\n# b ", 1) == [" a\n\n# b "]
    assert chunk_corpus(corpus_of({"d": "abc"}), ChunkParams(splitter="document")).chunks[0].end == 3
