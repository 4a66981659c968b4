"""Two parameter sets side by side, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from harness.report.markdown import number, p_text, table
from harness.review.comparing import QuestionChange, RunComparison
from harness.summary import to_json
from harness.wording import shortened, shown


def comparison_report(found: RunComparison) -> str:
    """Return the comparison as Markdown: verdict, parameters, measures, tags, and every question that changed."""
    return "\n".join(_lines(found)).rstrip() + "\n"


def comparison_json(found: RunComparison) -> str:
    """Return the comparison as JSON; fractions are text."""
    content: dict[str, Any] = to_json(found) | {
        "verdict": {
            "words": str(found.verdict),
            "significant": found.verdict.significant,
            "questions": list(found.verdict.questions),
        },
        "test": to_json(found.test) | {"p": p_text(found.test.p), "method": found.test.method.value},
    }
    return json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n"


def _lines(found: RunComparison) -> Iterator[str]:
    yield f"## {found.before} → {found.after}"
    yield ""
    yield verdict_sentence(found)
    yield ""
    if found.parameters:
        rows = [[name, shown(name, a), shown(name, b)] for name, (a, b) in found.parameters.items()]
        yield table(["parameter", "A", "B"], rows, left=3)
    else:
        yield "All parameters are the same."
    yield ""
    rows = [
        [m.measure, number(m.before), number(m.after), _signed(m.difference), *map(str, (m.wins, m.losses, m.ties))]
        for m in found.measures
    ]
    yield table(["mean", "A", "B", "B − A", "B better", "B worse", "same"], rows)
    if found.tags:
        yield ""
        tagged = [
            [t.tag, str(t.questions), number(t.before), number(t.after), str(t.wins), str(t.losses)] for t in found.tags
        ]
        yield table([f"{found.measure} by tag", "questions", "A", "B", "B better", "B worse"], tagged)
    yield ""
    yield from _questions(found)


def verdict_sentence(found: RunComparison) -> str:
    """Return what can be said, in plain words: one question is called one question."""
    test, n = found.test, found.eligible
    changed = test.wins + test.losses
    if not found.questions:
        return f"**Nothing changed**: the same document rankings on all {n} questions."
    if not changed:
        return f"**{found.measure} is the same on every one of {n} questions**; what changed lies elsewhere."
    if changed == 1:
        (query,) = (q.query for q in found.questions if _moved(q, found.measure))
        side = "better" if test.wins else "worse"
        return f"**One question**: B is {side} on {query} alone, of {n}; on all others {found.measure} is the same."
    words = str(found.verdict)
    return (
        f"**{words[0].upper()}{words[1:]}**: {found.measure} is better in B on {test.wins} and worse on {test.losses} "
        f"of {n} questions; paired randomisation test p = {p_text(test.p)} ({test.method.value}; for this pair alone, "
        "not corrected for having chosen it among others)."
    )


def _questions(found: RunComparison) -> Iterator[str]:
    if not found.questions:
        return
    measure = found.measure
    moved = sum(_moved(q, measure) for q in found.questions)
    yield (
        f"Questions that changed ({len(found.questions)}, {moved} of them in {measure}, listed first); the rank is "
        "that of the first relevant document:"
    )
    yield ""
    ordered = sorted(found.questions, key=lambda q: not _moved(q, measure))
    rows = [
        [
            shortened(q.query, 40),
            shortened(q.question, 40),
            q.stage or "·",
            _rank(q.before),
            _rank(q.after),
            *_values(q, measure),
        ]
        for q in ordered
    ]
    headers = ["query", "question", "parts at", "rank A", "rank B", f"{measure} A", f"{measure} B"]
    yield table(headers, rows, left=3)


def _moved(change: QuestionChange, measure: str) -> bool:
    before, after = change.values[measure]
    return before != after


def _values(change: QuestionChange, measure: str) -> list[str]:
    return ["·" if value is None else _fraction(value) for value in change.values[measure]]


def _fraction(value: Fraction) -> str:
    return str(value) if value.denominator < 1000 else number(value)


def _rank(rank: int | None) -> str:
    return "·" if rank is None else str(rank)


def _signed(value: Fraction) -> str:
    text = _fraction(value)
    return text if value <= 0 else f"+{text}"
