"""One door for every format: a path in, a run or judgments out."""

from __future__ import annotations

from harness.errors import InputError, Problem
from harness.runs.building import QrelsBuilder, RunBuilder
from harness.runs.formats import format_of, name_of
from harness.runs.opening import Faults, Ids, lines_of, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.runs.formats import FilePath
    from harness.runs.records import OnDuplicate, Order, Qrels, Run


def read_run(
    path: FilePath, *, form: str | None = None, on_duplicate: OnDuplicate = "refuse", order: Order = "score"
) -> Run:
    """Read a run.

    Formats that hold an order of their own (JSON lists, JSONL, a ``rank`` column in CSV, TSV or Parquet) keep it.
    All others are put in the order of trec_eval: score descending, then id descending (by code point).

    Args:
        path: the file; ``.gz`` is unpacked.
        form: a name out of ``FORMATS``; by default the suffix tells.
        on_duplicate: ``refuse`` a document that a query has twice, or ``keep-best`` and count the rest in a note.
        order: ``rank`` reads a TREC file in the order of its rank column instead.

    Raises:
        InputError: the file can't be read, or holds faults; each is named with its line (or row, or key).
    """
    if on_duplicate not in ("refuse", "keep-best"):
        raise InputError(f"on_duplicate: must be refuse or keep-best, found {on_duplicate!r}")
    chosen = format_of(path, form, "run")
    builder = RunBuilder(path, order, on_duplicate)
    if chosen == "trec":
        from harness.runs.trec import read_trec_run

        read_trec_run(builder)
    elif chosen in ("csv", "tsv"):
        from harness.runs.tables import read_table_run

        read_table_run(builder, chosen)
    elif chosen == "parquet":
        from harness.runs.parquet import read_parquet_run

        read_parquet_run(builder)
    else:
        from harness.runs.jsons import read_json_run, read_jsonl_run

        (read_json_run if chosen == "json" else read_jsonl_run)(builder)
    return builder.finish()


def read_qrels(path: FilePath, *, form: str | None = None) -> Qrels:
    """Read judgments.

    Args:
        path: the file; ``.gz`` is unpacked.
        form: a name out of ``FORMATS``; by default the suffix tells.

    Raises:
        InputError: the file can't be read, or holds faults such as two grades of one pair; each is named with
            its line (or row, or key).
    """
    chosen = format_of(path, form, "judgments")
    builder = QrelsBuilder(path)
    if chosen == "trec":
        from harness.runs.trec import read_trec_qrels

        read_trec_qrels(builder)
    elif chosen in ("csv", "tsv"):
        from harness.runs.tables import read_table_qrels

        read_table_qrels(builder, chosen)
    elif chosen == "parquet":
        from harness.runs.parquet import read_parquet_qrels

        read_parquet_qrels(builder)
    else:
        from harness.runs.jsons import read_json_qrels, read_jsonl_qrels

        (read_json_qrels if chosen == "json" else read_jsonl_qrels)(builder)
    return builder.finish()


def read_query_ids(path: FilePath) -> tuple[str, ...]:
    """Read which queries are scored, in order: ``.jsonl`` (key ``_id`` or ``id``), else the first tab-separated cell.

    Raises:
        InputError: the file can't be read, holds no query, or one twice.
    """
    faults = Faults(str(path))
    ids, seen = Ids("query", faults), dict[str, int]()
    for line, text in lines_of(read_text(path)):
        found = _json_id(line, text, faults) if "jsonl" in name_of(path).split(".")[1:] else text.split("\t")[0]
        name = ids.take(found, line) if found is not None else None
        if name is None:
            continue
        if name in seen:
            faults.add(line, f"query {name!r} stands on line {seen[name]} already; delete one")
        seen.setdefault(name, line)
    faults.check()
    if not seen:
        raise InputError(Problem(file=str(path), message="must hold at least one query, found none"))
    return tuple(seen)


def _json_id(line: int, text: str, faults: Faults) -> str | None:
    from harness.runs.jsons import Pairs, decode, kind, text_of

    value = decode(text, line, faults)
    if value is None:
        return None
    fields = dict(value) if isinstance(value, Pairs) else {}
    found = text_of(fields.get("_id", fields.get("id")))
    if found is None:
        faults.add(line, f"must be an object with an id in quotes or a whole number, found {kind(value)}", "_id")
    return found
