"""Strict YAML: what is written is what is meant, and every fault has a line.

PyYAML parses; this module decides the types, because YAML 1.1's own guesses change ids
(``007`` → 7, ``no`` → False, ``12:30`` → 750, ``2024-01-05`` → a date):

- ``true``/``false``, ``null``/``~``/nothing, plain decimal numbers (``3``, ``-1``, ``0.75``, ``1e3``) get
  their type;
- every other plain scalar that some YAML reader would take for a non-text value is kept as the text that was
  written, marked as ``Ambiguous``: a text field takes it, an id field asks for quotes;
- a duplicate key, an anchor, alias or merge key, a tag, a second document, half of a surrogate pair, and a
  key that isn't text (or that YAML readers would change, unless it has quotes) are errors.
"""

from harness.yamlfile.checking import Id, validate
from harness.yamlfile.parser import Location, YamlFile, dotted, load_yaml, parse_yaml, scan_yaml
from harness.yamlfile.scalars import Ambiguous, plain_scalar
from harness.yamlfile.text import decode, read_bytes, read_text

__all__ = [
    "Ambiguous",
    "Id",
    "Location",
    "YamlFile",
    "decode",
    "dotted",
    "load_yaml",
    "parse_yaml",
    "plain_scalar",
    "read_bytes",
    "read_text",
    "scan_yaml",
    "validate",
]
