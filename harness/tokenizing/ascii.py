"""Runs of a to z and 0 to 9, as many published BM25 baselines use; every other character parts words.

An accented letter parts a word (``naïve`` gives ``na`` and ``ve``), and text in another script gives no term at all.
"""

from __future__ import annotations

import re

from harness.tokenizing.characters import normalise

_RUN = re.compile(r"[a-z0-9]+")


def ascii_tokens(text: str) -> list[str]:
    """Return the runs of ASCII letters and digits of the normalised text."""
    return _RUN.findall(normalise(text))
