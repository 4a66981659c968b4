"""The command line: arguments in, exit code out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness import __version__, cli_reviews
from harness.commandline import Directory, app, readable_errors
from harness.entry import utf8_or_again, write_utf8
from harness.threads import pin_threads

__all__ = ["app", "cli_reviews", "main"]

Config = Annotated[Path, typer.Argument(help="A study file (YAML).", metavar="CONFIG")]


@app.command()
def init(
    documents: Annotated[Path, typer.Argument(help="A folder of documents, or a file of them.", metavar="DOCUMENTS")],
    into: Annotated[
        Path, typer.Option("--into", help="Folder for the files; made if it isn't there.", metavar="DIR")
    ] = Path(),
) -> None:
    """Write a commented study, and a golden set to fill in, for documents of any known kind."""
    with readable_errors():
        from harness.starting import init_study

        typer.echo(init_study(documents, into))


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="Questions of another tool: JSON(L), CSV, TSV, Parquet, YAML.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="The golden set to write; never overwritten.", metavar="FILE")],
    corpus: Annotated[Path | None, typer.Option(help="Documents to hold the ids against.", metavar="PATH")] = None,
    id_key: Annotated[str | None, typer.Option("--id", help="Key of the ids.", metavar="KEY")] = None,
    question: Annotated[str | None, typer.Option(help="Key of the questions.", metavar="KEY")] = None,
    gold: Annotated[str | None, typer.Option(help="Key of the relevant documents.", metavar="KEY")] = None,
    separator: Annotated[str | None, typer.Option(help="Between ids that share a text.", metavar="TEXT")] = None,
    empty: Annotated[str, typer.Option(help="Questions without documents: refuse, unanswerable, drop.")] = "refuse",
    judgments: Annotated[str, typer.Option(help="partial, or exhaustive: all others were judged 0.")] = "partial",
) -> None:
    """Turn another tool's golden set into ours; what could be read in two ways is refused."""
    with readable_errors():
        from harness.starting import import_golden, wishes_of

        wishes = wishes_of({"id": id_key, "question": question, "gold": gold}, separator, empty, judgments)
        typer.echo(import_golden(file, out, corpus, wishes))


@app.command()
def check(config: Config) -> None:
    """Report every problem of config, corpus and golden set; change nothing."""
    with readable_errors():
        from harness.commands import check_study

        typer.echo(check_study(config))


@app.command()
def sweep(
    config: Config,
    directory: Directory = Path(),
    executor: Annotated[
        str | None, typer.Option(help="sequential, processes or dask; wins over the config.", metavar="NAME")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Worker processes on this machine.")] = None,
    address: Annotated[
        str | None, typer.Option(help="Scheduler of a Dask cluster, such as tcp://host:8786.", metavar="URL")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print what would be done, and do nothing.")] = False,
) -> None:
    """Run every parameter set of a study, log each to MLflow, print the ablation table."""
    with readable_errors():
        from harness.commands import print_plan, sweep_study

        if plan:
            typer.echo(print_plan(config, directory), nl=False)
            raise typer.Exit(0)
        code = sweep_study(config, directory, typer.echo, executor=executor, workers=workers, address=address)
    raise typer.Exit(code)


@app.command()
def report(
    sweep_id: Annotated[str | None, typer.Argument(help="Run id of a sweep; the newest when left out.")] = None,
    *,
    study: Annotated[str | None, typer.Option(help="The newest sweep of this study.")] = None,
    per_query: Annotated[bool, typer.Option("--per-query", help="One line a question.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one self-contained page instead.", metavar="FILE")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="Name of the set to hold the others against.", metavar="NAME")
    ] = None,
    measure: Annotated[
        str | None, typer.Option(help="Mean that verdicts go by, such as ndcg@10; the study's own when left out.")
    ] = None,
    directory: Directory = Path(),
) -> None:
    """Print the table of a past sweep from MLflow, or write it as a page."""
    with readable_errors():
        from harness.commands import print_report, write_html

        if html is not None:
            typer.echo(write_html(sweep_id, study, directory, html, baseline, measure))
            return
        typer.echo(print_report(sweep_id, study, directory, baseline, measure, per_query=per_query), nl=False)


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 5000,
    directory: Directory = Path(),
) -> None:
    """Open MLflow on the store that sweeps write to."""
    with readable_errors():
        from harness.commands import run_ui

        code = run_ui(port, directory, typer.echo)
    raise typer.Exit(code)


@app.command()
def cache(
    what: Annotated[str, typer.Argument(help="list, verify or prune.", metavar="list|verify|prune")] = "list",
    older_than: Annotated[
        float | None, typer.Option("--older-than", help="prune: delete what wasn't used for so many days.")
    ] = None,
    directory: Directory = Path(),
) -> None:
    """List, verify or prune what is kept on disk: indexes, vectors, rerank scores."""
    with readable_errors():
        from harness.commands import care_for_cache

        text, code = care_for_cache(what, directory, older_than)
        typer.echo(text)
    raise typer.Exit(code)


@app.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def score(context: typer.Context) -> None:
    """Score run files of any tool against judgments, exactly (harness score --help)."""
    from harness.scorecard.main import score as run_score

    raise typer.Exit(run_score(context.args))


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    """Run the command line."""
    utf8_or_again()
    pin_threads()
    write_utf8()
    app()
