"""The exact core stands on the standard library alone and starts fast."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import harness.scoring

from .support import ROOT

_CODE = """
import sys, time
before = set(sys.modules)
start = time.perf_counter()
import {module}
print(time.perf_counter() - start)
print(*sorted({{name.partition(".")[0] for name in set(sys.modules) - before}}))
print(*sorted(name for name in set(sys.modules) - before if name.startswith("harness")))
"""
_MODULES = [
    "harness.scoring",
    *(
        f"harness.scoring.{path.stem}"
        for path in sorted((ROOT / "harness" / "scoring").glob("*.py"))
        if path.stem != "__init__"
    ),
    "harness.scoring.measures",
]


def _lines(module: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _CODE.format(module=module)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("module", _MODULES)
def test_only_the_standard_library_fingerprint_and_records_are_imported(module: str) -> None:
    _, tops, own = _lines(module)
    rooms = {name for name in own.split() if not name.startswith("harness.scoring")}
    assert set(tops.split()) - set(sys.stdlib_module_names) == {"harness"}
    assert rooms <= {
        "harness",
        "harness.fingerprint",
        "harness.frozen",
        "harness.judgments",
        "harness.quotes",
        "harness.records",
    }


def test_importing_takes_less_than_a_tenth_of_a_second() -> None:
    assert min(float(_lines("harness.scoring")[0]) for _ in range(5)) < 0.1


@pytest.mark.parametrize("name", harness.scoring.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(harness.scoring, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        harness.scoring.nothing  # noqa: B018
    assert sorted(harness.scoring.__all__) == sorted(set(harness.scoring.__all__))


def test_what_is_loaded_later_is_public() -> None:
    assert set(harness.scoring._LATER) <= set(harness.scoring.__all__)
