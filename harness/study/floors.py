"""What a ranking in random order would score on a study's questions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from harness.scoring.measures.discount import discounts
from harness.stats import Question, floor
from harness.study.config import Study

_RATED = {"recall": "recall", "mrr": "rr", "ndcg": "ndcg", "hit": "hit"}


def floors_of(study: Study) -> dict[str, Fraction | None]:
    """Return mean → expected value, for the means that tables show; empty where it isn't defined.

    With unjudged documents dropped before ranks are counted (``condense``), a random ranking is one of the judged
    documents alone, and that isn't what is asked for here.
    """
    evaluation, collection = study.schema.evaluation, study.collection
    documents, grades = len(collection.corpus.documents), collection.golden.judgments.grades
    asked = [grades[query.id] for query in collection.queries]
    threshold = evaluation.relevance_threshold
    scored = [judged for judged in asked if any(grade >= threshold for grade in judged.values())]
    if evaluation.unjudged == "condense" or not scored:
        return {}
    questions = Counter(Question.of(judged, documents=documents, threshold=threshold) for judged in scored)
    cutoffs = evaluation.all_cutoffs
    table = discounts(cutoffs[-1])
    return {
        f"{mean}@{k}": sum((n * floor(f"{name}@{k}", q, discounts=table) for q, n in questions.items()), Fraction(0))
        / len(scored)
        for mean, name in _RATED.items()
        for k in cutoffs
    }
