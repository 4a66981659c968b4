"""Names of parameter sets: readable, unique within a grid."""

from __future__ import annotations

from harness.study.parameters import ParameterSet, varying
from harness.summary import Scalar
from harness.wording import shown


def set_names(sets: tuple[ParameterSet, ...]) -> dict[ParameterSet, str]:
    """Return a readable, unique name for each set, made of the parameters that vary."""
    names = varying(sets)
    result: dict[ParameterSet, str] = {}
    for parameters in sets:
        flat = parameters.flat()
        parts = [_part(name, flat[name]) for name in names if name in flat]
        result[parameters] = " ".join(parts) or parameters.mode
    return result


def _part(name: str, value: Scalar) -> str:
    return str(value) if name == "mode" else f"{name}={shown(name, value)}"
