"""Rows of a file → a run or judgments, whatever the format."""

from __future__ import annotations

import math
import re

from harness.runs.opening import Faults, Ids
from harness.runs.records import Qrels, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.runs.formats import FilePath
    from harness.runs.records import OnDuplicate, Order

_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")

_Place = tuple[float | None, int | None, int | None]


def number_of(text: str) -> float | str:
    """Return a finite score, or what is wrong with it."""
    if not _NUMBER.fullmatch(text):
        if _NOT_FINITE.fullmatch(text):
            return f"score: must be finite, found {text!r}; such a score has no place in an order, correct the run"
        return f"score: must be a number such as 12.5 or 1e-3, found {text[:40]!r}"
    value = float(text)
    return value if math.isfinite(value) else f"score: must be finite, found {text[:40]!r}, too large for a double"


def whole_of(text: str, what: str) -> int | str:
    """Return a whole number, or what is wrong with it."""
    return int(text) if _WHOLE.fullmatch(text) else f"{what}: must be a whole number, found {text[:40]!r}"


class RunBuilder:
    """Collects the rows of a run.

    Attributes:
        path: the file, for messages.
        order: ``score`` (score descending, then id descending) or ``rank`` (rank ascending).
        on_duplicate: refuse a document that a query has twice, or keep its best row and count the others.
    """

    def __init__(self, path: FilePath, order: Order = "score", on_duplicate: OnDuplicate = "refuse") -> None:
        self.path = path
        self.order: Order = order
        self.on_duplicate = on_duplicate
        self.tag: str | None = None
        self.faults = Faults(str(path))
        self.queries = Ids("query", self.faults)
        self.documents = Ids("document", self.faults)
        self.rows: dict[str, dict[str, _Place]] = {}
        self.dropped = 0

    def query(self, text: str, line: int | None, where: str | None = None) -> str | None:
        """Enter a query, which may stay without documents."""
        name = self.queries.take(text, line, where)
        if name is not None:
            self.rows.setdefault(name, {})
        return name

    def add(
        self,
        line: int | None,
        query: str,
        document: str,
        score: float | None,
        rank: int | None,
        where: str | None = None,
    ) -> None:
        """Enter one row; ``query`` and ``document`` as they are written."""
        name, item = self.query(query, line, where), self.documents.take(document, line, where)
        if name is None or item is None:
            return
        row, place = self.rows[name], (score, rank, line)
        if item not in row:
            row[item] = place
        elif self.on_duplicate == "keep-best":
            self.dropped += 1
            if self._better(place, row[item]):
                row[item] = place
        else:
            first = row[item][2]
            before = f", first on line {first}" if first is not None else ""
            self.faults.add(
                line,
                f"duplicate document {item!r} for query {name!r}{before}; "
                "remove one, or ask for --on-duplicate keep-best",
                where,
            )

    def finish(self) -> Run:
        """Return the run in order.

        Raises:
            InputError: there were faults.
        """
        if self.order == "rank":
            self._check_ranks()
        self.faults.check()
        ordered = {query: sorted(row.items(), key=self._key, reverse=True) for query, row in self.rows.items()}
        scored = all(place[0] is not None for row in self.rows.values() for place in row.values())
        notes = [*self.queries.note(), *self.documents.note()]
        if self.dropped:
            many = "duplicate" if self.dropped == 1 else "duplicates"
            notes.append(f"{self.dropped} {many} dropped, the best row of each document kept")
        return Run(
            rankings={query: [document for document, _ in row] for query, row in ordered.items()},
            scores={query: [_known(place[0]) for _, place in row] for query, row in ordered.items()}
            if scored
            else None,
            tag=self.tag,
            notes=tuple(notes),
        )

    def _key(self, item: tuple[str, _Place]) -> tuple[float, str]:
        document, (score, rank, _) = item
        return (-(rank or 0), "") if self.order == "rank" else (_known(score), document)

    def _better(self, new: _Place, old: _Place) -> bool:
        if self.order == "rank":
            return (new[1] or 0) < (old[1] or 0)
        return _known(new[0]) > _known(old[0])

    def _check_ranks(self) -> None:
        """Refuse two documents at one rank: there would be no order."""
        for query, row in self.rows.items():
            seen: dict[int | None, str] = {}
            for document, (_, rank, line) in row.items():
                if rank in seen:
                    message = f"rank {rank} of query {query!r} is held by {seen[rank]!r} and {document!r}; number them"
                    self.faults.add(line, message)
                seen[rank] = document


class QrelsBuilder:
    """Collects judgments: the same twice is a note, two different ones of a pair are a fault."""

    def __init__(self, path: FilePath) -> None:
        self.path = path
        self.faults = Faults(str(path))
        self.queries = Ids("query", self.faults)
        self.documents = Ids("document", self.faults)
        self.grades: dict[str, dict[str, int]] = {}
        self.lines: dict[tuple[str, str], int | None] = {}
        self.repeated = 0

    def query(self, text: str, line: int | None, where: str | None = None) -> str | None:
        """Enter a query, which may stay without judgments."""
        name = self.queries.take(text, line, where)
        if name is not None:
            self.grades.setdefault(name, {})
        return name

    def add(self, line: int | None, query: str, document: str, grade: int, where: str | None = None) -> None:
        """Enter one judgment; ids as they are written."""
        name, item = self.query(query, line, where), self.documents.take(document, line, where)
        if name is None or item is None:
            return
        row = self.grades[name]
        if item not in row:
            row[item] = grade
            self.lines[name, item] = line
        elif row[item] == grade:
            self.repeated += 1
        else:
            first = self.lines[name, item]
            before = f" on line {first}" if first is not None else ""
            message = (
                f"conflicting judgments of query {name!r} and document {item!r}: {row[item]}{before}, {grade} here"
            )
            self.faults.add(line, f"{message}; keep one", where)

    def finish(self) -> Qrels:
        """Return the judgments.

        Raises:
            InputError: there were faults, or there is no judgment at all.
        """
        if not self.grades and not self.faults.problems:
            self.faults.add(None, "must hold at least one judgment, found none")
        self.faults.check()
        notes = [*self.queries.note(), *self.documents.note()]
        if self.repeated:
            many = "judgment" if self.repeated == 1 else "judgments"
            notes.append(f"{self.repeated} {many} repeated with the same grade, counted once")
        return Qrels(grades=self.grades, notes=tuple(notes))


def _known(score: float | None) -> float:
    return 0.0 if score is None else score
