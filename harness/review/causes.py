"""What is different now from when a run was logged: files, study, packages, code, models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from harness.errors import InputError
from harness.sources import Source
from harness.study.schema import StudySchema
from harness.summary import Scalar
from harness.yamlfile import read_text, scan_yaml, validate

ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One thing that is different.

    Attributes:
        kind: ``corpus file``, ``golden file``, ``study``, ``package``, ``python``, ``code``, ``machine``, ``threads``,
            ``model`` or ``logged file``.
        name: which one.
        before: as logged.
        now: as found.
    """

    kind: str
    name: str
    before: str
    now: str


def file_causes(kind: str, before: Source, now: Source) -> Iterator[Cause]:
    """Yield every file that was changed, added or removed."""
    for name in sorted({*before.files, *now.files}):
        old, new = before.files.get(name), now.files.get(name)
        if old != new:
            yield Cause(kind=f"{kind} file", name=name, before=_short(old), now=_short(new))


def environment_causes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Cause]:
    """Yield differences of Python, machine, threads, this project's version, and each package."""
    for kind, key in (("code", "harness"), ("python", "python"), ("machine", "machine"), ("threads", "threads")):
        if before.get(key) != now.get(key):
            yield Cause(kind=kind, name=key, before=str(before.get(key)), now=str(now.get(key)))
    old, new = dict(before.get("packages", {})), dict(now.get("packages", {}))
    for name in sorted({*old, *new}, key=str.lower):
        if old.get(name) != new.get(name):
            yield Cause(kind="package", name=name, before=old.get(name, ABSENT), now=new.get(name, ABSENT))


def code_causes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Cause]:
    """Yield a different commit, and trees that had changes nobody committed."""
    old, new = before.get("git.commit"), now.get("git.commit")
    if old and new and old != new:
        yield Cause(kind="code", name="commit", before=old[:12], now=new[:12])
    dirty = [state.get("git.dirty") == "true" for state in (before, now)]
    if any(dirty):
        words = ["uncommitted changes" if state else "clean" for state in dirty]
        yield Cause(kind="code", name="working tree", before=words[0], now=words[1])


def study_causes(logged: str, file: Path) -> Iterator[Cause]:
    """Yield what the study file says now and didn't say then; the logged config is what is run, whatever it says."""
    if not file.is_file():
        return
    try:
        schema = validate(StudySchema, scan_yaml(read_text(file), str(file)))
    except InputError as error:
        yield Cause(kind="study", name=str(file), before="readable", now=f"can't be read: {error.problems[0]}")
        return
    old, new = _flat(yaml.safe_load(logged)), _flat(schema.model_dump(mode="json"))
    for name in {**old, **new}:
        if old.get(name) != new.get(name) and name.partition(".")[0] not in ("execution", "corpus", "golden"):
            yield Cause(kind="study", name=name, before=_value(old, name), now=_value(new, name))


def model_causes(
    before: Mapping[str, str], now: Mapping[str, str], parameters: Mapping[str, Scalar]
) -> Iterator[Cause]:
    """Yield models whose files or settings have another fingerprint."""
    named = {"weights.vector": "vector.embedder", "weights.rerank": "rerank.model"}
    for key, parameter in named.items():
        if before.get(key) != now.get(key):
            name = str(parameters.get(parameter))
            yield Cause(kind="model", name=name, before=_short(before.get(key)), now=_short(now.get(key)))


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {k: v for key, inner in value.items() for k, v in _flat(inner, f"{name}.{key}" if name else key).items()}
    return {name: value}


def _value(held: Mapping[str, Any], name: str) -> str:
    return str(held[name]) if name in held else ABSENT


def _short(sha256: str | None) -> str:
    return ABSENT if sha256 is None else sha256[:12]
