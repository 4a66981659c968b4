"""One question under one parameter set or several: every candidate, and how it came to its place."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from harness.errors import InputError
from harness.index import IndexStore
from harness.records import Query
from harness.retrieval import NOTHING, ROUTE_ORDER
from harness.review.places import Places, find_places, placed
from harness.study.bench import Bench
from harness.study.config import Study, read_study
from harness.study.parameters import ParameterSet
from harness.study.workshop import Workshop
from harness.summary import Scalar
from harness.tracking.reading import Archive, LoggedSet


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteView:
    """Where a route put a candidate, and what that gave it."""

    route: str
    rank: int
    score: float
    contribution: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One candidate chunk.

    Attributes:
        chunk: its id.
        document: the document it was cut from.
        gold: whether that document is relevant.
        routes: one per route that returned it.
        fused: sum of the contributions; None without fusion.
        pool_rank: 1-based rank before any reranking.
        logit: of the reranker, None where it didn't score the candidate.
        rank: 1-based final rank; None where the candidate isn't among the ``top_k`` handed on.
        document_rank: 1-based document rank where this chunk is the first of its document, else None.
    """

    chunk: str
    document: str
    gold: bool
    routes: tuple[RouteView, ...]
    fused: Fraction | None
    pool_rank: int
    logit: float | None
    rank: int | None
    document_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A question under one parameter set.

    Attributes:
        parameters: of the set.
        candidates: final ranking first, then the rest of the pool in pool order.
    """

    parameters: Mapping[str, Scalar]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What ``explain`` found.

    Attributes:
        label: of the logged set.
        query: the question.
        gold: ids of the relevant documents.
        sets: one explanation per parameter set, in grid order.
        skipped: points that can't be run, with the reason.
        as_logged: whether the ranking under the logged parameters is the logged one; None when they were changed.
    """

    label: str
    query: Query
    gold: tuple[str, ...]
    sets: tuple[Explanation, ...]
    skipped: tuple[str, ...]
    as_logged: bool | None


def explain(
    archive: Archive,
    logged: LoggedSet,
    query_id: str,
    *,
    changed: Mapping[str, Sequence[Scalar]],
    given: Mapping[str, Path],
    store: Path,
    cache: Path,
) -> Explained:
    """Ask one question again, with the indexes and vectors that are there.

    Args:
        archive: the store of the logged set.
        logged: the set.
        query_id: one of its questions.
        changed: dotted parameter → values, to see the same question under others.
        given: ``corpus``, ``golden`` → path to use instead of where the files lay.
        store: folder of indexes.
        cache: folder of vectors.

    Raises:
        InputError: there is no such question, a parameter can't take a value, or files aren't there.
    """
    with tempfile.TemporaryDirectory(prefix="harness-explain-") as name:
        folder = Path(name)
        sources = archive.sources(logged.sweep_id)
        places = find_places(sources, given=given, archive=archive, from_artifacts=False, folder=folder)
        study = _study(logged, places, folder, changed)
    query = _query(study, query_id)
    threshold = study.schema.evaluation.relevance_threshold
    grades = study.collection.golden.judgments.grades[query.id]
    gold = tuple(document for document, grade in grades.items() if grade >= threshold)
    workshop = Workshop(study.collection.corpus, [query.text], IndexStore(store), cache=cache)
    sets = tuple(_explanation(workshop.bench(p.chunk), p, gold) for p in study.grid.sets)
    return Explained(
        label=logged.label,
        query=query,
        gold=gold,
        sets=sets,
        skipped=tuple(f"{_point(dict(point.point))}: {point.reason}" for point in study.grid.skipped),
        as_logged=None if changed else _same(logged, query.id, sets[0]),
    )


def _study(logged: LoggedSet, places: Places, folder: Path, changed: Mapping[str, Sequence[Scalar]]) -> Study:
    path = folder / "study.yaml"
    path.write_text(placed(logged.config, places, {k: list(v) for k, v in changed.items()}), encoding="utf-8")
    return read_study(path)


def _query(study: Study, query_id: str) -> Query:
    for query in study.collection.queries:
        if query.id == query_id:
            return query
    from difflib import get_close_matches

    near = get_close_matches(query_id, [query.id for query in study.collection.queries], 3, 0.4)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise InputError(f"--query: split {study.schema.evaluation.split} has no question {query_id!r}{hint}")


def _explanation(bench: Bench, parameters: ParameterSet, gold: Sequence[str]) -> Explanation:
    depth = parameters.fetch_k or parameters.top_k
    bench.prepare(parameters)
    pool, final = bench.candidates(parameters, 2 * depth), bench.rank(parameters)
    final_row = [place for place in final.positions[0].tolist() if place != NOTHING]
    logits = dict(zip(final_row, final.scores[0].tolist(), strict=False)) if parameters.rerank else {}
    rank_of = {place: rank for rank, place in enumerate(final_row, 1)}
    fusion = parameters.fusion.fusion() if parameters.fusion else None
    documents = list(dict.fromkeys(bench.chunking.chunks[place].document_id for place in final_row))
    seen: set[str] = set()
    found: list[Candidate] = []
    pool_row = [place for place in pool.positions[0].tolist() if place != NOTHING]
    for place in [*final_row, *(place for place in pool_row if place not in rank_of)]:
        column, chunk = pool_row.index(place), bench.chunking.chunks[place]
        routes = tuple(
            RouteView(
                route=route,
                rank=int(pool.ranks[route][0, column]),
                score=float(pool.route_scores[route][0, column]),
                contribution=fusion.contribution(route, int(pool.ranks[route][0, column])) if fusion else None,
            )
            for route in ROUTE_ORDER
            if route in pool.ranks and pool.ranks[route][0, column]
        )
        shares = [view.contribution for view in routes if view.contribution is not None]
        first = place in rank_of and chunk.document_id not in seen
        seen.add(chunk.document_id)
        found.append(
            Candidate(
                chunk=chunk.id,
                document=chunk.document_id,
                gold=chunk.document_id in gold,
                routes=routes,
                fused=sum(shares[1:], shares[0]) if shares else None,
                pool_rank=column + 1,
                logit=logits.get(place),
                rank=rank_of.get(place),
                document_rank=documents.index(chunk.document_id) + 1 if first else None,
            )
        )
    return Explanation(parameters=parameters.flat(), candidates=tuple(found))


def _same(logged: LoggedSet, query_id: str, found: Explanation) -> bool:
    ranked = [candidate.chunk for candidate in found.candidates if candidate.rank is not None]
    return ranked == [hit.chunk for hit in logged.rankings.get(query_id, ())]


def _point(point: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{name}={value}" for name, value in point.items())
