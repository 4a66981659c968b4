"""The Makefile, what continuous integration runs, and the versions they install."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PHONY = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()
EXTRAS = PROJECT["optional-dependencies"]
DIRECT = sorted({*PROJECT["dependencies"], *(line for extra in EXTRAS.values() for line in extra)})


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Return distribution → exact version, as constraints.txt has them."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line and not line.startswith("#")]
    split = [line.split("==") for line in entries]
    assert all(len(parts) == 2 for parts in split), entries
    return {canonical(name): version for name, version in split}


def make(*arguments: str) -> str:
    """Run make without its own settings in the environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", *arguments], cwd=ROOT, env=kept, capture_output=True, text=True, check=True)
    return done.stdout


def test_help_lists_every_target_with_a_description() -> None:
    listed = dict(re.findall(r"^  make ([a-z-]+) +(\S.*)$", make("help"), re.MULTILINE))
    assert sorted(listed) == sorted(PHONY)
    assert all(len(description) > 10 for description in listed.values())


def test_help_is_what_make_does_alone() -> None:
    assert make() == make("help")


def test_targets_are_told_in_the_order_of_their_declaration() -> None:
    assert re.findall(r"^  make ([a-z-]+)", make("help"), re.MULTILINE) == PHONY


def test_every_rule_without_a_file_is_declared_phony() -> None:
    rules = re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE)
    assert sorted(rules) == sorted(PHONY)


def test_a_config_can_be_chosen_and_the_default_is_there() -> None:
    default = re.findall(r"^CONFIG \?= (.*)$", MAKEFILE, re.MULTILINE)[0]
    assert (ROOT / default).is_file()
    assert ".venv/bin/harness sweep other.yaml" in make("--dry-run", "sweep", "CONFIG=other.yaml")


def test_continuous_integration_runs_what_a_person_runs() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    called = [line.split()[1] for line in lines if line.startswith("make ")]
    assert {"check", "test"} <= set(called) <= set(PHONY)
    assert "set -euo pipefail" in lines


def test_test_and_check_run_everything() -> None:
    assert ".venv/bin/python -m pytest" in make("--dry-run", "test")
    check = make("--dry-run", "check")
    assert [
        tool for tool in ("ruff format --check .", "ruff check .", "mypy") if f".venv/bin/{tool}" not in check
    ] == []


@pytest.mark.parametrize("requirement", DIRECT)
def test_every_direct_dependency_has_an_exact_version_that_it_allows(requirement: str) -> None:
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)
    version = pins().get(canonical(wanted.name))
    assert version is not None, f"{wanted.name} isn't in constraints.txt"
    assert re.fullmatch(r"[0-9]+(\.[0-9]+)*(\.?[a-z]+[0-9]+)*", version)
    assert version in wanted.specifier


def test_torch_is_pinned_without_a_build_label() -> None:
    """A label such as +cpu would tie the project to one package index."""
    assert pins()["torch"] == "2.13.0"


def test_no_distribution_is_pinned_twice() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    names = [canonical(line.split("==")[0]) for line in lines if line and not line.startswith("#")]
    assert len(names) == len(set(names))


def test_the_versions_that_run_here_are_the_pinned_ones() -> None:
    """Otherwise these tests would say nothing of what make installs."""
    from importlib.metadata import PackageNotFoundError, version

    other = {}
    for name, pinned in pins().items():
        try:
            found = version(name).partition("+")[0]
        except PackageNotFoundError:
            continue
        if found != pinned:
            other[name] = (found, pinned)
    assert other == {}
