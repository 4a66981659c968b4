"""The section ``selection`` against the rest of a study: everything that would go wrong later is told at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.collection import Collection, load_split
from harness.errors import InputError, Problem
from harness.scoring.conventions import Conventions
from harness.scoring.measures import mean_name
from harness.study.baseline import named_set
from harness.study.locating import golden_source
from harness.study.measured import conventions_of
from harness.study.parameters import ParameterSet
from harness.study.schema import SelectionSection, StudySchema
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
    problems = [*_measure_problems(section, conventions_of(schema.evaluation), source)]
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


def _measure_problems(section: SelectionSection, conventions: Conventions, source: YamlFile) -> Iterator[Problem]:
    means = [mean_name(one) for one in conventions.measures if one.measure.name != "judged"]
    if section.measure in means:
        return
    name, _, cutoff = section.measure.partition("@")
    names = dict.fromkeys(mean.partition("@")[0] for mean in means)
    found = f"must be a mean that is computed, found {section.measure!r}"
    if name in names and cutoff.isdecimal() and name != "r_precision":
        yield _problem(source, "measure", f"{found}; add {cutoff} to evaluation.cutoffs")
        return
    near = difflib.get_close_matches(section.measure, means, n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    spellings = ", ".join(one if one == "r_precision" else f"{one}@k" for one in names)
    yield _problem(source, "measure", f"{found}; {guess}known: {spellings}")


def _problem(source: YamlFile, key: str, message: str) -> Problem:
    line = source.line(("selection", key))
    return Problem(file=source.path, line=line, field=f"selection.{key}", message=message)
