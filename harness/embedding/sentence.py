"""Any sentence-transformers model, by hub name or local path.

Each text goes through the model by itself: in a batch it would be padded to its longest neighbour, which changes the
last bits of its vector. On one CPU thread that is no slower, because nothing is computed for padding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.models import library_versions, load_sentence_model, locate_model, model_sha256
from harness.protocols import Role, TokenLoss
from harness.threads import model_threads
from harness.vectors import GRID_BITS, unit_on_grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DECLARED: dict[Role, tuple[str, ...]] = {"query": ("query",), "document": ("document", "passage", "corpus")}


class SentenceEmbedder:
    """A bi-encoder; its weights are loaded at the first ``encode``."""

    learns = False

    def __init__(self, name: str, query_prompt: str | None, document_prompt: str | None) -> None:
        """Locate the model's files.

        Raises:
            InputError: they can't be had.
        """
        self.name = name
        self._folder = locate_model(name)
        self._given: dict[Role, str | None] = {"query": query_prompt, "document": document_prompt}
        self._loaded: Any = None

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        """Weights by content, prompts in force, versions, threads."""
        return {
            "embedder": "sentence-transformers",
            "weights": model_sha256(self._folder),
            "query_prompt": self._given["query"],
            "document_prompt": self._given["document"],
            "libraries": library_versions(),
            "grid_bits": GRID_BITS,
            "threads": model_threads(),
        }

    def role_fingerprint(self, role: Role) -> Mapping[str, Any]:
        """Weights and versions, with the prompt of one role (the model's own where none is configured)."""
        shared = {name: value for name, value in self.fingerprint.items() if not name.endswith("_prompt")}
        given = self._given[role]
        return shared | ({"prompt": given} if given is not None else {"declared_prompt": role})

    @property
    def _model(self) -> Any:
        if self._loaded is None:
            self._loaded = load_sentence_model(self._folder)
        return self._loaded

    def prompt(self, role: Role) -> str:
        """Return what is put before a text: as configured, else as the model declares."""
        given = self._given[role]
        if given is not None:
            return given
        declared: Mapping[str, str] = self._model.prompts or {}
        return next((declared[name] for name in _DECLARED[role] if declared.get(name)), "")

    def fingerprint_after_fit(self, texts: Sequence[str]) -> Mapping[str, Any]:
        """The same as before: there is nothing to learn."""
        return self.fingerprint

    def fit(self, texts: Sequence[str]) -> SentenceEmbedder:
        """Return itself: there is nothing to learn."""
        return self

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return shape (n, d); a text of nothing but white space has no vector (zeros)."""
        import numpy as np

        rows = np.zeros((len(texts), self._model.get_embedding_dimension()), dtype=np.float32)
        filled = [place for place, text in enumerate(texts) if text.strip()]
        if filled:
            rows[filled] = self._model.encode(
                [texts[place] for place in filled],
                prompt=self.prompt(role),
                batch_size=1,
                convert_to_numpy=True,
                normalize_embeddings=False,
                show_progress_bar=False,
            )
        return unit_on_grid(rows)

    def token_loss(self, texts: Sequence[str], role: Role) -> TokenLoss:
        """Count tokens with the model's own tokenizer, special tokens and prompt included."""
        limit = self._model.max_seq_length
        prompt = self.prompt(role)
        lengths = [
            len(self._model.tokenizer(prompt + text, truncation=False, verbose=False)["input_ids"]) for text in texts
        ]
        over = [length - limit for length in lengths if limit and length > limit]
        return TokenLoss(texts=len(texts), truncated=len(over), tokens=sum(lengths), lost=sum(over))
