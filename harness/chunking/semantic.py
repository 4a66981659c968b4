"""Splitters of the semantic-text-splitter library: along headings, paragraphs and sentences.

The library fills a chunk up to ``size`` characters at the highest level that fits (for Markdown: heading,
block, sentence, word, character); Chinese sentence ends count. ``overlap`` is a ceiling: a chunk starts with as
many whole pieces of its predecessor as fit into it, so the realised overlap is smaller and is reported.
https://docs.rs/text-splitter
"""

from __future__ import annotations

from collections.abc import Iterator

Span = tuple[int, int]


def markdown_spans(text: str, size: int, overlap: int) -> Iterator[Span]:
    """Yield ``(start, end)`` of each chunk, along Markdown structure first."""
    from semantic_text_splitter import MarkdownSplitter

    yield from _spans(MarkdownSplitter(size, overlap=overlap).chunk_indices(text))


def text_spans(text: str, size: int, overlap: int) -> Iterator[Span]:
    """Yield ``(start, end)`` of each chunk, along line breaks and sentences; Markdown means nothing here."""
    from semantic_text_splitter import TextSplitter

    yield from _spans(TextSplitter(size, overlap=overlap).chunk_indices(text))


def _spans(pieces: list[tuple[int, str]]) -> Iterator[Span]:
    for start, piece in pieces:
        yield start, start + len(piece)
