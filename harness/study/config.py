"""A study file → a study that is known to be runnable: config, corpus, golden set and models, all checked at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from harness.collection import (
    Collection,
    load_collection,
)
from harness.embedding import load_embedder
from harness.errors import InputError, Problem
from harness.fingerprint import sha256_json
from harness.models import locate_model
from harness.scoring.conventions import Conventions
from harness.study.baseline import named_set
from harness.study.grid import Grid, expand
from harness.study.locating import corpus_source, golden_source
from harness.study.measured import conventions_of, measure_problems, quotes_of
from harness.study.parameters import ParameterSet
from harness.study.protocol import protocol_of, split_of
from harness.study.resolved import nested, study_yaml
from harness.study.schema import CorpusSection, EvaluationSection, GoldenSection, StudySchema
from harness.study.selection import Tuning, read_tuning
from harness.yamlfile import YamlFile, read_text, scan_yaml, validate

_OPTIONAL = ("selection", "measure", "baseline")
_NOT_IN_SCORES = ("corpus", "golden", "execution", "measure", "baseline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A checked study.

    Attributes:
        path: the study file, as it was given.
        schema: its content with all defaults filled in.
        collection: corpus and golden set.
        grid: distinct parameter sets, collapsed and skipped points.
        conventions: what is measured and under which rules.
        protocol_sha256: names documents, questions and judgments (see ``harness.scoring.protocol``).
        split_sha256: names what a look at the split is a look at (see ``harness.study.protocol``).
        tuning: what the section ``selection`` asks for; None without one.
        baseline: the set all others are held against, as ``selection`` or ``baseline`` names it; None without either.
    """

    path: Path
    schema: StudySchema
    collection: Collection
    grid: Grid
    conventions: Conventions
    protocol_sha256: str
    split_sha256: str
    tuning: Tuning | None = None
    baseline: ParameterSet | None = None

    @property
    def measure(self) -> str:
        """The mean that verdicts go by: the one the study names, else the one it chooses by, else recall at k."""
        selection = self.schema.selection
        named = self.schema.measure or (selection.measure if selection else None)
        return named or f"recall@{self.schema.evaluation.k}"

    @property
    def sha256(self) -> str:
        """Fingerprint of the resolved config: every value that can change a score, written or implied; no paths."""
        content = self._content()
        return sha256_json({key: value for key, value in content.items() if key not in _NOT_IN_SCORES})

    def _content(self) -> dict[str, Any]:
        content = self.schema.model_dump(mode="json")
        unsaid = {name for name in _OPTIONAL if content[name] is None}
        return {name: value for name, value in content.items() if name not in unsaid}

    def resolved_yaml(self, only: ParameterSet | None = None) -> str:
        """Return the study file with all defaults, or narrowed to one parameter set; it can be run again."""
        content = self._content()
        for name in ("corpus", "golden"):
            content[name] = {key: value for key, value in content[name].items() if value is not None}
        if only is not None:
            content["parameters"] = nested(only)
            content = {name: value for name, value in content.items() if name not in ("selection", "baseline")}
        return study_yaml(content)


def read_study(path: Path) -> Study:
    """Read and check a study and everything it names, before any work.

    Raises:
        InputError: every problem of config, corpus, golden set and models that was found.
    """
    source = scan_yaml(read_text(path), str(path))
    problems: list[Problem] = []
    schema: StudySchema | None = None
    try:
        schema = validate(StudySchema, source)
    except InputError as error:
        problems.extend(error.problems)
    collection = _collection(path, source, problems)
    if schema is not None and collection is not None:
        problems.extend(_unjudged_problem(collection, schema, source))
    if schema is not None:
        problems.extend(measure_problems(schema.measure, schema.evaluation, source, ("measure",)))
        problems.extend(_model_problems(schema, source))
        grid = expand(schema.parameters)
        if not grid.sets:
            problems.append(_nothing_left(grid, source))
        tuning, found = read_tuning(schema, grid.sets, collection, path.parent, source)
        problems.extend(found)
        baseline = tuning.baseline if tuning else None
        if schema.baseline is not None and grid.sets:
            problems.extend(_two_baselines(schema, source))
            baseline = named_set(schema.baseline, grid.sets, problems, source, ("baseline",))
    if problems or schema is None or collection is None:
        raise InputError(problems)
    return Study(
        path=path,
        schema=schema,
        collection=collection,
        grid=grid,
        conventions=conventions_of(schema.evaluation, evidence=bool(quotes_of(collection, schema.evaluation))),
        protocol_sha256=protocol_of(collection, schema.evaluation),
        split_sha256=split_of(collection),
        tuning=tuning,
        baseline=baseline,
    )


def _collection(path: Path, source: YamlFile, problems: list[Problem]) -> Collection | None:
    """Read corpus and golden set as soon as the config says where they are, whatever else is wrong with it."""
    value: Any = source.value if isinstance(source.value, dict) else {}
    try:
        fields = StudySchema.model_fields
        corpus: CorpusSection = _part(fields["corpus"], value["corpus"])
        golden: GoldenSection = _part(fields["golden"], value["golden"])
        split: str = _evaluated(value, "split")
        quotes = _evaluated(value, "evidence") == "score"
    except (KeyError, ValidationError):
        return None
    try:
        return load_collection(
            corpus_source(path.parent, corpus), golden_source(path.parent, golden), split, quotes=quotes
        )
    except InputError as error:
        problems.extend(error.problems)
        return None


def _evaluated(study: dict[str, Any], name: str) -> Any:
    """Return a value of the section ``evaluation``, or its default."""
    field, section = EvaluationSection.model_fields[name], study.get("evaluation")
    return _part(field, section.get(name, field.default) if isinstance(section, dict) else field.default)


def _part(field: Any, value: Any) -> Any:
    annotation: Any = field.annotation
    for extra in field.metadata:
        value = extra.func(value) if hasattr(extra, "func") else value
    return TypeAdapter(annotation).validate_python(value)


def _model_problems(schema: StudySchema, source: YamlFile) -> Iterator[Problem]:
    """Look for every model the grid will need, without loading it."""
    vector, rerank = schema.parameters.vector, schema.parameters.rerank
    if set(schema.parameters.mode) & {"vector", "hybrid"}:
        for place, embedder in enumerate(vector.embedder):
            yield from _missing(embedder.name, ("parameters", "vector", "embedder", place), source)
    for place, model in enumerate(rerank.model):
        if model is not None:
            yield from _missing(model, ("parameters", "rerank", "model", place), source, rerank=True)


def _missing(
    name: str, location: tuple[str | int, ...], source: YamlFile, *, rerank: bool = False
) -> Iterator[Problem]:
    from harness.embedding import EmbedderSpec

    try:
        if rerank:
            locate_model(name)
        else:
            load_embedder(EmbedderSpec(name=name))
    except InputError as error:
        for problem in error.problems:
            yield Problem(
                file=source.path,
                line=source.line(location),
                field=".".join(str(part) for part in location if isinstance(part, str)),
                message=problem.message,
            )


def _two_baselines(schema: StudySchema, source: YamlFile) -> Iterator[Problem]:
    if schema.selection is not None:
        message = "belongs to selection here, which has its own; delete one of the two"
        yield Problem(file=source.path, line=source.line(("baseline",)), field="baseline", message=message)


def _nothing_left(grid: Grid, source: YamlFile) -> Problem:
    reasons = sorted({skipped.reason for skipped in grid.skipped})
    return Problem(
        file=source.path,
        line=source.line(("parameters",)),
        field="parameters",
        message=f"no point of the grid can be run: {'; '.join(reasons)}",
    )


def _unjudged_problem(collection: Collection, schema: StudySchema, source: YamlFile) -> Iterator[Problem]:
    if collection.golden.judgments.exhaustive or schema.evaluation.unjudged != "refuse":
        return
    yield Problem(
        file=source.path,
        line=source.line(("evaluation", "unjudged")),
        field="evaluation.unjudged",
        message=(
            "judgments are partial, so documents without one may be returned; say what they count as: "
            "'nonrelevant' (a declared assumption) or 'condense' (dropped before ranks are counted)"
        ),
    )
