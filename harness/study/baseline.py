"""The one parameter set that a study names by some of its values."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from harness.errors import Problem
from harness.study.naming import set_names
from harness.study.parameters import ParameterSet, Scalar, varying
from harness.wording import shortened, shown
from harness.yamlfile import YamlFile

_LISTED = 5


def named_set(
    wanted: Mapping[str, Scalar],
    sets: Sequence[ParameterSet],
    problems: list[Problem],
    source: YamlFile,
    field: tuple[str, ...],
) -> ParameterSet | None:
    """Return the one set that has all the values wanted.

    Args:
        wanted: dotted parameter → value.
        sets: those of the grid.
        problems: where a problem is added when none or several have them.
        source: the study file as it is written.
        field: where in it the values stand.
    """
    found = [one for one in sets if _agreeing(one, wanted) == len(wanted)]
    if len(found) == 1:
        return found[0]
    must = "must name exactly one parameter set of the grid, found"
    names = set_names(tuple(sets))
    if found:
        telling = ", ".join(name for name in varying(found) if name not in wanted)
        message = f"{must} {len(found)}: {_listed(found, names)}; give a value of {telling} as well"
    else:
        most = max(_agreeing(one, wanted) for one in sets)
        near = [one for one in sets if _agreeing(one, wanted) == most]
        message = f"{must} none: {_why_none(wanted, sets)}; the nearest: {_listed(near, names)}"
    problems.append(Problem(file=source.path, line=source.line(field), field=".".join(field), message=message))
    return None


def _agreeing(one: ParameterSet, wanted: Mapping[str, Scalar]) -> int:
    flat = one.flat()
    return sum(1 for name, value in wanted.items() if name in flat and flat[name] == value)


def _why_none(wanted: Mapping[str, Scalar], sets: Sequence[ParameterSet]) -> str:
    flats = [one.flat() for one in sets]
    known = list(dict.fromkeys(name for flat in flats for name in flat))
    for name, value in wanted.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            guess = f", did you mean {near[0]!r}?" if near else f"; they have {', '.join(known)}"
            return f"none has a parameter {name!r}{guess}"
        values = dict.fromkeys(flat[name] for flat in flats if name in flat)
        if value not in values:
            return f"none has {name} {_shown(name, value)}, there is {', '.join(_shown(name, v) for v in values)}"
    return "none has all these values"


def _shown(name: str, value: Scalar) -> str:
    return "null" if value is None else repr(value) if isinstance(value, str) else shown(name, value)


def _listed(sets: Sequence[ParameterSet], names: Mapping[ParameterSet, str]) -> str:
    texts = [f"'{shortened(names[one])}'" for one in sets[:_LISTED]]
    more = f" and {len(sets) - _LISTED} more" if len(sets) > _LISTED else ""
    return ", ".join(texts) + more
