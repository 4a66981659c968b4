"""The section ``selection`` against the rest of a study: everything that would go wrong later is told at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.collection import Collection, load_split
from harness.errors import InputError, Problem
from harness.study.baseline import named_set
from harness.study.locating import golden_source
from harness.study.measured import measure_problems
from harness.study.parameters import ParameterSet
from harness.study.schema import StudySchema
from harness.yamlfile import YamlFile

_LISTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A selection that can be carried out.

    Attributes:
        collection: the study's, with the split that chooses.
        baseline: the one set of the grid that the baseline's values name.
    """

    collection: Collection
    baseline: ParameterSet


def read_tuning(
    schema: StudySchema, sets: Sequence[ParameterSet], collection: Collection | None, folder: Path, source: YamlFile
) -> tuple[Tuning | None, list[Problem]]:
    """Return what the section ``selection`` asks for, and what is wrong with it.

    Args:
        schema: the study file.
        sets: the parameter sets of its grid.
        collection: corpus and golden set with the split that reports; None when they couldn't be read.
        folder: where the study file lies.
        source: the study file as it is written.
    """
    section = schema.selection
    if section is None or not sets:
        return None, []
    problems = [*measure_problems(section.measure, schema.evaluation, source, ("selection", "measure"))]
    baseline = named_set(section.baseline, sets, problems, source, ("selection", "baseline"))
    if section.tune_on == schema.evaluation.split:
        message = f"must differ from evaluation.split, found {section.tune_on!r} in both"
        problems.append(_problem(source, "tune_on", f"{message}; what is chosen on a split can't be reported on it"))
    elif collection is not None:
        try:
            other = load_split(collection, golden_source(folder, schema.golden), section.tune_on)
        except InputError as error:
            return None, [*problems, *error.problems]
        problems.extend(_split_problems(other, collection, schema, source))
        if baseline and not problems:
            return Tuning(collection=other, baseline=baseline), []
    return None, problems


def _split_problems(
    other: Collection, collection: Collection, schema: StudySchema, source: YamlFile
) -> Iterator[Problem]:
    reporting = {query.id for query in collection.queries}
    both = next((query.id for query in other.queries if query.id in reporting), None)
    if both is not None:
        message = f"question {both!r} lies in split {other.split!r} and in {collection.split!r}; keep it in one"
        yield _problem(source, "tune_on", message)
    grades, least = other.golden.judgments.grades, schema.evaluation.relevance_threshold
    if not any(grade >= least for query in other.queries for grade in grades[query.id].values()):
        message = f"no question of split {other.split!r} has a relevant document, so nothing can be chosen on it"
        yield _problem(source, "tune_on", message)


def _problem(source: YamlFile, key: str, message: str) -> Problem:
    line = source.line(("selection", key))
    return Problem(file=source.path, line=line, field=f"selection.{key}", message=message)
