"""Reads judgments: ``qrels/<split>.tsv`` of BEIR (query-id, corpus-id, score below a header), and qrels of TREC."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.collection.opening import unpacked
from harness.collection.reading import id_fault, nfc, some
from harness.errors import Problem
from harness.wording import counted
from harness.yamlfile import decode, read_bytes

_HEADER = ["query-id", "corpus-id", "score"]
_GRADE = re.compile(r"[-+]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The judgments of one file.

    Attributes:
        file: as it was given.
        grades: query id → {document id: grade}, in file order.
        lines: (query id, document id) → line of the judgment.
        sha256: over the bytes of the file.
        notes: what was accepted although it is unusual.
        problems: what is wrong with the file.
    """

    file: str
    grades: Mapping[str, Mapping[str, int]]
    lines: Mapping[tuple[str, str], int]
    sha256: str
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]


def read_qrels(path: Path) -> Judged:
    """Read the judgments of one split.

    Columns are split at tabs, or at runs of spaces in a line that holds no tab. A BOM, CRLF and blank lines
    are accepted. The same judgment twice is a note; two different ones of one pair are a problem.

    Raises:
        InputError: the file can't be read or isn't UTF-8. All other faults are in ``problems``.
    """
    return _read(path, _Table(file=str(path)), "judgment below the header")


def read_trec_qrels(path: Path) -> Judged:
    """Read a qrels file of TREC, ``.gz`` or not: query, iteration, document, grade, parted by runs of white space.

    Raises:
        InputError: the file can't be read or isn't UTF-8. All other faults are in ``problems``.
    """
    return _read(path, _TrecTable(file=str(path)), "judgment")


def _read(path: Path, table: _Table, wanted: str) -> Judged:
    data = unpacked(read_bytes(path), str(path))
    for line, row in enumerate(decode(data, str(path)).split("\n"), 1):
        if row.strip():
            table.row(line, row)
    if not table.lines and not table.problems:
        table.fault(None, f"must hold at least one {wanted}, found none")
    return Judged(
        file=table.file,
        grades=table.grades,
        lines=table.lines,
        sha256=hashlib.sha256(data).hexdigest(),
        notes=tuple(table.notes(path.name)),
        problems=tuple(table.problems),
    )


@dataclass(slots=True)
class _Table:
    file: str
    grades: dict[str, dict[str, int]] = field(default_factory=dict)
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    spaced: int = 0
    header: bool = False

    def fault(self, line: int | None, message: str) -> None:
        self.problems.append(Problem(file=self.file, line=line, message=message))

    def row(self, line: int, text: str) -> None:
        cells = text.split("\t") if "\t" in text else text.split()
        self.spaced += "\t" not in text
        if not self.header:
            self.header = True
            if [cell.strip() for cell in cells] != _HEADER:
                wanted = "the header 'query-id', 'corpus-id', 'score', separated by tabs"
                self.fault(line, f"must be {wanted}, found {text[:80]!r}; put the header above the judgments")
            return
        if len(cells) != len(_HEADER):
            hint = "; TREC files have an extra second column, delete it" if len(cells) == 4 else ""
            columns = "3 columns separated by tabs (query-id, corpus-id, score)"
            self.fault(line, f"must have {columns}, found {len(cells)} in {text[:80]!r}{hint}")
            return
        self.cells(line, _HEADER, cells)

    def cells(self, line: int, names: list[str], cells: list[str]) -> None:
        """Enter query, document and grade; ``names`` are what the columns are called in messages."""
        faults = [f"{name}: {id_fault(cell)}" for name, cell in zip(names, cells[:2], strict=False) if id_fault(cell)]
        grade = cells[2].strip()
        if not _GRADE.fullmatch(grade):
            faults.append(f"{names[2]}: must be a whole number, found {cells[2]!r}; write a grade such as 0, 1 or 2")
        for fault in faults:
            self.fault(line, fault)
        if not faults:
            self.judge(line, nfc(cells[0]), nfc(cells[1]), int(grade))

    def judge(self, line: int, query: str, document: str, grade: int) -> None:
        grades = self.grades.setdefault(query, {})
        first = self.lines.setdefault((query, document), line)
        if document not in grades:
            grades[document] = grade
        elif grades[document] == grade:
            self.repeated.append(line)
        else:
            pair = f"query {query!r} and document {document!r}"
            before = f"score {grades[document]} on line {first}, score {grade} here"
            self.fault(line, f"conflicting judgments of {pair}: {before}; keep one")

    def notes(self, name: str) -> list[str]:
        notes = []
        if self.repeated:
            where = some([str(line) for line in self.repeated])
            times = counted(len(self.repeated), "judgment")
            notes.append(f"{times} of {name} repeated with the same score (line {where}), counted once")
        if self.spaced:
            notes.append(f"{counted(self.spaced, 'line')} of {name} without a tab, split at runs of spaces")
        return notes


@dataclass(slots=True)
class _TrecTable(_Table):
    def row(self, line: int, text: str) -> None:
        cells = text.split()
        if len(cells) == 4:
            self.cells(line, ["query", "document", "grade"], [cells[0], *cells[2:]])
            return
        columns = "4 columns (query iteration document grade)"
        hint = "; a header with 'query-id' belongs to format beir" if "query-id" in cells else ""
        self.fault(line, f"must have {columns}, found {len(cells)} in {text[:80]!r}{hint}")
