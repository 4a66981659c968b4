"""Looks at a file or a folder and says which corpus it is, and whether its questions lie in it too."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from harness.collection.folder import printable, walk
from harness.collection.opening import unpacked
from harness.collection.reading import some
from harness.collection.rows import TABLES, Table
from harness.collection.sources import CorpusColumns, CorpusSource, GoldenSource
from harness.errors import InputError, Problem
from harness.wording import counted
from harness.yamlfile import read_bytes

_KINDS = {
    "markdown": (".md",),
    "text": (".txt", ".md"),
    "html": (".html", ".htm", ".xhtml"),
    "pdf": (".pdf",),
}
_TABLES = {f".{form}": form for form in TABLES}
_IDS = ("id", "_id", "doc_id", "docid", "document_id", "docno", "pid")
_TEXTS = ("text", "body", "content", "contents", "passage", "context", "document")
_TITLES = ("title", "headline", "name")
_LOOKED_AT = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """A corpus that was recognised.

    Attributes:
        corpus: where it lies and in which format.
        golden: its questions, where they come with it.
        split: of the questions that come with it.
        found: what was found, in words.
        left: what lies there too and isn't read, in words; may be empty.
    """

    corpus: CorpusSource
    found: str
    golden: GoldenSource | None = None
    split: str = "test"
    left: str = ""


def recognise(path: Path) -> Recognised:
    """Recognise a corpus by its names, and by what a file begins with.

    Raises:
        InputError: there is nothing, or nothing that is known.
    """
    if os.path.isfile(path):
        return _file(path)
    if not os.path.isdir(path):
        raise InputError(
            Problem(file=str(path), message="must be a folder or a file of documents, found nothing there")
        )
    if os.path.isfile(path / "corpus.jsonl"):
        return _beir(path)
    problems: list[Problem] = []
    names = walk(path, problems, [])
    if problems:
        raise InputError(problems)
    if any(_is_trec(path / name) for name in names[:50]):
        return _trec(path)
    return _folder(path, names)


def _folder(path: Path, names: list[str]) -> Recognised:
    counts = Counter(suffix for name in names if (suffix := os.path.splitext(name)[1]))
    found = {form: sum(counts[suffix] for suffix in suffixes) for form, suffixes in _KINDS.items()}
    if found["text"] == found["markdown"]:
        found["text"] = 0  # no *.txt among them
    else:
        found["markdown"] = 0
    form = max(found, key=lambda name: found[name])
    if not found[form]:
        alone = [name for name in names if _suffix(name) in (*_TABLES, ".json")]
        if len(alone) == 1:
            return _file(path / alone[0])
        there = some(map(printable, names), 8) or "nothing"
        wanted = "Markdown, text, HTML, PDF, TREC, BEIR, or one table"
        message = f"holds no documents of a known kind; wanted {wanted}, found {there}"
        raise InputError(Problem(file=str(path), message=message))
    read = tuple(suffix for suffix in _KINDS[form] if counts[suffix])
    others = [name for name in names if not name.endswith(_KINDS[form])]
    left = f"{counted(len(others), 'other file')} not read: {printable(some(others))}" if others else ""
    what = f"{counted(found[form], 'file')} ({', '.join(read)}), format {form}"
    return Recognised(corpus=CorpusSource(format=form, path=path), found=what, left=left)


def _beir(path: Path) -> Recognised:
    qrels = path / "qrels"
    names = sorted(os.listdir(qrels)) if os.path.isdir(qrels) else []
    splits = [name.removesuffix(".tsv") for name in names if name.endswith(".tsv") and not name.startswith(".")]
    corpus = CorpusSource(format="beir", path=path)
    if not splits or not os.path.isfile(path / "queries.jsonl"):
        return Recognised(corpus=corpus, found="a BEIR folder without questions")
    split = "test" if "test" in splits else splits[0]
    return Recognised(
        corpus=corpus,
        golden=GoldenSource(format="beir", path=path),
        split=split,
        found=f"a BEIR folder with questions, splits {', '.join(splits)}",
    )


def _trec(path: Path) -> Recognised:
    names = [name.lower() for name in os.listdir(path)]
    whole = all(sum(name.startswith(begins) for name in names) == 1 for begins in ("topics", "qrels"))
    return Recognised(
        corpus=CorpusSource(format="trec", path=path),
        golden=GoldenSource(format="trec", path=path) if whole else None,
        found=f"TREC documents {'with' if whole else 'without'} topics and judgments",
    )


def _file(path: Path) -> Recognised:
    suffix = _suffix(path.name)
    if suffix == ".json" and _is_squad(path):
        golden = GoldenSource(format="squad", path=path)
        return Recognised(corpus=CorpusSource(format="squad", path=path), golden=golden, found="SQuAD JSON")
    if suffix in _TABLES:
        return _table(path, _TABLES[suffix])
    if _is_trec(path):
        return Recognised(corpus=CorpusSource(format="trec", path=path), found="a file of TREC documents")
    known = f"SQuAD JSON, a table ({', '.join(_TABLES)}) or TREC documents"
    raise InputError(Problem(file=str(path), message=f"isn't of a known kind; wanted a folder of documents, {known}"))


def _table(path: Path, form: str) -> Recognised:
    """Find the columns of a table by their names."""
    table = Table(path=path, form=form, wanted=None)
    columns = next((list(cells) for _, cells in table.rows()), [])
    if not columns:
        raise InputError(table.problems or [Problem(file=str(path), message="must hold at least one row, found none")])
    roles = {}
    for role, known in (("id", _IDS), ("text", _TEXTS), ("title", _TITLES)):
        found = [name for name in columns if name.lower() in known]
        if len(found) != 1 and role != "title":
            told = f"{len(found) or 'no'} columns that could be the {role}"
            shown = ", ".join(map(repr, columns))
            message = f"has {told} among {shown}; write the study by hand and say which under 'corpus.columns'"
            raise InputError(Problem(file=str(path), message=message))
        if len(found) == 1:
            roles[role] = found[0]
    texts = [roles["title"], roles["text"]] if "title" in roles else [roles["text"]]
    mapping = CorpusColumns(id=roles["id"], text=texts, title=roles.get("title"))
    found_words = f"a table ({form}) with the columns {', '.join(map(repr, columns))}"
    return Recognised(corpus=CorpusSource(format=form, path=path, columns=mapping), found=found_words)


def _suffix(name: str) -> str:
    return os.path.splitext(name.removesuffix(".gz"))[1].lower()


def _is_trec(path: Path) -> bool:
    """Say whether a file begins like TREC documents."""
    if path.suffix.lower() in (*_KINDS["pdf"], *_KINDS["html"]) or not os.path.isfile(path):
        return False
    try:
        if path.suffix == ".gz":
            data = unpacked(read_bytes(path), str(path))[:_LOOKED_AT]
        else:
            with path.open("rb") as stream:
                data = stream.read(_LOOKED_AT)
    except (OSError, InputError):
        return False
    return data.lower().lstrip().startswith((b"<doc>", b"<doc ", b"<?xml")) and b"<docno>" in data.lower()


def _is_squad(path: Path) -> bool:
    try:
        value = json.loads(unpacked(read_bytes(path), str(path)))
    except (ValueError, RecursionError, InputError):
        return False
    data = value.get("data") if isinstance(value, dict) else None
    return isinstance(data, list) and all(isinstance(item, dict) and "paragraphs" in item for item in data)
