"""The studies of ``configs/published``, what other tools gave for them, and what comes out here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from harness.index import IndexStore
from harness.report import ablation_report
from harness.report.markdown import table
from harness.study.config import read_study
from harness.study.engine import run_study
from harness.study.summarise import header_of, summary_of
from harness.summary import Sweep

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs" / "published"
PAGE = ROOT / "docs" / "published.md"
MEASURES = ("ndcg@10", "recall@10", "mrr@10")
TOLERANCE = Fraction(1, 1000)
SLOW = ("scifact-minilm", "xquad-r-zh-modes")
"""Those that embed texts: the first takes minutes, left to ``make published``; the table of the second is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What another tool gave.

    Attributes:
        study: name of the file in ``configs/published``, without suffix.
        chosen: the parameters that pick one of its sets.
        values: mean → value, to four decimals.
        source: the tool.
    """

    study: str
    chosen: Mapping[str, str]
    values: Mapping[str, Fraction]
    source: str


@cache
def expected() -> tuple[Published, ...]:
    """Read ``tests/expected/published.json``."""
    text = (ROOT / "tests" / "expected" / "published.json").read_text(encoding="utf-8")
    return tuple(
        Published(
            study=entry["study"],
            chosen=entry["set"],
            values={name: Fraction(str(entry[name])) for name in MEASURES},
            source=entry["from"],
        )
        for entry in json.loads(text)
    )


def studies() -> list[str]:
    """Return the names of all studies, the slow ones last."""
    names = sorted(path.stem for path in CONFIGS.glob("*.yaml"))
    return sorted(names, key=lambda name: name in SLOW)


def missing(study: str) -> str | None:
    """Return which folder a study needs and lacks, or None."""
    text = (CONFIGS / f"{study}.yaml").read_text(encoding="utf-8")
    name = text.partition("shared/data/")[2].partition("}")[0]
    folder = ROOT.parent / "shared" / "data" / name
    return None if folder.is_dir() else f"../shared/data/{name}"


def run(study: str, folder: Path) -> Sweep:
    """Run a study; ``folder`` keeps indexes and vectors where ``harness sweep --dir`` keeps them."""
    read = read_study(CONFIGS / f"{study}.yaml")
    store = IndexStore(folder / ".harness" / "indexes")
    results = run_study(read, store, cache=folder / ".harness" / "cache")
    sets = tuple(summary_of(read, result) for result in results)
    return Sweep(header=header_of(read), sets=tuple(sorted(sets, key=lambda summary: summary.place)))


def rows(study: str, sweep: Sweep) -> Iterator[tuple[list[str], bool]]:
    """Yield a line of the table for each published result of a study, and whether all its numbers agree."""
    for entry in expected():
        if entry.study != study:
            continue
        (found,) = [s for s in sweep.sets if entry.chosen.items() <= s.parameters.items()]
        here = {name: found.means[name] or Fraction(0) for name in MEASURES}
        cells = [study, _which(found.parameters), entry.source]
        for name in MEASURES:
            cells += [f"{float(entry.values[name]):.4f}", f"{float(here[name]):.4f}"]
        yield cells, all(abs(here[name] - entry.values[name]) <= TOLERANCE for name in MEASURES)


def _which(parameters: Mapping[str, Any]) -> str:
    if "bm25.tokenizer" in parameters:
        return f"BM25, {parameters['bm25.tokenizer']}"
    return Path(parameters["vector.embedder"]).name


def numbers_table(lines: list[list[str]]) -> str:
    """Return the comparison as Markdown: each measure as it was published and as it is here."""
    columns = [column for name in MEASURES for column in (f"{name} there", "here")]
    return table(["study", "what", "tool", *columns], lines, left=3)


def modes_table(sweep: Sweep) -> str:
    """Return the ablation table alone."""
    lines = ablation_report(sweep).splitlines()
    return "\n".join(line for line in lines[: lines.index("", 2)] if line.startswith("|"))
