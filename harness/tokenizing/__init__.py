"""Tokenizers: text → terms. The same one reads chunks and questions."""

from harness.tokenizing.table import STEMMERS, STOP_WORDS, TOKENIZERS, Tokenizer, make_tokenizer

__all__ = ["STEMMERS", "STOP_WORDS", "TOKENIZERS", "Tokenizer", "make_tokenizer"]
