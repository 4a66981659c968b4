"""Change ``harness/scoring`` in thousands of small ways and see that its tests notice each of them.

``python -m tests.mutations.core_mutants`` runs mutmut over the whole room, ``… evaluator encoded.sums`` over these
modules alone. A mutant that no test notices must be in ``equivalents.yaml`` with the reason why none can, or the exit
code is 1; so it is when an entry there names a mutant that a test does notice by now.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("equivalents.yaml")
ROOM = "harness.scoring"
_MUTMUT = str(Path(sys.executable).with_name("mutmut"))
_NOTICED = {"killed", "timeout", "segfault"}
_NOT_TRIED = {"not checked", "skipped"}


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mutant:
    """One change: the lines of ``file`` that it takes away, and those that it puts there."""

    file: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}\n    - {self.before}\n    + {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of the mutants of some modules.

    Attributes:
        counts: module → status → how many.
        survivors: those that no test noticed.
    """

    counts: Mapping[str, Mapping[str, int]]
    survivors: Sequence[Mutant]


def statuses(printed: str) -> dict[str, str]:
    """Return mutant → status, from what ``mutmut results --all true`` prints."""
    lines = (line.strip().rpartition(": ") for line in printed.splitlines() if ": " in line)
    return {name: status for name, _, status in lines}


def module_of(name: str) -> str:
    """Return the module of a mutant, relative to the room; functions start with ``x_`` or ``xǁ``."""
    return name.removeprefix(ROOM).partition(".x")[0].strip(".") or "__init__"


def mutant_of(file: str, diff: str) -> Mutant:
    """Return a mutant from the diff that ``mutmut show`` prints."""
    lines = [line for line in diff.splitlines() if not line.startswith(("---", "+++", "#"))]
    before, after = ([line[1:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
    return Mutant(file=file, before="\n".join(before), after="\n".join(after))


def listed(content: Sequence[Mapping[str, Any]]) -> Counter[Mutant]:
    """Return the mutants of ``equivalents.yaml``; one line can stand twice in a file."""
    return Counter(
        Mutant(file=entry["file"], before=pair["before"], after=pair["after"])
        for entry in content
        for pair in entry["mutants"]
    )


def judge(outcome: Outcome, known: Counter[Mutant], modules: Iterable[str]) -> list[str]:
    """Return what is wrong: survivors that aren't listed, and listed ones that don't survive in these modules."""
    found, files = Counter(outcome.survivors), {file_of(module) for module in modules}
    return [
        *(f"no test notices {mutant}" for mutant in sorted((found - known).elements())),
        *(
            f"listed in {LIST.name}, yet it doesn't survive: {mutant}"
            for mutant in sorted((known - found).elements())
            if mutant.file in files
        ),
    ]


def file_of(module: str) -> str:
    """Return the file of a module of the room, relative to the repository."""
    path = Path(*ROOM.split("."), *module.split("."))
    return (path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py")).as_posix()


def patterns(parts: Sequence[str]) -> list[str]:
    """Return the names of mutants that mutmut shall try; none: all of them."""
    return [f"{ROOM}.x*" if part == "__init__" else f"{ROOM}.{part}.x*" for part in parts]


def mutmut(*arguments: str, quiet: bool = True) -> str:
    """Run mutmut in the root of the repository and return what it prints."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "COLUMNS": "200"}
    output = subprocess.PIPE if quiet else None
    done = subprocess.run([_MUTMUT, *arguments], cwd=ROOT, env=environment, text=True, stdout=output, check=False)
    if done.returncode:
        sys.exit(f"mutmut {arguments[0]} ended with {done.returncode}\n{(done.stdout or '')[-3000:]}")
    return done.stdout or ""


def try_all(parts: Sequence[str]) -> Outcome:
    """Run mutmut and return what became of the mutants of these parts; all parts when none is named."""
    if not parts:
        shutil.rmtree(ROOT / "mutants", ignore_errors=True)
    mutmut("run", "--max-children", "1", *patterns(parts), quiet=False)
    return outcome_of(statuses(mutmut("results", "--all", "true")), parts)


def outcome_of(found: Mapping[str, str], parts: Sequence[str]) -> Outcome:
    """Return the counts of the parts, and the diffs of their survivors."""
    chosen = {name: status for name, status in found.items() if not parts or module_of(name) in parts}
    counts: dict[str, Counter[str]] = {}
    for name, status in chosen.items():
        counts.setdefault(module_of(name), Counter())[status] += 1
    survivors = [name for name, status in chosen.items() if status not in _NOTICED | _NOT_TRIED]
    return Outcome(
        counts=counts, survivors=[mutant_of(file_of(module_of(name)), mutmut("show", name)) for name in survivors]
    )


def table(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Return a line a module: mutants, noticed ones, others."""
    rows = [f"{'module':<32} mutants  noticed  surviving  not tried"]
    total: Counter[str] = Counter()
    for module, found in [*sorted(counts.items()), ("all", total)]:
        noticed, skipped = (sum(found[name] for name in names if name in found) for names in (_NOTICED, _NOT_TRIED))
        number = sum(found.values())
        rows.append(f"{module:<32} {number:>7}  {noticed:>7}  {number - noticed - skipped:>9}  {skipped:>9}")
        total.update(found)
    return "\n".join(rows)


def main(parts: Sequence[str]) -> int:
    """Try, print, and return the exit code."""
    outcome = try_all(parts)
    print(table(outcome.counts))
    content = yaml.safe_load(LIST.read_text(encoding="utf-8"))
    modules = [module for module, found in outcome.counts.items() if not _NOT_TRIED & found.keys()]
    faults = judge(outcome, listed(content), modules)
    print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
