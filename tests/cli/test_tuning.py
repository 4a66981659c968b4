"""A study with a selection: one split chooses, the other reports on the chosen set and a baseline, no more."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.worlds import ROOT

import harness.tuning
from cli.world import GOLDEN, Done, Store, invoke, set_cells, write_files, write_study
from harness.commands import check_study, sweep_study
from harness.study.config import read_study
from harness.study.halves import choosing_half

BOTH = (
    GOLDEN
    + """\
  - {id: tune-weather, question: 明天下雨吗, gold: [天气.md], split: dev}
  - {id: tune-lights, question: lights of the harbour, gold: [tower.md], split: dev}
"""
)
"""On dev BM25 has the weather first and the tower second: recall@3 is 1/2 with top_k 1, and 1 with top_k 2 or 3."""

SELECTION = """\
selection:
  tune_on: dev
  measure: recall@3
  rule: {rule}
  baseline: {{top_k: 1}}
"""


def tuned(folder: Path, *, rule: str = "best", measure: str = "recall@3", top_k: str = "[1, 2, 3]") -> Path:
    """Write the study: BM25 with three candidate budgets."""
    config = write_study(folder, mode="bm25", top_k=top_k, golden=BOTH)
    section = SELECTION.format(rule=rule).replace("recall@3", measure)
    write_files(folder, {"study.yaml": config.read_text(encoding="utf-8") + section})
    return config


def sweep(config: Path, store: Store) -> Done:
    done = invoke("sweep", config, "--dir", store.folder)
    assert done.code == 0, done.out + done.err
    return done


def halves(store: Store) -> tuple[list[Any], list[Any]]:
    """Return the sweeps over dev and over test, newest first."""
    parents = store.parents("small")
    return tuple([run for run in parents if run.data.tags["split"] == split] for split in ("dev", "test"))  # type: ignore[return-value]


def names(store: Store, sweep_id: str) -> list[str]:
    return [run.info.run_name for run in store.children(sweep_id)]


def test_the_best_on_dev_and_the_baseline_are_all_that_test_is_used_for(store: Store, tmp_path: Path) -> None:
    """By hand: top_k 2 and 3 tie on dev with recall 1, so the earlier is chosen."""
    out = sweep(tuned(tmp_path), store).out
    [dev], [test] = halves(store)
    assert names(store, dev.info.run_id) == ["top_k=1", "top_k=2", "top_k=3"]
    assert names(store, test.info.run_id) == ["top_k=1", "top_k=2"]
    first, second = out[: out.index("## Ablation of study small, split test")], out[out.index("split test\n") :]
    assert [row[:2] for row in set_cells(first)] == [["1", "0.5000"], ["2, 3", "1.0000"]]
    assert [row[:2] for row in set_cells(second)] == [["1", "0.5000"], ["2", "0.8333"]]
    assert (
        f"Chosen on dev: **top_k=2**, by the rule best, with recall@3 1.0000, the highest of 3 parameter sets (sweep "
        f"{dev.info.run_id}); this sweep used test only for this set and the baseline, top_k=1 (0.5000 on dev).\n"
    ) in second
    assert "This dev split has been scored 3 times by 3 parameter sets." in first
    assert "This test split has been scored 2 times by 2 parameter sets." in second
    assert "lucky" not in second
    assert "Grid: 6 points, 3 distinct parameter sets, 3 points collapsed because what differs" in second
    assert "; 2 of them scored here.\n" in second
    assert "Incomplete" not in out


def test_both_halves_go_by_the_measure_that_chooses(store: Store, tmp_path: Path) -> None:
    out = sweep(tuned(tmp_path, measure="mrr@3"), store).out
    assert out.count("Verdicts go by mrr@3 against the baseline top_k=1 (named in the study)") == 2


def test_the_sweep_that_reports_says_how_its_sets_were_chosen(store: Store, tmp_path: Path) -> None:
    config = tuned(tmp_path)
    out = sweep(config, store).out
    [dev], [test] = halves(store)
    by_name = {run.info.run_name: run.data.tags for run in store.children(test.info.run_id)}
    tags = {name: value for name, value in test.data.tags.items() if name.startswith("selection.")}
    assert tags == {
        "selection.sweep": dev.info.run_id,
        "selection.split": "dev",
        "selection.rule": "best",
        "selection.measure": "recall@3",
        "selection.value": "1",
        "selection.chosen": "top_k=2",
        "selection.chosen_sha256": by_name["top_k=2"]["parameters_sha256"],
        "selection.baseline": "top_k=1",
        "selection.baseline_sha256": by_name["top_k=1"]["parameters_sha256"],
    }
    assert {name: held["selection.role"] for name, held in by_name.items()} == {
        "top_k=1": "baseline",
        "top_k=2": "chosen",
    }
    assert not any(name.startswith("selection.") for name in dev.data.tags)
    again = invoke("report", "--dir", store.folder).out
    assert again in out
    assert again == store.artifact(test.info.run_id, "ablation.md")
    assert invoke("report", dev.info.run_id, "--dir", store.folder).out in out


def test_what_the_parents_hold_runs_again(store: Store, tmp_path: Path) -> None:
    """The half that chose as a study of dev alone, the half that reports as the whole, a child as its one set."""
    config = tuned(tmp_path)
    sweep(config, store)
    [dev], [test] = halves(store)
    for parent, study in ((dev, choosing_half(read_study(config))), (test, read_study(config))):
        write_files(tmp_path, {"again.yaml": store.artifact(parent.info.run_id, "config.yaml")})
        again = read_study(tmp_path / "again.yaml")
        assert again.sha256 == study.sha256 == parent.data.tags["config_sha256"]
        assert (again.tuning is None) == (parent is dev)
        for child in store.children(parent.info.run_id):
            write_files(tmp_path, {"child.yaml": store.artifact(child.info.run_id, "config.yaml")})
            one = read_study(tmp_path / "child.yaml")
            assert [s.sha256 for s in one.grid.sets] == [child.data.tags["parameters_sha256"]]
            assert one.tuning is None
            assert one.split_sha256 == child.data.tags["split_sha256"] == parent.data.tags["split_sha256"]


def test_a_baseline_that_is_chosen_is_scored_alone(store: Store, tmp_path: Path) -> None:
    """By hand: top_k 1 is worse by exactly one of two questions, and cheaper."""
    out = sweep(tuned(tmp_path, rule="simplest-within-one-question"), store).out
    [dev], [test] = halves(store)
    assert names(store, test.info.run_id) == ["top_k=1"]
    assert store.children(test.info.run_id)[0].data.tags["selection.role"] == "chosen, baseline"
    assert (
        "Chosen on dev: **top_k=1**, by the rule simplest-within-one-question, with recall@3 0.5000, where the highest "
        f"of 3 parameter sets is 1.0000 (sweep {dev.info.run_id}); this sweep used test only for this set, which is "
        "the baseline as well."
    ) in out


def test_a_finished_study_is_run_again_from_the_start(store: Store, tmp_path: Path) -> None:
    config = tuned(tmp_path)
    sweep(config, store)
    out = sweep(config, store).out
    dev, test = halves(store)
    assert (len(dev), len(test)) == (2, 2)
    assert test[0].data.tags["selection.sweep"] == dev[0].info.run_id
    assert "This dev split has been scored 6 times by 3 parameter sets." in out
    assert "This test split has been scored 4 times by 2 parameter sets." in out


@pytest.fixture
def stopped(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study that was stopped between its halves."""
    config = tuned(tmp_path)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(harness.tuning, "choice_of", stop)
        with pytest.raises(KeyboardInterrupt):
            sweep_study(config, store.folder, print, executor=None, workers=None, address=None)
    return config


def test_a_half_that_has_chosen_is_used_by_the_next_command(store: Store, stopped: Path) -> None:
    [dev], [] = halves(store)
    before = invoke("report", dev.info.run_id, "--dir", store.folder).out
    out = sweep(stopped, store).out
    assert out.startswith(before)
    assert (
        f"\nSweep: {dev.info.run_id} (finished before; it chooses)\n\n## Ablation of study small, split test\n" in out
    )
    [again], [test] = halves(store)
    assert again.info.run_id == dev.info.run_id == test.data.tags["selection.sweep"]
    assert "This dev split has been scored 3 times by 3 parameter sets." in out


def test_a_plan_shows_both_halves_and_what_is_held_of_them(store: Store, stopped: Path) -> None:
    held = invoke("sweep", stopped, "--dir", store.folder, "--plan").out
    assert held.startswith("Plan of study small, split dev (nothing was done)\n")
    assert re.search(r"^\| parameter sets +\| +3 \| +3 \| +0 \|$", held, re.MULTILINE)
    assert held.endswith(
        "\nThen split test, 4 questions, with the same indexes: the set that is chosen and the baseline, top_k=1; at "
        "most 2 parameter sets, 0 of them held.\n"
    )
    sweep(stopped, store)
    [_], [test] = halves(store)
    store.client.set_terminated(test.info.run_id, "KILLED")
    assert (
        "at most 2 parameter sets, 2 of them held.\n" in invoke("sweep", stopped, "--dir", store.folder, "--plan").out
    )
    store.client.set_terminated(test.info.run_id, "FINISHED")
    new = invoke("sweep", stopped, "--dir", store.folder, "--plan").out
    assert re.search(r"^\| parameter sets +\| +3 \| +0 \| +3 \|$", new, re.MULTILINE)


def test_a_half_with_sets_that_are_gone_does_not_choose(store: Store, stopped: Path) -> None:
    [dev], [] = halves(store)
    store.client.delete_run(store.children(dev.info.run_id)[1].info.run_id)
    out = sweep(stopped, store).out
    new, [test] = halves(store)
    assert len(new) == 2
    assert test.data.tags["selection.sweep"] == new[0].info.run_id != dev.info.run_id
    assert "Chosen on dev: **top_k=2**" in out
    assert "This dev split has been scored 6 times by 3 parameter sets." in out, "a deleted look is a look"


def test_another_rule_uses_the_half_that_waits(store: Store, stopped: Path) -> None:
    """What is chosen by isn't part of what was scored."""
    config = tuned(stopped.parent, rule="simplest-within-one-question")
    assert "(finished before; it chooses)" in sweep(config, store).out


def test_when_a_set_fails_nothing_is_chosen_and_test_is_not_touched(store: Store, tmp_path: Path) -> None:
    config = tuned(tmp_path)
    for path in (tmp_path / "docs").iterdir():
        path.write_text("。，！\n", encoding="utf-8")
    done = invoke("sweep", config, "--dir", store.folder)
    assert done.code == 1
    assert done.out.endswith(
        "Nothing was chosen and split test wasn't scored: a parameter set failed, and the rule needs all sets. The "
        "same command goes on from there.\n"
    )
    [dev], [] = halves(store)
    assert dev.info.status == "FAILED"


def test_check_tells_what_chooses_and_what_it_is_held_against(tmp_path: Path) -> None:
    lines = check_study(tuned(tmp_path)).splitlines()
    assert lines[3:5] == [
        "  selection: on split dev, 2 questions, 2 of them answerable; by recall@3, rule best",
        "  baseline: top_k=1",
    ]


def test_the_shipped_study_is_sound() -> None:
    told = check_study(ROOT / "configs" / "tuned.yaml")
    assert "98 in split test, 90 of them answerable" in told
    assert "selection: on split dev, 77 questions, 71 of them answerable" in told
