"""``harness score`` on a small input beside a Python process with pytrec_eval: the whole processes."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.results import take_turns

_PEER = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
rows = pytrec_eval.RelevanceEvaluator(judged, {"recall.10", "recip_rank", "ndcg_cut.10"}).evaluate(ranked)
for name in ("recall_10", "recip_rank", "ndcg_cut_10"):
    print(name, sum(row[name] for row in rows.values()) / len(rows))
"""


_COMMAND = "from harness.entry import main; main()"
"""What the installed command does."""


def cold(folder: Path, rounds: int = 31) -> dict[str, Any]:
    """Whole processes on a small input.

    Both sides find their compiled modules in place, and neither starts threads for linear algebra: stopping those
    can take numpy longer than all the rest when other cores are busy, and has nothing to do with scoring.
    """
    qrels, run, peer = folder / "small.qrels", folder / "small.run", folder / "peer.py"
    qrels.write_text("".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(20) for d in range(5)), encoding="utf-8")
    run.write_text(
        "".join(f"q{q} Q0 d{d} 1 {(d * 7 + q) % 5} t\n" for q in range(20) for d in range(5)), encoding="utf-8"
    )
    peer.write_text(_PEER, encoding="utf-8")
    commands = {
        "pytrec_eval": [sys.executable, str(peer), str(qrels), str(run)],
        "cold": [sys.executable, "-c", _COMMAND, "score", "--qrels", str(qrels), "--run", str(run)],
        "python": [sys.executable, "-c", "pass"],
    }
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    run_once = functools.partial(subprocess.run, check=True, capture_output=True, env=environment)
    sides = {name: functools.partial(run_once, command) for name, command in commands.items()}
    take_turns(sides, rounds=1)
    found = take_turns(sides, rounds=rounds)
    return {
        "cold_vs_pytrec_eval": found["pytrec_eval"] / found["cold"],
        "cold_s": found["cold"],
        "cold_pytrec_eval_s": found["pytrec_eval"],
        "cold_python_alone_s": found["python"],
    }
