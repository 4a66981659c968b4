"""Results → summaries: what is kept, named as the config names it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from harness.fingerprint import sha256_json
from harness.scoring.controls import Control
from harness.scoring.measures import mean_name
from harness.scoring.scores import RunScores
from harness.splits import Choice
from harness.study.config import Study
from harness.study.floors import floors_of
from harness.study.measured import quotes_of
from harness.study.naming import set_names
from harness.study.parameters import varying
from harness.study.results import SetResult
from harness.summary import ControlRow, PointRow, QueryRow, SetSummary, SweepHeader, Values


def header_of(study: Study, choice: Choice | None = None) -> SweepHeader:
    """Return what all parameter sets of a study share, or those that ``choice`` leaves of them."""
    evaluation, collection = study.schema.evaluation, study.collection
    names = set_names(study.grid.sets)
    return SweepHeader(
        study=study.schema.name,
        k=evaluation.k,
        cutoffs=evaluation.all_cutoffs,
        split=evaluation.split,
        exhaustive=collection.golden.judgments.exhaustive,
        unjudged=evaluation.unjudged,
        varying=varying(study.grid.sets),
        planned=choice.left if choice else len(study.grid.sets),
        points=study.grid.points,
        collapsed=tuple(
            PointRow(point=dict(point.point), fate=f"the same as {names[point.into]}") for point in study.grid.collapsed
        ),
        skipped=tuple(PointRow(point=dict(point.point), fate=point.reason) for point in study.grid.skipped),
        hashes={
            "protocol": study.protocol_sha256,
            "split": study.split_sha256,
            "conventions": study.conventions.sha256,
            "config": study.sha256,
            "corpus": collection.corpus.sha256,
            "golden": collection.golden.sha256,
            **_evidence_hash(study),
        },
        notes=collection.notes,
        choice=choice,
        measure=study.measure,
        baseline=names[study.baseline] if study.baseline else None,
        floors=floors_of(study),
    )


def _evidence_hash(study: Study) -> dict[str, str]:
    """Return the fingerprint of the quotes that are scored; nothing where there are none."""
    quotes = quotes_of(study.collection, study.schema.evaluation)
    content = {query: [[quote.document, quote.text] for quote in held] for query, held in quotes.items()}
    return {"evidence": sha256_json(content)} if content else {}


def summary_of(study: Study, result: SetResult) -> SetSummary:
    """Return what is kept of one result."""
    prints = result.fingerprints
    return SetSummary(
        name=set_names(study.grid.sets)[result.parameters],
        place=study.grid.sets.index(result.parameters),
        parameters=result.parameters.flat(),
        means=_means(result.documents) | _means(result.chunks) | _means(result.evidence),
        oracles={name: {mean_name(m): v for m, v in means.items()} for name, means in result.oracles.items()},
        lower={mean_name(name): value for name, value in result.documents.lower.items()},
        upper={mean_name(name): value for name, value in result.documents.upper.items()},
        eligible=result.documents.eligible_queries,
        missing=result.documents.missing_queries,
        no_relevant=result.documents.no_relevant_queries,
        rows=tuple(_rows(study, result)),
        controls=tuple(_controls(study.schema.evaluation.k, result)),
        repeated=result.controls.raw_id_replacement.affected_queries,
        hashes={
            "parameters": result.parameters.sha256,
            "chunking": prints.chunking,
            **{f"index.{route}": value for route, value in prints.indexes.items()},
            **{f"weights.{name}": value for name, value in prints.weights.items()},
            "adapter": prints.adapter,
            "run": prints.run,
            "ranking": prints.ranking,
        },
        facts=result.facts,
        notes=result.notes,
    )


def _means(scores: RunScores | None) -> dict[str, Fraction | None]:
    return {} if scores is None else {mean_name(name): value for name, value in scores.means.items()}


def _rows(study: Study, result: SetResult) -> Iterator[QueryRow]:
    threshold = study.schema.evaluation.relevance_threshold
    grades = study.collection.golden.judgments.grades
    runs = result.adapted["document_runs"]
    views = [scores.rows for scores in (result.documents, result.chunks, result.evidence) if scores is not None]
    for query, row, *others in zip(study.collection.queries, *views, strict=True):
        values: Values = {name: value for view in (row, *others) for name, value in view.values.items()}
        yield QueryRow(
            query=query.id,
            question=query.text,
            tags=query.tags,
            relevant=tuple(doc for doc, grade in grades[query.id].items() if grade >= threshold),
            retrieved=tuple(runs.get(query.id, ())),
            missing=row.missing,
            first_relevant_rank=row.first_relevant_rank,
            values=values,
        )


def _controls(k: int, result: SetResult) -> Iterator[ControlRow]:
    controls = result.controls
    named: Mapping[str, tuple[Control, ...]] = {
        f"recall@{k}": (controls.dropping_missing_recall, controls.hit_rate_as_recall, controls.occurrence_counting),
        f"mrr@{k}": (controls.dropping_missing_rr,),
    }
    for measure, rows in named.items():
        for control in rows:
            if control.differs:
                yield ControlRow(fault=control.fault, measure=measure, wrong=control.wrong, right=control.right)
