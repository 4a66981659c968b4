"""Chinese words by jieba's dictionary and hidden Markov model (rjieba: the same cuts, compiled)."""

from __future__ import annotations

from harness.tokenizing.characters import has_letter_or_digit, normalise


def jieba_tokens(text: str) -> list[str]:
    """Return jieba's default cut of the normalised text, without pieces that hold no letter or digit."""
    import rjieba

    return [token for token in rjieba.cut(normalise(text)) if has_letter_or_digit(token)]
