"""Which parameter moves the main measure, on which questions, and which questions tell sets apart at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from harness.report.html.text import cell, esc, figure, table
from harness.report.judged import Judged
from harness.stats import Attribution, Deciding, Effect, Question, by_tag, ceiling, deciding
from harness.summary import QueryRow, Scalar, SetSummary, Sweep
from harness.wording import counted, shown

_PROMPTS = ("vector.query_prompt", "vector.document_prompt")
_INTERACTIONS = 12
_SPREADS = 15
_LONG = 40


def parameters_of(sweep: Sweep) -> dict[str, Mapping[str, Scalar]]:
    """Return each set's parameters as effects take them: a prompt left to the model is a value too."""
    prompts = {name: None for name in _PROMPTS if name in sweep.header.varying}
    return {s.name: {**(prompts if "vector.embedder" in s.parameters else {}), **s.parameters} for s in sweep.sets}


def decided(sweep: Sweep, judged: Judged) -> Deciding | None:
    """Return which questions tell the sets apart; None without a question that has a value."""
    if judged.panel is None:
        return None
    rows = {row.query: row for row in sweep.sets[0].rows}
    return deciding(judged.panel, {q: _best(judged.measure, rows[q]) for q in judged.panel.queries})


def _best(measure: str, row: QueryRow) -> Fraction:
    """Return the most one question can give: 1 for an ideal ranking's nDCG, and for all that is measured on chunks."""
    name, _, _ = measure.partition("@")
    if name in ("ndcg", "evidence") or name.startswith("chunk_"):
        return Fraction(1)
    relevant = len(row.relevant)
    return ceiling(measure, Question(documents=relevant, relevant=relevant, gains=(1,) * relevant))


def effects_section(attribution: Attribution, measure: str) -> str:
    """Return the tables of effects and interactions."""
    if not attribution.effects:
        return "<p>No two sets differ in one parameter alone, so no effect can be told.</p>"
    text = "".join(_effects(attribution.effects, measure))
    if attribution.interactions:
        text += "".join(_interactions(attribution, measure))
    if attribution.unmatched:
        names = ", ".join(map(esc, attribution.unmatched))
        text += f"<p>No two sets differ in one of these alone, so their effect can't be told: {names}.</p>"
    return text


def _effects(effects: Sequence[Effect], measure: str) -> Iterator[str]:
    yield (
        f"<p>How much {esc(measure)} moves when one parameter is changed and all else is equal: the mean over matched "
        "pairs of sets. Effects describe these sets; that many sets agree is no further evidence, as they are asked "
        "the same questions.</p>"
    )
    rows = []
    for e in effects:
        share = f"{len(e.changed)} ({float(e.share):.0%})"
        rows.append(
            cell(esc(e.parameter))
            + cell(esc(shown(e.parameter, e.before)))
            + cell(esc(shown(e.parameter, e.after)))
            + figure(e.differences.mean, signed=True)
            + cell(share, value=e.share, kind="n")
            + cell(str(e.pairs), value=float(e.pairs), kind="n")
        )
    headers = ["parameter", "from", "to", "#effect", "#questions it changes", "#pairs"]
    drawn = table(headers, rows, sortable=True)
    if len(rows) > _LONG:
        drawn = f"<details><summary>All {len(rows)} effects</summary>{drawn}</details>"
    yield drawn


def _interactions(attribution: Attribution, measure: str) -> Iterator[str]:
    ordered = sorted(attribution.interactions, key=lambda i: -abs(i.differences.mean))
    told = [i for i in ordered if i.changed][:_INTERACTIONS]
    if not told:
        yield f"<p>No interactions: the effects on {esc(measure)} add up exactly.</p>"
        return
    yield (
        f"<h3>Interactions</h3><p>How much one effect changes when another parameter moves; 0 where effects add up. "
        f"The largest {len(told)} of {len(ordered)}.</p>"
    )
    rows = [
        "".join(
            cell(f"{esc(name)}<br><small>{esc(shown(name, before))} → {esc(shown(name, after))}</small>")
            for name, before, after in zip(i.parameters, i.before, i.after, strict=True)
        )
        + figure(i.differences.mean, signed=True)
        + cell(str(len(i.changed)), value=float(len(i.changed)), kind="n")
        + cell(str(i.squares), value=float(i.squares), kind="n")
        for i in told
    ]
    yield table(["effect of", "when this moves", "#interaction", "#questions", "#squares"], rows, sortable=True)


def questions_section(sweep: Sweep, judged: Judged, found: Deciding) -> str:
    """Return the questions nobody solves, those that all solve, and those that tell the sets apart."""
    numbers = {row.query: place for place, row in enumerate(sweep.sets[0].rows)}
    many = counted(len(sweep.sets), "set")
    parts = [
        f'<p class="count"><b>{len(found.unsolved)}</b> of {judged.questions} questions are solved by none of {many}, '
        f"<b>{len(found.solved)}</b> fully by all, and <b>{len(found.spreads)}</b> tell sets apart; the verdicts rest "
        "on these alone.</p>"
    ]
    for words, queries in (("Solved by none", found.unsolved), ("Solved fully by all", found.solved)):
        if queries:
            parts.append(f"<p>{words} ({len(queries)}): {', '.join(_link(q, numbers) for q in queries)}</p>")
    if found.spreads and judged.panel is not None:
        columns = dict(zip(judged.panel.queries, zip(*judged.panel.units, strict=True), strict=True))
        common, half = judged.panel.denominator, len(sweep.sets) / 2
        reached = {s.query: sum(Fraction(unit, common) == s.most for unit in columns[s.query]) for s in found.spreads}
        ordered = sorted(found.spreads, key=lambda s: (-s.width, abs(reached[s.query] - half)))
        rows = [
            cell(_link(spread.query, numbers))
            + figure(spread.least)
            + figure(spread.most)
            + cell(f"{reached[spread.query]} of {len(sweep.sets)}", value=float(reached[spread.query]), kind="n")
            for spread in ordered[:_SPREADS]
        ]
        parts.append("<h3>Questions that decide most</h3>")
        parts.append(table(["question", "#worst set", "#best set", "#sets that reach the best"], rows, sortable=True))
    return "".join(parts)


def tags_section(sweep: Sweep, judged: Judged, attribution: Attribution) -> str:
    """Return the main measure by tag, and each parameter's largest effect by tag; empty without tags."""
    rows_of = {row.query: row for row in sweep.sets[0].rows}
    tags = {query: row.tags for query, row in rows_of.items()}
    panel = judged.panel
    names = sorted({tag for row in rows_of.values() for tag in row.tags})
    if not names or panel is None:
        return ""
    largest: dict[str, Effect] = {}
    for effect in attribution.effects:
        held = largest.get(effect.parameter)
        if held is None or abs(effect.differences.mean) > abs(held.differences.mean):
            largest[effect.parameter] = effect
    split = {name: by_tag(effect, tags) for name, effect in largest.items()}
    rows = []
    for tag in names:
        places = [place for place, query in enumerate(panel.queries) if tag in tags[query]]
        if not places:
            continue
        means = {
            label: Fraction(sum(row[p] for p in places), panel.denominator * len(places))
            for label, row in zip(panel.sets, panel.units, strict=True)
        }
        rows.append(
            cell(f'<span class="tag">{esc(tag)}</span>')
            + cell(str(len(places)), value=float(len(places)), kind="n")
            + figure(means[judged.baseline])
            + figure(min(means.values()))
            + figure(max(means.values()))
            + "".join(figure(held[tag].mean if tag in held else None, signed=True) for held in split.values())
        )
    heads = [f"#{name}: {shown(name, e.before)} → {shown(name, e.after)}" for name, e in largest.items()]
    return (
        f"<h3>By tag</h3><p>{esc(judged.measure)} of the questions with a tag, and the largest effect of each "
        "parameter on them. Few questions have a tag, so these differences are the least certain of all.</p>"
        + table(["tag", "#questions", "#baseline", "#worst set", "#best set", *heads], rows, kind="tags", sortable=True)
    )


def _link(query: str, numbers: Mapping[str, int]) -> str:
    return f'<a href="#q{numbers[query]}">{esc(query)}</a>'


def notes_of(sweep: Sweep, sets: Sequence[SetSummary]) -> list[str]:
    """Return what may mislead, each once."""
    return list(dict.fromkeys([*sweep.header.notes, *(note for s in sets for note in s.notes)]))
