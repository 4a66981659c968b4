"""Whether the scores of two sets are about the same thing."""

from __future__ import annotations

from collections.abc import Iterator

from harness.errors import InputError
from harness.tracking.reading import LoggedSet

_SHOWN = 5


def require_comparable(before: LoggedSet, after: LoggedSet) -> None:
    """Refuse two sets whose scores aren't about the same thing.

    Raises:
        InputError: names every part that differs.
    """
    faults = list(_incomparable(before, after))
    if faults:
        lines = "\n".join(f"- {fault}" for fault in faults)
        raise InputError(f"{before.label} and {after.label} can't be compared:\n{lines}")


def _incomparable(before: LoggedSet, after: LoggedSet) -> Iterator[str]:
    a, b = before.header, after.header
    if a.split != b.split:
        yield f"split: {a.split} and {b.split}"
    if a.hashes["conventions"] != b.hashes["conventions"] or a.k != b.k:
        yield (
            f"conventions (measures, cutoffs, unjudged, relevance threshold): k={a.k}, cutoffs {list(a.cutoffs)}, "
            f"unjudged {a.unjudged} and k={b.k}, cutoffs {list(b.cutoffs)}, unjudged {b.unjudged}"
        )
    old = {row.query: row for row in before.summary.rows}
    new = {row.query: row for row in after.summary.rows}
    for label, missing in (
        (before.label, [q for q in new if q not in old]),
        (after.label, [q for q in old if q not in new]),
    ):
        if missing:
            yield f"query ledger: {label} lacks {_listed(missing)}"
    shared = [query for query in old if query in new]
    if list(old) != list(new) and len(shared) == len(old) == len(new):
        yield "query ledger: the same questions in another order"
    yield from _unlike("question text", [q for q in shared if old[q].question != new[q].question])
    yield from _unlike("judgments", [q for q in shared if old[q].relevant != new[q].relevant])
    if a.hashes["protocol"] != b.hashes["protocol"]:
        parts = [part for part in ("corpus", "golden") if a.hashes[part] != b.hashes[part]]
        yield f"protocol: the files of {' and '.join(parts) or 'documents and judgments'} differ"


def _unlike(what: str, queries: list[str]) -> Iterator[str]:
    if queries:
        yield f"{what}: differs for {_listed(queries)}"


def _listed(names: list[str]) -> str:
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + rest
