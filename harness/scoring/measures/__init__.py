"""The measures, one file each, and the table that names them.

To add one: a file with the function and its ``MEASURE``, its name in ``_FILES``, and a file of hand-worked values in
``tests/expected/measures/``. A file is loaded when its measure is first looked up: scoring a small run takes less
time than loading them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from harness.scoring.checks import refuse, show
from harness.scoring.measures.measure import Measure, NamedMeasure

__all__ = ["MEASURES", "Measure", "NamedMeasure", "mean_name", "parse_measure", "parse_measures"]

_FILES = (
    "recall",
    "rr",
    "hit",
    "precision",
    "ap",
    "r_precision",
    "ndcg",
    "judged",
    "chunk_hit",
    "chunk_rr",
    "chunk_ndcg_retrieved",
    "evidence",
)
"""Names of the measures and of their files, in the order in which they are listed to people."""


class _Measures(Mapping[str, Measure]):
    """Name → measure."""

    def __getitem__(self, name: str) -> Measure:
        if name not in _FILES:
            raise KeyError(name)
        from importlib import import_module

        found: Measure = import_module(f"{__name__}.{name}").MEASURE
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


MEASURES: Mapping[str, Measure] = _Measures()

# What other tools call them; used for hints only, never accepted.
_OTHER_NAMES = {
    "mrr": "rr",
    "recip_rank": "rr",
    "map": "ap",
    "success": "hit",
    "hit_rate": "hit",
    "p": "precision",
    "r": "recall",
    "rprec": "r_precision",
    "chunk_mrr": "chunk_rr",
}
_NAME = re.compile(r"([^@]*)(?:@(.*))?", re.DOTALL)
_CUTOFF = re.compile(r"[1-9][0-9]{0,8}")


def parse_measure(text: object) -> NamedMeasure:
    """Return the measure that ``text`` names: ``name@k``, or the bare name where there is no cutoff.

    ``str()`` of the result is ``text`` again.

    Raises:
        ValueError: the name is unknown (choices and the nearest are listed), or the cutoff is absent,
            superfluous, or not a whole number from 1 to 999999999 without leading zeros.
    """
    found = _NAME.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        refuse("a measure must be text such as ndcg@10", f"got {show(text)}")
    name, cutoff = found.groups()
    measure = MEASURES.get(name)
    if measure is None:
        refuse("unknown measure", f"{show(text)}. {_nearest(name)}choices: {', '.join(_spellings())}")
    if not measure.takes_cutoff:
        if cutoff is not None:
            refuse(f"{name} takes no cutoff", f"write {name}, got {show(text)}")
        return NamedMeasure(measure=measure, cutoff=None)
    if cutoff is None or not _CUTOFF.fullmatch(cutoff):
        refuse(f"{name} needs a cutoff", f"write {name}@10, got {show(text)}")
    return NamedMeasure(measure=measure, cutoff=int(cutoff))


def parse_measures(names: Iterable[object]) -> tuple[NamedMeasure, ...]:
    """Return the measures of several names, in their order; see ``parse_measure``."""
    return tuple(parse_measure(name) for name in names)


def mean_name(measure: NamedMeasure | str) -> str:
    """Return what the mean over queries is called: ``mrr@k`` for ``rr@k``, else the measure's own name."""
    return (measure if isinstance(measure, NamedMeasure) else parse_measure(measure)).mean_name


def _spellings() -> list[str]:
    return [f"{name}@k" if measure.takes_cutoff else name for name, measure in MEASURES.items()]


def _nearest(name: str) -> str:
    """Return a hint with the nearest name, or nothing when none is near."""
    import difflib

    lowered = name.lower()
    near = _OTHER_NAMES.get(lowered) or next(iter(difflib.get_close_matches(lowered, MEASURES)), None)
    return f"Did you mean {near}? " if near else ""
