"""Real cross-encoders: raw logits, truncated pairs, and the reranker that remembers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.models import build_reranker
from support.worlds import chunks_of, route_of

from harness.errors import InputError
from harness.protocols import PairScores, Reranker
from harness.records import Judgments
from harness.retrieval import CachedReranker, CrossEncoderReranker, Retriever
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measures
from harness.scoring.scorer import score_run

QUESTION = "why is the pump dry"
TEXTS = ["the pump runs dry", "a b c", "仓库温度", "seal the valve", "", "prime the pump first", "x"]


@pytest.fixture(scope="module")
def reranker(tiny_reranker: Path) -> CrossEncoderReranker:
    return CrossEncoderReranker(str(tiny_reranker))


def test_a_score_depends_on_the_pair_alone(reranker: CrossEncoderReranker) -> None:
    known = reranker.score(QUESTION, TEXTS).logits
    assert len(set(known)) == len(TEXTS)
    assert tuple(reranker.score(QUESTION, [text]).logits[0] for text in TEXTS) == known
    assert reranker.score(QUESTION, TEXTS[::-1]).logits == known[::-1]
    assert reranker.score(QUESTION, TEXTS + TEXTS).logits == known + known
    assert reranker.score(QUESTION, []) == PairScores(logits=(), truncated=())


@pytest.mark.parametrize(
    ("question", "text", "truncated"),
    [
        (5, 5, False),  # 5 + 5 and three special tokens: 13 of 16
        (6, 7, False),  # exactly 16
        (7, 7, True),  # 17
        (10, 10, True),
        (1, 13, True),
    ],
)
def test_the_limit_is_for_question_and_text_together(
    tmp_path_factory: pytest.TempPathFactory, question: int, text: int, truncated: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / "reranker-16"
    if not folder.exists():
        build_reranker(folder, limit=16)
    scores = CrossEncoderReranker(str(folder)).score(" ".join("a" * question), [" ".join("b" * text), "c"])
    assert scores.truncated == (truncated, question > 12)


def test_confident_pairs_keep_their_order(tmp_path: Path) -> None:
    """Their sigmoids are all 1.0 in single precision; the raw logits are not."""
    import torch

    folder = build_reranker(tmp_path / "confident", scale=3, shift=40)
    config = json.loads((folder / "config.json").read_text())
    assert "activation" not in json.dumps(config.get("sentence_transformers", {}))  # so the default, a sigmoid, applies
    found = CrossEncoderReranker(str(folder))
    logits = found.score(QUESTION, TEXTS).logits
    assert min(logits) > 17
    assert set(torch.sigmoid(torch.tensor(logits, dtype=torch.float32)).tolist()) == {1.0}
    assert len(set(logits)) == len(TEXTS)
    search = Retriever(chunks=chunks_of(*TEXTS), routes={"bm25": route_of(*range(len(TEXTS)))}, reranker=found)
    hits = search.search(QUESTION, mode="bm25", top_k=len(TEXTS), fetch_k=len(TEXTS), rerank=len(TEXTS))
    assert [hit.score for hit in hits] == sorted(logits, reverse=True)
    assert [hit.explain.rank_before_rerank for hit in hits] == [
        logits.index(score) + 1 for score in sorted(logits, reverse=True)
    ]


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    folder = build_reranker(tmp_path / "broken", shift=float("nan"))
    with pytest.raises(InputError, match="NaN or infinite") as caught:
        CrossEncoderReranker(str(folder)).score(QUESTION, TEXTS[:1])
    assert str(folder) in str(caught.value)


def test_a_model_that_is_nowhere_is_refused_before_any_work() -> None:
    with pytest.raises(InputError, match=r"'nobody/has-this-model'.*hf download nobody/has-this-model"):
        CrossEncoderReranker("nobody/has-this-model")


def test_the_fingerprint_names_the_weights(reranker: CrossEncoderReranker, tmp_path: Path) -> None:
    other = CrossEncoderReranker(str(build_reranker(tmp_path / "other", shift=1.0)))
    same = CrossEncoderReranker(str(build_reranker(tmp_path / "same")))
    assert same.fingerprint == reranker.fingerprint != other.fingerprint


def test_the_reranker_decides_what_is_first(reranker: CrossEncoderReranker) -> None:
    """Whatever it prefers stands second before: recall@1 is 0 without it and 1 with it."""
    logits = reranker.score(QUESTION, TEXTS[:2]).logits
    texts = [text for _, text in sorted(zip(logits, TEXTS[:2], strict=True))]
    search = Retriever(chunks=chunks_of(*texts), routes={"bm25": route_of(0, 1)}, reranker=reranker)
    assert [hit.chunk.text for hit in search.search(QUESTION, mode="bm25", top_k=1)] == [texts[0]]
    after = search.search(QUESTION, mode="bm25", top_k=1, fetch_k=2, rerank=2)
    assert [hit.chunk.text for hit in after] == [texts[1]]


def test_it_gets_no_credit_for_what_was_never_retrieved(reranker: CrossEncoderReranker) -> None:
    """Two relevant documents, one among the candidates and ranked first: 1 / (1 + 1/log2 3) = 0.6131."""
    logits = reranker.score(QUESTION, TEXTS[:2]).logits
    best = logits.index(max(logits))
    search = Retriever(chunks=chunks_of(*TEXTS), routes={"bm25": route_of(1 - best, best)}, reranker=reranker)
    hits = search.search(QUESTION, mode="bm25", top_k=2, fetch_k=2, rerank=2)
    scored = score_run(
        ledger=["q"],
        judgments=Judgments(exhaustive=True, grades={"q": {f"d{best}": 1, "d5": 1}}),
        document_ids=[chunk.document_id for chunk in search.chunks],
        run={"q": [hit.chunk.document_id for hit in hits]},
        conventions=Conventions(measures=parse_measures(["ndcg@10", "recall@10"])),
    )
    assert float(scored.means["ndcg@10"] or 0) == pytest.approx(0.6131, abs=5e-5)
    assert scored.means["recall@10"] == 0.5


class Recorder:
    """A real reranker that writes down what it was asked."""

    def __init__(self, inner: Reranker) -> None:
        self.inner = inner
        self.asked: list[tuple[str, str]] = []

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return self.inner.fingerprint

    def score(self, question: str, texts: Sequence[str]) -> PairScores:
        self.asked.extend((question, text) for text in texts)
        return self.inner.score(question, texts)


def test_remembering_changes_nothing_and_asks_once_per_pair(reranker: CrossEncoderReranker) -> None:
    recorder = Recorder(reranker)
    cached = CachedReranker(recorder)
    for question, texts in [(QUESTION, TEXTS[:3]), ("another", TEXTS[1:]), (QUESTION, TEXTS * 2), (QUESTION, [])]:
        assert cached.score(question, texts) == reranker.score(question, texts)
    assert len(recorder.asked) == len(set(recorder.asked)) == 2 * len(TEXTS) - 1
    assert cached.fingerprint == reranker.fingerprint


def test_pairs_are_counted_as_often_as_they_are_asked_for(reranker: CrossEncoderReranker) -> None:
    cached = CachedReranker(reranker)
    long = " ".join("a" * 80)
    cached.score(QUESTION, [long, "b"])
    cached.score(QUESTION, [long])
    assert cached.tally() == (3, 2)
    assert cached.tally() == (0, 0)
    cached.score(QUESTION, ["b", long])
    assert cached.tally() == (2, 1)
