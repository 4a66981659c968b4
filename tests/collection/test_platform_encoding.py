"""Files are UTF-8 whatever the platform says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[dict[str, str | bytes]], Path]

PROGRAM = """
import locale, sys
from pathlib import Path
from harness.collection import CorpusSource, GoldenSource, load_collection
assert sys.flags.utf8_mode == 0
root = Path(sys.argv[1])
for corpus, golden, path in (("markdown", "yaml", "g.yaml"), ("beir", "beir", "b")):
    folder = root / ("b" if corpus == "beir" else "docs")
    found = load_collection(
        CorpusSource(format=corpus, path=folder), GoldenSource(format=golden, path=root / path), "test"
    )
    gold = {q: dict(g) for q, g in found.golden.judgments.grades.items()}
    print(ascii((found.document_ids, gold, found.queries[0].text)))
"""


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_chinese_ids_under_the_c_locale(write: Write, locale: str) -> None:
    """Chinese ids and texts match when the locale is C."""
    root = write(
        {
            "docs/a.md": "---\nid: 请假.md\n---\n请假",
            "g.yaml": "judgments: partial\nqueries: [{id: 问题, question: 怎么请假, gold: [请假.md]}]",
            "b/corpus.jsonl": '{"_id": "请假.md", "text": "请假"}\n',
            "b/queries.jsonl": '{"_id": "问题", "text": "怎么请假"}\n',
            "b/qrels/test.tsv": "query-id\tcorpus-id\tscore\n问题\t请假.md\t1\n",
        }
    )
    environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment.pop("PYTHONIOENCODING", None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root)], env=environment, capture_output=True, check=False, text=True
    )
    assert done.stderr == ""
    line = ascii((("请假.md",), {"问题": {"请假.md": 1}}, "怎么请假"))
    assert done.stdout.splitlines() == [line, line]
