"""Scores as tables for people and as JSON for programs."""

from __future__ import annotations

from harness.scorecard.words import share
from harness.scoring.measures import mean_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction
    from typing import Any

    from harness.scorecard.arguments import Request
    from harness.scorecard.scoring import Judged, Scored
    from harness.scoring.scores import Values


def as_text(judged: Judged, request: Request, results: Sequence[Scored]) -> str:
    """Return the table of all runs, then notes, bounds, abstention and rows."""
    conventions = judged.conventions
    names = [str(measure) for measure in conventions.measures]
    lines = [
        f"{request.qrels}: {len(judged.ledger)} queries, relevant from grade {conventions.relevance_threshold}, "
        f"unjudged: {conventions.unjudged}",
        *(f"note: {request.qrels}: {note}" for note in judged.notes),
        "",
    ]
    header = ["run", "n", "eligible", "missing", "unjudged", *(mean_name(name) for name in names)]
    table = [[*_counts(judged, found), *(share(found.means[name]) for name in names)] for found in results]
    lines += _aligned([header, *table])
    for found in results:
        lines += [f"note: {found.file}: {note}" for note in found.notes]
    if any(found.lower for found in results):
        lines += [
            "",
            "bounds: if no unjudged document in the top k were relevant, or whichever were",
            *_bounds(results),
        ]
    if request.threshold is not None:
        lines += ["", *_abstention(names, results)]
    for found in results if request.per_query else ():
        lines += ["", *_rows(names, found)]
    return "\n".join(lines) + "\n"


def as_content(judged: Judged, request: Request, results: Sequence[Scored]) -> dict[str, Any]:
    """Return what ``--json`` prints; fractions are left to ``to_json``."""
    return {
        "qrels": str(request.qrels),
        "total_queries": len(judged.ledger),
        "conventions_sha256": judged.conventions.sha256,
        "conventions": judged.conventions.content,
        "notes": judged.notes,
        "runs": [_content(found, request) for found in results],
    }


def _content(found: Scored, request: Request) -> dict[str, Any]:
    content: dict[str, Any] = {
        "file": found.file,
        "eligible_queries": found.eligible,
        "missing_queries": found.missing,
        "no_relevant_queries": found.no_relevant,
        "returned": found.returned,
        "unjudged": found.unjudged,
        "means": _by_mean_name(found.means),
        "lower": _by_mean_name(found.lower),
        "upper": _by_mean_name(found.upper),
        "notes": found.notes,
    }
    if found.abstention is not None and found.passing is not None:
        both = found.abstention
        content["threshold"] = {
            "threshold": both.threshold,
            "unanswerable": both.unanswerable,
            "unanswerable_silent": both.unanswerable_silent,
            "abstention": both.abstention,
            "answerable": both.answerable,
            "answerable_silent": both.answerable_silent,
            "cost": both.cost,
            "relevant_lost": both.relevant_lost,
            "relevant_returned": both.relevant_returned,
            "means_of_what_passes": _by_mean_name(found.passing),
        }
    if request.per_query:
        content["rows"] = found.rows
    return content


def _by_mean_name(values: Values) -> dict[str, Fraction | None]:
    return {mean_name(name): value for name, value in values.items()}


def _counts(judged: Judged, found: Scored) -> list[str]:
    counts = (len(judged.ledger), found.eligible, len(found.missing), found.unjudged)
    return [found.file, *(str(count) for count in counts)]


def _bounds(results: Sequence[Scored]) -> list[str]:
    names = list(results[0].lower)
    rows = [
        [found.file, *(f"{share(found.lower[name])} to {share(found.upper[name])}" for name in names)]
        for found in results
    ]
    return _aligned([["run", *(mean_name(name) for name in names)], *rows])


def _abstention(names: Sequence[str], results: Sequence[Scored]) -> list[str]:
    columns = ["unanswerable silent", "answerable silent", "relevant lost", *(f"{mean_name(n)} passing" for n in names)]
    rows: list[list[str]] = [["run", "threshold", *columns]]
    for found in results:
        both, passing = found.abstention, found.passing
        if both is None or passing is None:
            continue
        rows.append(
            [
                found.file,
                repr(both.threshold),
                f"{both.unanswerable_silent}/{both.unanswerable}",
                f"{both.answerable_silent}/{both.answerable}",
                f"{both.relevant_lost}/{both.relevant_returned}",
                *(share(passing[name]) for name in names),
            ]
        )
    return _aligned(rows)


def _rows(names: Sequence[str], found: Scored) -> list[str]:
    header = ["query", "missing", "returned", "judged", "relevant", *names]
    rows = [
        [
            row.query,
            "yes" if row.missing else "",
            *(str(count) for count in (row.returned, row.judged, row.relevant)),
            *(share(_value(row.values, name)) for name in names),
        ]
        for row in found.rows
    ]
    return [f"{found.file}, query by query", *_aligned([header, *rows])]


def _value(values: Mapping[str, Fraction | None], name: str) -> Fraction | None:
    return values[name]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in rows
    ]
