"""What a study gives for each parameter set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.records import Hit
from harness.scoring.adapter import Adapted
from harness.scoring.controls import Controls
from harness.scoring.scores import RunScores
from harness.study.parameters import ParameterSet


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """One parameter set, searched and scored.

    Attributes:
        parameters: the set.
        hits: query id → ranked chunks, in ledger order.
        adapted: document rankings with evidence, from the adapter.
        documents: scores of the document view.
        chunks: scores of the chunk view.
        controls: what wrong metrics would have said, at the study's k.
        fingerprints: what shaped this result.
        facts: counts that a reader should see (chunks, realised overlap, truncated texts), by name.
        notes: sentences on what may mislead.
        seconds: wall-clock time of this set alone, shared work excluded.
    """

    parameters: ParameterSet
    hits: Mapping[str, tuple[Hit, ...]]
    adapted: Adapted
    documents: RunScores
    chunks: RunScores
    controls: Controls
    fingerprints: Fingerprints
    facts: Mapping[str, float]
    notes: tuple[str, ...]
    seconds: float
