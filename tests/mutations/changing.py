"""The small changes that mutmut knows of, one function at a time, and how one of them takes effect in this process.

mutmut only writes the changed functions here. A function gets the code of its changed twin in place, so that whoever
holds it runs the change, and whatever wasn't changed runs at its usual speed.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import difflib
import hashlib
import importlib
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[2]
ROOM = "harness.scoring"
_ORIGINAL = "orig"
_CALLED = "_called_by_a_test"
# mutmut leaves functions under a decorator alone, except for class and static methods; so it doesn't get to see these.
_UNSEEN = re.compile(r"^ *@(property|cached_property|lru_cache\(.*\))$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mutant:
    """The lines of ``file`` that a change takes away, and those that it puts there."""

    file: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.file}\n    - {self.before}\n    + {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One changed function.

    Attributes:
        module: relative to the room, as in ``encoded.sums``; the room itself is ``__init__``.
        function: its name in the module, with that of its class before it.
        number: tells the changes of a function apart.
        original: its source as it is.
        source: its source when changed.
    """

    module: str
    function: str
    number: str
    original: str
    source: str

    @property
    def name(self) -> str:
        """The name of the change among all of the room."""
        return f"{self.module}:{self.function}:{self.number}"

    @property
    def place(self) -> str:
        """The name of the function among all of the room."""
        return f"{self.module}:{self.function}"

    @property
    def mutant(self) -> Mutant:
        """The change as lines taken away and put there."""
        lines = [*difflib.unified_diff(_lines(self.original), _lines(self.source), n=0, lineterm="")][2:]
        before, after = ([line[1:].strip() for line in lines if line.startswith(sign)] for sign in "-+")
        return Mutant(file=file_of(self.module), before="\n".join(before), after="\n".join(after))


def _lines(source: str) -> list[str]:
    """Return the lines without the name that mutmut gave the function."""
    start = source.index("def ")
    name, _, rest = source[start:].partition("(")
    return f"{source[:start]}def {_function(name.removeprefix('def '))[0].rpartition('.')[2]}({rest}".splitlines()


def _function(mangled: str) -> tuple[str, str]:
    """Return ``C.f`` and the number from mutmut's ``xǁCǁf__mutmut_number``, ``f`` from ``x_f__mutmut_number``."""
    name, _, number = mangled.rpartition("__mutmut_")
    return name.removeprefix("x").strip("ǁ").replace("ǁ", ".") if "ǁ" in name else name.removeprefix("x_"), number


def file_of(module: str) -> str:
    """Return the file of a module of the room, relative to the repository."""
    path = Path(*ROOM.split("."), *module.split("."))
    return (path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py")).as_posix()


def modules() -> list[str]:
    """Return the modules of the room, those with the shortest files first."""
    top = ROOT.joinpath(*ROOM.split("."))
    files = sorted(top.rglob("*.py"), key=lambda file: (file.stat().st_size, file))
    names = [".".join(file.relative_to(top).with_suffix("").parts) for file in files]
    return [name.removesuffix(".__init__") for name in names]


def changes_of(module: str, kept: Path) -> list[Change]:
    """Return the changes of a module, in the order of its functions; a folder keeps them until the file changes."""
    text = _undecorated(ROOT / file_of(module))
    file = kept / (hashlib.sha256(" ".join([version("mutmut"), module, text]).encode()).hexdigest() + ".pickle")
    if file.is_file():
        found: list[Change] = pickle.loads(file.read_bytes())
        return found
    found = [*_written(module, text)]
    kept.mkdir(parents=True, exist_ok=True)
    file.write_bytes(pickle.dumps(found))
    return found


def _written(module: str, text: str) -> Iterator[Change]:
    from mutmut.mutation.file_mutation import mutate_file_contents

    mutated = mutate_file_contents(file_of(module), text)
    lines = mutated.code.splitlines(keepends=True)
    sources: dict[str, dict[str, str]] = {}
    for mangled, span in mutated.line_span_by_function_name.items():
        function, number = _function(mangled)
        sources.setdefault(function, {})[number] = "".join(lines[span.start - 1 : span.end]).strip("\n")
    for function, numbers in sources.items():
        original = numbers.pop(_ORIGINAL)
        for number, source in numbers.items():
            yield Change(module=module, function=function, number=number, original=original, source=source)


def install(change: Change) -> None:
    """Let the function run the changed code from now on, and forget what was remembered from one call to the next."""
    function = _target(change.module, change.function)
    changed = _defined(change.source, function)
    function.__code__ = _as(changed.__code__, function)
    function.__defaults__, function.__kwdefaults__ = changed.__defaults__, changed.__kwdefaults__
    _forget()


def recorders() -> Callable[[], set[str]]:
    """Return what lets every function of the room note that it is called; it returns the set that they note it in."""
    codes = [pair for module in modules() for pair in _noting(module)]

    def start() -> set[str]:
        called: set[str] = set()
        setattr(builtins, _CALLED, called)
        for function, code in codes:
            function.__code__ = code
        _forget()
        return called

    return start


def _noting(module: str) -> Iterator[tuple[FunctionType, CodeType]]:
    body = ast.parse(_undecorated(ROOT / file_of(module))).body
    groups = [(node.name + ".", node.body) if isinstance(node, ast.ClassDef) else ("", [node]) for node in body]
    for prefix, nodes in groups:
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                function = _target(module, prefix + node.name)
                node.body.insert(0, ast.parse(f"{_CALLED}.add({f'{module}:{prefix}{node.name}'!r})").body[0])
                text = ast.unparse(node)
                yield function, _as(_defined(text, function).__code__, function)


def _undecorated(file: Path) -> str:
    return _UNSEEN.sub("", file.read_text(encoding="utf-8"))


def _forget() -> None:
    """Empty what functions remember: who asked while the tests were collected must ask again."""
    for name in modules():
        for value in vars(_module(name)).values():
            getattr(value, "cache_clear", int)()


def _module(name: str) -> Any:
    return importlib.import_module(ROOM if name == "__init__" else f"{ROOM}.{name}")


def _target(module: str, function: str) -> FunctionType:
    *classes, name = function.split(".")
    owner = _module(module)
    for part in classes:
        owner = getattr(owner, part)
    return _plain(vars(owner)[name])


def _plain(value: Any) -> FunctionType:
    function: Any = value
    for inside in ("__func__", "fget", "func", "__wrapped__"):
        function = getattr(function, inside, function)
    if not isinstance(function, FunctionType) or function.__code__.co_freevars:
        raise TypeError(f"{value!r} has no code that another could stand in for")
    return function


def _defined(source: str, like: FunctionType) -> FunctionType:
    """Return the function that a source defines where ``like`` lives; nothing there changes."""
    text = "if 1:\n" + source if source[0].isspace() else source
    code = compile(text, like.__code__.co_filename, "exec", flags=__future__.annotations.compiler_flag)
    names: dict[str, Any] = {}
    exec(code, dict(like.__globals__), names)
    (defined,) = names.values()
    return _plain(defined)


def _as(code: CodeType, function: FunctionType) -> CodeType:
    """Return code under the name of a function: error messages show it."""
    old = function.__code__
    return code.replace(co_name=old.co_name, co_qualname=old.co_qualname, co_firstlineno=old.co_firstlineno)
