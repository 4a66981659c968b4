"""A study with a selection is two studies: one on the split that chooses, and one on the split that reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.splits import Choice
from harness.study.choosing import choose
from harness.study.config import Study
from harness.study.naming import set_names
from harness.study.protocol import protocol_of, split_of
from harness.summary import SetSummary


def choosing_half(study: Study) -> Study:
    """Return the study of every parameter set on the split that chooses: one without a selection of its own."""
    assert study.schema.selection is not None
    assert study.tuning is not None
    collection = study.tuning.collection
    evaluation = study.schema.evaluation.model_copy(update={"split": study.schema.selection.tune_on})
    return replace(
        study,
        schema=study.schema.model_copy(update={"evaluation": evaluation, "selection": None, "measure": study.measure}),
        collection=collection,
        protocol_sha256=protocol_of(collection, evaluation),
        split_sha256=split_of(collection),
        tuning=None,
    )


def reporting_half(study: Study) -> Study:
    """Return the study on the split that reports; the selection stays in its config, and so in its fingerprint."""
    return replace(study, tuning=None)


def choice_of(study: Study, sweep: str, sets: Sequence[SetSummary]) -> Choice:
    """Choose, by the rule of the study, among all its sets scored on the split that chooses.

    Args:
        study: it has a selection.
        sweep: id of the sweep that scored them.
        sets: all of them.

    Raises:
        InputError: the mean that counts is undefined for every set.
    """
    section, tuning = study.schema.selection, study.tuning
    assert section is not None
    assert tuning is not None
    chosen = choose(section.rule, section.measure, sets)
    means = {summary.hashes["parameters"]: summary.means[section.measure] for summary in sets}
    value, best = means[chosen.hashes["parameters"]], max(mean for mean in means.values() if mean is not None)
    assert value is not None
    return Choice(
        split=section.tune_on,
        sweep=sweep,
        rule=section.rule,
        measure=section.measure,
        sets=len(sets),
        value=value,
        best=best,
        chosen=chosen.name,
        chosen_sha256=chosen.hashes["parameters"],
        baseline=set_names(study.grid.sets)[tuning.baseline],
        baseline_sha256=tuning.baseline.sha256,
        baseline_value=means[tuning.baseline.sha256],
    )
