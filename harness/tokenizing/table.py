"""Name → tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

from harness.tokenizing.ascii import ascii_tokens
from harness.tokenizing.char_bigram import char_bigram_tokens
from harness.tokenizing.jieba import jieba_tokens
from harness.tokenizing.word import STEMMERS, STOP_WORDS, word_tokens

TOKENIZERS: dict[str, str] = {
    "jieba": "Chinese words by dictionary; words of ASCII letters and digits whole, other letters one by one",
    "char-bigram": "pairs of CJK characters; other words whole",
    "ascii": "runs of a to z and 0 to 9, nothing else; the tokens of many published baselines",
    "word": "words of letters and digits; single CJK characters; optional stop words and stemming",
}

__all__ = ["STEMMERS", "STOP_WORDS", "TOKENIZERS", "Tokenizer", "make_tokenizer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenizer:
    """Text → terms.

    Attributes:
        name: key of ``TOKENIZERS``.
        tokens: the function; equal texts give equal terms, in reading order, repeats kept.
        fingerprint: what shapes the terms.
    """

    name: str
    tokens: Callable[[str], list[str]]
    fingerprint: Mapping[str, str]

    def __call__(self, text: str) -> list[str]:
        """Return the terms of ``text``."""
        return self.tokens(text)


def make_tokenizer(name: str, *, stop_words: str = "none", stemmer: str = "none") -> Tokenizer:
    """Return a tokenizer by name; ``stop_words`` and ``stemmer`` matter to ``word`` only.

    Raises:
        KeyError: the name isn't in ``TOKENIZERS``.
    """
    TOKENIZERS[name]
    if name == "jieba":
        return Tokenizer(name=name, tokens=jieba_tokens, fingerprint=_print(name, rjieba=version("rjieba")))
    if name == "char-bigram":
        return Tokenizer(name=name, tokens=char_bigram_tokens, fingerprint=_print(name))
    if name == "ascii":
        return Tokenizer(name=name, tokens=ascii_tokens, fingerprint=_print(name))
    stemming = {"snowballstemmer": version("snowballstemmer")} if stemmer != "none" else {}
    return Tokenizer(
        name=name,
        tokens=partial(word_tokens, stop_words=stop_words, stemmer=stemmer),
        fingerprint=_print(name, stop_words=stop_words, stemmer=stemmer, **stemming),
    )


def _print(name: str, **extra: str) -> Mapping[str, str]:
    import unicodedata

    return {"tokenizer": name, "version": "1", "unicode": unicodedata.unidata_version, **extra}
