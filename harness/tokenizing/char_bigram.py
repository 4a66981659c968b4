"""Overlapping pairs of characters: needs no dictionary, serves Chinese, Japanese and Korean alike."""

from __future__ import annotations

from harness.tokenizing.characters import PIECE, normalise


def char_bigram_tokens(text: str) -> list[str]:
    """Return bigrams of each run of CJK characters (a lone character stays alone) and all other words whole."""
    tokens: list[str] = []
    for match in PIECE.finditer(normalise(text)):
        run = match["cjk"]
        if run is None:
            tokens.append(match["word"])
        elif len(run) == 1:
            tokens.append(run)
        else:
            tokens.extend(run[i : i + 2] for i in range(len(run) - 1))
    return tokens
