"""The page: sections of finished HTML, data for what is drawn or opened later, style and script, all in one text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from importlib.resources import files

from harness.report.candidates import oracle_words
from harness.report.html import attribution as parts
from harness.report.html.curves import cutoff_curves, groups_of, parameter_curves, reach_of
from harness.report.html.drawing import SERIES, draw_cutoffs, draw_parameter
from harness.report.html.evidence import Answers, Evidence, pack_answers
from harness.report.html.table import sets_table
from harness.report.html.text import bold, cell, esc, json_script, table
from harness.report.judged import RATED, Judged
from harness.stats import Attribution, attribute
from harness.summary import Sweep
from harness.wording import counted, shortened

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_UNDEFINED = "zz"
_LONGEST = 2_000


def html_report(sweep: Sweep, judged: Judged, evidence: Evidence | None = None) -> str:
    """Return the whole page; it loads nothing.

    Args:
        sweep: fresh, or read back.
        judged: what ``judge`` says of it.
        evidence: run ids, config and rankings, where they are known.
    """
    assets = files("harness.report.html") / "assets"
    script = (assets / "report.js").read_text(encoding="utf-8")
    values = {
        "title": esc(f"{sweep.header.study}, split {sweep.header.split}"),
        "policy": _policy(script),
        "style": (assets / "report.css").read_text(encoding="utf-8"),
        "script": script,
        "lead": _lead(sweep),
        "body": "".join(_body(sweep, judged, evidence)),
    }
    template = (assets / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def _policy(script: str) -> str:
    """Return the content security policy: this script and nothing else runs, and nothing is fetched from anywhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _lead(sweep: Sweep) -> str:
    header, sets = sweep.header, len(sweep.sets)
    told = [f"{counted(sets, 'parameter set')}, documents cut at {header.k}"]
    if sets < header.planned:
        told.append(f"<strong>incomplete: {sets} of {header.planned} have finished</strong>")
    if sweep.looks:
        told.append(f"this split has been scored {counted(sweep.looks.times, 'time')}")
    return " · ".join(told)


def _body(sweep: Sweep, judged: Judged, evidence: Evidence | None) -> Iterator[str]:
    if not sweep.sets:
        yield "<p>No parameter set has finished.</p>"
        return
    told = [*judged.sentences(), *oracle_words(sweep, judged)]
    sentences = "".join(f"<li>{bold(sentence)}</li>" for sentence in told)
    yield f'<ul class="sentences">{sentences}</ul>'
    yield _section("sets", "Parameter sets", _table_words(judged) + sets_table(sweep, judged))
    found = parts.decided(sweep, judged)
    attribution = attribute(judged.panel, parts.parameters_of(sweep)) if judged.panel else None
    if attribution is not None and found is not None:
        yield from _drawings(sweep, judged, attribution)
        text = parts.questions_section(sweep, judged, found)
        yield _section("deciding", "Questions that tell sets apart", text)
        yield _section("heat", "Every question, every set", _heat(judged))
        effects = parts.effects_section(attribution, judged.measure)
        effects += parts.tags_section(sweep, judged, attribution)
        yield _section("effects", "Which parameter does what", effects)
    answers = pack_answers(sweep, evidence)
    yield _section("questions", "Questions", "".join(_questions(sweep, judged, answers)))
    yield _section("again", "Run it again", "".join(_again(sweep, evidence)))
    yield json_script("data", _data(sweep, judged, evidence, answers, found is not None))
    yield json_script("answers", answers.packed)


def _section(name: str, title: str, text: str) -> str:
    return f'<section id="{name}"><h2>{esc(title)}</h2>{text}</section>'


def _table_words(judged: Judged) -> str:
    measure = esc(judged.measure)
    words = (
        f"<p>Click a header to sort. <b>difference</b> is the mean difference in {measure} from the baseline, with its "
        "bootstrap interval; <b>p</b> is corrected for all comparisons. Values lie between a random order and the best "
        "the judgments allow, at the foot."
    )
    if not judged.floors:
        words += " What a random order would score isn't known for this sweep."
    return f"{words}</p>"


def _drawings(sweep: Sweep, judged: Judged, attribution: Attribution) -> Iterator[str]:
    curves = parameter_curves(sweep, judged, attribution)
    if curves:
        reach = reach_of(curves)
        drawn = "".join(_figure(curve.parameter, draw_parameter(curve, judged.measure, reach)) for curve in curves)
        words = (
            f"<p>{esc(judged.measure)} against each parameter. A dot is a set. The line starts at the mean of the sets "
            "with the first value and moves by the matched effect, all else equal; its bars are 95 % intervals of that "
            "move. Dots above each other differ in other parameters, so compare along the line.</p>"
        )
        yield _section("curves", "Measure by parameter", f'{words}<div class="charts">{drawn}</div>')
    cutoffs = cutoff_curves(sweep, judged)
    if cutoffs:
        name, values, _ = groups_of(sweep)
        keys = "".join(
            f'<li><i style="background:var(--s{min(place, SERIES - 1)})"></i>{esc(value)}</li>'
            for place, value in enumerate(values)
        )
        words = (
            "<p>Each line is a set. Black, or white on dark: the baseline, with the interval its mean would have with "
            "other questions. Dashed: a random order and the best possible.</p>"
        )
        legend = f'<ul class="legend"><li class="name">{esc(name)}</li>{keys}</ul>'
        drawn = "".join(_figure(f"{curve.name}@k", draw_cutoffs(curve)) for curve in cutoffs)
        yield _section("cutoffs", "Measures by cutoff", f'{words}{legend}<div class="charts">{drawn}</div>')


def _figure(caption: str, drawn: str) -> str:
    return f"<figure><figcaption>{esc(caption)}</figcaption>{drawn}</figure>"


def _heat(judged: Judged) -> str:
    measure = esc(judged.measure)
    return (
        f"<p>{measure}: a row is a question, a column a set. Hardest first, so what nobody solves lies on top and a "
        "broken stripe is a question on which sets differ. Click a cell to see the answer.</p>"
        '<div class="controls" hidden><label>Questions <select id="rows"><option value="hard">hardest first</option>'
        '<option value="tag">by tag</option><option value="file">as in the golden set</option></select></label>'
        '<label>Sets <select id="columns"><option value="grid">as in the grid</option>'
        f'<option value="mean">by {measure}</option></select></label>'
        '<span class="scale"><i></i>0 … 1</span></div>'
        '<div class="scroll heat" tabindex="0"><canvas id="map" role="img" '
        f'aria-label="{measure} of every question under every set; the list of questions below says the same">'
        '</canvas></div><p id="hover" aria-live="polite">&nbsp;</p>'
    )


def _questions(sweep: Sweep, judged: Judged, answers: Answers) -> Iterator[str]:
    yield "<p>Hardest first: the mean over all sets. Open one to see who answered what, and why.</p>"
    if answers.logged and answers.depth is not None:
        depth = f"its first {answers.depth} hits" if answers.depth else "none of its hits"
        yield (
            f"<p>To keep this file small, how an answer came about is here for {depth}; all of it is printed by "
            "<code>harness explain RUN --query ID</code>.</p>"
        )
    yield '<div class="controls" hidden><label>Show those with <input id="filter" type="search"></label></div>'
    means = _question_means(judged)
    rows = list(enumerate(sweep.sets[0].rows))
    for place, row in sorted(rows, key=lambda item: means.get(item[1].query, 2)):
        mean = means.get(row.query)
        bar = "" if mean is None else f'<i style="width:{float(mean) * 100:.1f}%"></i>'
        tags = "".join(f'<span class="tag">{esc(tag)}</span>' for tag in row.tags)
        value = "not scored" if mean is None else f"{float(mean):.2f}"
        yield (
            f'<details class="q" id="q{place}" data-q="{place}"><summary><span class="mean" title="mean over all sets">'
            f'<span class="bar">{bar}</span>{value}</span><span class="text"><b>{esc(row.query)}</b> '
            f'<bdi>{esc(shortened(row.question, _LONGEST))}</bdi> {tags}</span></summary><div class="answer"></div>'
            "</details>"
        )


def _question_means(judged: Judged) -> dict[str, Fraction]:
    panel = judged.panel
    if panel is None:
        return {}
    size = panel.denominator * len(panel.sets)
    columns = zip(panel.queries, zip(*panel.units, strict=True), strict=True)
    return {query: Fraction(sum(column), size) for query, column in columns}


def _again(sweep: Sweep, evidence: Evidence | None) -> Iterator[str]:
    if evidence is not None:
        yield "<p>Any set runs again from its run id, and is held against what was logged, bit for bit:</p>"
        rows = []
        for number, summary in enumerate(sweep.sets, 1):
            run = evidence.runs.get(summary.hashes.get("parameters", ""))
            command = cell(f"<code>harness reproduce {esc(run)}</code>") if run else cell("–")
            ranking = summary.hashes.get("ranking", "")[:12]
            rows.append(
                cell(str(number), value=float(number), kind="n")
                + cell(esc(shortened(summary.name)))
                + command
                + cell(f"<code>{esc(ranking)}</code>")
            )
        held = table(["#set", "name", "command", "rankings"], rows, kind="again")
        yield f"<details><summary>{counted(len(rows), 'command')}</summary>{held}</details>"
    hashes = [cell(esc(name)) + cell(f"<code>{esc(value)}</code>") for name, value in sweep.header.hashes.items()]
    yield f"<details><summary>Hashes</summary>{table(['what', 'SHA-256'], hashes)}</details>"
    if evidence is not None:
        yield f"<details><summary>The study with all defaults</summary><pre>{esc(evidence.config)}</pre></details>"
        yield f"<p>This page: <code>harness report {esc(evidence.sweep_id)} --html report.html</code></p>"
    notes = parts.notes_of(sweep, sweep.sets)
    if notes:
        yield f"<h3>Notes</h3><ul>{''.join(f'<li>{esc(note)}</li>' for note in notes)}</ul>"


def _data(
    sweep: Sweep, judged: Judged, evidence: Evidence | None, answers: Answers, scored: bool
) -> Mapping[str, object]:
    """Return what the script needs; cells of the map are thousandths in base 36, two digits each."""
    tags = list(dict.fromkeys(tag for row in sweep.sets[0].rows for tag in row.tags))
    measure = judged.measure
    return {
        "measure": measure,
        "measures": [f"{name}@{sweep.header.k}" for name in RATED],
        "sets": [summary.name for summary in sweep.sets],
        "means": [float(s.means.get(measure) or 0) for s in sweep.sets],
        "runs": [evidence.runs.get(s.hashes.get("parameters", "")) if evidence else None for s in sweep.sets],
        "queries": [row.query for row in sweep.sets[0].rows],
        "tags": tags,
        "tagged": [[tags.index(tag) for tag in row.tags] for row in sweep.sets[0].rows],
        "cells": [
            "".join(_two(summary.rows[place].values.get(measure)) for summary in sweep.sets)
            for place in range(len(sweep.sets[0].rows))
        ]
        if scored
        else [],
        "evidence": answers.logged and answers.depth != 0,
    }


def _two(value: Fraction | None) -> str:
    if value is None:
        return _UNDEFINED
    high, low = divmod(round(value * 1000), 36)
    return _DIGITS[high] + _DIGITS[low]
