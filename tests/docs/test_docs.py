from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from harness.study.schema import StudySchema
from tests.docs.pages import HARNESS, PAGES, ROOT, commands, outputs, table

CHINESE = ROOT / "README.zh-CN.md"  # held against README.md, which is run
ALL = [(page.name, command) for page in PAGES if page != CHINESE for command in commands(page)]
HARNESS_COMMANDS = [
    (page, line)
    for line, page in {line: page for page, line in reversed(ALL)}.items()
    if re.match(r"(\.venv/bin/)?harness ", line)
][::-1]
"""Each command once, with the first page that has it, in the order of the pages."""
CLUSTER = ("tcp://SCHEDULER:8786",)
DEFAULT = outputs(ROOT / "README.md")


RUNS: dict[str, str] = {}
"""What the pages call ``RUN`` and ``BASE``: two sets of the minimal study."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a user has, with the study that the README writes, where one sweep has been run."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("configs", "corpus", "golden"):
        shutil.copytree(ROOT / name, folder / name)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    for name, text in blocks:
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "docs" / "billing").mkdir(parents=True)
    (folder / "docs" / "billing" / "refunds.md").write_text("# Refunds\n\nA refund takes five days.\n")
    (folder / "docs" / "payment.md").write_text("# Payment\n\nWe take cards and bank transfers.\n")
    done = run(folder, "harness sweep configs/minimal.yaml")
    sweep = re.findall(r"^Sweep: ([0-9a-f]{32})$", done.stdout, re.MULTILINE)[0]
    RUNS.update({"RUN": f"{sweep}/hybrid", "BASE": f"{sweep}/bm25"})
    return folder


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(re.sub(r"^(\.venv/bin/)?harness", str(HARNESS), command))
    words = [RUNS.get(word, word) for word in words]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")


def uncounted(text: str) -> str:
    """Leave out how often the split was scored before: the commands of all pages share one store."""
    return re.sub(r"scored \d+ times by \d+ parameter sets", "scored", text)


@pytest.mark.parametrize(("page", "command"), HARNESS_COMMANDS)
def test_every_harness_command_of_the_docs_works(page: str, command: str, project: Path) -> None:
    if any(place in command for place in CLUSTER):
        pytest.skip(f"{page}: needs a cluster; tests/engine starts one")
    done = run(project, command)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    for arguments, text in DEFAULT:
        if arguments in command and "--plan" not in command:
            found = uncounted(table(done.stdout))
            assert uncounted(text.strip()) == found, "write it anew with python -m tests.docs.pages"


@pytest.mark.parametrize(("page", "command"), [(p, c) for p, c in ALL if c.startswith("make ")])
def test_every_make_target_of_the_docs_exists(page: str, command: str) -> None:
    target, *settings = command.split()[1:]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), f"{page}: {command}"
    for setting in settings:
        name, _, value = setting.partition("=")
        assert f"{name} ?=" in makefile
        assert name != "CONFIG" or value == "study.yaml" or (ROOT / value).exists()


def test_each_printed_output_belongs_to_a_command_that_is_run() -> None:
    run_here = " ".join(command for _, command in HARNESS_COMMANDS)
    assert [arguments for arguments, _ in DEFAULT] == ["sweep configs/default.yaml"]
    assert all(arguments in run_here for page in PAGES for arguments, _ in outputs(page))


def test_every_config_key_is_listed_with_its_default() -> None:
    text = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `([a-z0-9_.]+)` \| (.*?) \|", text, re.MULTILINE))
    assert listed == dict(keys(StudySchema, ""))


def keys(model: type[BaseModel], prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            found += keys(type(field.default), f"{prefix}{name}.")
            continue
        found.append((prefix + name, "required" if field.is_required() else shown(field.default)))
        if field.default is None:
            for section in get_args(field.annotation):
                found += keys(section, f"{prefix}{name}.") if hasattr(section, "model_fields") else []
    return found


def shown(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, BaseModel):
        value = value.name  # type: ignore[attr-defined]
    if isinstance(value, list):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{'null' if value is None else value}`"


def test_the_python_example_of_the_readme_runs(project: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    python = HARNESS.with_name("python")
    done = subprocess.run(
        [str(python), "-c", example], cwd=project, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3


def test_both_readmes_show_the_same_commands_and_outputs() -> None:
    english, chinese = ROOT / "README.md", ROOT / "README.zh-CN.md"
    assert commands(english) == commands(chinese)
    assert outputs(english) == outputs(chinese)


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
