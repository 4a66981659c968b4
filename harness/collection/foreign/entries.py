"""A file of questions, whatever its shape, as entries: a place and what stands there.

JSON and YAML may hold a list of entries, an object with one such list, an object of entries by their ids, an object
of columns, or ``queries`` and ``relevant_docs`` as two objects by id.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.collection.cells import kind
from harness.collection.jsonlines import Pairs, each_key_once, no_constant
from harness.collection.opening import read_unpacked_text
from harness.collection.rows import Table
from harness.errors import InputError, Problem
from harness.yamlfile import scan_yaml

_FORMS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_RELEVANT = ("relevant_docs", "qrels")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a file.

    Attributes:
        place: where it stands, as it reads in a report (``line 3``).
        line: its line, where the form of the file has lines.
        fields: what stands there.
    """

    place: str
    line: int | None
    fields: Mapping[str, Any]


def read_entries(path: Path) -> tuple[list[Entry], str]:
    """Return the entries of a file, and what shape it has, in words.

    Raises:
        InputError: an unknown suffix, a file that can't be read, or a shape that could be taken in two ways.
    """
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    form = _FORMS.get(suffix)
    if form is None:
        known = ", ".join(_FORMS)
        raise InputError(Problem(file=str(path), message=f"must end in one of {known}, found {suffix!r}; rename it"))
    if form in ("json", "yaml"):
        value = _json(path) if form == "json" else _yaml(path)
        entries, shape = _shaped(value, str(path))
    else:
        entries, shape = _rows(path, form), f"a row an entry ({form})"
    if not entries:
        raise InputError(Problem(file=str(path), message="must hold at least one question, found none"))
    return entries, shape


def _rows(path: Path, form: str) -> list[Entry]:
    table = Table(path=path, form=form, wanted=None)
    word = "row" if form == "parquet" else "line"
    entries = []
    for row, cells in table.rows():
        try:
            fields = {name: _plain(value) for name, value in cells.items()}
        except (ValueError, RecursionError) as error:
            table.fault(row, str(error))
            continue
        entries.append(Entry(place=f"{word} {row}", line=None if form == "parquet" else row, fields=fields))
    if table.problems:
        raise InputError(table.problems)
    return entries


def _plain(value: Any) -> Any:
    """Return a value in which objects are dicts."""
    if isinstance(value, Pairs):
        return each_key_once([(key, _plain(inner)) for key, inner in value])
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _json(path: Path) -> Any:
    try:
        return json.loads(read_unpacked_text(path), object_pairs_hook=each_key_once, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        message = f"isn't valid JSON: {error.msg} at column {error.colno}; one object a line belongs into .jsonl"
        raise InputError(Problem(file=str(path), line=error.lineno, message=message)) from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(Problem(file=str(path), message=f"isn't valid JSON: {reason}")) from None


def _yaml(path: Path) -> Any:
    source = scan_yaml(read_unpacked_text(path), str(path))
    if source.problems:
        raise InputError(source.problems)
    return source.value


def _shaped(value: Any, file: str) -> tuple[list[Entry], str]:
    if isinstance(value, list):
        return list(_listed(value, "entry ", file)), "a list of entries"
    if not isinstance(value, dict):
        raise InputError(Problem(file=file, message=f"must be a list of entries or an object, found {kind(value)}"))
    relevant = next((name for name in _RELEVANT if isinstance(value.get(name), dict)), None)
    if relevant is not None and isinstance(value.get("queries"), dict):
        return _by_id(value["queries"], value[relevant], relevant, file)
    lists = {name: held for name, held in value.items() if isinstance(held, list)}
    entries = [name for name, held in lists.items() if held and all(isinstance(item, dict) for item in held)]
    if len(entries) == 1:
        return list(_listed(value[entries[0]], f"{entries[0]} ", file)), f"a list of entries under {entries[0]!r}"
    if len(entries) > 1:
        names = ", ".join(map(repr, entries))
        raise InputError(Problem(file=file, message=f"holds several lists of entries: {names}; leave one in the file"))
    if len(lists) == len(value) > 1 and len({len(held) for held in lists.values()}) == 1:
        rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        return list(_listed(rows, "entry ", file)), "an object of columns"
    if value and all(isinstance(held, dict) for held in value.values()):
        return [Entry(place=repr(name), line=None, fields={"id": name} | held) for name, held in value.items()], (
            "an object of entries by their ids"
        )
    shapes = "a list of entries, an object that holds one, entries by their ids, or columns of one length"
    raise InputError(Problem(file=file, message=f"must be {shapes}, found an object with {_names(value)}"))


def _names(value: Mapping[str, Any]) -> str:
    return ", ".join(repr(name)[:40] for name in list(value)[:8]) or "nothing"


def _listed(values: list[Any], before: str, file: str) -> Iterator[Entry]:
    problems = []
    for number, value in enumerate(values, 1):
        if isinstance(value, dict):
            yield Entry(place=f"{before}{number}", line=None, fields=value)
        else:
            message = f"must be an object with its keys, found {kind(value)}"
            problems.append(Problem(file=file, field=f"{before}{number}", message=message))
    if problems:
        raise InputError(problems)


def _by_id(queries: Mapping[str, Any], relevant: Mapping[str, Any], name: str, file: str) -> tuple[list[Entry], str]:
    unknown = [
        Problem(file=file, field=name, message=f"{key!r} isn't in queries") for key in relevant if key not in queries
    ]
    if unknown:
        raise InputError(unknown)
    entries = [
        Entry(place=repr(key), line=None, fields={"id": key, "question": text, "gold": relevant.get(key)})
        for key, text in queries.items()
    ]
    return entries, f"'queries' and {name!r} by id"
