"""Documents, questions and judgments: how they are read and checked.

To add a format: a file with a function source → ``Reading``, and a line in ``CORPUS_READERS`` or
``GOLDEN_READERS``.
"""

from harness.collection.beir import read_beir_corpus, read_beir_golden
from harness.collection.check import Findings, cross_check
from harness.collection.golden import read_golden_yaml
from harness.collection.load import (
    CORPUS_READERS,
    GOLDEN_READERS,
    Collection,
    load_collection,
    load_split,
)
from harness.collection.markdown import read_markdown_folder
from harness.collection.recognise import Recognised, recognise
from harness.collection.rows import TABLES
from harness.collection.sources import CorpusColumns, CorpusSource, GoldenColumns, GoldenSource
from harness.collection.topics import TopicField

__all__ = [
    "CORPUS_READERS",
    "GOLDEN_READERS",
    "TABLES",
    "Collection",
    "CorpusColumns",
    "CorpusSource",
    "Findings",
    "GoldenColumns",
    "GoldenSource",
    "Recognised",
    "TopicField",
    "cross_check",
    "load_collection",
    "load_split",
    "read_beir_corpus",
    "read_beir_golden",
    "read_golden_yaml",
    "read_markdown_folder",
    "recognise",
]
