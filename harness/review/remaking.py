"""Past runs made again, from their logged config, in a directory that shares nothing with the original."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from harness.fingerprint import sha256_json
from harness.index import IndexStore
from harness.review.causes import Cause, code_causes, environment_causes, file_causes, model_causes, study_causes
from harness.review.ladder import Agreement, Remade, agreement
from harness.review.places import Places, find_places, placed
from harness.sources import Sources
from harness.study.config import Study, read_study
from harness.study.engine import run_study
from harness.study.prints import stage_prints
from harness.study.results import SetResult
from harness.study.summarise import summary_of
from harness.tracking.environment import environment, git_state
from harness.tracking.reading import Archive, LoggedHit, LoggedSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A logged set and the same set made again.

    Attributes:
        label: of the logged set.
        causes: everything that is different now, whether or not it changed anything.
        agreement: how far the two agree.
        approximate: whether the set asked an approximate index, which no rebuild is bound to repeat.
    """

    label: str
    causes: tuple[Cause, ...]
    agreement: Agreement
    approximate: bool


def reproduce(
    archive: Archive, logged: Sequence[LoggedSet], *, given: Mapping[str, Path], from_artifacts: bool
) -> Iterator[Reproduction]:
    """Make sets of one sweep again and say how far they agree, in the order in which they are made.

    Args:
        archive: the store they were logged in.
        logged: sets of one sweep.
        given: ``corpus``, ``golden`` → path to use instead of where the files lay.
        from_artifacts: use the copies that were kept with the sweep.

    Raises:
        InputError: files aren't there, or the logged config can't be run with what there is now.
    """
    sweep_id = logged[0].sweep_id
    sources, sweep_config = archive.sources(sweep_id), archive.sweep_config(sweep_id)
    with tempfile.TemporaryDirectory(prefix="harness-reproduce-") as name:
        folder = Path(name)
        places = find_places(
            sources, given=given, archive=archive, from_artifacts=from_artifacts, folder=folder / "sources"
        )
        shared = list(_shared_causes(sources, places, sweep_config))
        study = _study(logged[0].config if len(logged) == 1 else sweep_config, places, folder)
        wanted = {held.summary.hashes["parameters"]: held for held in logged}
        sets = [parameters for parameters in study.grid.sets if parameters.sha256 in wanted]
        if len(sets) != len(wanted):
            raise InputError("the logged config expands to other parameter sets with this version of the harness")
        for result in run_study(study, IndexStore(folder / "indexes"), sets=sets):
            yield _reproduction(study, wanted[result.parameters.sha256], result, shared)


def _study(config: str, places: Places, folder: Path) -> Study:
    path = folder / "study.yaml"
    path.write_text(placed(config, places), encoding="utf-8")
    return read_study(path)


def _shared_causes(sources: Sources, places: Places, sweep_config: str) -> Iterator[Cause]:
    for field, source in sources.sources.items():
        yield from file_causes(field.partition(".")[0], source, places.sources[field])
    if not places.kept:
        yield from study_causes(sweep_config, Path(sources.study))


def _reproduction(study: Study, logged: LoggedSet, result: SetResult, shared: Sequence[Cause]) -> Reproduction:
    remade = Remade(summary=summary_of(study, result), stages=stage_prints(result), rankings=_rankings(result))
    summary = logged.summary
    causes = [
        *_altered(logged),
        *shared,
        *model_causes(summary.hashes, remade.summary.hashes, summary.parameters),
        *environment_causes(logged.environment, environment()),
        *code_causes(logged.git, git_state(Path(__file__).parent)),
    ]
    return Reproduction(
        label=logged.label,
        causes=tuple(causes),
        agreement=agreement(summary, logged.stages, logged.rankings, remade),
        approximate=summary.parameters.get("vector.search") == "approximate",
    )


def _altered(logged: LoggedSet) -> Iterator[Cause]:
    """Yield the logged ranking when it isn't the one whose hash was logged with it."""
    bits = {query: [[hit.chunk, hit.score.hex()] for hit in hits] for query, hits in logged.rankings.items()}
    now, before = sha256_json(bits), logged.summary.hashes["run"]
    if now != before:
        yield Cause(kind="logged file", name="ranking.jsonl", before=before[:12], now=now[:12])


def _rankings(result: SetResult) -> dict[str, tuple[LoggedHit, ...]]:
    return {
        query: tuple(LoggedHit(chunk=h.chunk.id, document=h.chunk.document_id, score=h.score) for h in hits)
        for query, hits in result.hits.items()
    }
