"""What all commands share: the application, common options, and how errors are shown."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import HarnessError

app = typer.Typer(
    help="Retriever ablations: isolated indexes, exact scores, MLflow runs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Directory = Annotated[
    Path, typer.Option("--dir", help="Where mlflow.db, mlartifacts/ and .harness/ lie.", metavar="DIR")
]


@contextlib.contextmanager
def readable_errors() -> Iterator[None]:
    """End with the error's own words and exit code instead of a traceback."""
    try:
        yield
    except HarnessError as error:
        typer.echo(f"error: {error}" if "\n" not in str(error) else f"errors:\n{error}", err=True)
        raise typer.Exit(error.exit_code) from None
    except BrokenPipeError:
        raise typer.Exit(1) from None
