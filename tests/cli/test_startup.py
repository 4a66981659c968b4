"""What starts without the heavy packages, and what every command says of itself."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer.main

from cli.world import HARNESS, environment, invoke, run
from harness import __version__
from harness.cli import app

HEAVY = ("chromadb", "mlflow", "numpy", "pandas", "sentence_transformers", "sklearn", "torch")
COMMANDS = typer.main.get_group(app).commands


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ([str(HARNESS), "--help"], (*HEAVY, "pydantic")),
        ([str(HARNESS), "sweep", "--help"], HEAVY),  # typer itself reads options with pydantic
        ([str(HARNESS), "version"], HEAVY),
        (["-c", "import harness.scoring"], (*HEAVY, "pydantic", "yaml")),
        (["-c", "import harness.cli"], (*HEAVY, "pydantic")),
        (["-c", "import harness.report, harness.summary"], (*HEAVY, "pydantic")),
    ],
    ids=["help", "help of a command", "version", "the exact core", "the command line", "reports"],
)
def test_no_heavy_package_is_imported_to_start(command: list[str], heavy: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "harness" in imported
    assert imported.isdisjoint(heavy)


def test_the_help_lists_every_command_with_a_description() -> None:
    done = run("--help")
    assert (done.code, done.err) == (0, "")
    assert {"check", "sweep", "report", "ui", "version"} <= COMMANDS.keys()
    listed = done.out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line] == list(COMMANDS)
    assert all(len(line.split()) > 2 for line in listed if line)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_every_option_has_a_help_text(name: str) -> None:
    done = invoke(name, "--help")
    assert done.code == 0
    assert COMMANDS[name].help
    for parameter in COMMANDS[name].params:
        assert getattr(parameter, "help", None), f"{name} {parameter.name}"


def test_without_arguments_the_help_is_shown() -> None:
    done = run()
    assert "Usage: harness [OPTIONS] COMMAND [ARGS]..." in done.out + done.err


def test_the_command_is_also_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness", "version"], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == run("version").out == f"{__version__}\n"


@pytest.mark.parametrize("arguments", [["swep"], ["sweep"], ["sweep", "a.yaml", "b.yaml"], ["report", "--nope"]])
def test_a_wrong_call_says_what_was_expected(arguments: list[str]) -> None:
    done = invoke(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: ")
