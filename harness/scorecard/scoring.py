"""Files → scores of each run."""

from __future__ import annotations

import os

from harness.errors import InputError, Problem
from harness.frozen import Frozen, replace
from harness.judgments import Judgments
from harness.runs.formats import format_of
from harness.runs.reading import read_qrels, read_query_ids, read_run
from harness.scorecard.words import line_of, queries
from harness.scoring.conventions import Conventions
from harness.scoring.measures import parse_measure
from harness.scoring.texts import TextJudgments, score_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.runs.formats import FilePath
    from harness.runs.records import Run
    from harness.scorecard.arguments import Request
    from harness.scoring.abstention import Abstention
    from harness.scoring.encoded import EncodedScores
    from harness.scoring.measures import NamedMeasure
    from harness.scoring.scores import QueryScores, Values
    from harness.scoring.texts import TextScores

_BIG = 4_000_000
_SHOWN = 3
_TIE_RULES = {
    "score": "score descending, then id descending; a file that holds an order of its own keeps it",
    "rank": "as the file ranks",
}


class Judged(Frozen):
    """The judgments and rules of one call.

    Attributes:
        ledger: ids of the scored queries, in order.
        grades: query id → {document id: grade}, ledger only.
        conventions: measures and rules.
        notes: what is unusual about the judgments.
    """

    ledger: tuple[str, ...]
    grades: Mapping[str, Mapping[str, int]]
    conventions: Conventions
    notes: tuple[str, ...]

    @property
    def judgments(self) -> Judgments:
        """As the scorers take them; under ``refuse`` nothing unjudged is left when they are called."""
        return Judgments(exhaustive=self.conventions.unjudged == "refuse", grades=self.grades)


class Scored(Frozen):
    """One run, scored.

    Attributes:
        file: as it was given.
        eligible: queries with a relevant document.
        missing: ids the run leaves out.
        no_relevant: ids without a relevant document.
        returned: documents in all rankings.
        unjudged: those of them without a judgment.
        scores: the scores themselves; bounds are worked out when they are looked at.
        notes: what was repaired, with counts.
        rows: one per query when asked for.
        abstention: both sides of ``--threshold``, or None.
        passing: means of what passes ``--threshold``, or None.
    """

    file: str
    eligible: int
    missing: tuple[str, ...]
    no_relevant: tuple[str, ...]
    returned: int
    unjudged: int
    scores: TextScores | EncodedScores
    notes: tuple[str, ...]
    rows: tuple[QueryScores, ...] = ()
    abstention: Abstention | None = None
    passing: Values | None = None

    @property
    def means(self) -> Values:
        """Name → exact mean."""
        return self.scores.means

    @property
    def lower(self) -> Values:
        """Name → lower bound, for partial judgments."""
        return self.scores.lower

    @property
    def upper(self) -> Values:
        """Name → upper bound, likewise."""
        return self.scores.upper


def read_judged(request: Request) -> Judged:
    """Read judgments and ledger.

    Raises:
        InputError: a file is faulty, or a query of ``--queries`` has no judgments.
    """
    qrels = read_qrels(request.qrels, form=request.qrels_format)
    ledger = tuple(qrels.grades) if request.queries is None else read_query_ids(request.queries)
    bare = [query for query in ledger if query not in qrels.grades]
    if bare:
        message = f"{queries(len(bare))} without judgments in {request.qrels}, such as {bare[0]!r}; judge or delete"
        raise InputError(Problem(file=str(request.queries), message=message))
    try:
        conventions = Conventions(
            measures=_with_judged(request.measures, request.unjudged),
            relevance_threshold=request.relevance_threshold,
            unjudged=request.unjudged,
            tie_rule=_TIE_RULES[request.order],
            candidate_budget="every document of the run file",
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    grades = {query: qrels.grades[query] for query in ledger}
    return Judged(ledger=ledger, grades=grades, conventions=conventions, notes=qrels.notes)


def _with_judged(measures: tuple[NamedMeasure, ...], unjudged: str) -> tuple[NamedMeasure, ...]:
    """Add judged@k beside every cutoff when judgments may be partial."""
    if unjudged == "refuse":
        return measures
    names = [str(measure) for measure in measures]
    cuts = dict.fromkeys(measure.cutoff for measure in measures if measure.cutoff is not None)
    more = [f"judged@{cut}" for cut in cuts or (10,) if f"judged@{cut}" not in names]
    return (*measures, *(parse_measure(name) for name in more))


def score_file(judged: Judged, request: Request, path: FilePath) -> Scored:
    """Read and score one run.

    Raises:
        InputError: the file is faulty, or holds what the rules of the request refuse.
    """
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    plain = request.threshold is None and request.order == "score" and not request.per_query
    if size > _BIG and plain and format_of(path, request.format, "run") == "trec":
        from harness.runs.columnar import read_trec_columns

        columns = read_trec_columns(path)
        if columns is not None:
            from harness.scorecard.big import score_columns

            return score_columns(judged, request, path, columns)
    run = read_run(path, form=request.format, on_duplicate=request.on_duplicate, order=request.order)
    return _score_run(judged, request, path, run)


def _score_run(judged: Judged, request: Request, path: FilePath, run: Run) -> Scored:
    notes = [*run.notes, *unknown_queries(judged, request, path, run.rankings)]
    rankings = {query: ranking for query, ranking in run.rankings.items() if query in judged.grades}
    strange = [
        (query, document)
        for query, ranking in rankings.items()
        for document in ranking
        if document not in judged.grades[query]
    ]
    refuse_unjudged(request, path, len(strange), strange[:_SHOWN])
    documents = {document for row in judged.grades.values() for document in row}
    prepared = TextJudgments.prepare(
        ledger=judged.ledger,
        judgments=judged.judgments,
        document_ids=documents.union(*rankings.values()) or {"none"},
        conventions=judged.conventions,
    )
    scores = score_texts(prepared, rankings)
    no_relevant = tuple(query for query in judged.ledger if not prepared.digests[prepared.rows[query][0]].relevant)
    result = Scored(
        file=str(path),
        eligible=len(judged.ledger) - len(no_relevant),
        missing=tuple(query for query in judged.ledger if query not in rankings),
        no_relevant=no_relevant,
        returned=sum(map(len, rankings.values())),
        unjudged=len(strange),
        scores=scores,
        notes=tuple(notes),
        rows=scores.run_scores().rows if request.per_query else (),
    )
    return result if request.threshold is None else _with_threshold(judged, result, prepared, run, request.threshold)


def _with_threshold(judged: Judged, result: Scored, prepared: TextJudgments, run: Run, threshold: float) -> Scored:
    from harness.scoring.abstention import above, abstention

    if run.scores is None:
        message = "--threshold needs scores, and this run has none; write it with scores"
        raise InputError(Problem(file=result.file, message=message))
    least = judged.conventions.relevance_threshold
    rankings = {query: row for query, row in run.rankings.items() if query in judged.grades}
    try:
        both = abstention(
            relevant={query: {d for d, g in row.items() if g >= least} for query, row in judged.grades.items()},
            rankings=rankings,
            scores=run.scores,
            threshold=threshold,
        )
    except ValueError as error:
        raise InputError(f"--threshold: {error}") from None
    kept = above(rankings=rankings, scores=run.scores, threshold=threshold)
    return replace(result, abstention=both, passing=score_texts(prepared, kept).means)


def unknown_queries(judged: Judged, request: Request, path: FilePath, found: Mapping[str, object]) -> list[str]:
    """Return a note on queries that aren't scored, when they may be dropped.

    Raises:
        InputError: they may not.
    """
    unknown = [query for query in found if query not in judged.grades]
    if not unknown:
        return []
    listed = "in --queries" if request.queries is not None else "in the judgments"
    if request.on_unknown_query == "drop":
        return [f"{queries(len(unknown))} not {listed}, dropped"]
    message = f"{queries(len(unknown))} not {listed}, such as {unknown[0]!r}; remove, or ask for "
    raise InputError(
        Problem(file=str(path), line=line_of(path, [unknown[0]]), message=f"{message}--on-unknown-query drop")
    )


def refuse_unjudged(request: Request, path: FilePath, count: int, examples: Sequence[tuple[str, str]]) -> None:
    """Refuse a run that returns unjudged documents, unless a rule for them was chosen.

    Raises:
        InputError: naming the first ones.
    """
    if not count or request.unjudged != "refuse":
        return
    problems = [
        Problem(
            file=str(path),
            line=line_of(path, pair),
            message=f"document {pair[1]!r} isn't judged for query {pair[0]!r}",
        )
        for pair in examples
    ]
    rule = f"{count} returned without a judgment; judge them, or choose --unjudged nonrelevant or condense"
    raise InputError([*problems, Problem(file=str(path), message=rule)])
