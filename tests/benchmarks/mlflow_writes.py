"""Logging a parameter set against one fluent call per value: ``python -m tests.benchmarks.mlflow_writes``.

The same content both ways: 30 params, the metrics of 13 cutoffs, tags, two datasets, a table of 300 rows and three more
artifacts, on SQLite. The two ways alternate in one run.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from harness.sources import Sources
from harness.summary import QueryRow, SetRecord, SetSummary, SweepHeader
from harness.tracking import OpenSweep, Tracker, content
from harness.tracking.environment import environment
from tests.benchmarks.results import write_section

ROUNDS = 12
MEASURES = [f"recall@{k}" for k in range(1, 14)]


def header() -> SweepHeader:
    """Return the header of a study that doesn't exist."""
    return SweepHeader(
        study="bench",
        k=3,
        cutoffs=(3,),
        split="test",
        exhaustive=True,
        unjudged="refuse",
        varying=("mode",),
        planned=ROUNDS,
        points=ROUNDS,
        collapsed=(),
        skipped=(),
        hashes=dict.fromkeys(("protocol", "conventions", "config", "corpus", "golden"), "0" * 64),
        notes=(),
    )


def record(place: int) -> SetRecord:
    """Return a record with 30 parameters and 300 questions."""
    values = {measure: Fraction(1, 3) for measure in MEASURES}
    rows = tuple(
        QueryRow(
            query=f"q{i}",
            question="?" * 20,
            tags=(),
            relevant=("a",),
            retrieved=("a", "b", "c"),
            missing=False,
            first_relevant_rank=1,
            values=values,
        )
        for i in range(300)
    )
    summary = SetSummary(
        name=f"set {place}",
        place=place,
        parameters={f"p{i}": i for i in range(30)},
        means=values,
        lower={},
        upper={},
        eligible=300,
        missing=(),
        no_relevant=(),
        rows=rows,
        controls=(),
        repeated=(),
        hashes={"parameters": f"{place:064d}"},
        facts={},
        notes=(),
    )
    from harness.study.record import json_text

    table = json_text(content.query_table(summary))
    return SetRecord(
        summary=summary, files={content.QUERY_TABLE: table, "ranking.jsonl": table, "evidence.json": table}, seconds=0
    )


def fluent(place: int, record_: SetRecord, sources: Mapping[str, str]) -> None:
    """Log the same content with one fluent call per value."""
    import mlflow
    import pandas as pd
    from mlflow.data import sources as kinds
    from mlflow.data.meta_dataset import MetaDataset

    summary = record_.summary
    with mlflow.start_run(run_name=f"fluent {place}"):
        for name, value in content.set_params(summary).items():
            mlflow.log_param(name, value)
        for name, number, step in content.set_metrics(summary, header().k):
            mlflow.log_metric(name, number, step=step)
        mlflow.log_metric("seconds", 0)
        for name, text in content.set_tags(header(), summary).items():
            mlflow.set_tag(name, text)
        for name, path in sources.items():
            source = kinds.LocalArtifactDatasetSource(path)  # type: ignore[attr-defined]  # made when MLflow is loaded
            dataset = MetaDataset(source, name=name, digest=header().hashes[name][:36])  # type: ignore[abstract]
            mlflow.log_input(dataset, context="evaluation")
        table = content.query_table(summary)
        mlflow.log_table(pd.DataFrame(table["data"], columns=table["columns"]), content.QUERY_TABLE)
        for name, text in record_.files.items():
            if name != content.QUERY_TABLE:
                mlflow.log_text(text, name)
        mlflow.log_text(content.json_file(environment()), "environment.json")


def measure(folder: Path, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return medians in milliseconds and their ratio."""
    import mlflow

    tracker = Tracker(f"sqlite:///{folder}/mlflow.db", folder)
    sources = {"corpus": "corpus", "golden": "golden.yaml"}
    sweep: OpenSweep = tracker.start_sweep(
        header(), "name: bench\n", Sources(study="bench.yaml", sources={}), key="bench", lock=None
    )
    mlflow.set_tracking_uri(tracker.uri)
    mlflow.set_experiment("bench")
    ours: list[float] = []
    theirs: list[float] = []
    for place in range(rounds):
        given = record(place)
        ours.append(_ms(partial(tracker.log_set, sweep, header(), given, sources)))
        theirs.append(_ms(partial(fluent, place, given, sources)))
    log, one_by_one = statistics.median(ours), statistics.median(theirs)
    return {"ms_per_set": log, "ms_fluent": one_by_one, "speedup_vs_fluent": one_by_one / log}


def _ms(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def main() -> None:
    """Measure, print, and write ``build/bench.json``."""
    with tempfile.TemporaryDirectory() as folder:
        write_section("mlflow", measure(Path(folder), 1 if "--small" in sys.argv else ROUNDS))


if __name__ == "__main__":
    main()
