"""What one sweep runs: a study, or what a choice leaves of it, under a key that names everything that can matter."""

from __future__ import annotations

from dataclasses import dataclass

from harness.embedding import load_embedder
from harness.fingerprint import sha256_json
from harness.retrieval import CrossEncoderReranker
from harness.splits import Choice
from harness.study.config import Study
from harness.study.executors.facts import library_facts
from harness.study.summarise import header_of
from harness.summary import SweepHeader


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One sweep to be.

    Attributes:
        study: what is run.
        header: what its sets share.
        places: which sets of the grid.
        key: fingerprint of everything that can change a result; a stopped sweep is found by it.
    """

    study: Study
    header: SweepHeader
    places: tuple[int, ...]
    key: str


def part_of(study: Study, choice: Choice | None = None, *, role: str = "") -> Part:
    """Return the sweep of a study: of its whole grid, or of what ``choice`` leaves of it.

    A ``role`` keeps the sweep apart from others that would give the same results.
    """
    header = header_of(study, choice)
    wanted = {choice.chosen_sha256, choice.baseline_sha256} if choice else None
    places = tuple(place for place, one in enumerate(study.grid.sets) if wanted is None or one.sha256 in wanted)
    return Part(study=study, header=header, places=places, key=sweep_key(study, header, role))


def sweep_key(study: Study, header: SweepHeader, role: str = "") -> str:
    """Return the fingerprint of everything that can change a result: data, config, libraries, model files."""
    embedders = {s.vector.embedder for s in study.grid.sets if s.vector}
    rerankers = {s.rerank.model for s in study.grid.sets if s.rerank}
    weights = [dict(load_embedder(spec).fingerprint) for spec in embedders]
    weights += [dict(CrossEncoderReranker(name).fingerprint) for name in rerankers]
    return sha256_json(
        {
            "hashes": dict(header.hashes),
            "libraries": library_facts(),
            "weights": sorted(sha256_json(fingerprint) for fingerprint in weights),
        }
        | ({"role": role} if role else {})
    )
