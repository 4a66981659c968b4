"""JSON and JSONL files.

- run, JSON: ``{query: [document, ...]}`` in order, or ``{query: {document: score}}``;
- run, JSONL: ``{"query": ..., "ranking": [document, ...], "scores": [...]}`` in order, scores optional;
- judgments, JSON: ``{query: {document: grade}}``;
- judgments, JSONL: ``{"query-id": ..., "corpus-id": ..., "score": grade}`` (or query, document, grade).

Ids may be whole numbers; they become their digits. A key that stands twice is a fault.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from harness.runs.building import QrelsBuilder, RunBuilder
from harness.runs.opening import Faults, lines_of, read_text

_QUERY = ("query", "query-id", "query_id")
_DOCUMENT = ("document", "corpus-id", "doc_id")
_GRADE = ("grade", "score")


class Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, as they stand in the file."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} isn't valid JSON and has no place in an order; correct the run")


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_constant=_no_constant)


def decode(text: str, line: int | None, faults: Faults) -> Any:
    """Return the value of a JSON text; faults are noted and give None."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at = f"column {error.colno}" if line is not None else f"line {error.lineno}, column {error.colno}"
        faults.add(line if line is not None else error.lineno, f"isn't valid JSON: {error.msg} at {at}")
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        faults.add(line, f"isn't valid JSON: {reason}")
    return None


def read_json_run(builder: RunBuilder) -> None:
    """Enter the rankings of a JSON run; all lists, or all objects of scores."""
    value = decode(read_text(builder.path), None, builder.faults)
    if builder.faults.problems:
        return
    if not isinstance(value, Pairs):
        builder.faults.add(None, f"must be an object of rankings by query id, found {kind(value)}")
        return
    listed = [isinstance(found, list) and not isinstance(found, Pairs) for _, found in value]
    if any(listed) != all(listed):
        builder.faults.add(None, "must hold lists of ids for all queries, or objects of scores for all; found both")
        return
    builder.order = "rank" if any(listed) else builder.order
    _twice([query for query, _ in value], "query", None, builder.faults)
    for query, found in value:
        if isinstance(found, Pairs):
            builder.query(query, None)
            for document, score in found:
                number = _number(score)
                if isinstance(number, str):
                    builder.faults.add(None, number, f"{query}.{document}")
                else:
                    builder.add(None, query, document, number, None, query)
        elif isinstance(found, list):
            _ranking(builder, None, query, found, None)
        else:
            builder.faults.add(None, f"must be a list of ids or an object of scores, found {kind(found)}", query)


def read_jsonl_run(builder: RunBuilder) -> None:
    """Enter the rankings of a JSONL run, one query a line."""
    builder.order = "rank"
    seen: dict[str, int] = {}
    for line, fields in _objects(read_text(builder.path), builder.faults):
        query = _id(fields, _QUERY, line, builder.faults)
        ranking, scores = fields.get("ranking"), fields.get("scores")
        if query is None:
            continue
        if query in seen:
            builder.faults.add(line, f"query {query!r} has a ranking on line {seen[query]} already; keep one")
        elif not isinstance(ranking, list) or isinstance(ranking, Pairs):
            builder.faults.add(line, f"must be a list of ids, found {kind(ranking)}", "ranking")
        else:
            _ranking(builder, line, query, ranking, scores)
        seen[query] = line


def read_json_qrels(builder: QrelsBuilder) -> None:
    """Enter the judgments of a JSON file."""
    value = decode(read_text(builder.path), None, builder.faults)
    if builder.faults.problems:
        return
    if not isinstance(value, Pairs):
        builder.faults.add(None, f"must be an object of judgments by query id, found {kind(value)}")
        return
    for query, row in value:
        builder.query(query, None)
        if not isinstance(row, Pairs):
            builder.faults.add(None, f"must be an object of grades by document id, found {kind(row)}", query)
            continue
        for document, grade in row:
            _judge(builder, None, query, document, grade)


def read_jsonl_qrels(builder: QrelsBuilder) -> None:
    """Enter the judgments of a JSONL file, one a line."""
    for line, fields in _objects(read_text(builder.path), builder.faults):
        query = _id(fields, _QUERY, line, builder.faults)
        document = _id(fields, _DOCUMENT, line, builder.faults)
        name = next((name for name in _GRADE if name in fields), _GRADE[0])
        if query is not None and document is not None:
            _judge(builder, line, query, document, fields.get(name))


def _judge(builder: QrelsBuilder, line: int | None, query: str, document: str, grade: Any) -> None:
    where = None if line is not None else f"{query}.{document}"
    if type(grade) is not int:
        builder.faults.add(line, f"grade: must be a whole number, found {kind(grade)}", where)
    else:
        builder.add(line, query, document, grade, where)


def _ranking(builder: RunBuilder, line: int | None, query: str, ranking: list[Any], scores: Any) -> None:
    where = "ranking" if line is not None else query
    builder.query(query, line, where)
    if scores is not None and (not isinstance(scores, list) or len(scores) != len(ranking)):
        builder.faults.add(line, f"must be a list of {len(ranking)} scores, found {kind(scores)}", "scores")
        return
    for place, item in enumerate(ranking):
        document = text_of(item)
        score = None if scores is None else _number(scores[place])
        if document is None:
            builder.faults.add(line, f"must hold ids in quotes or whole numbers, found {kind(item)}", where)
        elif isinstance(score, str):
            builder.faults.add(line, score, "scores")
        else:
            builder.add(line, query, document, score, place + 1, where)


def _objects(text: str, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, content in lines_of(text):
        before = len(faults.problems)
        value = decode(content, line, faults)
        if len(faults.problems) > before:
            continue
        if not isinstance(value, Pairs):
            faults.add(line, f"must be a JSON object, found {kind(value)}")
        elif _twice([key for key, _ in value], "key", line, faults):
            yield line, dict(value)


def _twice(names: list[str], what: str, line: int | None, faults: Faults) -> bool:
    if len(set(names)) == len(names):
        return True
    name = next(name for name in names if names.count(name) > 1)
    faults.add(line, f"{what} {name!r} stands twice; keep one")
    return False


def _id(fields: dict[str, Any], names: tuple[str, ...], line: int, faults: Faults) -> str | None:
    name = next((name for name in names if name in fields), names[0])
    found = text_of(fields.get(name))
    if found is None:
        faults.add(line, f"must be an id in quotes or a whole number, found {kind(fields.get(name))}", name)
    return found


def text_of(value: Any) -> str | None:
    """Return an id as text; a whole number becomes its digits, anything else None."""
    if isinstance(value, str):
        return value
    return str(value) if type(value) is int else None


def _number(value: Any) -> float | str:
    if type(value) not in (int, float):
        return f"score: must be a number, found {kind(value)}"
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        return f"score: must be finite, found {value!r:.40}"
    return number if number == value else f"score: a double can't hold {value!r:.40}; write it with a decimal point"


def kind(value: Any) -> str:
    """Return how a person would name a JSON value."""
    if value is None or isinstance(value, bool):
        return {None: "nothing (null)", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"the number {value!r:.40}"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return "an object" if isinstance(value, Pairs) else f"a list of {len(value)}"
