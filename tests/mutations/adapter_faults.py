"""Put six known faults into copies of the adapter and see that its tests catch each of them.

Run from the repository root: ``python -m tests.mutations.adapter_faults``. The exit code is 1 when a fault
survives, 2 when the check itself is out of order (a text that no longer matches once, a sound copy that fails).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADAPTER = Path("harness", "scoring", "adapter.py")
TESTS = Path("tests", "scoring", "test_adapter.py")
_FAILED = re.compile(r"^FAILED \S+::(.+?)(?: - .*)?$", re.MULTILINE)
_TESTS_FAILED = 1
# Long test names must not be cut, and a stale compiled file must not stand in for a mutated source.
_ENVIRONMENT = {"COLUMNS": "500", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


class BrokenCheckError(Exception):
    """The check can't be trusted: it says nothing about the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One wrong adapter: ``before`` must stand in the source exactly once."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the tests said about one fault; ``killed_by`` is None when they noticed nothing."""

    fault: str
    killed_by: str | None


FAULTS = (
    Fault(
        name="document ids sorted instead of first occurrence",
        before='return [document["document_id"] for document in found["documents"]]',
        after='return sorted(document["document_id"] for document in found["documents"])',
    ),
    Fault(
        name="rankings truncated before validation",
        before="check_chunk_ranking(query, ranking, chunk_to_doc)",
        after="check_chunk_ranking(query, ranking[:2] if isinstance(ranking, list) else ranking, chunk_to_doc)",
    ),
    Fault(
        name="a duplicate chunk allowed",
        before="        check_chunk_ranking(query, ranking, chunk_to_doc)\n",
        after=(
            "        text = isinstance(ranking, list) and all(isinstance(chunk, str) for chunk in ranking)\n"
            "        check_chunk_ranking(query, list(dict.fromkeys(ranking)) if text else ranking, chunk_to_doc)\n"
        ),
    ),
    Fault(
        name="a bad unused mapping ignored",
        before="    check_chunk_table(chunk_to_doc, corpus)\n",
        after=(
            "    if isinstance(chunk_to_doc, dict):\n"
            "        used = [c for r in chunk_runs.values() if isinstance(r, list) for c in r]\n"
            "        check_chunk_table({c: d for c, d in chunk_to_doc.items() if c in used}, corpus)\n"
            "    else:\n"
            "        check_chunk_table(chunk_to_doc, corpus)\n"
        ),
    ),
    Fault(
        name="missing queries invented",
        before="    answered = [query for query in ledger if query in chunk_runs]\n",
        after=(
            "    answered = list(ledger)\n    chunk_runs = {query: chunk_runs.get(query, []) for query in ledger}\n"
        ),
    ),
    Fault(
        name="the first occurrence overwritten",
        before='            known["chunk_ranks"].append(rank)\n            continue\n',
        after="            del documents[document]\n",
    ),
)


def mutate(source: str, fault: Fault) -> str:
    """Return ``source`` with the fault; refuse a text that doesn't match exactly once."""
    found = source.count(fault.before)
    if found != 1:
        raise BrokenCheckError(f"{fault.name}: the text to replace occurs {found} times in {ADAPTER}, wanted 1")
    return source.replace(fault.before, fault.after)


def copy_project(target: Path) -> None:
    """Copy what the adapter tests need into an empty folder."""
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in (ADAPTER.parent, TESTS.parent):
        shutil.copytree(ROOT / folder, target / folder, ignore=ignore)
    for module in (ROOT / "harness").glob("*.py"):
        shutil.copy(module, target / "harness")
    shutil.copy(ROOT / "pyproject.toml", target)


def killer(folder: Path) -> str | None:
    """Run the adapter tests in a copied project; return the first that fails, None when all pass."""
    command = [sys.executable, "-m", "pytest", TESTS.as_posix(), "-q", "-x", "-rf", "-o", "addopts="]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"],
        cwd=folder,
        env=os.environ | _ENVIRONMENT | {"PYTHONPATH": str(folder)},
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode == 0:
        return None
    failed = _FAILED.search(done.stdout)
    if done.returncode != _TESTS_FAILED or failed is None:
        raise BrokenCheckError(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return failed.group(1)


def check_isolation(folder: Path) -> None:
    """Make sure that the copied package is the one that gets imported."""
    code = "import harness.scoring.adapter as adapter; print(adapter.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        check=True,
        capture_output=True,
        text=True,
    )
    if Path(done.stdout.strip()).resolve() != (folder / ADAPTER).resolve():
        raise BrokenCheckError(f"the copy in {folder} is not what gets imported: {done.stdout.strip()}")


def run_check(faults: Iterable[Fault] = FAULTS) -> list[Verdict]:
    """Return one verdict per fault, after the sound copy has passed."""
    source = (ROOT / ADAPTER).read_text(encoding="utf-8")
    mutants = [(fault.name, mutate(source, fault)) for fault in faults]
    with tempfile.TemporaryDirectory(prefix="adapter-faults-") as name:
        folder = Path(name)
        copy_project(folder)
        check_isolation(folder)
        broken = killer(folder)
        if broken is not None:
            raise BrokenCheckError(f"the sound copy fails {broken}")
        verdicts = []
        for fault, mutant in mutants:
            (folder / ADAPTER).write_text(mutant, encoding="utf-8")
            verdicts.append(Verdict(fault=fault, killed_by=killer(folder)))
    return verdicts


def table(verdicts: Iterable[Verdict]) -> str:
    """Return the verdicts as lines of text."""
    rows = [("mutation", "killed by")]
    rows += [(verdict.fault, verdict.killed_by or "SURVIVED") for verdict in verdicts]
    width = max(len(fault) for fault, _ in rows)
    return "\n".join(f"{fault:<{width}}  {outcome}" for fault, outcome in rows)


def main() -> int:
    """Print the table; return the exit code."""
    try:
        verdicts = run_check()
    except BrokenCheckError as error:
        print(error, file=sys.stderr)
        return 2
    print(table(verdicts))
    return int(any(verdict.killed_by is None for verdict in verdicts))


if __name__ == "__main__":
    sys.exit(main())
