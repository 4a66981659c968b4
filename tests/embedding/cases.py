"""The embedders the contract is held against, and the texts."""

from __future__ import annotations

import hashlib
from pathlib import Path

from support.models import minilm_folder

from harness.embedding import EmbedderSpec, load_embedder
from harness.fingerprint import sha256_json
from harness.protocols import Embedder, Role

KINDS = ("packaged-multilingual", "lsa", "tiny", "minilm")
ROLES: tuple[Role, ...] = ("query", "document")
TEXTS = [
    "仓库温度每天记录两次",
    "the pump runs dry",
    "",
    "a",
    "货车在周五检修。" * 12,
    "the pump runs dry",
    " \n\u3000\t",
    "emoji 👩‍👩‍👧 and mixed 中文 text",
    "x y z " * 60,
]
BLANK = [place for place, text in enumerate(TEXTS) if not text.strip()]


def load(kind: str, tiny_encoder: Path) -> Embedder:
    """Return an embedder that can encode."""
    if kind == "lsa":
        return load_embedder(EmbedderSpec(name="lsa", dimensions=5)).fit([text for text in TEXTS if text.strip()])
    names = {"tiny": str(tiny_encoder), "minilm": str(minilm_folder())}
    return load_embedder(EmbedderSpec(name=names.get(kind, kind)))


def bits(embedder: Embedder) -> str:
    """Return a hash over the fingerprint and the bits of all vectors under both roles."""
    digest = hashlib.sha256(sha256_json(dict(embedder.fingerprint)).encode())
    for role in ROLES:
        digest.update(embedder.encode(TEXTS, role).tobytes())
    return digest.hexdigest()
