"""A sweep by the installed command: what it prints, and what ``report`` prints again."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from cli.sweeps import Swept
from cli.world import cells, run, table_of

BY_HAND = {
    "1": ["0.5000", "0.6667", "0.5377", "0.6667"],
    "3": ["0.8333", "0.8333", "0.7480", "1.0000"],
}
"""BM25 by top_k, means over three questions: recall (1 + 1/2 + 0)/3 and (1 + 1/2 + 1)/3; rr (1 + 1 + 0)/3 and
(1 + 1 + 1/2)/3; with d = 1/log2(3) = 0.6309, ndcg (1 + 1/(1 + d) + 0)/3 and (1 + 1/(1 + d) + d)/3; hit 2/3 and 3/3."""


def test_a_sweep_ends_well_and_says_nothing_but_its_progress(small: Swept) -> None:
    assert small.done.code == 0
    lines = small.done.err.splitlines()
    assert lines[0] == "parameter sets: 7 to do"
    assert lines[-1] == "parameter sets: 7/7, about 0 s left"
    assert all(re.fullmatch(r"parameter sets: \d/7, about \d+ s left", line) for line in lines[1:])


def test_the_table_holds_the_values_worked_by_hand(small: Swept) -> None:
    header, *rows = cells(small.done.out)
    assert header == ["mode", "top_k", "fetch_k", "recall@3", "mrr@3", "ndcg@3", "hit@3", "oracle", "verdict"]
    assert {row[1]: row[3:7] for row in rows if "bm25" in row[0].split(", ")} == BY_HAND


def test_floor_and_ceiling_stand_in_the_table(small: Swept) -> None:
    """Four documents, three places: one relevant document is among them 3 times in 4, two of them at least once always.

    Its reciprocal rank is (1 + 1/2 + 1/3)/4 = 11/24; with two relevant, 1/2 + 1/3 · 1/2 + 1/6 · 1/3 = 13/18.
    """
    rows = {row[0]: row for row in cells(small.done.out)}
    mrr = (11 / 24 + 13 / 18 + 11 / 24) / 3
    assert [rows["random order"][column] for column in (3, 4, 6, 7, 8)] == ["0.7500", f"{mrr:.4f}", "0.8333", "·", "·"]
    assert rows["best possible"][3:] == ["1.0000", "1.0000", "1.0000", "1.0000", "·", "·"]


def test_nothing_but_the_report_and_where_to_find_it_goes_to_stdout(small: Swept) -> None:
    out = small.done.out
    assert out.startswith("## Ablation of study small, split test\n")
    where = out[len(table_of(out)) + 1 :].splitlines()
    assert where[0] == f"MLflow store: sqlite:///{small.folder}/mlflow.db"
    assert where[1] == f"Sweep: {small.sweep_id}"
    program = "harness" if shutil.which("harness") else Path(sys.executable).parent.relative_to(Path.cwd()) / "harness"
    assert where[2] == f"Open it: make ui (or: {program} ui --dir {small.folder}), then"
    assert where[4] == f"Print it again: {program} report {small.sweep_id} --dir {small.folder} [--per-query]"
    assert len(where) == 5


def test_the_link_lists_the_parameter_sets_of_this_sweep_best_first(small: Swept) -> None:
    link = small.done.out.splitlines()[-2].strip()
    page = urlsplit(urlsplit(link).fragment)
    experiment, view = page.path.split("/")[2], parse_qs(page.query)["viewStateShareKey"][0]
    saved = small.store.client.get_experiment(experiment).tags[f"mlflow.sharedViewState.{view}"]
    asked = json.loads(json.loads(saved)["state"])
    order = [f"{asked['orderByKey']} {'ASC' if asked['orderByAsc'] else 'DESC'}"]
    found = small.store.client.search_runs([experiment], asked["searchFilter"], order_by=order)
    assert {run.info.run_id for run in found} == {run.info.run_id for run in small.store.children(small.sweep_id)}
    recall = [run.data.metrics["recall_at_3"] for run in found]
    assert recall == sorted(recall, reverse=True)
    assert len(found) == 7


def test_report_prints_the_same_table_byte_for_byte(small: Swept) -> None:
    again = run("report", small.sweep_id, "--dir", small.folder)
    assert (again.code, again.err) == (0, "")
    assert again.out == table_of(small.done.out)
