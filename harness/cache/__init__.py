"""The cache: vectors and rerank scores by content, and the care of everything that is kept on disk."""

from harness.cache.blobs import BlobCache

__all__ = ["BlobCache"]
