"""What a study measures, and under which rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from harness.collection import Collection
from harness.errors import Problem
from harness.quotes import Quote
from harness.scoring.conventions import Conventions
from harness.scoring.measures import mean_name, parse_measures
from harness.study.schema import EvaluationSection
from harness.yamlfile import YamlFile

DOCUMENT_MEASURES = ("recall", "rr", "ndcg", "hit", "precision", "ap")
CHUNK_MEASURES = ("chunk_hit", "chunk_rr", "chunk_ndcg_retrieved")
EVIDENCE_MEASURES = ("evidence",)
"""Those of splits whose questions have quotes; others have nothing to compute them from."""


def quotes_of(collection: Collection, evaluation: EvaluationSection) -> dict[str, tuple[Quote, ...]]:
    """Return the quotes of each question of the split that has any; those of documents below the threshold don't count.

    Keys are in the order of the file.
    """
    grades = collection.golden.judgments.grades
    quotes = {
        query.id: tuple(
            quote
            for quote in query.evidence
            if grades[query.id].get(quote.document, 0) >= evaluation.relevance_threshold
        )
        for query in collection.queries
    }
    return {query: held for query, held in quotes.items() if held}


def conventions_of(evaluation: EvaluationSection, *, evidence: bool = False) -> Conventions:
    """Return the conventions a study is scored under: every measure at every cutoff and at k."""
    cutoffs = evaluation.all_cutoffs
    wanted = (*DOCUMENT_MEASURES, "judged", *CHUNK_MEASURES, *(EVIDENCE_MEASURES if evidence else ()))
    names = [f"{name}@{cutoff}" for cutoff in cutoffs for name in wanted]
    return Conventions(
        measures=parse_measures([*names, "r_precision"]),
        relevance_threshold=evaluation.relevance_threshold,
        unjudged=evaluation.unjudged,
    )


def measure_problems(
    wanted: str | None, evaluation: EvaluationSection, source: YamlFile, field: tuple[str, ...]
) -> Iterator[Problem]:
    """Yield what is wrong with the name of a mean that a study goes by.

    Args:
        wanted: as it is written; None where nothing is.
        evaluation: what is computed.
        source: the study file as it is written.
        field: where in it the name stands.
    """
    means = [mean_name(one) for one in conventions_of(evaluation).measures if one.measure.name != "judged"]
    if wanted is None or wanted in means:
        return
    name, _, cutoff = wanted.partition("@")
    names = dict.fromkeys(mean.partition("@")[0] for mean in means)
    found = f"must be a mean that is computed, found {wanted!r}"
    if name in names and cutoff.isdecimal() and name != "r_precision":
        advice = f"add {cutoff} to evaluation.cutoffs"
    else:
        near = difflib.get_close_matches(wanted, means, n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        advice = f"{guess}known: {', '.join(one if one == 'r_precision' else f'{one}@k' for one in names)}"
    yield Problem(file=source.path, line=source.line(field), field=".".join(field), message=f"{found}; {advice}")
