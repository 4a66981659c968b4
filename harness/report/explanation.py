"""One question on one screen: every candidate, rank and score by route, exact contributions, and the gold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.report.markdown import table
from harness.review.explaining import Candidate, Explained, Explanation
from harness.wording import shown

GOLD = "★"


def explanation_report(found: Explained) -> str:
    """Return the explanation as Markdown; several parameter sets stand side by side."""
    return "\n".join(_lines(found)).rstrip() + "\n"


def _lines(found: Explained) -> Iterator[str]:
    yield f"## {found.query.id} under {found.label}"
    yield ""
    yield found.query.text
    yield ""
    if found.query.need:
        yield f"Need: {found.query.need}"
        yield ""
    gold = ", ".join(found.gold) if found.gold else "none, the corpus doesn't answer this question"
    yield f"Relevant ({GOLD}): {gold}."
    yield ""
    if found.as_logged is False:
        yield "**This isn't the logged ranking**: something has changed since; harness reproduce says what."
        yield ""
    if len(found.sets) > 1:
        yield from _side_by_side(found)
    for explanation in found.sets:
        if len(found.sets) > 1:
            yield f"### {', '.join(_varying(explanation, found))}"
            yield ""
        yield _table(explanation)
        yield ""
    for reason in found.skipped:
        yield f"Can't be run: {reason}."


def _table(explanation: Explanation) -> str:
    first = explanation.candidates
    names = ("bm25", "vector")
    routes = [route for route in names if any(view.route == route for c in first for view in c.routes)]
    fused, reranked = any(c.fused for c in first), any(c.logit is not None for c in first)
    headers = ["", "document", "chunk"]
    headers += [title for route in routes for title in (f"{route} rank", f"{route} score")]
    headers += ["contributions", "fused", "fused rank"] if fused else []
    headers += ["logit"] if reranked else []
    headers += ["rank", "document rank"]
    rows = [_row(candidate, routes, fused=fused, reranked=reranked) for candidate in first]
    return table(headers, rows, left=3)


def _row(candidate: Candidate, routes: list[str], *, fused: bool, reranked: bool) -> list[str]:
    views = {view.route: view for view in candidate.routes}
    row = [GOLD if candidate.gold else "", candidate.document, candidate.chunk]
    for route in routes:
        view = views.get(route)
        row += [_or_dot(view and view.rank), f"{view.score:.4f}" if view else "·"]
    if fused:
        row += [" + ".join(str(view.contribution) for view in candidate.routes), str(candidate.fused)]
        row += [str(candidate.pool_rank)]
    if reranked:
        row += ["·" if candidate.logit is None else f"{candidate.logit:.4f}"]
    return [*row, _or_dot(candidate.rank), _or_dot(candidate.document_rank)]


def _side_by_side(found: Explained) -> Iterator[str]:
    """Documents against parameter sets: the document rank under each."""
    documents = dict.fromkeys(c.document for e in found.sets for c in e.candidates if c.document_rank)
    gold = dict.fromkeys(found.gold)
    ranks = [{c.document: c.document_rank for c in e.candidates if c.document_rank} for e in found.sets]
    rows = [
        [GOLD if document in gold else "", document, *(_or_dot(held.get(document)) for held in ranks)]
        for document in {**documents, **gold}
    ]
    yield "Document rank under each:"
    yield ""
    yield table(["", "document", *(", ".join(_varying(e, found)) for e in found.sets)], rows, left=2)
    yield ""


def _varying(explanation: Explanation, found: Explained) -> list[str]:
    names = dict.fromkeys(name for e in found.sets for name in e.parameters)
    differing = [name for name in names if len({e.parameters.get(name) for e in found.sets}) > 1]
    return [
        f"{name}={shown(name, explanation.parameters[name])}" for name in differing if name in explanation.parameters
    ]


def _or_dot(value: Any) -> str:
    return "·" if value is None else str(value)
