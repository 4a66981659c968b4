"""A study as text again: a file that reads back as exactly what was run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from harness.study.parameters import ParameterSet
from harness.yamlfile import plain_scalar


class _Dumper(yaml.SafeDumper):
    """PyYAML's writer, with quotes around every text that the strict reader would take for something else."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    plain = type(plain_scalar(text)) is str and text.isprintable()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Dumper.add_representer(str, _text)


def study_yaml(content: Mapping[str, Any]) -> str:
    """Return a study's content as YAML, keys in the order given."""
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def nested(parameters: ParameterSet) -> dict[str, Any]:
    """Return one parameter set in the shape of the section ``parameters``."""
    values: dict[str, Any] = {}
    for name, value in parameters.flat().items():
        *sections, last = name.split(".")
        target = values
        for section in sections:
            target = target.setdefault(section, {})
        target[last] = value
    vector = values.get("vector")
    if vector is not None:
        settings = ("query_prompt", "document_prompt", "dimensions", "seed")
        held = {key: vector.pop(key) for key in settings if key in vector}
        if held:
            vector["embedder"] = {"name": vector["embedder"], **held}
    return values
