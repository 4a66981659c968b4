"""Latent semantic analysis: vectors learnt from the chunks themselves.

Deerwester et al., "Indexing by latent semantic analysis", JASIS 1990: a truncated singular value decomposition of
the tf-idf matrix. Terms are runs of one to three characters, so that no language needs a tokenizer. The solver starts
from a seeded vector and runs on one thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from harness.fingerprint import sha256_json
from harness.protocols import Role, TokenLoss
from harness.tokenizing.characters import normalise
from harness.vectors import GRID_BITS, unit_on_grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Lsa:
    """An unfitted LSA embedder; ``fit`` gives one that can encode."""

    learns = True

    def __init__(self, *, dimensions: int, seed: int) -> None:
        self.dimensions = dimensions
        self.seed = seed

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Settings and versions; the fitted embedder adds what it learnt from."""
        return {
            "embedder": "lsa",
            "dimensions": self.dimensions,
            "seed": self.seed,
            "scikit-learn": version("scikit-learn"),
            "scipy": version("scipy"),
            "grid_bits": GRID_BITS,
            "threads": 1,
        }

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        """The same for both roles."""
        return self.fingerprint

    def fingerprint_after_fit(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """Settings, versions and the texts."""
        return {**Lsa.fingerprint.fget(self), "learnt_from": sha256_json(list(texts))}  # type: ignore[attr-defined]

    def fit(self, texts: Sequence[str]) -> FittedLsa:
        """Learn from ``texts`` (the chunks of one chunking)."""
        return FittedLsa(self, texts)

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Refuse: nothing has been learnt yet."""
        raise RuntimeError("lsa must be fitted to the chunks before it can encode")

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        """Return no loss: there is no length limit."""
        return TokenLoss(texts=len(texts))


class FittedLsa(Lsa):
    """LSA that has learnt from a list of texts."""

    learns = False

    def __init__(self, settings: Lsa, texts: Sequence[str]) -> None:
        super().__init__(dimensions=settings.dimensions, seed=settings.seed)
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from threadpoolctl import threadpool_limits

        self._learnt_from = sha256_json(list(texts))
        self._tfidf = TfidfVectorizer(preprocessor=normalise, analyzer="char", ngram_range=(1, 3), sublinear_tf=True)
        with threadpool_limits(limits=1):
            matrix = self._tfidf.fit_transform(texts)
            rank = min(self.dimensions, min(matrix.shape) - 1)
            self._svd = None
            if rank >= 1:
                self._svd = TruncatedSVD(rank, algorithm="arpack", random_state=self.seed).fit(matrix)

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Settings, versions and the texts it learnt from."""
        return {**super().fingerprint, "learnt_from": self._learnt_from}

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return shape (n, d), d at most ``dimensions``.

        A text of nothing but white space, or without a known term, has no vector (zeros). Where there is too little
        to learn from (one chunk), all vectors are equal.
        """
        import numpy as np
        from threadpoolctl import threadpool_limits

        rows = np.zeros((len(texts), 1 if self._svd is None else len(self._svd.components_)))
        with threadpool_limits(limits=1):
            for place, text in enumerate(texts):
                terms = self._tfidf.transform([text]) if text.strip() else None
                if terms is not None and terms.nnz:
                    rows[place] = 1.0 if self._svd is None else self._svd.transform(terms)[0]
        return unit_on_grid(rows)

    def fit(self, texts: Sequence[str]) -> FittedLsa:
        """Learn anew from other texts."""
        return FittedLsa(self, texts)
