"""From legs to a ranking: fusion, reranking, and the one search path."""

from harness.retrieval.cached import CachedReranker
from harness.retrieval.fusion import Fused, Rrf
from harness.retrieval.rerank import CrossEncoderReranker
from harness.retrieval.retriever import MODES, Retriever, leg_depth

__all__ = ["MODES", "CachedReranker", "CrossEncoderReranker", "Fused", "Retriever", "Rrf", "leg_depth"]
