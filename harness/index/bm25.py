"""Terms of tokenized chunks on disk, and BM25 over them.

On disk lie the terms of each chunk, as numbers into a vocabulary, and how often each chunk holds each term; variant, k1
and b are applied when a route is asked, since they only reweigh the same counts. A chunk is a hit only if it shares a
term with the question, which is not the same as "score > 0": Okapi gives 0 or less to a term that half of the chunks
hold, Plus gives every chunk something.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from harness.errors import DamagedError
from harness.fingerprint import sha256_file
from harness.index.bm25_counts import COUNT_FILES, TermCounts, write_counts
from harness.protocols import Route
from harness.records import Chunk
from harness.tokenizing import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BM25_VARIANTS: dict[str, str] = {
    "lucene": "idf = ln(1 + (N - n + 0.5) / (n + 0.5)), always positive (Apache Lucene)",
    "okapi": "idf = ln((N - n + 0.5) / (n + 0.5)), negative values replaced by 0.25 times the mean (rank-bm25)",
    "plus": "idf = ln((N + 1) / n), and a matching term counts at least delta = 1 (Lv and Zhai, 2011)",
}
BM25_ENGINES: dict[str, str] = {
    "rank-bm25": "the reference, one question at a time",
    "sparse": "the same scores, bit for bit, from counts that all weightings share",
}
BM25_LAYOUT = 2
"""Version of the files of an index; 1 had no counts. It is part of the fingerprint."""
_FILES = ("terms.npy", "ends.npy", "vocabulary.json")


def write_bm25_tokens(directory: Path, chunks: Sequence[Chunk], tokenizer: Tokenizer) -> Mapping[str, Any]:
    """Write the terms of every chunk and count them; return the facts for the manifest."""
    import numpy as np

    codes: dict[str, int] = {}
    ends: list[int] = []
    total = empty = 0
    terms, *others = (directory / name for name in _FILES)
    with terms.open("wb") as stream:
        _write_header(stream, 0)
        for chunk in chunks:
            held = tokenizer(chunk.text)
            empty += not held
            total += len(held)
            stream.write(np.array([codes.setdefault(term, len(codes)) for term in held], dtype="<i4").tobytes())
            ends.append(total)
        stream.seek(0)
        _write_header(stream, total)
    np.save(others[0], np.array(ends, dtype=np.int64))
    others[1].write_text(json.dumps(list(codes), ensure_ascii=False), encoding="utf-8", errors="surrogatepass")
    write_counts(directory, np.load(terms, mmap_mode="r"), np.array(ends, dtype=np.int64), len(codes))
    return {
        "chunks": len(chunks),
        "chunks_without_terms": empty,
        "files": {name: sha256_file(directory / name) for name in _FILES},
        "counts": {name: sha256_file(directory / name) for name in COUNT_FILES},
    }


def _write_header(stream: BinaryIO, length: int) -> None:
    """Begin a file of terms, which grows behind its header; room for any length is left there."""
    import numpy as np

    header = {"descr": "<i4", "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(stream, header)


@dataclass(frozen=True, kw_only=True)
class Bm25Index:
    """Terms and where they occur, opened from disk once for all variants.

    Attributes:
        codes: terms of all chunks, one chunk after the other, as places in ``vocabulary``.
        ends: for each chunk, one past its last term in ``codes``.
        vocabulary: distinct terms, in order of first use.
        counts: how often each chunk holds each term.
        tokenizer: for the questions.
    """

    codes: NDArray[np.int32]
    ends: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    counts: TermCounts
    tokenizer: Tokenizer

    @classmethod
    def open(cls, directory: Path, facts: Mapping[str, Any], tokenizer: Tokenizer) -> Bm25Index:
        """Read an index.

        Raises:
            DamagedError: the files aren't those that were written.
        """
        import numpy as np

        for name, seal in {**facts["files"], **facts["counts"]}.items():
            path = directory / name
            if not path.exists() or sha256_file(path) != seal:
                raise DamagedError(f"{path}: damaged (its checksum has changed); delete {directory} and run again")
        vocabulary = (directory / _FILES[2]).read_text(encoding="utf-8", errors="surrogatepass")
        return cls(
            codes=np.load(directory / _FILES[0], mmap_mode="r"),
            ends=np.load(directory / _FILES[1]),
            vocabulary=tuple(json.loads(vocabulary)),
            counts=TermCounts.open(directory),
            tokenizer=tokenizer,
        )

    @property
    def size(self) -> int:
        """Number of chunks."""
        return len(self.ends)

    @cached_property
    def code_of(self) -> Mapping[str, int]:
        """Term → its place in the vocabulary."""
        return {term: code for code, term in enumerate(self.vocabulary)}

    @cached_property
    def terms(self) -> tuple[tuple[str, ...], ...]:
        """Terms of each chunk, by position."""
        words = self.vocabulary
        starts = [0, *self.ends.tolist()[:-1]]
        return tuple(
            tuple(words[code] for code in self.codes[start:end].tolist())
            for start, end in zip(starts, self.ends.tolist(), strict=True)
        )

    @cached_property
    def postings(self) -> Mapping[str, tuple[int, ...]]:
        """Term → positions of the chunks that hold it, ascending."""
        postings: dict[str, list[int]] = {}
        for position, held in enumerate(self.terms):
            for term in dict.fromkeys(held):
                postings.setdefault(term, []).append(position)
        return {term: tuple(positions) for term, positions in postings.items()}

    @cached_property
    def document_frequencies(self) -> list[int]:
        """How many chunks hold each term, by place in the vocabulary."""
        import numpy as np

        return [int(held) for held in np.diff(self.counts.starts)]

    def route(self, *, variant: str, k1: float, b: float, engine: str = "rank-bm25") -> Route:
        """Return the ranking under one weighting."""
        if engine == "sparse":
            from harness.index.bm25_sparse import SparseBm25Route

            return SparseBm25Route(index=self, variant=variant, k1=k1, b=b)
        from harness.index.bm25_reference import ReferenceBm25Route

        return ReferenceBm25Route(index=self, variant=variant, k1=k1, b=b)
