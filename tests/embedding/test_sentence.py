"""sentence-transformers models: prompts, the length limit, and what names their weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.models import build_encoder

from harness.embedding import EmbedderSpec, load_embedder
from harness.embedding.sentence import SentenceEmbedder
from harness.errors import InputError
from harness.protocols import Role, TokenLoss


def copied(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to)
    return to


def declare(folder: Path, prompts: dict[str, str]) -> Path:
    path = folder / "config_sentence_transformers.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"prompts": prompts}))
    return folder


@pytest.mark.parametrize(
    ("declared", "given", "query", "document"),
    [
        ({"query": "q: ", "document": "d: "}, (None, None), "q: ", "d: "),
        ({"query": "q: ", "document": "d: "}, ("", ""), "", ""),
        ({"query": "q: ", "document": "d: "}, ("x: ", None), "x: ", "d: "),
        ({"query": "q: ", "passage": "p: "}, (None, None), "q: ", "p: "),
        ({"query": "", "document": "", "corpus": "c: "}, (None, None), "", "c: "),
        ({"other": "o: "}, (None, None), "", ""),
        ({}, (None, "d: "), "", "d: "),
    ],
)
def test_each_role_gets_its_prompt(
    tiny_encoder: Path,
    tmp_path: Path,
    declared: dict[str, str],
    given: tuple[str | None, str | None],
    query: str,
    document: str,
) -> None:
    folder = declare(copied(tiny_encoder, tmp_path / "model"), declared)
    embedder = SentenceEmbedder(str(folder), *given)
    plain = SentenceEmbedder(str(folder), "", "")
    expected: dict[Role, str] = {"query": query, "document": document}
    for role, prompt in expected.items():
        assert embedder.prompt(role) == prompt
        assert np.array_equal(
            embedder.encode(["pump", "dry"], role), plain.encode([f"{prompt}pump", f"{prompt}dry"], role)
        )


def test_a_prompt_changes_vector_and_fingerprint(tiny_encoder: Path) -> None:
    def load(query: str | None, document: str | None) -> SentenceEmbedder:
        return SentenceEmbedder(str(tiny_encoder), query, document)

    declared, bare, swapped = load(None, None), load("", ""), load("d: ", "q: ")
    rows = [embedder.encode(["pump"], "query").tobytes() for embedder in (declared, bare, swapped)]
    assert len(set(rows)) == 3
    assert np.array_equal(swapped.encode(["pump"], "query"), declared.encode(["pump"], "document"))
    prints = [
        str(load(*given).fingerprint) for given in ((None, None), ("", None), (None, ""), ("", ""), ("d: ", "q: "))
    ]
    assert len(set(prints)) == 5


@pytest.mark.parametrize(
    ("given", "alike"),
    [((None, None), False), (("", ""), True), (("q: ", "q: "), True), (("q: ", "d: "), False), (("", None), False)],
)
def test_two_roles_share_a_name_where_they_share_their_vectors(
    tiny_encoder: Path, given: tuple[str | None, str | None], alike: bool
) -> None:
    embedder = SentenceEmbedder(str(tiny_encoder), *given)
    assert (embedder.role_fingerprint("query") == embedder.role_fingerprint("document")) is alike
    assert np.array_equal(embedder.encode(["pump"], "query"), embedder.encode(["pump"], "document")) is alike


def test_blank_texts_have_no_vector_even_with_a_prompt(tiny_encoder: Path) -> None:
    rows = SentenceEmbedder(str(tiny_encoder), "q: ", "d: ").encode(["", "  ", "a"], "document")
    assert rows.any(axis=1).tolist() == [False, False, True]


def test_the_fingerprint_names_the_weights_by_content(tiny_encoder: Path, tmp_path: Path) -> None:
    known = SentenceEmbedder(str(tiny_encoder), None, None).fingerprint
    moved = copied(tiny_encoder, tmp_path / "elsewhere" / "under-another-name")
    assert SentenceEmbedder(str(moved), None, None).fingerprint == known
    flipped = copied(tiny_encoder, tmp_path / "flipped")
    weights = flipped / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    other = declare(copied(tiny_encoder, tmp_path / "declaring"), {"query": "other: "})
    assert len({str(SentenceEmbedder(str(f), None, None).fingerprint) for f in (tiny_encoder, flipped, other)}) == 3


def test_a_cut_tail_is_counted(tmp_path: Path) -> None:
    """Limit 8: twelve words make 14 tokens with the two special ones, so 6 are never read."""
    embedder = SentenceEmbedder(str(build_encoder(tmp_path / "short", limit=8)), "", "d: ")
    words = "a b c d e f g h i j k l"
    assert embedder.token_loss([words], "query") == TokenLoss(texts=1, truncated=1, tokens=14, lost=6)
    assert embedder.token_loss([words], "document") == TokenLoss(texts=1, truncated=1, tokens=16, lost=8)
    assert embedder.token_loss(["a b c d e f", "a", ""], "query") == TokenLoss(texts=3, truncated=0, tokens=13, lost=0)
    cut = embedder.encode([words, "a b c d e f x", "a b c d e f"], "query")
    assert np.array_equal(cut[0], cut[1])
    assert np.array_equal(cut[1], cut[2])


def test_a_model_that_is_nowhere_is_named_with_both_cures() -> None:
    with pytest.raises(InputError) as caught:
        load_embedder(EmbedderSpec(name="nobody/has-this-model"))
    (problem,) = caught.value.problems
    assert "'nobody/has-this-model'" in problem.message
    assert "hf download nobody/has-this-model" in problem.message
    assert "the path of a local folder" in problem.message
