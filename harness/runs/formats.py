"""Which file is in which format: named, or told by the suffix; never guessed from the content.

suffix (``.gz`` behind it is allowed)   run       judgments
.trec .run .txt                         trec      trec
.qrels                                  –         trec
.tsv                                    tsv       tsv (BEIR)
.csv                                    csv       csv
.json                                   json      json
.jsonl                                  jsonl     jsonl
.parquet                                parquet   parquet
"""

from __future__ import annotations

import os

from harness.errors import InputError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    FilePath = str | os.PathLike[str]
    Kind = Literal["run", "judgments"]

FORMATS = ("trec", "tsv", "csv", "json", "jsonl", "parquet")
SUFFIXES = {
    ".trec": "trec",
    ".run": "trec",
    ".txt": "trec",
    ".qrels": "trec",
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
}
_NOT_A_RUN = ".qrels"


def name_of(path: FilePath) -> str:
    """Return the last part of a path; ``pathlib`` isn't loaded for that, scoring a small run is quicker."""
    return os.path.basename(os.path.normpath(path))


def format_of(path: FilePath, given: str | None, kind: Kind) -> str:
    """Return the format of a file.

    Args:
        path: the file; only its name is looked at.
        given: a name out of ``FORMATS`` that wins over the suffix, or None.
        kind: what the file holds.

    Raises:
        InputError: ``given`` is unknown, or the suffix says nothing.
    """
    if given is not None:
        if given not in FORMATS:
            raise InputError(f"format: must be one of {', '.join(FORMATS)}, found {given!r}")
        return given
    suffix = os.path.splitext(name_of(path).removesuffix(".gz"))[1].lower()
    if suffix in SUFFIXES and not (kind == "run" and suffix == _NOT_A_RUN):
        return SUFFIXES[suffix]
    known = ", ".join(sorted(SUFFIXES))
    message = f"the suffix {suffix!r} doesn't tell the format of {kind}; rename it ({known}) or name the format"
    raise InputError(Problem(file=str(path), message=message))
