"""What became of the mutants of each module, kept in ``score.yaml``: ``python -m tests.mutations.score`` prints it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import yaml

from .changing import ROOT, Change, Mutant, file_of

FILE = Path(__file__).with_name("score.yaml")
_HEAD = "# Written by make mutants; python -m tests.mutations.score prints it, and says which modules changed since.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The mutants of a module, by what became of them.

    Attributes:
        source: first digits of the SHA-256 of its file.
        mutants: how many there are; the other numbers add up to it.
        noticed: a test failed.
        timeout: a test took more than five times as long as usual and three seconds, of the processor.
        equivalent: no test can notice it, as ``equivalents.yaml`` says.
        survived: no test noticed it.
        not_tried: no test has run on it.
    """

    source: str
    mutants: int
    noticed: int
    timeout: int
    equivalent: int
    survived: int
    not_tried: int


COLUMNS = [field.name for field in fields(Score) if field.name != "source"]


def source_of(module: str) -> str:
    """Return the first digits of the SHA-256 of a module's file."""
    return hashlib.sha256((ROOT / file_of(module)).read_bytes()).hexdigest()[:12]


def of_module(module: str, changes: Sequence[Change], found: Mapping[str, str], known: Counter[Mutant]) -> Score:
    """Return the score of a module from name of a change → status."""
    statuses = Counter(found.get(change.name, "not tried") for change in changes)
    survivors = Counter(change.mutant for change in changes if found.get(change.name) == "survived")
    equivalent = (survivors & known).total()
    return Score(
        source=source_of(module),
        mutants=len(changes),
        noticed=statuses["noticed"],
        timeout=statuses["timeout"],
        equivalent=equivalent,
        survived=statuses["survived"] - equivalent,
        not_tried=statuses["not tried"],
    )


def kept() -> dict[str, Score]:
    """Return module → score as the file has it."""
    content = yaml.safe_load(FILE.read_text(encoding="utf-8")) if FILE.is_file() else None
    return {module: Score(**numbers) for module, numbers in (content or {}).items()}


def keep(scores: Mapping[str, Score]) -> None:
    """Write scores to the file, beside those of the other modules."""
    content = {module: asdict(score) for module, score in sorted((kept() | scores).items())}
    text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=200)
    FILE.write_text(_HEAD + text, encoding="utf-8")


def table(scores: Mapping[str, Score]) -> str:
    """Return a line a module, and one for all."""
    rows = [["module", *(column.replace("_", " ") for column in COLUMNS)]]
    rows += [[name, *(str(getattr(score, column)) for column in COLUMNS)] for name, score in sorted(scores.items())]
    rows += [["all", *(str(sum(getattr(score, column) for score in scores.values())) for column in COLUMNS)]]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        f"{row[0]:<{widths[0]}}"
        + "".join(f"  {text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    )


def main() -> None:
    """Print the table, and which of its lines were found on another source."""
    scores = kept()
    print(table(scores))
    for module, score in scores.items():
        if not (ROOT / file_of(module)).is_file() or score.source != source_of(module):
            print(f"{module} has changed since")


if __name__ == "__main__":
    main()
