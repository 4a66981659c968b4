"""Study files on disk, small ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from harness.errors import InputError
from harness.study.config import read_study

DOCUMENTS = {
    "pumps": "# Pumps\n\nPump P7 runs dry. Prime the pump first; see the manual.\n\n## Seals\n\nA seal leaks.",
    "warehouse": "# 仓库\n\n仓库温度每天记录两次。货车在周五检修。\n\n## 门禁\n\n门禁卡遗失要上报。",
    "kite": "A red kite, a red boat, a blue sea. The green hill is far away.",
    "valves": "Valves open and valves close. The valve of pump P7 is red.",
    "note": "x",
    "lists": "- one pump\n- two pumps\n- three seals\n\n```\ncode(pump)\n```\n",
}
GOLDEN = """\
judgments: exhaustive
queries:
  - {id: q1, question: "pump p7", gold: [pumps, valves], split: test}
  - {id: q2, question: 仓库温度, gold: [warehouse], split: test}
  - {id: q3, question: "red red boat", gold: [kite], split: test}
  - {id: q4, question: "zulu", gold: [], answerable: false, split: test}
  - {id: q5, question: "???", gold: [note], split: test}
  - {id: q6, question: "pump p7", gold: [lists], split: test}
  - {id: q7, question: "the seal leaks, 门禁卡", gold: [pumps, warehouse], split: test}
  - {id: d1, question: "hill", gold: [kite], split: dev}
"""


def write_corpus(folder: Path, documents: Mapping[str, str] = DOCUMENTS) -> None:
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    for name, text in documents.items():
        (folder / "corpus" / f"{name}.md").write_text(f"---\nid: {name}\n---\n{text}", encoding="utf-8")


def write_study(
    folder: Path,
    study: str | Mapping[str, Any] = "",
    *,
    documents: Mapping[str, str] = DOCUMENTS,
    golden: str = GOLDEN,
) -> Path:
    """Write corpus, golden set and study; text is put under ``name``, ``corpus`` and ``golden`` on lines 1 to 3."""
    write_corpus(folder, documents)
    (folder / "golden.yaml").write_text(golden, encoding="utf-8")
    path = folder / "study.yaml"
    head = "name: small\ncorpus: corpus\ngolden: golden.yaml\n"
    text = study if isinstance(study, str) else yaml.safe_dump(dict(study), allow_unicode=True)
    path.write_text(head + text, encoding="utf-8")
    return path


def problems_of(path: Path) -> list[str]:
    """Return what is wrong with a study, paths cut to the names of the files."""
    try:
        read_study(path)
    except InputError as error:
        return [str(problem).replace(f"{path.parent}/", "") for problem in error.problems]
    return []
