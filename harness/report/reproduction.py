"""What became of runs that were made again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from harness.report.markdown import table
from harness.review.ladder import Agreement, QuestionDifference, Rung
from harness.review.remaking import Reproduction
from harness.summary import to_json

_SHOWN = 30

_MEANING = {
    Rung.BIT_IDENTICAL: "the same chunks with the same scores to the last bit, and the same value of every measure",
    Rung.SAME_RANKINGS: "the same chunks in the same order for every question",
    Rung.SAME_METRICS: "other rankings, and yet the same value of every measure for every question",
    Rung.DIFFERENT: "rankings and values differ",
}


def reproduction_report(found: Sequence[Reproduction]) -> str:
    """Return, for each run, its rung, what is different now, the first stage that differs, and the questions."""
    return "\n".join(line for one in found for line in _lines(one)).rstrip() + "\n"


def reproduction_json(found: Sequence[Reproduction]) -> str:
    """Return the same as JSON."""
    content: list[dict[str, Any]] = []
    for one in found:
        agreed: dict[str, Any] = to_json(one.agreement) | {"rung": str(one.agreement.rung)}
        content.append(to_json(one) | {"agreement": agreed})
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _lines(found: Reproduction) -> Iterator[str]:
    agreed = found.agreement
    yield f"## {found.label}"
    yield ""
    yield f"**{agreed.rung}**: {_meaning(agreed)}."
    yield ""
    if found.approximate:
        yield (
            "This set asked an approximate vector index, which isn't the same when it is built anew: nothing above "
            "'different' can be promised for it."
        )
        yield ""
    if found.causes:
        yield "Different now:"
        yield ""
        rows = [[cause.kind, cause.name, cause.before, cause.now] for cause in found.causes]
        yield table(["what", "name", "logged", "now"], rows, left=4)
    else:
        yield "Nothing is different now: files, study, packages, code and models are those that were logged."
    yield ""
    if agreed.stage is not None:
        yield f"First stage that differs: **{agreed.stage}**."
        yield ""
    yield from _questions(agreed)


def _meaning(agreed: Agreement) -> str:
    text = _MEANING[agreed.rung]
    if agreed.rung is Rung.SAME_RANKINGS:
        text += "; values of measures differ" if agreed.rmse else "; only bits of scores differ"
    return text


def _questions(agreed: Agreement) -> Iterator[str]:
    for words, names in (("Logged, no longer asked", agreed.lost), ("Asked now, not logged", agreed.added)):
        if names:
            yield f"{words} ({len(names)}): {', '.join(names[:_SHOWN])}{'…' if len(names) > _SHOWN else ''}."
            yield ""
    if agreed.questions:
        yield f"Questions that came out differently ({len(agreed.questions)}):"
        yield ""
        headers = ["query", "from stage", "overlap", "tau", "score gap", "rank logged", "rank now"]
        yield table(headers, [_row(question) for question in agreed.questions[:_SHOWN]], left=2)
        if len(agreed.questions) > _SHOWN:
            yield f"and {len(agreed.questions) - _SHOWN} more."
        yield ""
    if agreed.rmse:
        worst = sorted(agreed.rmse.items(), key=lambda item: -item[1])[:5]
        yield f"RMSE of values over the questions, largest: {', '.join(f'{name} {gap:.4f}' for name, gap in worst)}."
        yield ""


def _row(question: QuestionDifference) -> list[str]:
    ranks = ["·" if rank is None else str(rank) for rank in (question.before, question.after)]
    tau = "·" if question.tau is None else f"{question.tau:.3f}"
    stage = question.stage or "logged file"
    return [question.query, stage, str(question.overlap), tau, f"{question.score_gap:.2g}", *ranks]
