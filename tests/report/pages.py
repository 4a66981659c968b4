"""Sweeps with a ranking behind every answer, made up with a fixed seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from harness.fingerprint import sha256_text
from harness.report.html import Evidence
from harness.summary import QueryRow, SetSummary, Sweep

from .sweeps import a_set, a_sweep

K, DEPTH, DOCUMENTS = 3, 10, 400


def a_row(query: str, question: str, relevant: tuple[str, ...], retrieved: tuple[str, ...], **changed: Any) -> QueryRow:
    """Return a row whose values follow from the documents."""
    ranks = [rank for rank, document in enumerate(retrieved, 1) if document in relevant]
    first = ranks[0] if ranks else None
    values: dict[str, Fraction | None] = {}
    for k in (1, K):
        found = sum(rank <= k for rank in ranks)
        values[f"recall@{k}"] = Fraction(found, len(relevant)) if relevant else None
        values[f"hit@{k}"] = Fraction(min(found, 1)) if relevant else None
        values[f"rr@{k}"] = (Fraction(1, first) if first and first <= k else Fraction(0)) if relevant else None
        values[f"ndcg@{k}"] = values[f"rr@{k}"]
    fields: dict[str, Any] = {"missing": False, "tags": (), "first_relevant_rank": first, "values": values}
    return QueryRow(query=query, question=question, relevant=relevant, retrieved=retrieved, **fields | changed)


def with_rows(parameters: dict[str, Any], rows: tuple[QueryRow, ...], place: int, **changed: Any) -> SetSummary:
    """Return a set with these rows and the means that follow from them."""
    means: dict[str, Fraction | None] = {}
    for name in rows[0].values:
        known = [row.values[name] for row in rows if row.values[name] is not None]
        mean = sum((v for v in known if v is not None), Fraction(0)) / len(known) if known else None
        means[name.replace("rr@", "mrr@")] = mean
    hashes = {"parameters": sha256_text(f"parameters {place}"), "ranking": sha256_text(f"ranking {place}")}
    name = " ".join(f"{key}={value}" for key, value in parameters.items())
    fields: dict[str, Any] = {"rows": rows, "means": means, "hashes": hashes, "name": name}
    return a_set(parameters, [row.values[f"recall@{K}"] for row in rows], place=place, **fields | changed)


def evidence_of(sweep: Sweep, seed: int = 1) -> Evidence:
    """Return rankings that fit: each document by one chunk, ranks and scores by two routes made up."""
    runs = {s.hashes["parameters"]: sha256_text(s.name)[:32] for s in sweep.sets}
    return Evidence(sweep_id="5" * 32, config="name: x\n", runs=runs, rankings=_rankings(sweep, random.Random(seed)))


def _rankings(sweep: Sweep, chance: random.Random) -> Iterator[tuple[str, str]]:
    for summary in sweep.sets:
        lines = []
        for row in summary.rows:
            hits = [_hit(document, chance) for document in row.retrieved]
            lines.append(json.dumps({"query": row.query, "hits": hits}, ensure_ascii=False) + "\n")
        yield summary.hashes["parameters"], "".join(lines)


def _hit(document: str, chance: random.Random) -> dict[str, Any]:
    places = []
    for route in ("vector", "bm25"):
        rank = chance.randint(1, 25)
        places.append({"route": route, "rank": rank, "score": chance.random(), "contribution": f"1/{60 + rank}"})
    explain = {"places": places, "fused_score": "1/30", "rank_before_rerank": None, "rerank_score": None}
    return {"chunk": f"{document}#{chance.randint(0, 9)}", "document": document, "score": 0.03, "explain": explain}


def big_sweep(sets: int, questions: int) -> tuple[Sweep, Evidence]:
    """Return a study in which no two answers are alike, which is the worst case for the size of a page."""
    chance = random.Random(1)
    documents = [f"document-{number}" for number in range(DOCUMENTS)]
    gold = [tuple(chance.sample(documents, chance.choice([1, 1, 2]))) for _ in range(questions)]
    modes, sizes = ("bm25", "vector", "hybrid", "other"), max(1, sets // 20)
    grid = [(m, s, k) for m in modes for s in range(sizes) for k in (1, 2, 3, 5, 10)][:sets]
    made = []
    for place, (mode, size, top_k) in enumerate(grid):
        rows = []
        for number in range(questions):
            ranked = chance.sample(documents, DEPTH)
            if chance.random() < (0.3 + 0.05 * (place % 5)) * (number % 10) / 5:
                ranked[chance.randrange(4)] = gold[number][0]
            ids = tuple(dict.fromkeys(ranked))
            rows.append(
                a_row(f"q{number:03}", f"第{number}个问题怎么办？", gold[number], ids, tags=(f"tag{number % 4}",))
            )
        made.append(with_rows({"mode": mode, "chunk.size": 100 * (size + 1), "top_k": top_k}, tuple(rows), place))
    sweep = a_sweep("mode", "chunk.size", "top_k", sets=made, cutoffs=(1, K))
    return sweep, evidence_of(sweep)


HOSTILE = "</script><script>alert(1)</script> \"'&<b>\u2028\u2029{{body}}$x\x00"
"""Ends elements and attributes; is a line end in JavaScript, a place in the template, a control character."""


def hostile_sweep() -> tuple[Sweep, Evidence]:
    """Return a sweep with such a text in every place that a study can write to."""
    made = []
    for place, mode in enumerate(("bm25", HOSTILE, "混合")):
        rows = (
            a_row("q1", "明天下雨吗", ("天气.md",), ("天气.md", f"d{HOSTILE}")[place % 2 :], tags=("zh", HOSTILE)),
            a_row(HOSTILE, HOSTILE, (HOSTILE,), ("a", HOSTILE)[: place + 1], tags=(HOSTILE,)),
            a_row("q3", "nowhere", (), ("a",)),
            *(a_row(f"n{number}", "?", ("a",), ("a",) if place else ("b",)) for number in range(8)),
        )
        made.append(with_rows({"mode": mode}, rows, place, notes=(HOSTILE,)))
    sweep = a_sweep("mode", sets=made, cutoffs=(1, K), study=HOSTILE, notes=(HOSTILE,))
    evidence = evidence_of(sweep)
    return sweep, Evidence(
        sweep_id=evidence.sweep_id, config=HOSTILE, runs=evidence.runs, rankings=list(evidence.rankings)
    )
