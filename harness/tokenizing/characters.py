"""What all tokenizers agree on: normal form, case, and which characters form words."""

from __future__ import annotations

import re
import unicodedata

CJK = (
    "\u3005\u3007"  # iteration mark, zero
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, without the marks between words
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"  # Han, supplementary planes
    "\uac00-\ud7a3\u1100-\u11ff"  # Hangul
)
"""Inside of a character class: scripts written without spaces, and Hangul."""

PIECE = re.compile(f"(?P<cjk>[{CJK}]+)|(?P<word>(?:(?![{CJK}])[^\\W_])+)")


def normalise(text: str) -> str:
    """Return ``text`` in NFKC (full-width letters become ordinary ones) and lower case."""
    return unicodedata.normalize("NFKC", text).lower()


def has_letter_or_digit(token: str) -> bool:
    """Tell whether a token holds anything but punctuation, symbols and space."""
    return any(character.isalnum() for character in token)
