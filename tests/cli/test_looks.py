"""How often a split has been scored: counted over everything a store has ever held, said under every table."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from cli.sweeps import Swept
from cli.world import GOLDEN, Store, invoke, run, sweep_id_of, write_files, write_study
from harness.tracking import looks

ONE = {"mode": "bm25", "top_k": "3"}
TWO = {"mode": "bm25", "top_k": "[1, 3]"}
BOTH = GOLDEN + "  - {id: tuned, question: grain, gold: [ships.md], split: dev}\n"


def sweep(config: Path, store: Store) -> str:
    """Sweep and return what was printed."""
    done = invoke("sweep", config, "--dir", store.folder)
    assert done.code == 0, done.err
    return done.out


def said(out: str) -> str:
    """Return the sentence on looks."""
    [sentence] = re.findall(r"^This .* split has been scored .*$", out, re.MULTILINE)
    return str(sentence)


def test_a_first_sweep_counts_its_own_sets_and_logs_the_numbers(small: Swept) -> None:
    lines = small.done.out.splitlines()
    place = lines.index("This test split has been scored 7 times by 7 parameter sets.")
    assert lines[place - 1].startswith("**n = 3** questions")
    parent = small.store.client.get_run(small.sweep_id)
    logged = {name: value for name, value in parent.data.metrics.items() if name.startswith("split_scored")}
    assert logged == {"split_scored_times": 7, "split_scored_sets": 7}


def test_a_set_that_is_scored_again_is_another_time_and_the_same_set(store: Store, tmp_path: Path) -> None:
    """In any study of the store: by hand 2 sets, then 1 of them under another name, then 7 with both among them."""
    assert said(sweep(write_study(tmp_path / "a", **TWO), store)).endswith("2 times by 2 parameter sets.")
    assert said(sweep(write_study(tmp_path / "b", name="b", **ONE), store)).endswith("3 times by 2 parameter sets.")
    last = sweep(write_study(tmp_path / "c", name="c"), store)
    assert said(last).endswith("10 times by 7 parameter sets.")
    [first] = store.parents("small")
    assert said(invoke("report", first.info.run_id, "--dir", store.folder).out) == said(last)
    assert "2 times by 2 parameter sets." in store.artifact(first.info.run_id, "ablation.md")
    assert first.data.metrics["split_scored_times"] == 2


def test_one_look_is_told_in_the_singular(store: Store, tmp_path: Path) -> None:
    out = sweep(write_study(tmp_path, **ONE), store)
    assert said(out) == "This test split has been scored 1 time by 1 parameter set."


def test_what_was_deleted_still_counts(store: Store, tmp_path: Path) -> None:
    first = sweep_id_of(sweep(write_study(tmp_path / "a", **TWO), store))
    second = sweep_id_of(sweep(write_study(tmp_path / "b", name="gone", **TWO), store))
    store.client.delete_run(store.children(first)[0].info.run_id)
    store.client.delete_run(first)
    store.client.delete_experiment(store.client.get_run(second).info.experiment_id)
    out = sweep(write_study(tmp_path / "c", name="c", **ONE), store)
    assert said(out).endswith("5 times by 2 parameter sets.")


def test_sets_of_a_sweep_that_never_ended_are_counted_by_their_runs(store: Store, tmp_path: Path) -> None:
    """As a killed process leaves it: no list on the parent; a run deleted since counts, a failed one doesn't."""
    first = sweep_id_of(sweep(write_study(tmp_path / "a", **TWO | {"top_k": "[1, 2, 3]"}), store))
    [listed] = [name for name in store.client.get_run(first).data.tags if name.startswith("harness.scored.")]
    store.client.delete_tag(first, listed)
    store.client.set_terminated(first, "RUNNING")
    one, other, _ = store.children(first)
    store.client.delete_run(one.info.run_id)
    assert said(invoke("report", "--dir", store.folder).out).endswith("3 times by 3 parameter sets.")
    store.client.set_terminated(other.info.run_id, "FAILED")
    assert said(invoke("report", "--dir", store.folder).out).endswith("2 times by 2 parameter sets.")


def test_a_list_longer_than_a_tag_goes_into_several(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looks, "_A_TAG", 2)
    out = sweep(write_study(tmp_path), store)
    tags = store.client.get_run(sweep_id_of(out)).data.tags
    lists = [tags[f"harness.scored.{number}"].split() for number in range(4)]
    assert [len(names) for names in lists] == [2, 2, 2, 1]
    assert len({name for names in lists for name in names}) == 7
    assert said(out).endswith("7 times by 7 parameter sets.")


def test_dev_and_test_are_counted_apart_whatever_k_is_and_whatever_the_other_holds(
    store: Store, tmp_path: Path
) -> None:
    """Another k, or another question on dev, makes no fresh test split; another document does."""
    sweep(write_study(tmp_path, **TWO), store)
    text = (tmp_path / "study.yaml").read_text(encoding="utf-8")
    write_files(tmp_path, {"golden.yaml": BOTH, "study.yaml": text.replace("k: 3, cutoffs", "k: 2, cutoffs")})
    assert said(sweep(tmp_path / "study.yaml", store)) == "This test split has been scored 4 times by 2 parameter sets."
    write_files(tmp_path, {"study.yaml": text.replace("{k: 3", "{split: dev, k: 3")})
    assert said(sweep(tmp_path / "study.yaml", store)) == "This dev split has been scored 2 times by 2 parameter sets."
    write_files(tmp_path, {"docs/new.md": "# New\n\nA lighthouse.\n", "study.yaml": text})
    assert said(sweep(tmp_path / "study.yaml", store)) == "This test split has been scored 2 times by 2 parameter sets."


def test_a_sweep_that_was_logged_without_the_hash_of_its_split_says_nothing(small: Swept, tmp_path: Path) -> None:
    folder = tmp_path / "old"
    shutil.copytree(small.folder, folder)
    held = folder / "mlartifacts" / small.sweep_id / "artifacts" / "sweep.json"
    text = held.read_text(encoding="utf-8")
    without = re.sub(r'  "split": "[0-9a-f]{64}",\n', "", text)
    assert without != text
    held.write_text(without, encoding="utf-8")
    out = run("report", small.sweep_id, "--dir", folder).out
    assert "has been scored" not in out
    assert "**n = 3** questions" in out
