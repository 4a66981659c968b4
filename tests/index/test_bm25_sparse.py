"""BM25 from shared counts: bit for bit the reference, and right by two other witnesses."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import bm25s
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worlds import chunks_of

from harness.index import BM25_ENGINES, BM25_VARIANTS, Bm25Index, write_bm25_tokens
from harness.records import Leg
from harness.tokenizing import make_tokenizer

VARIANTS = sorted(BM25_VARIANTS)
K1 = [0, 0.3, 0.9, 1.2, 1.5, 2, 1000.0]
B = [0, 0.4, 0.75, 1]
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "仓", "zulu"]), max_size=9)
"""No chunk of the tables below holds ``zulu``; a list may be empty."""


def opened(folder: Path, chunks: list[list[str]]) -> Bm25Index:
    tokenizer = make_tokenizer("word")
    texts = [" ".join(words) or "???" for words in chunks]
    return Bm25Index.open(folder, write_bm25_tokens(folder, chunks_of(*texts), tokenizer), tokenizer)


def legs(index: Bm25Index, engine: str, questions: list[list[str]], depth: int, **weighting: float | str) -> list[Leg]:
    route = index.route(engine=engine, **weighting)  # type: ignore[arg-type]
    return route.legs([" ".join(words) for words in questions], depth)


def bits(found: list[Leg]) -> list[tuple[tuple[int, ...], list[str]]]:
    return [(leg.positions, [score.hex() for score in leg.scores]) for leg in found]


@given(
    chunks=st.lists(WORDS, min_size=1, max_size=14).filter(any),
    questions=st.lists(WORDS, min_size=1, max_size=4),
    k1=st.sampled_from(K1) | st.floats(0, 10),
    b=st.sampled_from(B) | st.floats(0, 1),
    depth=st.integers(1, 16),
)
def test_legs_are_those_of_the_reference_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory,
    chunks: list[list[str]],
    questions: list[list[str]],
    k1: float,
    b: float,
    depth: int,
) -> None:
    index = opened(tmp_path_factory.mktemp("index"), chunks)
    for variant in VARIANTS:
        weighting = {"variant": variant, "k1": k1, "b": b}
        reference = legs(index, "rank-bm25", questions, depth, **weighting)
        assert bits(legs(index, "sparse", questions, depth, **weighting)) == bits(reference)


CORPUS = [
    ["pump", "pump", "seal"],
    ["pump"],
    [],
    ["seal", "gasket", "valve"],
    ["pump", "valve", "valve", "valve", "valve"],
    ["gasket"],
    ["pump", "manual", "page", "seven"],
    ["pump"],
]
"""In five of eight chunks there is a pump, so Okapi's weight of it is negative; chunks 1 and 7 are equal."""
QUESTIONS = [
    ["pump"],
    ["valve", "valve", "seal", "valve"],
    ["zulu"],
    [],
    ["zulu", "gasket", "zulu", "pump", "gasket"],
    ["manual", "page", "seven", "seal"],
]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k1", K1)
@pytest.mark.parametrize("b", B)
def test_every_weighting_of_a_small_corpus_is_the_reference(tmp_path: Path, variant: str, k1: float, b: float) -> None:
    index = opened(tmp_path, CORPUS)
    for depth in (1, 2, 3, 8, 256):
        found = {
            engine: bits(legs(index, engine, QUESTIONS, depth, variant=variant, k1=k1, b=b)) for engine in BM25_ENGINES
        }
        assert found["sparse"] == found["rank-bm25"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0, 0.75), (0.9, 0), (1.2, 1)])
def test_one_index_serves_all_weightings(tmp_path: Path, variant: str, k1: float, b: float) -> None:
    """Counts are shared by routes that are open at once, and each question by the next: nothing leaks over."""
    index = opened(tmp_path, CORPUS)
    others = [index.route(variant=name, k1=2.5, b=0.1, engine="sparse") for name in VARIANTS]
    ours = index.route(variant=variant, k1=k1, b=b, engine="sparse")
    alone = opened(tmp_path, CORPUS).route(variant=variant, k1=k1, b=b, engine="sparse")
    texts = [" ".join(words) for words in QUESTIONS]
    for route in (*others, ours):
        route.legs(texts, 8)
    assert bits(ours.legs(texts * 2, 8)) == bits([alone.legs([text], 8)[0] for text in texts * 2])


def by_formula(variant: str, k1: float, b: float, chunks: list[list[str]], question: list[str]) -> dict[int, float]:
    """Return the scores of the chunks that share a term, from the formulas; sums are rounded once."""
    n, average = len(chunks), math.fsum(map(len, chunks)) / len(chunks)
    frequency = Counter(word for chunk in chunks for word in set(chunk))
    robertson = {word: math.log((n - held + 0.5) / (held + 0.5)) for word, held in frequency.items()}
    floor = 0.25 * math.fsum(robertson.values()) / len(robertson)
    scores: dict[int, float] = {}
    for place, chunk in enumerate(chunks):
        if not set(chunk) & set(question):
            continue
        parts = []
        for word in question:
            held, count = frequency[word], chunk.count(word)
            if not held:
                continue
            saturation = (k1 + 1) * count / (count + k1 * (1 - b + b * len(chunk) / average)) if count else 0.0
            if variant == "lucene":
                parts.append(math.log(1 + (n - held + 0.5) / (held + 0.5)) * saturation)
            elif variant == "okapi":
                parts.append((robertson[word] if robertson[word] >= 0 else floor) * saturation)
            else:
                parts.append(math.log((n + 1) / held) * (1 + saturation))
        scores[place] = math.fsum(parts)
    return scores


@given(
    chunks=st.lists(WORDS, min_size=1, max_size=12).filter(any),
    question=WORDS,
    variant=st.sampled_from(VARIANTS),
    k1=st.sampled_from(K1),
    b=st.sampled_from(B),
)
def test_scores_are_those_of_the_formulas(
    tmp_path_factory: pytest.TempPathFactory,
    chunks: list[list[str]],
    question: list[str],
    variant: str,
    k1: float,
    b: float,
) -> None:
    index = opened(tmp_path_factory.mktemp("index"), chunks)
    (leg,) = legs(index, "sparse", [question], 256, variant=variant, k1=k1, b=b)
    expected = by_formula(variant, k1, b, chunks, question)
    assert dict(zip(leg.positions, leg.scores, strict=True)) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    ranked = list(zip([-score for score in leg.scores], leg.positions, strict=True))
    assert ranked == sorted(ranked)


def by_bm25s(method: str, k1: float, b: float, chunks: list[list[str]], question: list[str]) -> list[float]:
    """Return the scores of all chunks from another library, in float64; its BM25+ divides 0 by 0 when k1 is 0."""
    model = bm25s.BM25(method=method, k1=k1 or 1e-300, b=b, delta=1.0, dtype="float64")
    model.index(chunks, show_progress=False)
    return [float(score) for score in model.get_scores([word for word in question if any(word in c for c in chunks)])]


RARE = [["a", "b"], ["c"], ["d", "d", "e"], ["f"], ["b", "g", "h", "h", "h"], ["i"], ["k", "l"]]
"""No term is in half of the chunks, so that no weight of Robertson's is cut off: there Okapi is his formula."""
RARE_QUESTIONS = [["a"], ["b", "h", "b"], ["d", "d", "l", "zulu"], ["c", "f", "i", "k", "e"]]


@pytest.mark.parametrize(
    ("variant", "method", "world"),
    [
        ("lucene", "lucene", (CORPUS, QUESTIONS)),
        ("plus", "bm25+", (CORPUS, QUESTIONS)),
        ("okapi", "robertson", (RARE, RARE_QUESTIONS)),
        ("lucene", "lucene", (RARE, RARE_QUESTIONS)),
    ],
)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 1.0), (1.2, 0.0), (0.0, 0.75)])
def test_scores_are_those_of_another_library(
    tmp_path: Path, variant: str, method: str, world: tuple[list[list[str]], list[list[str]]], k1: float, b: float
) -> None:
    """Its Lucene and Robertson leave out the constant factor k1 + 1, which moves no rank; its BM25+ has it."""
    chunks, questions = world
    index = opened(tmp_path, chunks)
    factor = 1.0 if method == "bm25+" else k1 + 1
    asked = [question for question in questions if any(word in chunk for chunk in chunks for word in question)]
    assert len(asked) >= 4
    for question in asked:
        (leg,) = legs(index, "sparse", [question], 256, variant=variant, k1=k1, b=b)
        theirs = by_bm25s(method, k1, b, chunks, question)
        assert leg.scores == pytest.approx([theirs[place] * factor for place in leg.positions], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("depth", [1, 2, 3, 7])
@pytest.mark.parametrize("kinds", [3, 2000])
def test_a_short_leg_of_many_chunks_is_the_beginning_of_the_whole(
    tmp_path: Path, variant: str, depth: int, kinds: int
) -> None:
    """A sample of the scores is looked at first; where there are few kinds of chunks, nearly all scores are ties."""
    draw = random.Random(depth)
    worlds = [
        ["a"] * draw.randint(1, 4) + ["b"] * draw.randint(0, 6) + ["c"] * draw.randint(0, 9) for _ in range(kinds)
    ]
    index = opened(tmp_path, [draw.choice(worlds) for _ in range(2000)])
    weighting: dict[str, float | str] = {"variant": variant, "k1": 1.5, "b": 0.75}
    questions = [["a"], ["b", "a"], ["c", "a", "b", "a"]]
    short = legs(index, "sparse", questions, depth, **weighting)
    whole = legs(index, "sparse", questions, 2000, **weighting)
    assert [len(leg.positions) for leg in whole] == [2000] * 3
    for cut, full in zip(short, whole, strict=True):
        ranked = sorted(zip(full.positions, full.scores, strict=True), key=lambda hit: (-hit[1], hit[0]))
        assert list(zip(cut.positions, cut.scores, strict=True)) == ranked[:depth]


@pytest.mark.parametrize("depth", range(1, 7))
def test_a_cut_through_ties_keeps_the_earlier_chunks(tmp_path: Path, depth: int) -> None:
    """One chunk is best; four tie behind it, whatever their lengths, since b is 0."""
    chunks = [["red"], ["blue"], ["red", "x"], ["red", "red", "red"], ["red"], ["red", "y"]]
    index = opened(tmp_path, chunks)
    (leg,) = legs(index, "sparse", [["red"]], depth, variant="lucene", k1=1.5, b=0)
    assert leg.positions == (3, 0, 2, 4, 5)[:depth]
    assert len(set(leg.scores[1:])) <= 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_index_without_any_term_gives_no_hit(tmp_path: Path, variant: str) -> None:
    index = opened(tmp_path, [[], []])
    assert legs(index, "sparse", [["a"], []], 5, variant=variant, k1=1.5, b=0.75) == [Leg(positions=(), scores=())] * 2
