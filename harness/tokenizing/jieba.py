"""Chinese words by jieba's dictionary and hidden Markov model, by rjieba, which is compiled.

It cuts Chinese as jieba does, and keeps whole what jieba cuts at a hyphen, a dot or a unit:
``am-fm``, ``e.i``, ``2.4km``.
"""

from __future__ import annotations

from harness.tokenizing.characters import has_letter_or_digit, normalise


def jieba_tokens(text: str) -> list[str]:
    """Return jieba's default cut of the normalised text, without pieces that hold no letter or digit."""
    import rjieba

    return [token for token in rjieba.cut(normalise(text)) if has_letter_or_digit(token)]
