"""Where a past run's corpus and golden set are now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from harness.errors import InputError
from harness.sources import Source, Sources, source_of
from harness.study.resolved import study_yaml
from harness.tracking.reading import Archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Corpus and golden set as they are used now.

    Attributes:
        sources: field of the study → files, paths absolute.
        kept: whether they are the copies that were kept with the sweep.
    """

    sources: Mapping[str, Source]
    kept: bool


def find_places(
    logged: Sources, *, given: Mapping[str, Path], archive: Archive, from_artifacts: bool, folder: Path
) -> Places:
    """Find the files: those that are given, the kept copies when asked for, or where they lay.

    Args:
        logged: what they were.
        given: ``corpus``, ``golden`` → path that wins over everything.
        archive: holds the copies.
        from_artifacts: use the copies.
        folder: where copies are unpacked.

    Raises:
        InputError: a path isn't there.
    """
    found: dict[str, Source] = {}
    for field, source in logged.sources.items():
        section, _, key = field.partition(".")
        if section in given and key == "path":
            place = _there(given[section], f"--{section}")
        elif from_artifacts:
            place = archive.fetch(source, folder / field)
        else:
            place = _where_it_lay(field, source)
        found[field] = source_of(source.format, str(place.resolve()), Path())
    return Places(sources=found, kept=from_artifacts)


def placed(config: str, places: Places, changed: Mapping[str, Any] | None = None) -> str:
    """Return a study file that reads its corpus and golden set from where they are now.

    Args:
        config: as logged.
        places: where they are.
        changed: dotted parameter → value or list of values.
    """
    content: dict[str, Any] = yaml.safe_load(config)
    for field, source in places.sources.items():
        section, _, key = field.partition(".")
        content[section] = content[section] | {key: source.absolute}
    for dotted, value in (changed or {}).items():
        *sections, last = dotted.split(".")
        target = content["parameters"]
        for section in sections:
            target = target.setdefault(section, {})
        target[last] = value
    return study_yaml(content)


def _there(path: Path, option: str) -> Path:
    if not path.exists():
        raise InputError(f"{option} {path}: isn't there")
    return path


def _where_it_lay(field: str, source: Source) -> Path:
    for place in (Path(source.seen_from), Path(source.absolute)):
        if place.exists():
            return place
    section, _, key = field.partition(".")
    given = f"give --{section} PATH, or " if key == "path" else ""
    raise InputError(
        f"{field}: isn't at {source.seen_from} any more; {given}use the copy that was kept with the sweep: "
        "--from-artifacts"
    )
