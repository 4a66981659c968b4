"""Judgments with documents as integers: sorted sparse arrays, looked up for whole blocks of rankings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.judgments import Judgments
from harness.scoring.checks import check_id, refuse, show
from harness.scoring.conventions import Conventions
from harness.scoring.encoded.lookup import Lookup
from harness.scoring.measures.discount import discounted
from harness.scoring.measures.labelled import Judged
from harness.scoring.scorer_checks import check_request

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOT_LISTED = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class EncodedJudgments:
    """The judgments of a ledger under some conventions, made ready once for any number of runs.

    Documents are the integers 0 to n-1 in the order of ``document_ids``, queries are rows in ledger order.
    What is listed is held sparsely: one sorted key ``row · (n + 1) + document`` with one grade code each.

    Attributes:
        ledger: ids of the scored queries, in order.
        document_ids: all ids of the corpus; a document's integer is its place here.
        document_index: document id → integer.
        judgments: what was encoded.
        conventions: what to compute, under which rules.
        grades: grade of each code, ascending; code 0 is "not listed", so ``grades[0]`` is 0 when judgments are
            exhaustive, else None.
        relevant: int64 (q,), how many documents of each query reach the threshold.
        ideals: the distinct tuples of positive grades, largest first.
        ideal_of: int64 (q,), which of ``ideals`` is the query's.
        lookup: the sparse table itself.
    """

    ledger: tuple[str, ...]
    document_ids: tuple[str, ...]
    document_index: Mapping[str, int]
    judgments: Judgments
    conventions: Conventions
    grades: tuple[int | None, ...]
    relevant: NDArray[np.int64]
    ideals: tuple[tuple[int, ...], ...]
    ideal_of: NDArray[np.int64]
    lookup: Lookup
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def encode(
        cls,
        *,
        ledger: Sequence[str],
        judgments: Judgments,
        document_ids: Sequence[str],
        conventions: Conventions,
    ) -> EncodedJudgments:
        """Encode judgments.

        Args:
            ledger: ids of the scored queries, in order.
            judgments: for at least every query of the ledger; others are ignored.
            document_ids: all ids of the corpus, each once.
            conventions: what to compute, under which rules.

        Raises:
            ValueError: with the words of ``score_run`` for what it refuses before it looks at a run, and for a
                document id that isn't text or occurs twice.
        """
        index = _index(document_ids)
        check_request(ledger, judgments, index, {}, conventions)
        rows = [judgments.grades[query] for query in ledger]
        digests = _digests(rows, conventions.relevance_threshold)
        distinct = {ideal: place for place, ideal in enumerate(dict.fromkeys(digest.ideal for digest in digests))}
        values = sorted({grade for row in rows for grade in row.values()})
        import numpy as np

        return cls(
            ledger=tuple(ledger),
            document_ids=tuple(document_ids),
            document_index=index,
            judgments=judgments,
            conventions=conventions,
            grades=(0 if judgments.exhaustive else None, *values),
            relevant=np.array([digest.relevant for digest in digests]),
            ideals=tuple(distinct),
            ideal_of=np.array([distinct[digest.ideal] for digest in digests]),
            lookup=Lookup.of(rows, index, {grade: code for code, grade in enumerate(values, start=1)}),
        )

    @property
    def fill(self) -> int:
        """The integer that stands after a row's end inside encoded runs: one more than the last document."""
        return len(self.document_ids)

    @cached_property
    def eligible(self) -> NDArray[np.bool_]:
        """Bool (q,): the query has a relevant document."""
        return self.relevant > 0

    @cached_property
    def eligible_queries(self) -> int:
        """How many queries have a relevant document."""
        return int(self.eligible.sum())

    @cached_property
    def no_relevant_queries(self) -> tuple[str, ...]:
        """Ids of the queries without a relevant document, in ledger order."""
        known = self.eligible.tolist()
        return tuple(query for query, found in zip(self.ledger, known, strict=True) if not found)

    @cached_property
    def first_gain(self) -> int:
        """The smallest code whose grade is positive; the number of codes when none is."""
        return next(
            (code for code, grade in enumerate(self.grades) if grade is not None and grade > 0), len(self.grades)
        )

    @cached_property
    def first_relevant(self) -> int:
        """The smallest code whose grade reaches the threshold; the number of codes when none does."""
        least = self.conventions.relevance_threshold
        return next(
            (code for code, grade in enumerate(self.grades) if grade is not None and grade >= least), len(self.grades)
        )

    @cached_property
    def relevant_groups(self) -> tuple[list[int], NDArray[np.int64]]:
        """The distinct numbers of relevant documents, and which of them is each query's."""
        import numpy as np

        values, group = np.unique(self.relevant, return_inverse=True)
        return values.tolist(), group

    def ideal_groups(self, cutoff: int) -> tuple[list[int], NDArray[np.int64]]:
        """Return the distinct ideal DCG@k as numerators over ``SCALE``, and which of them is each query's."""
        key = ("ideal", cutoff)
        if key not in self.memo:
            import numpy as np

            sums = [discounted(ideal, cutoff) for ideal in self.ideals]
            values = sorted(set(sums))
            place = {value: number for number, value in enumerate(values)}
            self.memo[key] = values, np.array([place[value] for value in sums])[self.ideal_of]
        found: tuple[list[int], NDArray[np.int64]] = self.memo[key]
        return found


def _digests(rows: Sequence[Mapping[str, int]], threshold: int) -> list[Judged]:
    """Return the digest of each row; rows with the same grades share one."""
    known: dict[tuple[int, ...], Judged] = {}
    digests = []
    for row in rows:
        kind = tuple(row.values())
        if kind not in known:
            known[kind] = Judged.of(row, threshold)
        digests.append(known[kind])
    return digests


def _index(document_ids: object) -> dict[str, int]:
    if not isinstance(document_ids, Sequence) or isinstance(document_ids, str):
        refuse("document IDs must be a sequence, whose order numbers them", f"got {show(document_ids)}")
    try:
        index = {document: place for place, document in enumerate(document_ids)}
        if len(index) == len(document_ids) and "" not in index and set(map(type, index)) <= {str} and _written(index):
            return index
    except TypeError:
        pass  # something that isn't even hashable; the loop says where
    first: dict[str, int] = {}
    for place, document in enumerate(document_ids):
        check_id(document, "document", f"at place {place}")
        if document in first:
            refuse("document IDs must be unique", f"{show(document)} at places {first[document]} and {place}")
        first[document] = place
    return first


def _written(names: Iterable[str]) -> bool:
    """Say whether UTF-8 can write all names."""
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return False
    return True
