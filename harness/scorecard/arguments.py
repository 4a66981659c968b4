"""The arguments of ``harness score``."""

from __future__ import annotations

import argparse

from harness.errors import InputError
from harness.runs.formats import FORMATS
from harness.scoring.conventions import UNJUDGED
from harness.scoring.measures import MEASURES, parse_measures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from harness.runs.records import OnDuplicate, Order
    from harness.scoring.conventions import Unjudged
    from harness.scoring.measures import NamedMeasure

_EPILOG = """formats by suffix, .gz allowed behind each: .trec .run .txt .qrels (TREC), .tsv .csv (with a header),
.json, .jsonl, .parquet. Runs with scores are put in order by score, then id, both descending (trec_eval)."""


class Request(argparse.Namespace):
    """What was asked for.

    Attributes:
        qrels: file of judgments.
        run: files of runs, in the order of the report.
        queries: file that says which queries are scored, or None: all that are judged.
        k: cutoffs, as given.
        names: measures, as given.
        measures: what to compute.
        unjudged: what happens to returned documents without a judgment.
        relevance_threshold: smallest relevant grade.
        threshold: smallest score that is shown to a user, or None.
        per_query: one line a query.
        json: JSON instead of tables.
        format: format of the runs, or None: by suffix.
        qrels_format: format of the judgments, or None: by suffix.
        on_duplicate: ``refuse`` or ``keep-best``.
        on_unknown_query: ``refuse`` queries that aren't scored, or ``drop`` and count them.
        order: ``score``, or ``rank`` for TREC files in the order of their rank column.
    """

    qrels: str
    run: list[str]
    queries: str | None
    k: str
    names: str
    measures: tuple[NamedMeasure, ...]
    unjudged: Unjudged
    relevance_threshold: int
    threshold: float | None
    per_query: bool
    json: bool
    format: str | None
    qrels_format: str | None
    on_duplicate: OnDuplicate
    on_unknown_query: Literal["refuse", "drop"]
    order: Order


def parse(arguments: Sequence[str]) -> Request:
    """Return the request.

    Raises:
        InputError: a measure, cutoff or number can't be used.
        SystemExit: argparse's own: 0 after ``--help``, 2 for arguments it doesn't know.
    """
    request = _parser().parse_args(arguments, namespace=Request())
    request.measures = _measures(request.names, request.k)
    return request


class _Formatter(argparse.HelpFormatter):
    """Help of a fixed width: asking for that of the terminal costs as much as scoring a small run."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="harness score",
        description="Score runs against judgments with exact fractions.",
        epilog=_EPILOG,
        allow_abbrev=False,
        formatter_class=_Formatter,
    )
    add = parser.add_argument
    add("--qrels", required=True, metavar="F", help="judgments")
    add("--run", required=True, nargs="+", action="extend", metavar="F", help="one or more runs")
    add("--queries", metavar="F", help="which queries are scored, in order; all judged ones by default")
    add("--k", default="10", metavar="K[,K]", help="cutoffs (10)")
    add(
        "--measures",
        dest="names",
        default="recall,rr,ndcg",
        metavar="M[,M]",
        help=f"of {', '.join(_document_names())}; or name@k",
    )
    add("--unjudged", choices=UNJUDGED, default="refuse", help="documents unjudged")
    add("--relevance-threshold", type=int, default=1, metavar="N", help="smallest relevant grade (1)")
    add("--threshold", type=float, metavar="S", help="smallest score shown: adds abstention and its cost")
    add("--per-query", action="store_true", help="one line a query")
    add("--json", action="store_true", help="JSON with exact fractions")
    add("--format", choices=FORMATS, help="format of the runs; by suffix when left out")
    add("--qrels-format", choices=FORMATS, help="format of the judgments; by suffix when left out")
    add("--on-duplicate", choices=("refuse", "keep-best"), default="refuse", help="a document twice for a query")
    add("--on-unknown-query", choices=("refuse", "drop"), default="refuse", help="a query that isn't scored")
    add("--order", choices=("score", "rank"), default="score", help="what orders a TREC run (score)")
    return parser


def _document_names() -> list[str]:
    """Return the measures of documents by their names alone: looking at a measure loads its file."""
    return [name for name in MEASURES if not name.startswith("chunk_")]


def _measures(names: str, cutoffs: str) -> tuple[NamedMeasure, ...]:
    """Return each name at each cutoff; a name with its own cutoff, or without any, stands as it is."""
    wanted: list[str] = []
    for name in names.split(","):
        measure = MEASURES.get(name.strip())
        if measure is not None and measure.takes_cutoff:
            wanted += [f"{name.strip()}@{k.strip()}" for k in cutoffs.split(",")]
        else:
            wanted.append(name.strip())
    try:
        measures = parse_measures(dict.fromkeys(wanted))
    except ValueError as error:
        raise InputError(f"--measures: {error}") from None
    chunked = next((str(measure) for measure in measures if measure.measure.view != "document"), None)
    if chunked is not None:
        raise InputError(f"--measures: {chunked} is about chunks, and a run file ranks documents; leave it out")
    return measures
