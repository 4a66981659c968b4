"""What every embedder promises: unit rows on the grid that depend on role and text alone."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from support.processes import run_python

from harness.protocols import Embedder, Role, TokenLoss
from harness.vectors import GRID_BITS

from .cases import BLANK, KINDS, ROLES, TEXTS, bits
from .conftest import Loader


@pytest.mark.parametrize("role", ROLES)
def test_rows_are_units_on_the_grid(embedder: Embedder, role: Role) -> None:
    rows = embedder.encode(TEXTS, role)
    assert rows.dtype == np.float32
    assert rows.ndim == 2
    assert len(rows) == len(TEXTS)
    wide = rows.astype(np.float64)
    assert np.array_equal(wide * 2**GRID_BITS, np.rint(wide * 2**GRID_BITS))
    lengths = np.sqrt((wide**2).sum(axis=1))
    assert [place for place, length in enumerate(lengths) if length == 0] == BLANK
    filled = [length for place, length in enumerate(lengths) if place not in BLANK]
    assert filled == pytest.approx([1.0] * len(filled), abs=1e-5)


@pytest.mark.parametrize("role", ROLES)
def test_neighbours_order_and_repeats_change_no_bit(embedder: Embedder, role: Role) -> None:
    known = embedder.encode(TEXTS, role)
    singles = [embedder.encode([text], role)[0] for text in TEXTS]
    assert np.array_equal(np.stack(singles), known)
    assert np.array_equal(embedder.encode(TEXTS[::-1], role)[::-1], known)
    order = random.Random(0).choices(range(len(TEXTS)), k=2 * len(TEXTS))
    assert np.array_equal(embedder.encode([TEXTS[place] for place in order], role), known[order])


def test_no_text_gives_no_row(embedder: Embedder) -> None:
    width = embedder.encode(["a"], "query").shape[1]
    assert embedder.encode([], "query").shape == (0, width)


def test_texts_that_differ_have_vectors_that_differ(embedder: Embedder) -> None:
    rows = embedder.encode([TEXTS[0], TEXTS[1], TEXTS[4]], "document")
    assert len({row.tobytes() for row in rows}) == 3


def test_every_text_is_looked_at_for_its_length(embedder: Embedder) -> None:
    loss = embedder.token_loss(TEXTS, "document")
    assert loss.texts == len(TEXTS)
    assert 0 <= loss.truncated <= loss.texts
    assert 0 <= loss.lost <= loss.tokens
    assert (loss.lost > 0) is (loss.truncated > 0)


def test_an_embedder_that_can_encode_has_nothing_left_to_learn(embedder: Embedder) -> None:
    assert embedder.learns is False


CHILD = """
import sys
from pathlib import Path
from embedding.cases import KINDS, bits, load
for kind in KINDS:
    print(kind, bits(load(kind, Path(sys.argv[1]))))
"""


def test_another_process_gives_the_same_bits(loaded: Loader, tiny_encoder: Path) -> None:
    printed = run_python(CHILD, tiny_encoder, hash_seed=4242)
    assert dict(line.split() for line in printed.splitlines()) == {kind: bits(loaded(kind)) for kind in KINDS}


def test_no_two_embedders_share_a_fingerprint(loaded: Loader) -> None:
    prints = [str(sorted(loaded(kind).fingerprint.items())) for kind in KINDS]
    assert len(set(prints)) == len(KINDS)


@pytest.mark.parametrize("kind", ["packaged-multilingual", "lsa"])
def test_those_without_a_limit_lose_nothing(loaded: Loader, kind: str) -> None:
    assert loaded(kind).token_loss(TEXTS, "query") == TokenLoss(texts=len(TEXTS))
