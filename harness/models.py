"""Model files: where they are, whether they can be had, and what they are by content."""

from __future__ import annotations

import os
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.fingerprint import sha256_tree
from harness.threads import model_threads

_WEIGHTS = ("*.safetensors", "*.bin")


def locate_model(name: str) -> Path:
    """Return the folder of a sentence-transformers model.

    A local path wins; then the hub's local cache; then, where a connection is at hand, one download.

    Raises:
        InputError: it is in none of these places; the message names both cures.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / "config.json").exists() and not (path / "modules.json").exists():
            raise InputError(f"model '{name}': the folder holds neither config.json nor modules.json")
        if not _has_weights(path):
            raise InputError(f"model '{name}': the folder holds no weights ({' or '.join(_WEIGHTS)})")
        return path.resolve()
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise InputError(f"model '{name}': no such folder (a hub name looks like 'owner/model')")
    return _from_hub(name)


@cache
def _from_hub(name: str) -> Path:
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    from huggingface_hub import HfApi, snapshot_download

    try:
        found = Path(snapshot_download(name, local_files_only=True))
        if _has_weights(found):  # an interrupted download leaves a folder too
            return found
    except Exception:
        pass
    try:
        HfApi().model_info(name, timeout=10)
        return Path(snapshot_download(name))
    except Exception as error:
        reason = type(error).__name__
        raise InputError(
            f"model '{name}' isn't on this machine and can't be fetched from the hub ({reason}); either fetch it "
            f"once where there is a connection (hf download {name}), or give the path of a local folder instead"
        ) from None


def _has_weights(folder: Path) -> bool:
    return any(path.is_file() for pattern in _WEIGHTS for path in folder.rglob(pattern))


@cache
def model_sha256(folder: Path) -> str:
    """Return one SHA-256 over all files of a model folder; read once per process.

    Its read-me and everything hidden are left out: ``.cache``, which a download keeps beside the files, holds times.
    """
    files = [p for p in folder.rglob("*") if p.is_file() and p.name != "README.md"]
    return sha256_tree(folder, [p for p in files if not _is_hidden(p.relative_to(folder))])


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def load_sentence_model(folder: Path) -> Any:
    """Load a bi-encoder on the CPU with the pinned number of threads, silently."""
    _quiet()
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def load_cross_encoder(folder: Path) -> Any:
    """Load a cross-encoder with one raw logit as its output, on the CPU, silently.

    Raises:
        InputError: the model gives more than one number for a pair.
    """
    _quiet()
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folder), device="cpu", local_files_only=True, activation_fn=torch.nn.Identity())
    if model.num_labels != 1:
        raise InputError(f"model '{folder}': a reranker gives one score for a pair, this gives {model.num_labels}")
    return model


def _quiet() -> None:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from transformers.utils import logging

    quiet: Any = logging
    quiet.disable_progress_bar()
    quiet.set_verbosity_error()
    torch.set_num_threads(model_threads())


def library_versions() -> dict[str, str]:
    """Return the versions of the libraries that turn model files into numbers."""
    return {name: version(name) for name in ("sentence-transformers", "transformers", "tokenizers", "torch")}
