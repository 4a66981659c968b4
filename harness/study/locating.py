"""Sections of a study file that say where corpus and golden set lie → what readers take."""

from __future__ import annotations

from pathlib import Path

from harness.collection import CorpusColumns, CorpusSource, GoldenColumns, GoldenSource
from harness.study.schema import CorpusSection, GoldenSection


def corpus_source(base: Path, section: CorpusSection) -> CorpusSource:
    """Return the corpus of a study that lies in folder ``base``."""
    columns = section.columns or CorpusColumns()
    return CorpusSource(format=section.format, path=base / section.path, columns=columns)


def golden_source(base: Path, section: GoldenSection) -> GoldenSource:
    """Return the golden set of a study that lies in folder ``base``."""
    return GoldenSource(
        format=section.format,
        path=base / (section.path or ""),
        topics=base / section.topics if section.topics else None,
        qrels=base / section.qrels if section.qrels else None,
        topic_field=section.topic_field or "title",
        columns=section.columns or GoldenColumns(),
        separator=section.separator,
        judgments=section.judgments or "partial",
    )
