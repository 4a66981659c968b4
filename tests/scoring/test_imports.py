"""The exact core stands on the standard library alone and starts fast."""

from __future__ import annotations

import os
import subprocess
import sys

from .support import ROOT

_CODE = """
import sys, time
before = set(sys.modules)
start = time.perf_counter()
import harness.scoring
print(time.perf_counter() - start)
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
print(*sorted(name for name in sys.modules if name.startswith("harness")))
"""


def _lines() -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()


def test_only_the_standard_library_is_imported() -> None:
    tops = set(_lines()[1].split())
    assert tops - set(sys.stdlib_module_names) == {"harness"}


def test_of_the_harness_only_fingerprint_and_records_are_imported() -> None:
    others = {name for name in _lines()[2].split() if not name.startswith("harness.scoring")}
    assert others == {"harness", "harness.fingerprint", "harness.records"}


def test_importing_takes_less_than_a_tenth_of_a_second() -> None:
    assert min(float(_lines()[0]) for _ in range(5)) < 0.1
