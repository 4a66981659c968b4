"""What a study gives for each parameter set: a ranking of all questions, and everything that follows from it.

The ranking is computed at once, as arrays; hits, document rankings and scores are worked out when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from harness.fingerprint import sha256_json
from harness.records import Chunk, Explain, Hit, RoutePlace
from harness.retrieval import NOTHING, ROUTE_ORDER, BatchRanking, Rrf
from harness.scoring import adapt_runs
from harness.scoring.adapter import Adapted
from harness.scoring.controls import Controls, run_controls
from harness.scoring.encoded import EncodedJudgments, EncodedScores, score_encoded, score_encoded_chunks
from harness.scoring.evidence import holding_chunks, score_evidence
from harness.scoring.scores import RunScores
from harness.study.collapse import collapse
from harness.study.config import Study
from harness.study.measured import quotes_of
from harness.study.parameters import ParameterSet
from harness.study.pools import Oracles, Pool
from harness.study.protocol import corpus_table, query_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprints:
    """Names of all that shaped one result (SHA-256, 64 hex digits each).

    Attributes:
        chunking: corpus, splitter, sizes, chunks.
        indexes: route → everything in that route's index.
        weights: model files and settings that shaped vectors and rerank scores, by content.
        run: chunk ids with the exact bits of their scores, per query.
        ranking: chunk ids alone, per query.
        adapter: chunk ids → document ids.
    """

    chunking: str
    indexes: Mapping[str, str]
    weights: Mapping[str, str]
    run: str
    ranking: str
    adapter: str


class Scene:
    """What all results of one chunking share: the collection in the shapes the exact core takes, made once."""

    def __init__(self, study: Study, chunks: tuple[Chunk, ...]) -> None:
        self.study = study
        self.chunks = chunks
        self.ledger = tuple(query.id for query in study.collection.queries)
        self.corpus = corpus_table(study.collection)
        self.queries = query_table(study.collection)
        self.chunk_to_doc = {chunk.id: chunk.document_id for chunk in chunks}
        self.quotes = quotes_of(study.collection, study.schema.evaluation)

    @cached_property
    def holding(self) -> dict[str, frozenset[str]]:
        """Question id → ids of the chunks that contain one of its quotes."""
        return holding_chunks(self.quotes, self.chunks)

    @cached_property
    def judgments(self) -> EncodedJudgments:
        """The judgments as integers, documents in the order of the corpus."""
        return EncodedJudgments.encode(
            ledger=self.ledger,
            judgments=self.study.collection.golden.judgments,
            document_ids=self.study.collection.document_ids,
            conventions=self.study.conventions,
        )

    @cached_property
    def document_of(self) -> NDArray[np.int32]:
        """Shape (chunks,): the document of each chunk, by place in the corpus."""
        import numpy as np

        index = self.judgments.document_index
        return np.array([index[chunk.document_id] for chunk in self.chunks], dtype=np.int32)

    @cached_property
    def oracles(self) -> Oracles:
        """What perfect rerankers could reach."""
        return Oracles(self.judgments, self.document_of, self.study.schema.evaluation.all_cutoffs)


@dataclass(frozen=True, kw_only=True)
class SetResult:
    """One parameter set, searched.

    Attributes:
        parameters: the set.
        ranking: chunks of all questions, in ledger order.
        scene: what it shares with its neighbours.
        chunking_sha256: fingerprint of the chunking.
        indexes: route → fingerprint.
        weights: model → fingerprint.
        facts: counts that a reader should see (chunks, realised overlap, truncated texts), by name.
        notes: sentences on what may mislead.
        seconds: wall-clock time of this set's own search, shared work excluded.
        contents: ``chunks``, ``tokens``, ``vectors`` → SHA-256 of what the set was ranked from.
        legs: route → a print per question of its leg.
        pool: what was ranked or reranked; the ranking itself without reranking.
        pools: name → candidates, of each route and of the set (see ``harness.study.pools``).
    """

    parameters: ParameterSet
    ranking: BatchRanking
    scene: Scene
    chunking_sha256: str
    indexes: Mapping[str, str]
    weights: Mapping[str, str]
    facts: Mapping[str, float]
    notes: tuple[str, ...]
    seconds: float
    contents: Mapping[str, str]
    legs: Mapping[str, tuple[str, ...]]
    pool: BatchRanking
    pools: Mapping[str, Pool]

    @cached_property
    def chunk_runs(self) -> dict[str, list[str]]:
        """Query id → ids of the ranked chunks, best first."""
        chunks = self.scene.chunks
        rows = self.ranking.positions.tolist()
        return {
            query: [chunks[position].id for position in row if position != NOTHING]
            for query, row in zip(self.scene.ledger, rows, strict=True)
        }

    @cached_property
    def hits(self) -> dict[str, tuple[Hit, ...]]:
        """Query id → hits with their explanations, as ``Retriever.search`` returns them."""
        fusion = self.parameters.fusion.fusion() if self.parameters.fusion else None
        ranking = self.ranking
        routes = [route for route in ROUTE_ORDER if route in ranking.ranks]
        table = {route: (ranking.ranks[route].tolist(), ranking.route_scores[route].tolist()) for route in routes}
        positions, scores = ranking.positions.tolist(), ranking.scores.tolist()
        before = None if ranking.before is None else ranking.before.tolist()
        found: dict[str, tuple[Hit, ...]] = {}
        for row, query in enumerate(self.scene.ledger):
            hits: list[Hit] = []
            for column, position in enumerate(positions[row]):
                if position == NOTHING:
                    break
                places = tuple(
                    _place(route, table[route][0][row][column], table[route][1][row][column], fusion)
                    for route in routes
                    if table[route][0][row][column]
                )
                hits.append(
                    Hit(
                        chunk=self.scene.chunks[position],
                        rank=column + 1,
                        score=scores[row][column],
                        explain=_explain(places, scores[row][column], before[row][column] if before else None),
                    )
                )
            found[query] = tuple(hits)
        return found

    @cached_property
    def adapted(self) -> Adapted:
        """Document rankings with evidence, from the adapter."""
        scene = self.scene
        split = scene.study.schema.evaluation.split
        return adapt_runs(scene.corpus, scene.queries, scene.chunk_to_doc, self.chunk_runs, split)

    @cached_property
    def scored(self) -> tuple[EncodedScores, EncodedScores]:
        """Exact means of the document view and of the chunk view; rows are worked out when asked for."""
        scene = self.scene
        positions = self.ranking.positions
        documents = score_encoded(scene.judgments, collapse(positions, scene.document_of))
        return documents, score_encoded_chunks(scene.judgments, positions, scene.document_of)

    @cached_property
    def documents(self) -> RunScores:
        """Scores of the document view."""
        return self.scored[0].run_scores()

    @cached_property
    def chunks(self) -> RunScores:
        """Scores of the chunk view."""
        return self.scored[1].run_scores()

    @cached_property
    def oracles(self) -> dict[str, Mapping[str, Fraction | None]]:
        """Pool → the means of its best order, cut at ``top_k``: what a perfect reranker could reach."""
        return {name: self.scene.oracles.of(pool, self.parameters.top_k) for name, pool in self.pools.items()}

    @cached_property
    def evidence(self) -> RunScores | None:
        """Scores over quotes; None where no question of the split has any."""
        scene = self.scene
        if not scene.quotes:
            return None
        return score_evidence(
            ledger=scene.ledger,
            quotes=scene.quotes,
            holding=scene.holding,
            chunk_ids=scene.chunk_to_doc,
            chunk_runs=self.chunk_runs,
            conventions=scene.study.conventions,
        )

    @cached_property
    def controls(self) -> Controls:
        """What wrong metrics would have said, at the study's k."""
        evaluation = self.scene.study.schema.evaluation
        return run_controls(
            ledger=self.scene.ledger,
            judgments=self.scene.study.collection.golden.judgments,
            document_runs=self.adapted["document_runs"],
            chunk_runs=self.chunk_runs,
            chunk_to_doc=self.scene.chunk_to_doc,
            k=evaluation.k,
            relevance_threshold=evaluation.relevance_threshold,
        )

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Names of all that shaped this result."""
        runs = self.chunk_runs
        scores = dict(zip(self.scene.ledger, self.ranking.scores.tolist(), strict=True))
        bits = {q: [[c, s.hex()] for c, s in zip(held, scores[q], strict=False)] for q, held in runs.items()}
        return Fingerprints(
            chunking=self.chunking_sha256,
            indexes=self.indexes,
            weights=self.weights,
            run=sha256_json(bits),
            ranking=sha256_json(runs),
            adapter=self.adapted["adapter_sha256"],
        )


def _place(route: str, rank: int, score: float, fusion: Rrf | None) -> RoutePlace:
    contribution = fusion.contribution(route, rank) if fusion else None
    return RoutePlace(route=route, rank=rank, score=score, contribution=contribution)


def _explain(places: tuple[RoutePlace, ...], score: float, before: int | None) -> Explain:
    contributions = [place.contribution for place in places if place.contribution is not None]
    return Explain(
        places=places,
        fused_score=sum(contributions[1:], contributions[0]) if contributions else None,
        rank_before_rerank=before,
        rerank_score=None if before is None else score,
    )
