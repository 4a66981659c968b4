"""The commands on past runs: reproduce, compare, explain, gate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.commandline import Directory, app, readable_errors

Run = Annotated[
    str,
    typer.Argument(
        help="A run id or its beginning, or latest; of a sweep with several sets: SWEEP/NAME.", metavar="RUN"
    ),
]
Corpus = Annotated[Path | None, typer.Option("--corpus", help="The corpus, where it isn't where it was.")]
Golden = Annotated[Path | None, typer.Option("--golden", help="The golden set, where it isn't where it was.")]
Measure = Annotated[str | None, typer.Option(help="Such as ndcg@3; recall at the study's k when left out.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of Markdown.")]


@app.command()
def reproduce(
    run: Run,
    from_artifacts: Annotated[
        bool, typer.Option("--from-artifacts", help="Use the copies of corpus and golden set kept with the sweep.")
    ] = False,
    corpus: Corpus = None,
    golden: Golden = None,
    as_json: AsJson = False,
    directory: Directory = Path(),
) -> None:
    """Make a past run again from its logged config, in a fresh directory, and say how far it agrees.

    Exit code: 0 bit-identical, 4 same rankings, 5 same metrics, 6 different. A sweep stands for all of its sets.
    """
    with readable_errors():
        from harness.reviews import reproduce_run

        text, code = reproduce_run(
            run, directory, corpus=corpus, golden=golden, from_artifacts=from_artifacts, as_json=as_json
        )
        typer.echo(text, nl=False)
    raise typer.Exit(code)


@app.command()
def compare(
    before: Annotated[str, typer.Argument(help="As RUN of reproduce.", metavar="A")],
    after: Annotated[str, typer.Argument(help="As RUN of reproduce.", metavar="B")],
    measure: Measure = None,
    as_json: AsJson = False,
    directory: Directory = Path(),
) -> None:
    """Compare two runs question by question; refuse where they aren't about the same thing."""
    with readable_errors():
        from harness.reviews import compare_runs

        typer.echo(compare_runs(before, after, directory, measure=measure, as_json=as_json), nl=False)


@app.command()
def explain(
    run: Run,
    query: Annotated[str, typer.Option("--query", help="Id of a question.", metavar="Q")],
    at: Annotated[
        list[str] | None, typer.Option("--at", help="See it under other values: fetch_k=10,16.", metavar="NAME=V,V")
    ] = None,
    corpus: Corpus = None,
    golden: Golden = None,
    directory: Directory = Path(),
) -> None:
    """Show how every candidate for one question came to its place."""
    with readable_errors():
        from harness.reviews import explain_question

        text = explain_question(run, query, directory, at=at or [], corpus=corpus, golden=golden)
        typer.echo(text, nl=False)


@app.command()
def gate(
    run: Run,
    *,
    minimum: Annotated[
        list[str] | None, typer.Option("--min", help="A bound, compared exactly: 'hit@3>=14/15'.", metavar="BOUND")
    ] = None,
    max_missing: Annotated[int | None, typer.Option(help="Questions the run may leave out.", min=0)] = None,
    protocol: Annotated[str | None, typer.Option(help="Protocol hash wanted, or its beginning.")] = None,
    baseline: Annotated[
        str | None, typer.Option("--no-regression-against", help="A run it must not be worse than.", metavar="RUN")
    ] = None,
    allow_questions: Annotated[int, typer.Option(help="Questions on which it may be worse all the same.", min=0)] = 0,
    measure: Measure = None,
    directory: Directory = Path(),
) -> None:
    """Pass or fail a run, for continuous integration: exit code 0 when all holds, 1 when not, 2 for misuse."""
    with readable_errors():
        from harness.reviews import gate_run

        text, code = gate_run(
            run,
            directory,
            conditions=minimum or [],
            max_missing=max_missing,
            protocol=protocol,
            baseline=baseline,
            measure=measure,
            allowed=allow_questions,
        )
        typer.echo(text, nl=False)
    raise typer.Exit(code)
