"""Where a corpus and a golden set lie, and which columns of a table are which."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from harness.collection.topics import TopicField

Column = Annotated[str, Field(min_length=1)]


class _Columns(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _each_once(names: list[str]) -> list[str]:
    if not names:
        raise ValueError("must name a column or a list of columns, found an empty list")
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise ValueError(f"lists column {twice!r} twice; each once")
    return names


class CorpusColumns(_Columns):
    """Columns of a table of documents: ``text`` may name several, which are put together with blank lines."""

    id: Column = "id"
    text: Annotated[list[Column], BeforeValidator(_listed), AfterValidator(_each_once)] = ["text"]
    title: Column | None = None


class GoldenColumns(_Columns):
    """Columns of a table of questions; those that are None aren't looked for."""

    id: Column = "id"
    question: Column = "question"
    gold: Column = "gold"
    split: Column | None = None
    tags: Column | None = None
    answerable: Column | None = None


CORPUS_COLUMNS = CorpusColumns()
GOLDEN_COLUMNS = GoldenColumns()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSource:
    """Where a corpus lies.

    Attributes:
        format: a key of ``CORPUS_READERS``.
        path: a folder or a file, as the format wants it.
        columns: of a table.
    """

    format: str
    path: Path
    columns: CorpusColumns = CORPUS_COLUMNS


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenSource:
    """Where a golden set lies.

    Attributes:
        format: a key of ``GOLDEN_READERS``.
        path: a folder or a file, as the format wants it.
        topics: of ``trec``: the file of the questions, instead of a folder in ``path``.
        qrels: of ``trec``: the file of the judgments, likewise.
        topic_field: of ``trec``: the field of a topic that is its question.
        columns: of a table.
        separator: of a table: what stands between ids, or tags, that share a cell.
        judgments: of a table: whether every document that isn't listed was judged 0.
    """

    format: str
    path: Path = Path()
    topics: Path | None = None
    qrels: Path | None = None
    topic_field: TopicField = "title"
    columns: GoldenColumns = GOLDEN_COLUMNS
    separator: str | None = None
    judgments: Literal["exhaustive", "partial"] = "partial"
