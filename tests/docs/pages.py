"""Reading the project's pages: their commands, and the outputs they print.

``python -m tests.docs.pages`` writes the outputs anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").glob("*.md")])
HARNESS = Path(sys.executable).with_name("harness")

_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
_OUTPUT = re.compile(r"(<!-- output: harness (.*?) -->\n)(.*?)(<!-- end of output -->)", re.DOTALL)


def commands(page: Path) -> list[str]:
    """Return the commands of a page's shell blocks, without comments."""
    lines = "".join(_BLOCK.findall(page.read_text(encoding="utf-8"))).splitlines()
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def outputs(page: Path) -> list[tuple[str, str]]:
    """Return the arguments of each command whose output a page prints, and the output."""
    return [(found[2], found[3]) for found in _OUTPUT.finditer(page.read_text(encoding="utf-8"))]


def actual(arguments: str) -> str:
    """Run the command in a fresh directory and return its output, without the lines that name places."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*arguments.split(), "--dir", folder]
        done = subprocess.run(
            [str(HARNESS), *words], cwd=ROOT, capture_output=True, text=True, check=True, encoding="utf-8"
        )
    return table(done.stdout) + "\n\n"


def table(printed: str) -> str:
    """Return what a sweep prints without the lines that name places."""
    return printed.split("MLflow store:", maxsplit=1)[0].strip()


def refresh(page: Path) -> None:
    """Write a page's outputs anew."""
    text = page.read_text(encoding="utf-8")
    page.write_text(_OUTPUT.sub(lambda found: found[1] + "\n" + actual(found[2]) + found[4], text), encoding="utf-8")


if __name__ == "__main__":
    for each in PAGES:
        refresh(each)
