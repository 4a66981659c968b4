"""Quotes that carry an answer, and what it means that a text contains one.

Both sides are put in NFKC (full-width letters become ordinary ones), each run of white space becomes one space, and
white space at the ends of a quote is dropped. Case and punctuation count. A quote is contained whole or not at all: of
one that a cut has divided, neither half counts.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A piece of a document that carries the answer to a question.

    Attributes:
        document: id of the document it was taken from.
        text: as it was written down.
    """

    document: str
    text: str


def comparable(text: str) -> str:
    """Return the form in which texts and quotes are compared; its white space is single spaces, none at the ends."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def contains(text: str, quote: Quote) -> bool:
    """Say whether ``text``, already ``comparable``, contains a quote whole."""
    return comparable(quote.text) in text
