"""Splitters: a document's text → spans of characters → chunks."""

from harness.chunking.chunker import SPLITTERS, Chunking, ChunkParams, SplitterInfo, chunk_corpus

__all__ = ["SPLITTERS", "ChunkParams", "Chunking", "SplitterInfo", "chunk_corpus"]
