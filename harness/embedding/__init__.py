"""Embedders: texts and their role → unit vectors."""

from harness.embedding.table import EMBEDDERS, EmbedderSpec, load_embedder

__all__ = ["EMBEDDERS", "EmbedderSpec", "load_embedder"]
