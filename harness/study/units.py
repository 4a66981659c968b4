"""Units of work: what an executor sends to a worker, and what the worker does with it.

A worker keeps its workshop (corpus, models) and its last bench (open indexes, legs) between units, so that small units
cost nothing. Units share the store and the cache on disk where the machines share them; otherwise each worker builds
what it needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.chunking import ChunkParams
from harness.index import IndexStore
from harness.models import model_sha256
from harness.records import Damage
from harness.study.bench import Bench, RouteParams
from harness.study.config import Study
from harness.study.engine import by_chunking, run_set
from harness.study.executors.attempt import failed
from harness.study.executors.table import Failed
from harness.study.naming import set_names
from harness.study.parameters import Bm25Params
from harness.study.record import record_of
from harness.study.results import Scene
from harness.study.workshop import Workshop
from harness.summary import SetFailure, SetRecord

LARGEST_UNIT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all units need.

    Attributes:
        study: the checked study.
        store: folder of indexes, as a worker sees it.
        cache: folder of vectors and rerank scores, as a worker sees it.
        key: fingerprint of everything that can change a result, model files included.
    """

    study: Study
    store: Path
    cache: Path
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetsUnit:
    """Parameter sets of one chunking, by their places in the grid."""

    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexUnit:
    """One index that is to be there before the sets that need it are run."""

    chunk: ChunkParams
    route: RouteParams


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitResult:
    """What became of a unit.

    Attributes:
        records: parameter sets that were run.
        failures: parameter sets that could not be run.
        damage: what was found damaged on disk and was made again.
    """

    records: tuple[SetRecord, ...] = ()
    failures: tuple[SetFailure, ...] = ()
    damage: tuple[Damage, ...] = ()


def set_units(study: Study, places: Sequence[int], largest: int) -> list[SetsUnit]:
    """Cut the sets at ``places`` into units of one chunking each, none larger than ``largest``."""
    place_of = {study.grid.sets[place]: place for place in places}
    units: list[SetsUnit] = []
    for group in by_chunking([study.grid.sets[place] for place in places]).values():
        for start in range(0, len(group), largest):
            units.append(SetsUnit(places=tuple(place_of[s] for s in group[start : start + largest])))
    return units


def index_units(study: Study, places: Sequence[int]) -> list[IndexUnit]:
    """Return the distinct indexes that the sets at ``places`` need, one unit each."""
    units: dict[object, IndexUnit] = {}
    for place in places:
        parameters = study.grid.sets[place]
        for route in (parameters.bm25, parameters.vector):
            if route is not None:
                units.setdefault((parameters.chunk, _on_disk(route)), IndexUnit(chunk=parameters.chunk, route=route))
    return list(units.values())


def _on_disk(route: RouteParams) -> object:
    """Return what tells one index on disk from another; how terms are weighed isn't part of it."""
    if isinstance(route, Bm25Params):
        return route.tokenizer, route.stop_words, route.stemmer
    return route.embedder, route.search


def run_sets(shared: Shared, unit: SetsUnit) -> UnitResult:
    """Run the parameter sets of a unit; a set that fails doesn't stop the others."""
    bay = _bay(shared)
    records: list[SetRecord] = []
    failures: list[SetFailure] = []
    for place in unit.places:
        parameters = shared.study.grid.sets[place]
        try:
            bench, scene = bay.bench(parameters.chunk)
            records.append(record_of(run_set(parameters, bench, scene)))
        except Exception as error:
            failures.append(failure_of(shared.study, place, failed(error)))
    return UnitResult(records=tuple(records), failures=tuple(failures), damage=bay.new_damage())


def build_index(shared: Shared, unit: IndexUnit) -> UnitResult:
    """Build an index unless it is there."""
    bay = _bay(shared)
    bench, _ = bay.bench(unit.chunk)
    bench.open(unit.route)
    return UnitResult(damage=bay.new_damage())


def failure_of(study: Study, place: int, fault: Failed) -> SetFailure:
    """Return what is recorded of the parameter set at ``place`` when it can't be run."""
    parameters = study.grid.sets[place]
    return SetFailure(
        name=set_names(study.grid.sets)[parameters],
        place=place,
        parameters=parameters.flat(),
        sha256=parameters.sha256,
        reason=fault.reason,
        detail=fault.detail,
    )


@dataclass(kw_only=True)
class _Bay:
    """One worker's place: its workshop and the bench it works at."""

    shared: Shared
    workshop: Workshop
    _bench: tuple[ChunkParams, Bench, Scene] | None = None
    _reported: set[Damage] = field(default_factory=set)

    def bench(self, params: ChunkParams) -> tuple[Bench, Scene]:
        """Return the bench for a chunking; the one before is dropped, so that only one is held."""
        if self._bench is None or self._bench[0] != params:
            self._bench = None
            bench = self.workshop.bench(params)
            self._bench = (params, bench, Scene(self.shared.study, bench.chunking.chunks))
        return self._bench[1], self._bench[2]

    def new_damage(self) -> tuple[Damage, ...]:
        """Return the damage found since the last call."""
        new = tuple(found for found in self.workshop.damage() if found not in self._reported)
        self._reported.update(new)
        return new


_BAYS: dict[tuple[str, str, str], _Bay] = {}


def _bay(shared: Shared) -> _Bay:
    """Return this process's place for a sweep, set up at the first unit; one sweep at a time.

    A worker may outlive a sweep. Where the next has another key, model files may have changed: they are read anew.
    """
    name = (shared.key, str(shared.store), str(shared.cache))
    if name not in _BAYS:
        if _BAYS:
            _BAYS.clear()
            model_sha256.cache_clear()
        study = shared.study
        questions = [query.text for query in study.collection.queries]
        workshop = Workshop(study.collection.corpus, questions, IndexStore(shared.store), cache=shared.cache)
        _BAYS[name] = _Bay(shared=shared, workshop=workshop)
    return _BAYS[name]
