"""BM25 engines side by side: ``python -m tests.benchmarks.bm25`` writes the section ``bm25``.

Documents of 100 words, 1,000 questions of 6, top 100. rank-bm25 is timed on a part of the questions and extrapolated.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from harness.index import Bm25Index, write_bm25_tokens
from harness.index.bm25_counts import write_counts
from harness.records import Chunk
from harness.threads import pin_threads
from harness.tokenizing import make_tokenizer
from tests.benchmarks.results import write_section

QUESTIONS = 1000
SIZES = (2_000, 20_000, 200_000)
TERMS = 30_000


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return wall-clock seconds and the result."""
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def texts(rng: np.random.Generator, count: int, length: int, shift: int) -> list[str]:
    """Return texts of words drawn from a Zipf distribution."""
    draws = (rng.zipf(1.25, count * length) + shift) % TERMS
    return [" ".join(f"w{word}" for word in draws[i * length : (i + 1) * length]) for i in range(count)]


def measure(size: int, count: int = QUESTIONS) -> dict[str, float]:
    """Return seconds and ratios at one corpus size, for ``count`` questions."""
    rng = np.random.default_rng(size)
    documents, questions = texts(rng, size, 100, 0), texts(rng, count, 6, 20)
    chunks = [
        Chunk(id=str(i), document_id=str(i), ordinal=0, start=0, end=len(t), text=t) for i, t in enumerate(documents)
    ]
    tokenizer = make_tokenizer("word")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        written, facts = timed(lambda: write_bm25_tokens(path, chunks, tokenizer))
        index = Bm25Index.open(path, facts, tokenizer)
        counted, _ = timed(lambda: write_counts(path, index.codes, index.ends, len(index.vocabulary)))
        settings: dict[str, Any] = {"variant": "lucene", "k1": 1.5, "b": 0.75}
        sparse: Any = index.route(engine="sparse", **settings)
        asked, legs = timed(lambda: sparse.legs(questions, 100))
        reference: Any = index.route(**settings)
        indexed, _ = timed(lambda: reference._scorer)
        _ = index.postings
        part = min(count, max(10, 200_000 // size))
        slow, same = timed(lambda: reference.legs(questions[:part], 100))
        if same != legs[:part]:
            raise SystemExit("the engines differ")
    slow *= count / part
    other, other_asked = _bm25s(documents, questions)
    return {
        "rank_bm25_index_s": indexed,
        "rank_bm25_questions_s_extrapolated": slow,
        "bm25s_index_s": other,
        "bm25s_questions_s": other_asked,
        "sparse_index_s": written,
        "sparse_count_s": counted,
        "sparse_questions_s": asked,
        "count_vs_rank_bm25_index": indexed / counted,
        "questions_vs_rank_bm25": slow / asked,
        "questions_vs_bm25s": other_asked / asked,
    }


def _bm25s(documents: list[str], questions: list[str]) -> tuple[float, float]:
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    corpus = [text.split() for text in documents]
    indexed, _ = timed(lambda: retriever.index(corpus, show_progress=False))
    asked = [text.split() for text in questions]
    seconds, _ = timed(lambda: retriever.retrieve(asked, k=100, show_progress=False, n_threads=0))
    return indexed, seconds


def main() -> None:
    """Measure, print, and write ``build/bench.json``."""
    pin_threads()
    small = "--small" in sys.argv
    found = {"300": measure(300, 20)} if small else {str(size): measure(size) for size in SIZES}
    write_section("bm25", found)


if __name__ == "__main__":
    main()
