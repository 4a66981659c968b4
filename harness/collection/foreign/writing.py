"""A golden set as YAML that reads back as exactly this golden set."""

from __future__ import annotations

import re

from harness.records import GoldenSet, Query
from harness.yamlfile import plain_scalar

_PLAIN = re.compile(r"(?!\.\.\.)[\w.][\w./-]*")
_SHORT = {"\n": "\\n", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def golden_yaml(golden: GoldenSet, comment: str) -> str:
    """Return a golden set as a YAML file.

    Args:
        golden: what to write.
        comment: stands on top, a line of the file each.
    """
    head = "".join(f"# {line}\n" for line in comment.splitlines())
    declared = "exhaustive" if golden.judgments.exhaustive else "partial"
    entries = "".join(_entry(query, dict(golden.judgments.grades[query.id])) for query in golden.queries)
    return f"{head}judgments: {declared}\nqueries:\n{entries}"


def _entry(query: Query, grades: dict[str, int]) -> str:
    lines = [f"  - id: {scalar(query.id)}", f"    question: {_quoted(query.text)}"]
    if all(grade == 1 for grade in grades.values()):
        lines.append(f"    gold: [{', '.join(map(scalar, grades))}]")
    else:
        held = (f"{scalar(name)}: {grade}" for name, grade in grades.items())
        lines.append(f"    gold: {{{', '.join(held)}}}")
    if query.split != "test":
        lines.append(f"    split: {scalar(query.split)}")
    if query.tags:
        lines.append(f"    tags: [{', '.join(map(scalar, query.tags))}]")
    if not query.answerable:
        lines.append("    answerable: false")
    return "\n".join(lines) + "\n"


def scalar(text: str) -> str:
    """Return a text as YAML, in quotes unless no YAML reader would change it."""
    plain = _PLAIN.fullmatch(text) and text.isprintable() and type(plain_scalar(text)) is str
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
