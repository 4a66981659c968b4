"""What the commands on past runs do: they open the rooms and pass things between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import InputError
from harness.report.comparison import comparison_json, comparison_report
from harness.report.explanation import explanation_report
from harness.report.reproduction import reproduction_json, reproduction_report
from harness.review.comparing import compare_sets
from harness.review.explaining import explain
from harness.review.gating import gate, parse_condition
from harness.review.remaking import Reproduction, reproduce
from harness.summary import Scalar
from harness.sweep import CACHE, INDEXES, require_directory
from harness.tracking import Archive, default_uri
from harness.yamlfile import plain_scalar


def open_archive(directory: Path) -> Archive:
    """Return the store of a working directory.

    Raises:
        InputError, TrackingError: the directory or the store isn't there.
    """
    require_directory(directory)
    return Archive(default_uri(directory), directory)


def reproduce_run(
    reference: str, directory: Path, *, corpus: Path | None, golden: Path | None, from_artifacts: bool, as_json: bool
) -> tuple[str, int]:
    """Make a set, or all sets of a sweep, again; return what to print and the exit code of the lowest rung."""
    archive = open_archive(directory)
    logged = archive.find_all(reference)
    given = _given(corpus, golden)
    if given and from_artifacts:
        raise InputError("--from-artifacts uses the copies kept with the sweep; leave out --corpus and --golden")
    found: list[Reproduction] = list(reproduce(archive, logged, given=given, from_artifacts=from_artifacts))
    text = reproduction_json(found) if as_json else reproduction_report(found)
    return text, max(one.agreement.rung.value for one in found)


def compare_runs(before: str, after: str, directory: Path, *, measure: str | None, as_json: bool) -> str:
    """Compare two finished sets."""
    archive = open_archive(directory)
    found = compare_sets(archive.find(before), archive.find(after), measure)
    return comparison_json(found) if as_json else comparison_report(found)


def explain_question(
    reference: str, query: str, directory: Path, *, at: Sequence[str], corpus: Path | None, golden: Path | None
) -> str:
    """Explain how the candidates of one question came to their places."""
    archive = open_archive(directory)
    found = explain(
        archive,
        archive.find(reference),
        query,
        changed=dict(parse_values(text) for text in at),
        given=_given(corpus, golden),
        store=directory / INDEXES,
        cache=directory / CACHE,
    )
    return explanation_report(found)


def gate_run(
    reference: str,
    directory: Path,
    *,
    conditions: Sequence[str],
    max_missing: int | None,
    protocol: str | None,
    baseline: str | None,
    measure: str | None,
    allowed: int,
) -> tuple[str, int]:
    """Hold a finished set against conditions; return what to print and 0 or 1."""
    parsed = [parse_condition(text) for text in conditions]
    archive = open_archive(directory)
    run = archive.find(reference)
    findings = gate(
        run,
        conditions=parsed,
        max_missing=max_missing,
        protocol=protocol,
        baseline=archive.find(baseline) if baseline is not None else None,
        measure=measure,
        allowed=allowed,
    )
    failed = sum(not finding.holds for finding in findings)
    lines = [f"{'passed' if finding.holds else 'FAILED'}  {finding.text}" for finding in findings]
    verdict = f"gate closed: {failed} of {len(findings)} conditions failed" if failed else "gate open"
    return "\n".join([f"{run.label}, split {run.header.split}", *lines, verdict]) + "\n", 1 if failed else 0


def parse_values(text: str) -> tuple[str, list[Scalar]]:
    """Read ``fetch_k=10,16`` as a parameter and its values, typed as in a study file.

    Raises:
        InputError: it isn't of that form.
    """
    name, sign, values = text.partition("=")
    if not sign or not name.strip() or not values.strip():
        raise InputError(f"--at: must be a parameter and its values, such as fetch_k=10,16, found {text!r}")
    return name.strip(), [_scalar(value.strip()) for value in values.split(",")]


def _scalar(text: str) -> Scalar:
    value = plain_scalar(text)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise InputError(f"--at: {text!r} is no value of a parameter")
    return value


def _given(corpus: Path | None, golden: Path | None) -> dict[str, Path]:
    return {name: path for name, path in (("corpus", corpus), ("golden", golden)) if path is not None}
