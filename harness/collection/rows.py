"""Tables of other tools → rows: JSONL, CSV, TSV and Parquet, plain or (but for Parquet) gzip.

Nothing is guessed: cells of CSV and TSV are text as it stands, ``NA`` and ``007`` included. A column that is wanted
and isn't there is one problem, which lists the columns there are.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from harness.collection.cells import UnfitError
from harness.collection.jsonlines import JsonLines
from harness.collection.opening import read_unpacked
from harness.collection.reading import some
from harness.errors import InputError, Problem
from harness.wording import counted
from harness.yamlfile import decode

TABLES = ("jsonl", "csv", "tsv", "parquet")
"""Formats of tables."""

Cell = TypeVar("Cell")


@dataclass(slots=True)
class Table:
    """A table that is read once.

    Attributes:
        path: the file.
        form: one of ``TABLES``.
        wanted: the columns to read; None reads those there are.
        problems: what is wrong with the file.
        sha256: over its bytes, once it has been read.
    """

    path: Path
    form: str
    wanted: tuple[str, ...] | None
    problems: list[Problem] = field(default_factory=list)
    sha256: str = ""

    def fault(self, row: int | None, message: str, column: str | None = None) -> None:
        """Note a problem of a row: a line, or in Parquet a row from 1."""
        if self.form == "parquet" and row is not None:
            place = " ".join(part for part in (f"row {row}", column) if part)
            self.problems.append(Problem(file=str(self.path), field=place, message=message))
        else:
            self.problems.append(Problem(file=str(self.path), line=row, field=column, message=message))

    def place(self, row: int) -> str:
        """Return where a row stands, as it reads after "first given"."""
        return f"in row {row}" if self.form == "parquet" else f"on line {row}"

    def take(self, row: int, cells: Mapping[str, Any], column: str, read: Callable[[Any], Cell]) -> Cell | None:
        """Return a cell as ``read`` understands it; None after a fault."""
        try:
            return read(cells[column])
        except UnfitError as error:
            self.fault(row, str(error), column)
            return None

    def rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield each row with its number; it holds all wanted columns."""
        try:
            yield from {"jsonl": self._jsonl, "parquet": self._parquet}.get(self.form, self._csv)()
        except InputError as error:
            self.problems.extend(error.problems)

    def _missing(self, row: int | None, names: list[str], there: list[str], times: int = 1) -> None:
        columns = f"column {names[0]!r}" if len(names) == 1 else f"columns {', '.join(map(repr, names))}"
        more = f" ({counted(times, 'line')} lack it)" if times > 1 else ""
        shown = some(map(repr, there), 40) or "none"
        message = f"has no {columns}{more}; the columns there are: {shown}; say which is which under 'columns'"
        self.fault(row, message)

    def _jsonl(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        digest = hashlib.sha256()
        source = JsonLines(path=self.path, hasher=digest, keys=self.wanted)
        lacking: dict[tuple[str, ...], tuple[int, list[str], int]] = {}
        for line, fields in source.read():
            absent = tuple(name for name in self.wanted or () if name not in fields)
            if absent:
                first, there, times = lacking.get(absent, (line, list(source.present), 0))
                lacking[absent] = (first, there, times + 1)
            else:
                yield line, fields
        self.problems.extend(source.problems)
        for names, (line, there, times) in lacking.items():
            self._missing(line, list(names), there, times)
        self.sha256 = digest.hexdigest()

    def _csv(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        data = read_unpacked(self.path)
        self.sha256 = hashlib.sha256(data).hexdigest()
        header: list[str] | None = None
        for line, cells in self._cells(decode(data, str(self.path))):
            if header is None:
                header = cells
                if not self._sound(line, header):
                    return
            elif len(cells) != len(header):
                message = f"must have {counted(len(header), 'cell')} as the header has, found {len(cells)}"
                self.fault(line, f"{message}: {cells!r:.80}; put a cell that holds a separator in quotes")
            else:
                yield line, dict(zip(header, cells, strict=True))
        if header is None:
            names = f" that names {', '.join(self.wanted)}" if self.wanted else ""
            self.fault(None, f"must begin with a header{names}, found nothing")

    def _cells(self, text: str) -> Iterator[tuple[int, list[str]]]:
        if self.form == "tsv":
            for line, content in enumerate(text.split("\n"), 1):
                if content.strip():
                    yield line, content.split("\t")
            return
        before = csv.field_size_limit(sys.maxsize)
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            line = 1
            for cells in reader:
                if cells:
                    yield line, cells
                line = reader.line_num + 1
        except csv.Error as error:
            self.fault(reader.line_num, f"isn't valid CSV: {error}; check the quotes")
        finally:
            csv.field_size_limit(before)

    def _parquet(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        from pyarrow import ArrowException, parquet

        data = read_unpacked(self.path)
        self.sha256 = hashlib.sha256(data).hexdigest()
        try:
            file = parquet.ParquetFile(io.BytesIO(data))
            if not self._sound(None, list(file.schema_arrow.names)):
                return
            rows = file.read(columns=list(self.wanted) if self.wanted else None).to_pylist()
        except (ArrowException, ValueError, OSError, KeyError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            self.fault(None, f"isn't a readable Parquet file: {reason}")
            return
        yield from enumerate(rows, 1)

    def _sound(self, row: int | None, header: list[str]) -> bool:
        """Say whether the header has every wanted column once."""
        wanted = header if self.wanted is None else self.wanted
        absent = [name for name in wanted if name not in header]
        twice = [name for name in wanted if header.count(name) > 1]
        if absent:
            self._missing(row, absent, header)
        if twice:
            self.fault(row, f"has column {twice[0]!r} {header.count(twice[0])} times; keep one")
        return not absent and not twice
