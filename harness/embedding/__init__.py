"""Embedders: texts and their role → unit vectors."""

from harness.embedding.cached import CachedEmbedder
from harness.embedding.table import EMBEDDERS, EmbedderSpec, load_embedder

__all__ = ["EMBEDDERS", "CachedEmbedder", "EmbedderSpec", "load_embedder"]
