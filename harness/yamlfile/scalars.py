"""Which type a plain scalar has, whatever YAML 1.1 would guess."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

_LONGEST_NUMBER = 300
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_NUMERIC = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|0o[0-7]+")
_WORDS: dict[str, bool | None] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS.update(dict.fromkeys(("true", "True", "TRUE"), True))
_WORDS.update(dict.fromkeys(("false", "False", "FALSE"), False))
_TEXT_TAG = "tag:yaml.org,2002:str"
_RESOLVER: Any = yaml.resolver.Resolver()


class Ambiguous(str):
    """Text that YAML would have turned into something else (``no``, ``007``, a date)."""


def plain_scalar(text: str) -> Any:
    """Give an unquoted scalar its type (see the module's docstring)."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _LONGEST_NUMBER:
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            number = float(text)
            return number if math.isfinite(number) else Ambiguous(text)
    guess = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    return text if guess == _TEXT_TAG and not _NUMERIC.fullmatch(text) else Ambiguous(text)


def changes(text: str) -> bool:
    """Tell whether some YAML reader would take an unquoted ``text`` for something else than this text."""
    value = plain_scalar(text)
    return not isinstance(value, str) or isinstance(value, Ambiguous)
