"""Change ``harness/scoring`` in thousands of small ways and see that its tests notice each of them.

``python -m tests.mutations.core_mutants`` tries all changes that mutmut knows of, ``… evaluator encoded.sums`` those
of these modules alone. It goes on where an earlier run on the same files stopped. A mutant that no test notices must
be in ``equivalents.yaml`` with the reason why none can, or the exit code is 1; so it is when an entry there names a
mutant that a test does notice by now. What came of it is kept in ``score.yaml``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from . import score
from .changing import ROOT, Change, Mutant, changes_of, file_of, modules
from .trying import Digests, Trial, Tried

LIST = Path(__file__).with_name("equivalents.yaml")
KEPT = ROOT / "build" / "mutants"
TESTS = ["tests/scoring", "tests/scoring_fast"]
# These start other processes, where nothing is changed.
_OTHER_PROCESSES = (
    "tests/scoring/test_imports.py::test_only_the_standard_library_fingerprint_and_records_are_imported",
    "tests/scoring/test_imports.py::test_importing_the_room_loads_none_of_its_modules",
    "tests/scoring/test_pitfalls.py::test_m9_values_do_not_depend_on_the_hash_seed",
    "tests/scoring_fast/test_pitfalls.py::test_the_hash_seed_changes_nothing",
)
# The laws take as long as all the rest together, and the rest shall do without them. The files of the conformance
# tests aren't in the repository.
_LEFT_OUT = ("tests/scoring_fast/test_laws.py", "tests/scoring/test_conformance.py")
_OPTIONS = ["-s", "-p", "no:xdist", "-p", "no:cacheprovider", "--tb=native", "--hypothesis-profile=mutants"]


def listed(content: Sequence[Mapping[str, Any]]) -> Counter[Mutant]:
    """Return the mutants of ``equivalents.yaml``; one line can stand twice in a file."""
    return Counter(
        Mutant(file=entry["file"], before=pair["before"], after=pair["after"])
        for entry in content
        for pair in entry["mutants"]
    )


def judge(survivors: Iterable[Mutant], known: Counter[Mutant], tried: Iterable[str]) -> list[str]:
    """Return what is wrong: survivors that aren't listed, and listed ones that don't survive in modules tried whole."""
    found, files = Counter(survivors), {file_of(module) for module in tried}
    return [
        *(f"no test notices {mutant}" for mutant in sorted((found - known).elements())),
        *(
            f"listed in {LIST.name}, yet it doesn't survive: {mutant}"
            for mutant in sorted((known - found).elements())
            if mutant.file in files
        ),
    ]


class Kept:
    """What earlier runs found, a line of JSON each; only what was found on the same files still holds (``Digests``)."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        self._found = [json.loads(line) for line in lines if line.endswith("}")]
        self.noticed_by = {found["name"]: found["by"] for found in self._found if found["by"]}
        # All tests ran on these, or one without an end: they come last, and what was never tried comes first.
        self.slow = {found["name"] for found in self._found if found["status"] != "noticed"}

    def statuses(self, digest: Callable[[str | None], str]) -> dict[str, str]:
        """Return name → status of what was tried on the files that these are the digests of, by noticing test."""
        digests = {by: digest(by) for by in {found["by"] for found in self._found}}
        return {found["name"]: found["status"] for found in self._found if found["digest"] == digests[found["by"]]}

    def add(self, tried: Tried, digest: str) -> None:
        """Keep what became of a change."""
        found = {"name": tried.change.name, "status": tried.status, "by": tried.by, "digest": digest}
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(found) + "\n")


def main(parts: Sequence[str]) -> int:
    """Try, print, and return the exit code."""
    chosen = [module for module in modules() if not parts or module in parts]
    if unknown := sorted(set(parts) - set(chosen)):
        print(f"no module of the room: {unknown}; there are {sorted(modules())}", file=sys.stderr)
        return 2
    kept, changes = Kept(KEPT / "tried.jsonl"), {module: changes_of(module, KEPT / "changes") for module in chosen}
    found: dict[str, str] = {}
    digests: list[Digests] = []

    def left(collected: Digests) -> list[Change]:
        digests.append(collected)
        found.update(kept.statuses(collected.of))
        untried = [change for of_module in changes.values() for change in of_module if change.name not in found]
        untried.sort(key=lambda change: (change.name in kept.slow, change.name in kept.noticed_by))
        print(f"{len(untried)} mutants to try, {len(found)} tried already", flush=True)
        return untried

    def tell(tried: Tried) -> None:
        found[tried.change.name] = tried.status
        kept.add(tried, digests[0].of(tried.by))
        if tried.status != "noticed":
            print(f"{tried.status} {tried.change.name} {tried.by or ''}\n{tried.change.mutant}", flush=True)

    trial = Trial(changes=left, noticed_by=kept.noticed_by, tell=tell, traces=KEPT / "traces.pickle")
    without = [f"--deselect={test}" for test in (*_OTHER_PROCESSES, *_LEFT_OUT)]
    pytest.main([*_OPTIONS, *without, *TESTS], plugins=[trial])
    if trial.fault or not digests:
        print(trial.fault or "pytest ended before any test", file=sys.stderr)
        return 2
    known = listed(yaml.safe_load(LIST.read_text(encoding="utf-8")))
    scores = {module: score.of_module(module, of_module, found, known) for module, of_module in changes.items()}
    score.keep(scores)
    print(score.table(scores))
    survivors = [change.mutant for of in changes.values() for change in of if found.get(change.name) == "survived"]
    faults = judge(survivors, known, [module for module, score_of in scores.items() if not score_of.not_tried])
    print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
