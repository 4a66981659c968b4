"""Name → embedder."""

from __future__ import annotations

from dataclasses import dataclass

from harness.protocols import Embedder

EMBEDDERS: dict[str, str] = {
    "packaged-multilingual": "universal sentence encoder (multilingual) from a wheel; nothing to download",
    "lsa": "latent semantic analysis, learnt from the chunks themselves",
}
"""Names that mean something else than a sentence-transformers model; any other name is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """Which embedder, and its settings.

    Attributes:
        name: key of ``EMBEDDERS``, a hub name, or the path of a local folder.
        query_prompt: put before each question; None takes what the model itself declares.
        document_prompt: put before each chunk; None takes what the model itself declares.
        dimensions: of ``lsa``.
        seed: of ``lsa``.
    """

    name: str
    query_prompt: str | None = None
    document_prompt: str | None = None
    dimensions: int = 64
    seed: int = 0


def load_embedder(spec: EmbedderSpec) -> Embedder:
    """Load an embedder.

    Raises:
        InputError: the model can't be had; the message names both cures.
    """
    if spec.name == "packaged-multilingual":
        from harness.embedding.packaged import PackagedMultilingual

        return PackagedMultilingual(spec.query_prompt or "", spec.document_prompt or "")
    if spec.name == "lsa":
        from harness.embedding.lsa import Lsa

        return Lsa(dimensions=spec.dimensions, seed=spec.seed)
    from harness.embedding.sentence import SentenceEmbedder

    return SentenceEmbedder(spec.name, spec.query_prompt, spec.document_prompt)
