"""From legs to a ranking: fusion, reranking, the one search path, and the same for all questions at once."""

from harness.retrieval.batch import NOTHING, BatchRanking, LegMatrix, LegPair, rank_single, rerank_all
from harness.retrieval.cached import CachedReranker
from harness.retrieval.fusion import ROUTE_ORDER, Fused, Rrf
from harness.retrieval.rerank import CrossEncoderReranker
from harness.retrieval.retriever import MODES, Retriever, leg_depth

__all__ = [
    "MODES",
    "NOTHING",
    "ROUTE_ORDER",
    "BatchRanking",
    "CachedReranker",
    "CrossEncoderReranker",
    "Fused",
    "LegMatrix",
    "LegPair",
    "Retriever",
    "Rrf",
    "leg_depth",
    "rank_single",
    "rerank_all",
]
