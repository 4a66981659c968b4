"""Words of letters and digits, with optional stop words and stemming.

A CJK character stands alone, as in the Unicode word boundary rules (UAX #29): without a dictionary a whole
sentence would otherwise become one term that nothing matches.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from harness.tokenizing.characters import PIECE, normalise

STOP_WORDS: dict[str, frozenset[str]] = {
    "none": frozenset(),
    "english": frozenset(
        [
            "a",
            "an",
            "and",
            "are",
            "as",
            "at",
            "be",
            "but",
            "by",
            "for",
            "if",
            "in",
            "into",
            "is",
            "it",
            "no",
            "not",
            "of",
            "on",
            "or",
            "such",
            "that",
            "the",
            "their",
            "then",
            "there",
            "these",
            "they",
            "this",
            "to",
            "was",
            "will",
            "with",
        ]
    ),
}
"""``english`` is the list of Lucene's StandardAnalyzer."""

STEMMERS = ("none", "english", "french", "german", "italian", "portuguese", "russian", "spanish")
"""Snowball languages that can be named (https://snowballstem.org)."""


def word_tokens(text: str, stop_words: str = "none", stemmer: str = "none") -> list[str]:
    """Return the words of the normalised text, stop words dropped first, then stemmed."""
    stops = STOP_WORDS[stop_words]
    stem = _stem(stemmer)
    tokens: list[str] = []
    for match in PIECE.finditer(normalise(text)):
        if match["cjk"] is not None:
            tokens.extend(match["cjk"])
        elif match["word"] not in stops:
            tokens.append(stem(match["word"]))
    return tokens


@cache
def _stem(language: str) -> Callable[[str], str]:
    if language == "none":
        return lambda word: word
    import snowballstemmer

    stemmer = snowballstemmer.stemmer(language)
    return lru_cache(maxsize=100_000)(stemmer.stemWord)
