"""Exact scoring beside pytrec_eval, ranx and ir-measures: ``python -m tests.benchmarks.score`` writes ``score``.

With names behind it (``encoded``, ``texts``, ``others``, ``files``, ``cold``) those parts alone are measured, and
printed instead of written.

All sides get the same inputs and compute the same three numbers: Recall, RR and nDCG at 10. Before anything is timed
the values are compared: they agree to 1e-12. pytrec_eval knows no cutoff of the reciprocal rank, so at full depth
its own value is compared with rr at full depth. Sides take turns, medians are reported. A number such as
``encoded_vs_pytrec_eval`` says how many times faster the exact scorer is.
"""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.judgments import Judgments
from harness.scorecard.arguments import parse
from harness.scorecard.scoring import read_judged, score_file
from harness.scoring import parse_measures
from harness.scoring.conventions import Conventions
from harness.scoring.encoded import EncodedJudgments, EncodedRuns, score_many
from harness.scoring.texts import TextJudgments, score_texts
from tests.benchmarks.results import take_turns, write_section
from tests.benchmarks.score_cold import cold

ASKED = {"recall.10", "recip_rank", "ndcg_cut.10"}
NAMES = ("recall@10", "rr@10", "ndcg@10")
FULL = ("recall@10", "rr@1000", "ndcg@10")
THEIRS = ("recall_10", "recip_rank", "ndcg_cut_10")


def compare(means: Mapping[str, Any], rows: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> None:
    """Stop unless the exact means and pytrec_eval's rows agree to 1e-12."""
    for name, other in zip(names, THEIRS, strict=True):
        mean = math.fsum(row[other] for row in rows.values()) / len(rows)
        assert math.isclose(float(means[name]), mean, rel_tol=0, abs_tol=1e-12), (name, float(means[name]), mean)


class World:
    """Questions with 1 to 5 relevant documents, six in ten of which stand in the first 12 of a ranking of 100."""

    def __init__(self, queries: int, documents: int, runs: int, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.documents = [f"doc{number:07d}" for number in range(documents)]
        self.queries = [f"query{number}" for number in range(queries)]
        self.relevant = [chance.sample(range(documents), chance.randint(1, 5)) for _ in self.queries]
        self.runs = np.stack([self._run(chance, documents) for _ in range(runs)]).astype(np.int32)
        self.grades = {
            query: {self.documents[item]: 1 for item in items}
            for query, items in zip(self.queries, self.relevant, strict=True)
        }
        self.judgments = Judgments(exhaustive=True, grades=self.grades)

    def _run(self, chance: random.Random, documents: int) -> list[list[int]]:
        rows = []
        for wanted in self.relevant:
            row = [item for item in chance.sample(range(documents), 110) if item not in wanted][:100]
            for item in wanted:
                if chance.random() < 0.6:
                    place = chance.randrange(12)
                    row[place] = item if row[place] not in wanted else row[place]
            rows.append(row)
        return rows

    def texts(self, run: int, depth: int = 100) -> dict[str, list[str]]:
        rows = self.runs[run, :, :depth].tolist()
        return {q: [self.documents[item] for item in row] for q, row in zip(self.queries, rows, strict=True)}

    def scored(self, run: int, depth: int = 100) -> dict[str, dict[str, float]]:
        return {q: {name: 200.0 - at for at, name in enumerate(row)} for q, row in self.texts(run, depth).items()}

    def evaluator(self) -> Any:
        import pytrec_eval

        return pytrec_eval.RelevanceEvaluator(self.grades, ASKED)

    def conventions(self, names: Sequence[str]) -> Conventions:
        return Conventions(measures=parse_measures(names))


def encoded(distinct: int = 20) -> dict[str, Any]:
    """500 runs × 300 questions × 100 documents, against pytrec_eval on runs that were cut to 10 beforehand."""
    times = 25
    world = World(300, 5000, distinct)
    judgments = EncodedJudgments.encode(
        ledger=world.queries,
        judgments=world.judgments,
        document_ids=world.documents,
        conventions=world.conventions(NAMES),
    )
    arrays = np.concatenate([world.runs] * times)
    stacked = EncodedRuns.stack(judgments, arrays)
    cut = [world.scored(run, 10) for run in range(distinct)]
    full = [world.scored(run) for run in range(2)]
    evaluator = world.evaluator()
    for run, score in enumerate(score_many(judgments, stacked)[:distinct]):
        compare(score.means, evaluator.evaluate(cut[run]), NAMES)
    found = take_turns(
        {
            "pytrec_eval_cut": lambda: [evaluator.evaluate(run) for run in cut],
            "encoded": lambda: score_many(judgments, stacked),
            "check_and_stack": lambda: EncodedRuns.stack(judgments, arrays),
            "pytrec_eval_full": lambda: [evaluator.evaluate(run) for run in full],
        },
        rounds=11,
    )
    peer = found["pytrec_eval_cut"] * times
    many = [f"{name}@{k}" for name in ("recall", "rr", "hit", "precision", "ap", "ndcg") for k in (1, 2, 3, 5, 8, 10)]
    wide = EncodedJudgments.encode(
        ledger=world.queries,
        judgments=world.judgments,
        document_ids=world.documents,
        conventions=world.conventions([*many, "r_precision", "judged@1", "judged@5", "judged@10"]),
    )
    ten = np.ascontiguousarray(world.runs[0, :, :10])
    one = take_turns({"one": lambda: score_many(wide, [ten])}, rounds=31)
    return {
        "encoded_vs_pytrec_eval": peer / found["encoded"],
        "encoded_checked_in_the_same_call_vs_pytrec_eval": peer / (found["encoded"] + found["check_and_stack"]),
        "encoded_vs_pytrec_eval_full_depth": found["pytrec_eval_full"] * distinct * times / 2 / found["encoded"],
        "encoded_500_runs_s": found["encoded"],
        "encoded_check_and_stack_s": found["check_and_stack"],
        "pytrec_eval_cut_500_runs_s": peer,
        "one_run_300x10_40_means_ms": 1000 * one["one"],
    }


def texts(questions: int = 10_000) -> dict[str, Any]:
    """10,000 questions × 100 text ids in lists, against pytrec_eval at full depth, its dictionaries ready-made."""
    world = World(questions, 100_000, 1)
    lists, dictionaries, evaluator = world.texts(0), world.scored(0), world.evaluator()
    judgments = TextJudgments.prepare(
        ledger=world.queries,
        judgments=world.judgments,
        document_ids=world.documents,
        conventions=world.conventions(NAMES),
    )
    deep = TextJudgments.prepare(
        ledger=world.queries,
        judgments=world.judgments,
        document_ids=world.documents,
        conventions=world.conventions(FULL),
    )
    compare(score_texts(deep, lists).means, evaluator.evaluate(dictionaries), FULL)
    sides: dict[str, Callable[[], Any]] = {
        "pytrec_eval": lambda: evaluator.evaluate(dictionaries),
        "text": lambda: score_texts(judgments, lists),
    }
    found = take_turns(sides)
    return {
        "text_vs_pytrec_eval": found["pytrec_eval"] / found["text"],
        "text_10000x100_s": found["text"],
    }


def others(questions: int = 10_000) -> dict[str, Any]:
    """ranx and ir-measures on the same run as ``texts``, for information."""
    import ir_measures
    import ranx
    from ir_measures import RR, R, nDCG

    warnings.filterwarnings("ignore")
    world = World(questions, 100_000, 1)
    run, evaluator = world.scored(0), world.evaluator()
    qrels, measures = ranx.Qrels(world.grades), ["recall@10", "mrr@10", "ndcg@10"]
    ranx.evaluate(qrels, ranx.Run(run), measures)
    found = take_turns(
        {
            "pytrec_eval": lambda: evaluator.evaluate(run),
            "ranx": lambda: ranx.evaluate(qrels, ranx.Run(run), measures),
            "ir_measures": lambda: ir_measures.calc_aggregate([R @ 10, RR @ 10, nDCG @ 10], world.grades, run),
        },
        rounds=3,
    )
    peer = found["pytrec_eval"]
    return {"ranx_vs_pytrec_eval": peer / found["ranx"], "ir_measures_vs_pytrec_eval": peer / found["ir_measures"]}


def files(folder: Path, questions: int = 6000) -> dict[str, Any]:
    """A TREC run of 30 MB, read and scored."""
    import pytrec_eval

    world = World(questions, 100_000, 1)
    run, qrels = folder / "big.run", folder / "big.qrels"
    rows, chance = world.texts(0), random.Random(2)
    with run.open("w", encoding="utf-8") as stream:
        for query, row in rows.items():
            score = 60.0
            for rank, name in enumerate(row, 1):
                score -= 0.01 + chance.random() / 4
                stream.write(f"{query} Q0 {name} {rank} {score!r} system\n")
    with qrels.open("w", encoding="utf-8") as stream:
        for query, grades in world.grades.items():
            stream.writelines(f"{query} 0 {name} {grade}\n" for name, grade in grades.items())
    names = ",".join(FULL)
    request = parse(["--qrels", str(qrels), "--run", str(run), "--measures", names, "--unjudged", "nonrelevant"])
    judged, evaluator = read_judged(request), world.evaluator()

    def peer() -> Any:
        with run.open(encoding="utf-8") as stream:
            return evaluator.evaluate(pytrec_eval.parse_run(stream))

    compare(score_file(judged, request, run).means, peer(), FULL)
    found = take_turns({"pytrec_eval": peer, "file": lambda: score_file(judged, request, run)}, rounds=5)
    return {
        "file_vs_pytrec_eval": found["pytrec_eval"] / found["file"],
        "file_megabytes": run.stat().st_size / 1e6,
        "file_s": found["file"],
    }


def parts(folder: Path, *, small: bool) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return what can be measured, by name."""
    if small:
        return {
            "encoded": lambda: encoded(2),
            "texts": lambda: texts(30),
            "others": lambda: others(30),
            "files": lambda: files(folder, 30),
            "cold": lambda: cold(folder, 1),
        }
    return {
        "encoded": encoded,
        "texts": texts,
        "others": others,
        "files": lambda: files(folder),
        "cold": lambda: cold(folder),
    }


def main(given: Sequence[str]) -> None:
    """Measure, print, and write ``build/bench.json``; named parts are only printed."""
    named = [one for one in given if one != "--small"]
    with tempfile.TemporaryDirectory() as folder:
        known = parts(Path(folder), small="--small" in given)
        found = {name: value for part in named or known for name, value in known[part]().items()}
    if named:
        print(json.dumps(found, indent=2))
    else:
        write_section("score", found)


if __name__ == "__main__":
    main(sys.argv[1:])
