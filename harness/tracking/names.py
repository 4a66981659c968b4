"""Names MLflow accepts, and back: ``recall@3`` ↔ ``recall_at_3``."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(@[1-9][0-9]*)?")


def metric_name(measure: str) -> str:
    """Return the metric name of a measure: ``@`` becomes ``_at_``.

    Raises:
        ValueError: the name couldn't be read back (it holds ``_at_`` or other characters).
    """
    if not _PLAIN.fullmatch(measure) or "_at_" in measure:
        raise ValueError(f"{measure!r} can't be a metric name that is read back")
    return measure.replace("@", "_at_")


def measure_of(metric: str) -> str:
    """Return the measure a metric name stands for: the inverse of ``metric_name``."""
    name, found, cutoff = metric.rpartition("_at_")
    return f"{name}@{cutoff}" if found and cutoff.isdigit() else metric


def curve_name(measure: str) -> str:
    """Return the name of a measure's curve over k (its steps are the cutoffs): ``recall@3`` → ``recall_at_k``."""
    return f"{measure.partition('@')[0]}_at_k"
