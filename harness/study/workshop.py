"""What all parameter sets of a study share: the corpus, the models, the store and the cache."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.cache import BlobCache
from harness.chunking import ChunkParams, chunk_corpus
from harness.embedding import CachedEmbedder, EmbedderSpec, load_embedder
from harness.errors import InputError
from harness.index import IndexStore
from harness.protocols import Embedder
from harness.records import Corpus, Damage
from harness.retrieval import CachedReranker, CrossEncoderReranker
from harness.study.bench import Bench


class Models:
    """Embedders and rerankers as they were loaded, each once; several workshops may share them."""

    def __init__(self) -> None:
        self._embedders: dict[EmbedderSpec, Embedder] = {}
        self._rerankers: dict[str, CrossEncoderReranker] = {}

    def embedder(self, spec: EmbedderSpec) -> Embedder:
        """Return an embedder."""
        if spec not in self._embedders:
            self._embedders[spec] = load_embedder(spec)
        return self._embedders[spec]

    def reranker(self, name: str) -> CrossEncoderReranker:
        """Return a reranker."""
        if name not in self._rerankers:
            self._rerankers[name] = CrossEncoderReranker(name)
        return self._rerankers[name]


class Workshop:
    """Everything the parameter sets of one study share, whatever their chunking."""

    def __init__(
        self,
        corpus: Corpus,
        questions: Sequence[str],
        store: IndexStore,
        *,
        cache: Path | None = None,
        models: Models | None = None,
    ) -> None:
        self.models = models or Models()
        self.corpus = corpus
        self.questions = tuple(questions)
        self.store = store
        self._cache = cache
        self._embedders: dict[EmbedderSpec, Embedder] = {}
        self._rerankers: dict[str, CachedReranker] = {}
        self._blobs: list[BlobCache] = []

    def embedder(self, spec: EmbedderSpec) -> Embedder:
        """Return the embedder, loaded once, remembering vectors unless it learns from the corpus."""
        if spec not in self._embedders:
            loaded = self.models.embedder(spec)
            self._embedders[spec] = loaded if loaded.learns else CachedEmbedder(loaded, self._open_blobs)
        return self._embedders[spec]

    def reranker(self, name: str) -> CachedReranker:
        """Return the reranker, loaded once."""
        if name not in self._rerankers:
            reranker = self.models.reranker(name)
            self._rerankers[name] = CachedReranker(reranker, self._open_blobs("rerank", reranker.fingerprint))
        return self._rerankers[name]

    def damage(self) -> list[Damage]:
        """Return what was found damaged in store and cache so far; it was put aside and made again."""
        return [*self.store.damage, *(found for blobs in self._blobs for found in blobs.damage)]

    def bench(self, params: ChunkParams) -> Bench:
        """Cut the corpus; what is opened on the bench is dropped with it."""
        chunking = chunk_corpus(self.corpus, params)
        if not chunking.chunks:
            raise InputError("the corpus gives no chunk under any splitter; is there any text in it?")
        return Bench(self, chunking)

    def _open_blobs(self, kind: str, ingredients: object) -> BlobCache | None:
        if self._cache is None:
            return None
        blobs = BlobCache(self._cache, kind, ingredients)  # type: ignore[arg-type]
        self._blobs.append(blobs)
        return blobs
