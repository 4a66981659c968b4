"""Vectors by content: each distinct text once per model and prompt, whoever asks, whatever becomes of the process."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.processes import run_python, start_python
from support.worlds import corpus_of

from harness.cache import BlobCache
from harness.cache.blobs import sound_rows
from harness.chunking import ChunkParams, chunk_corpus
from harness.embedding import CachedEmbedder, EmbedderSpec, load_embedder
from harness.embedding.sentence import SentenceEmbedder
from harness.index import IndexStore
from harness.protocols import Role
from harness.study.workshop import Workshop

from .probes import Counting, computed, files, remembering, rows, vector_of


def expected(texts: Sequence[str], prompt: str = "") -> NDArray[np.float32]:
    return np.array([vector_of(text, prompt) for text in texts], dtype=np.float32)


@settings(max_examples=40)
@given(asked=st.lists(st.lists(st.text(max_size=3), max_size=8), max_size=5), on_disk=st.booleans())
def test_what_is_remembered_is_what_is_computed(
    tmp_path_factory: pytest.TempPathFactory, asked: list[list[str]], on_disk: bool
) -> None:
    """Any texts, in any order, again and again, under either role; each is computed once a role."""
    model = Counting()
    root = tmp_path_factory.mktemp("cache")
    cached = remembering(model, root) if on_disk else CachedEmbedder(model)
    roles: tuple[Role, Role] = ("query", "document")
    for texts in asked:
        for role in roles:
            found = cached.encode(texts, role)
            assert found.dtype == np.float32
            assert found.tobytes() == expected(texts, model.prompts[role]).tobytes()
    distinct = {text for texts in asked for text in texts}
    for role in roles:
        assert sorted(model.asked[role]) == sorted(distinct)


PARTS = st.lists(st.text(max_size=4), min_size=1, max_size=3)


@given(first=PARTS, second=PARTS, text=st.text(), cut=st.integers(0, 5))
def test_keys_are_equal_only_if_all_texts_are(first: list[str], second: list[str], text: str, cut: int) -> None:
    key = BlobCache(Path(), "embeddings", {}).key
    assert (key(*first) == key(*second)) == (first == second)
    assert (key(text[:cut], text[cut:]) == key(text, "")) == (not text[cut:])


CORPUS = corpus_of({f"doc{n}": f"Part {n}. The pump of hall {n} runs dry. " + "Prime it first. " * 6 for n in range(9)})
CUTS = [ChunkParams(splitter="fixed", size=size, overlap=overlap) for size, overlap in ((48, 0), (32, 16), (64, 0))]


def chunk_texts(*cuts: ChunkParams) -> list[str]:
    return [chunk.text for cut in cuts for chunk in chunk_corpus(CORPUS, cut).chunks]


def test_each_distinct_text_is_computed_once_across_chunkings_and_studies(tmp_path: Path) -> None:
    model, root = Counting(), tmp_path / "cache"
    for cut in CUTS[:2]:
        texts = chunk_texts(cut)
        assert remembering(model, root).encode(texts, "document").tobytes() == expected(texts).tobytes()
    seen = chunk_texts(*CUTS[:2])
    assert len(seen) > len(set(seen)) > 20
    assert sorted(model.asked["document"]) == sorted(set(seen))

    another = Counting()
    texts = [*chunk_texts(*CUTS), "a text of its own"]
    assert remembering(another, root).encode(texts, "document").tobytes() == expected(texts).tobytes()
    assert sorted(another.asked["document"]) == sorted(set(texts) - set(seen))
    (path,) = files(root)
    assert rows(path) == computed(path) == len(set(texts))


def test_chunkings_of_a_study_share_their_vectors(tmp_path: Path, tiny_encoder: Path) -> None:
    """The same by a real model, through what a study opens; a second study computes only what is new."""
    spec = EmbedderSpec(name=str(tiny_encoder))
    questions = ["pump hall", "prime", "pump hall"]
    for place, cuts in enumerate((CUTS[:2], CUTS[1:])):
        workshop = Workshop(CORPUS, questions, IndexStore(tmp_path / "store"), cache=tmp_path / "cache")
        embedder = workshop.embedder(spec)
        for cut in cuts:
            embedder.encode(chunk_texts(cut), "document")
        embedder.encode(questions, "query")
        wanted = {"document": set(chunk_texts(*(CUTS if place else CUTS[:2]))), "query": set(questions)}
        held = {role: BlobCache(tmp_path / "cache", "embeddings", embedder.role_fingerprint(role)) for role in wanted}
        for role, texts in wanted.items():
            assert rows(held[role].path) == computed(held[role].path) == len(texts)
            assert held[role].held([held[role].key(text) for text in texts]) == len(texts)
        assert workshop.damage() == []


def test_a_model_that_learns_from_the_corpus_is_not_remembered(tmp_path: Path) -> None:
    workshop = Workshop(CORPUS, [], IndexStore(tmp_path / "store"), cache=tmp_path / "cache")
    workshop.embedder(EmbedderSpec(name="lsa")).fit(["a b", "b c"]).encode(["a"], "query")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (Counting(), Counting(), True),
        (Counting(), Counting("another"), False),
        (Counting(), Counting(document_prompt="d: "), False),
        (Counting(), Counting(query_prompt="other: "), True),  # only questions have another prompt
    ],
)
def test_models_share_a_file_if_nothing_tells_them_apart(
    tmp_path: Path, one: Counting, other: Counting, shared: bool
) -> None:
    places = [BlobCache(tmp_path, "embeddings", model.role_fingerprint("document")).path for model in (one, other)]
    assert (places[0] == places[1]) == shared


def test_roles_with_equal_prompts_share_a_file(tmp_path: Path) -> None:
    model = Counting(query_prompt="x: ", document_prompt="x: ")
    cached = remembering(model, tmp_path)
    for role in ("document", "query"):
        assert cached.encode(["a", "b"], role).tobytes() == expected(["a", "b"], "x: ").tobytes()
    assert model.asked == {"document": ["a", "b"], "query": []}
    assert len(files(tmp_path)) == 1
    assert cached.place("query") is cached.place("document")


@pytest.mark.parametrize(
    ("query", "document", "shared"),
    [("", "", True), ("x: ", "x: ", True), ("x: ", "", False), (None, None, False), (None, "", False)],
)
def test_a_sentence_model_shares_by_its_prompts(
    tmp_path: Path, tiny_encoder: Path, query: str | None, document: str | None, shared: bool
) -> None:
    """None leaves the prompt to the model, which is not looked into before it is loaded: never shared."""
    model = SentenceEmbedder(str(tiny_encoder), query, document)
    prints = [dict(model.role_fingerprint(role)) for role in ("query", "document")]
    assert (prints[0] == prints[1]) == shared
    paths = [BlobCache(tmp_path, "embeddings", found).path for found in prints]
    assert (paths[0] == paths[1]) == shared


def test_a_shared_file_gives_what_the_model_gives(tmp_path: Path, tiny_encoder: Path) -> None:
    texts = ["pump seven", "", "仓库温度", "pump seven"]
    plain = load_embedder(EmbedderSpec(name=str(tiny_encoder), query_prompt="q: ", document_prompt="q: "))
    cached = CachedEmbedder(plain, lambda kind, ingredients: BlobCache(tmp_path, kind, ingredients))
    for role in ("document", "query", "document"):
        assert cached.encode(texts, role).tobytes() == plain.encode(texts, role).tobytes()
    (path,) = files(tmp_path)
    assert rows(path) == computed(path) == 3


BATCH = 128

KILLED = """
import os, signal, sys
from pathlib import Path
from cache.probes import Counting, remembering

class Dying(Counting):
    def encode(self, texts, role):
        if len(self.asked[role]) + len(texts) > int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().encode(texts, role)

remembering(Dying(), Path(sys.argv[1])).encode([f"text {n}" for n in range(1000)], "document")
"""


@pytest.mark.parametrize("computed_before", [100, 300, 640])
def test_a_kill_loses_at_most_the_batch_at_hand(tmp_path: Path, computed_before: int) -> None:
    process = start_python(KILLED, tmp_path, computed_before)
    _, complaints = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, complaints
    kept = sum(rows(path) for path in files(tmp_path))
    assert kept > computed_before - BATCH
    assert kept == computed_before // BATCH * BATCH
    model, opened = Counting(), list[BlobCache]()
    texts = [f"text {n}" for n in range(1000)]
    assert remembering(model, tmp_path, opened).encode(texts, "document").tobytes() == expected(texts).tobytes()
    assert model.asked["document"] == texts[kept:]
    assert [blobs.damage for blobs in opened] == [[]]


MEETING = """
import hashlib, sys, time
from pathlib import Path
from cache.probes import Counting, remembering
root, name, other = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
model, opened = Counting(), []
cached = remembering(model, root / "cache", opened)
texts = [f"text {n}" for n in range(600)]
mine = texts if name == "one" else texts[::-1]
for start in range(0, 600, 20):
    (root / f"{name}-{start}").touch()
    while not (root / f"{other}-{start}").exists():
        time.sleep(0.001)
    cached.encode(mine[start : start + 20], "document")
found = cached.encode(texts, "document")
print(hashlib.sha256(found.tobytes()).hexdigest(), len(set(model.asked["document"])), [b.damage for b in opened])
"""


def test_two_processes_fill_one_file_at_once(tmp_path: Path) -> None:
    """They meet before every twenty texts, from both ends."""
    import hashlib

    pairs = [("one", "two"), ("two", "one")]
    processes = [start_python(MEETING, tmp_path, *pair) for pair in pairs]
    ends = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    texts = [f"text {n}" for n in range(600)]
    seal = hashlib.sha256(expected(texts).tobytes()).hexdigest()
    for out, _ in ends:
        said = out.split(maxsplit=2)
        assert said[0] == seal
        assert int(said[1]) < 600, "each found what the other had computed"
        assert said[2].strip() == "[[]]"
    (path,) = files(tmp_path / "cache")
    assert sound_rows(path) == (600, 0)


def test_a_later_process_computes_nothing(tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(300)]
    remembering(Counting(), tmp_path).encode(texts, "document")
    code = """
import sys
from pathlib import Path
from cache.probes import Counting, remembering
model = Counting()
remembering(model, Path(sys.argv[1])).encode([f"text {n}" for n in range(300)][::-1], "document")
print(model.asked)
"""
    assert run_python(code, tmp_path, hash_seed=5).strip() == "{'query': [], 'document': []}"
