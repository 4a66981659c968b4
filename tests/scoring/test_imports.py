"""The exact core stands on the standard library alone and loads nothing before it is asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import harness.scoring

from .support import ROOT

_CODE = """
import sys
before = set(sys.modules)
import {module}
print(*sorted(set(sys.modules) - before))
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


def _imported(module: str) -> set[str]:
    """Return the names of all modules that importing one loads in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE.format(module=module)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("module", _MODULES)
def test_only_the_standard_library_fingerprint_and_records_are_imported(module: str) -> None:
    names = _imported(module)
    assert {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names) == {"harness"}
    assert {name for name in names if name.startswith("harness") and not name.startswith("harness.scoring")} <= {
        "harness",
        "harness.fingerprint",
        "harness.frozen",
        "harness.judgments",
        "harness.quotes",
        "harness.records",
    }


def test_importing_the_room_loads_none_of_its_modules() -> None:
    assert _imported("harness.scoring") == {"__future__", "harness", "harness.scoring"}


@pytest.mark.parametrize("name", harness.scoring.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(harness.scoring, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        harness.scoring.nothing  # noqa: B018
    assert sorted(harness.scoring.__all__) == sorted(set(harness.scoring.__all__))


def test_what_is_loaded_later_is_public() -> None:
    assert set(harness.scoring._LATER) <= set(harness.scoring.__all__)
