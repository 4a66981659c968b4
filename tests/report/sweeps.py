"""Sweeps written down by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from harness.fingerprint import sha256_text
from harness.summary import QueryRow, Scalar, SetSummary, Sweep, SweepHeader

Value = Fraction | int | None
MEASURES = ("recall", "rr", "ndcg", "hit")


def fraction(value: Value) -> Fraction | None:
    return None if value is None else Fraction(value)


def mean(values: Sequence[Value]) -> Fraction | None:
    known = [Fraction(value) for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def row(query: str, value: Value, *, k: int = 3, **changed: Any) -> QueryRow:
    """Return a question whose every measure at ``k`` has one value; None where it has no relevant document."""
    fields: dict[str, Any] = {
        "query": query,
        "question": f"what is {query}?",
        "tags": (),
        "relevant": () if value is None else (f"doc-{query}",),
        "retrieved": (),
        "missing": False,
        "first_relevant_rank": 1 if value else None,
        "values": {f"{measure}@{k}": fraction(value) for measure in (*MEASURES, "judged")},
    }
    return QueryRow(**fields | changed)


def a_set(
    parameters: Mapping[str, Scalar], values: Sequence[Value], *, place: int = 0, k: int = 3, **changed: Any
) -> SetSummary:
    """Return a parameter set with one value a question, the same for all measures."""
    rows = changed.pop("rows", tuple(row(f"q{number}", value, k=k) for number, value in enumerate(values, 1)))
    known = mean(values)
    fields: dict[str, Any] = {
        "name": " ".join(str(value) for value in parameters.values()),
        "place": place,
        "parameters": dict(parameters),
        "means": {f"{measure}@{k}": known for measure in ("recall", "mrr", "ndcg", "hit", "judged")},
        "lower": {},
        "upper": {},
        "eligible": sum(1 for value in values if value is not None),
        "missing": (),
        "no_relevant": tuple(each.query for each, value in zip(rows, values, strict=True) if value is None),
        "rows": rows,
        "controls": (),
        "repeated": (),
        "hashes": {"ranking": sha256_text(f"{place}")},
        "facts": {},
        "notes": (),
    }
    return SetSummary(**fields | changed)


def header(*varying: str, sets: int, **changed: Any) -> SweepHeader:
    """Return what the sets share."""
    fields: dict[str, Any] = {
        "study": "by hand",
        "k": 3,
        "cutoffs": (3,),
        "split": "test",
        "exhaustive": True,
        "unjudged": "refuse",
        "varying": varying,
        "planned": sets,
        "points": sets,
        "collapsed": (),
        "skipped": (),
        "hashes": {n: sha256_text(n) for n in ("protocol", "conventions", "corpus", "golden", "config")},
        "notes": (),
    }
    return SweepHeader(**fields | changed)


def a_sweep(*varying: str, sets: Sequence[SetSummary], **changed: Any) -> Sweep:
    """Return a sweep of these sets, in their order."""
    return Sweep(header=header(*varying, **{"sets": len(sets)} | changed), sets=tuple(sets))
