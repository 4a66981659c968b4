"""BM25: which chunks are hits, their scores by the published formulas, and their order."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi, BM25Plus
from support.worlds import chunks_of

from harness.errors import StoreError
from harness.index import BM25_ENGINES, BM25_VARIANTS, Bm25Index, write_bm25_tokens
from harness.protocols import Route
from harness.records import Leg
from harness.tokenizing import TOKENIZERS, make_tokenizer

COLOURS = ("red kite", "red boat", "blue sea", "green hill")
ALL = sorted(BM25_VARIANTS)
ENGINES = sorted(BM25_ENGINES)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def opened(folder: Path, *texts: str, tokenizer: str = "word", **settings: str) -> Bm25Index:
    terms = make_tokenizer(tokenizer, **settings)
    folder.mkdir(exist_ok=True)
    return Bm25Index.open(folder, write_bm25_tokens(folder, chunks_of(*texts), terms), terms)


def route(folder: Path, *texts: str, engine: str, variant: str = "lucene", k1: float = 1.5, b: float = 0.75) -> Route:
    return opened(folder, *texts).route(engine=engine, variant=variant, k1=k1, b=b)


def asked(index: Route, question: str, depth: int = 256) -> Leg:
    (leg,) = index.legs([question], depth)
    return leg


@pytest.mark.parametrize("variant", ALL)
@pytest.mark.parametrize(
    ("question", "positions"),
    [
        ("red", (0, 1)),  # in half of the chunks: Okapi's weight is log 1
        ("zulu", ()),
        ("zulu red", (0, 1)),
        ("the of", ()),
        ("???", ()),
        ("", ()),
        ("hill, KITE!", (0, 3)),
    ],
)
def test_a_hit_shares_a_term_with_the_question(
    tmp_path: Path, engine: str, variant: str, question: str, positions: tuple[int, ...]
) -> None:
    ours = route(tmp_path, *COLOURS, engine=engine, variant=variant)
    assert tuple(sorted(asked(ours, question).positions)) == positions


@pytest.mark.parametrize(
    ("variant", "score"),
    [
        ("lucene", math.log(2)),  # ln(1 + 2.5/2.5), times 1: all chunks are of average length
        ("okapi", 0.0),  # ln(2.5/2.5)
        ("plus", 2 * math.log(2.5)),  # ln(5/2), times 1 + delta
    ],
)
def test_a_term_in_half_of_the_chunks_by_hand(tmp_path: Path, engine: str, variant: str, score: float) -> None:
    leg = asked(route(tmp_path, *COLOURS, engine=engine, variant=variant), "red")
    assert leg.scores == pytest.approx((score, score), abs=1e-12)


CORPUS = (
    "pump pump seal",
    "pump",
    "seal gasket valve",
    "pump valve valve valve valve",
    "gasket",
    "pump manual page seven",
    "???",
)
"""In four of seven chunks there is a pump, so Okapi's weight of it is negative; the last chunk has no term."""


def formula(variant: str, query: list[str], k1: float, b: float) -> dict[int, float]:
    """Return the scores of all chunks that share a term, straight from the papers."""
    terms = [[word for word in text.split() if word != "???"] for text in CORPUS]
    n, average = len(terms), sum(map(len, terms)) / len(terms)
    held = {word: sum(word in chunk for chunk in terms) for chunk in terms for word in chunk}
    robertson = {word: math.log((n - count + 0.5) / (count + 0.5)) for word, count in held.items()}
    floor = 0.25 * sum(robertson.values()) / len(robertson)
    weights = {
        "lucene": {word: math.log(1 + (n - count + 0.5) / (count + 0.5)) for word, count in held.items()},
        "okapi": {word: value if value >= 0 else floor for word, value in robertson.items()},
        "plus": {word: math.log((n + 1) / count) for word, count in held.items()},
    }[variant]
    delta = 1 if variant == "plus" else 0
    scores: dict[int, float] = {}
    for place, chunk in enumerate(terms):
        if not set(query) & set(chunk):
            continue
        scores[place] = 0.0
        for word in query:
            if word in held:
                count = chunk.count(word)
                saturated = 0.0
                if count:
                    saturated = count * (k1 + 1) / (count + k1 * (1 - b + b * len(chunk) / average))
                scores[place] += weights[word] * (delta + saturated)
    return scores


@pytest.mark.parametrize("variant", ALL)
@pytest.mark.parametrize(
    "question", ["pump", "valve", "pump seal", "pump pump gasket", "manual zulu", "page valve seal"]
)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2, 1), (1.2, 0), (0, 0.75), (0, 1)])
def test_scores_are_those_of_the_formulas(
    tmp_path: Path, engine: str, variant: str, question: str, k1: float, b: float
) -> None:
    leg = asked(route(tmp_path, *CORPUS, engine=engine, variant=variant, k1=k1, b=b), question)
    expected = formula(variant, question.split(), k1, b)
    assert dict(zip(leg.positions, leg.scores, strict=True)) == pytest.approx(expected, abs=1e-12)
    assert list(leg.scores) == sorted(leg.scores, reverse=True)


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_the_bits_of_rank_bm25(tmp_path: Path, engine: str, seed: int) -> None:
    draw = random.Random(seed)
    texts = [" ".join(draw.choices("abcdefghij", k=draw.randint(1, 12))) for _ in range(30)]
    terms = [text.split() for text in texts]
    index = opened(tmp_path, *texts)
    for variant, original in (("okapi", BM25Okapi), ("plus", BM25Plus)):
        for k1, b in ((1.5, 0.75), (0.7, 1.0)):
            reference = original(terms, k1=k1, b=b)
            ours = index.route(engine=engine, variant=variant, k1=k1, b=b)
            for question in ("a b c", "j", "a a z"):
                scores = reference.get_scores(question.split())
                leg = asked(ours, question)
                assert leg.scores == tuple(float(scores[position]) for position in leg.positions)


def test_ties_stand_in_the_order_of_the_chunks(tmp_path: Path, engine: str) -> None:
    ours = route(tmp_path, "red kite", "blue sea", "red boat", "red kite", "red hill", engine=engine)
    assert asked(ours, "red").positions == (0, 2, 3, 4)
    assert asked(ours, "red", depth=2).positions == (0, 2)
    assert asked(ours, "kite red").positions == (0, 3, 2, 4)


def test_asking_past_the_end_gives_what_there_is(tmp_path: Path, engine: str) -> None:
    ours = route(tmp_path, "red kite", "red boat", engine=engine)
    assert ours.size == 2
    assert asked(ours, "red", depth=10).positions == (0, 1)


@pytest.mark.parametrize("variant", ALL)
def test_an_index_without_any_term_gives_no_hit(tmp_path: Path, engine: str, variant: str) -> None:
    ours = route(tmp_path, "???", "…", "!", engine=engine, variant=variant)
    assert ours.size == 3
    assert asked(ours, "red ???") == Leg(positions=(), scores=())


def test_chunks_without_terms_are_counted(tmp_path: Path) -> None:
    facts = write_bm25_tokens(tmp_path, chunks_of("red", "???", "the of"), make_tokenizer("word", stop_words="english"))
    assert (facts["chunks"], facts["chunks_without_terms"]) == (3, 2)


def test_nothing_but_stop_words_finds_nothing(tmp_path: Path, engine: str) -> None:
    index = opened(tmp_path, "the red kite", "of the sea", stop_words="english")
    assert asked(index.route(engine=engine, variant="lucene", k1=1.5, b=0.75), "the of").positions == ()


@pytest.mark.parametrize("tokenizer", ["jieba", "char-bigram", "word"])
@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (("仓库温度每天记录两次", "货车在周五检修", "门禁卡遗失要上报"), "仓库温度"),
        (("国際標準化の会議", "天気は晴れです", "電車が遅れた"), "国際標準化"),
        (("データベースの移行", "門限は十時です", "電車が遅れた"), "ﾃﾞｰﾀﾍﾞｰｽ"),
        (("창고 온도는 매일 기록한다", "트럭은 금요일에 정비한다", "출입증을 잃으면 알린다"), "창고 온도"),
        (("창고 온도는 매일 기록한다", "트럭은 금요일에 정비한다"), "창고"),
        (("Pump P7, manual.", "Seal S2, manual.", "Valve."), "pump p7"),
    ],
)
def test_a_question_finds_its_chunk_in_any_script(
    tmp_path: Path, tokenizer: str, texts: tuple[str, ...], question: str
) -> None:
    index = opened(tmp_path, *texts, tokenizer=tokenizer)
    assert asked(index.route(variant="lucene", k1=1.5, b=0.75), question).positions[0] == 0


WORDS = st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join)


@given(
    texts=st.lists(WORDS, min_size=1, max_size=8),
    question=WORDS,
    variant=st.sampled_from(ALL),
    weighting=st.tuples(st.sampled_from([0, 0.5, 1.5, 7.25]), st.sampled_from([0, 0.3, 0.75, 1])),
    data=st.data(),
)
def test_hits_are_those_that_share_a_term_best_first(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    question: str,
    variant: str,
    weighting: tuple[float, float],
    data: st.DataObject,
) -> None:
    """Under any weighting, and bit for bit the same from both engines."""
    index, (k1, b) = opened(tmp_path_factory.mktemp("index"), *texts), weighting
    ours, sparse = (index.route(engine=engine, variant=variant, k1=k1, b=b) for engine in ("rank-bm25", "sparse"))
    leg = asked(ours, question)
    asking = set(question.split())
    assert sorted(leg.positions) == [place for place, text in enumerate(texts) if asking & set(text.split())]
    pairs = list(zip(leg.scores, leg.positions, strict=True))
    assert pairs == sorted(pairs, key=lambda pair: (-pair[0], pair[1]))
    assert all(math.isfinite(score) for score in leg.scores)
    depth = data.draw(st.integers(1, 10))
    for same in (ours, sparse):
        assert same.legs([question, "a", question], 256) == [leg, asked(ours, "a"), leg]
        assert asked(same, question, depth) == leg.cut(depth)


def test_changed_terms_are_noticed(tmp_path: Path) -> None:
    terms = make_tokenizer("word")
    facts = write_bm25_tokens(tmp_path, chunks_of(*COLOURS), terms)
    path = tmp_path / "vocabulary.json"
    path.write_text(path.read_text().replace("kite", "bite"))
    with pytest.raises(StoreError, match=r"vocabulary\.json: damaged") as caught:
        Bm25Index.open(tmp_path, facts, terms)
    assert str(tmp_path) in str(caught.value)
    path.unlink()
    with pytest.raises(StoreError, match=r"vocabulary\.json: damaged"):
        Bm25Index.open(tmp_path, facts, terms)


@pytest.mark.parametrize("name", ["cell_starts.npy", "cell_chunks.npy", "cell_counts.npy"])
def test_changed_counts_are_noticed(tmp_path: Path, name: str) -> None:
    terms = make_tokenizer("word")
    facts = write_bm25_tokens(tmp_path, chunks_of(*COLOURS), terms)
    data = bytearray((tmp_path / name).read_bytes())
    data[-1] ^= 1
    (tmp_path / name).write_bytes(data)
    with pytest.raises(StoreError, match=rf"{name}: damaged"):
        Bm25Index.open(tmp_path, facts, terms)


@given(texts=st.lists(st.text(), min_size=1, max_size=5))
def test_any_text_survives_the_disk(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    for name in TOKENIZERS:
        tokenizer = make_tokenizer(name)
        index = opened(tmp_path_factory.mktemp("index"), *texts, tokenizer=name)
        assert [list(held) for held in index.terms] == [tokenizer(text) for text in texts]
