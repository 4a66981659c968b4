"""What happens at the edges of MLflow: long values, many values, undefined values, stores that can't be used."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cli.world import GOLDEN, Store, cells, invoke, sweep_id_of, write_files, write_study
from report.sweeps import a_set

from harness.commands import print_report
from harness.errors import TrackingError
from harness.study.config import read_study
from harness.study.naming import set_names
from harness.study.summarise import header_of
from harness.summary import SetRecord, to_json
from harness.sweep import sources_of
from harness.tracking import Tracker, default_uri

ONE = {"mode": "bm25", "top_k": "3"}


def swept(config: Path, store: Store) -> tuple[Any, list[Any], str]:
    """Sweep a study; return its parent run, its child runs and what was printed."""
    done = invoke("sweep", config, "--dir", store.folder)
    assert done.code == 0, done.err
    sweep_id = sweep_id_of(done.out)
    return store.client.get_run(sweep_id), store.children(sweep_id), done.out


def test_what_is_undefined_is_not_logged_as_a_number(store: Store, tmp_path: Path) -> None:
    golden = "judgments: exhaustive\nqueries: [{id: q, question: boats, gold: [], answerable: false}]\n"
    _, [run], out = swept(write_study(tmp_path, golden=golden, **ONE), store)
    undefined = [name for name in run.data.metrics if name.startswith(("recall", "mrr", "ndcg", "hit", "ap", "prec"))]
    assert undefined == []
    assert [name for name in run.data.tags if name.startswith("exact.recall")] == []
    assert run.data.metrics["questions"] == 1
    assert run.data.metrics["questions_eligible"] == 0
    assert run.data.tags["exact.judged_at_3"] == "1"  # has a value without relevant documents too
    table = json.loads(store.artifact(run.info.run_id, "per_query.json"))
    assert table["data"][0][table["columns"].index("recall_at_3")] is None
    assert cells(out)[1] == ["bm25", "–", "–", "–", "–"]
    assert "**No question of the 1 asked has a relevant document, so every mean is undefined.**" in out


def test_a_long_value_is_cut_in_mlflow_and_kept_whole_in_the_files(store: Store, tmp_path: Path) -> None:
    """F3: a prompt of 7,000 characters; MLflow keeps 6,000 of a parameter, and 250 of a name fit every database."""
    prompt = "长" * 7000
    config = write_study(tmp_path, mode="vector", top_k="3")
    embedder = f"[{{name: packaged-multilingual, query_prompt: {prompt}}}, packaged-multilingual]"
    text = config.read_text(encoding="utf-8").replace("{name: lsa, dimensions: 3}", embedder)
    write_files(tmp_path, {"study.yaml": text})
    study = read_study(config)
    header, long = header_of(study), study.grid.sets[0]
    summary = a_set(long.flat(), (1, 0), name=set_names(study.grid.sets)[long])
    files = {"config.yaml": study.resolved_yaml(long), "summary.json": json.dumps(to_json(summary))}
    tracker = Tracker(store.uri, store.folder)
    sources = {"corpus": "docs", "golden": "golden.yaml"}
    sweep = tracker.start_sweep(header, study.resolved_yaml(), sources_of(study), key="key", lock=None)
    tracker.log_set(sweep, header, SetRecord(summary=summary, files=files, seconds=0.0), sources)

    [run] = store.children(sweep.sweep_id)
    assert run.data.params["vector.query_prompt"] == prompt[:6000]
    assert run.info.run_name == summary.name[:250]
    assert tracker.read_sweep(sweep.sweep_id).sets[0].parameters["vector.query_prompt"] == prompt
    for run_id in (run.info.run_id, sweep.sweep_id):
        again = write_files(tmp_path, {"again.yaml": store.artifact(run_id, "config.yaml")}) / "again.yaml"
        assert read_study(again).grid.sets[0] == long


def test_more_sets_than_mlflow_gives_at_once_are_all_found(store: Store) -> None:
    """F7: a search gives at most 1,000 runs a page."""
    experiment = store.client.create_experiment("large")
    parent = store.client.create_run(experiment, tags={"harness.kind": "sweep", "sweep_key": "key"}).info.run_id
    child = store.client.create_run(experiment, tags={"mlflow.parentRunId": parent}).info.run_id
    store.client.set_terminated(child, "FINISHED")
    store.client.set_terminated(parent, "KILLED")
    with closing(sqlite3.connect(store.folder / "mlflow.db")) as database:
        for table in ("runs", "tags"):
            columns = [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]
            values = ", ".join("run_uuid || ?" if name == "run_uuid" else f'"{name}"' for name in columns)
            copy = f"INSERT INTO {table} SELECT {values} FROM {table} WHERE run_uuid = ?"
            database.executemany(copy, [(f"-{place}", child) for place in range(1000)])
        database.commit()
    assert Tracker(store.uri, store.folder).finished_of("large", "key") == 1001


def test_a_hundred_cutoffs_are_all_logged(store: Store, tmp_path: Path) -> None:
    """More values than MLflow takes in one call: 1,000 metrics, 100 tags."""
    config = write_study(tmp_path, **ONE)
    text = config.read_text(encoding="utf-8").replace("cutoffs: [1, 2]", f"cutoffs: {list(range(1, 102))}")
    write_files(tmp_path, {"study.yaml": text})
    _, [run], _ = swept(config, store)
    exact = [name for name in run.data.tags if name.startswith("exact.")]
    assert len(exact) == 101 * (6 + 1 + 3) + 1
    assert all(run.data.metrics[n.removeprefix("exact.")] == float(Fraction(run.data.tags[n])) for n in exact)
    curve = store.client.get_metric_history(run.info.run_id, "recall_at_k")
    assert sorted(point.step for point in curve) == list(range(1, 102))


def test_a_description_that_is_too_long_is_cut_at_the_end_of_a_line(store: Store, tmp_path: Path) -> None:
    names = [f"nothing-{place:03}" for place in range(800)]
    entries = [f'  - {{id: {name}, question: "zz", gold: [], answerable: false}}\n' for name in names]
    parent, _, out = swept(write_study(tmp_path, golden=GOLDEN + "".join(entries), **ONE), store)
    table = store.artifact(parent.info.run_id, "ablation.md")
    assert len(table) > 8000
    assert out.startswith(table)
    note = parent.data.tags["mlflow.note.content"]
    assert len(note) <= 8000
    links, _, shown = note.partition("\n\n")
    assert links.startswith("Open: [parameter sets](#/experiments/")
    kept, _, last = shown.rpartition("\n\n")
    assert last == "The table goes on in the artifact `ablation.md`.\n"
    assert table.startswith(f"{kept}\n")


def test_a_set_that_cannot_be_run_is_a_failed_run_with_its_reason(store: Store, tmp_path: Path) -> None:
    """Punctuation alone has no terms, which only the work itself can tell."""
    config = write_study(tmp_path, **ONE)
    for path in (tmp_path / "docs").iterdir():
        path.write_text("。，！\n", encoding="utf-8")
    done = invoke("sweep", config, "--dir", store.folder)
    assert done.code == 1
    assert "No parameter set has finished." in done.out
    told = "InputError: parameters.bm25.tokenizer no chunk yields a term under 'char-bigram'; choose another tokenizer"
    assert f"failed: bm25: {told}" in done.out
    assert "Traceback" not in done.out + done.err
    parent = store.client.get_run(sweep_id_of(done.out))
    [run] = store.children(parent.info.run_id)
    assert (parent.info.status, run.info.status) == ("FAILED", "FAILED")
    assert run.data.tags["harness.error"] == told
    assert run.data.params["bm25.tokenizer"] == "char-bigram"
    assert "InputError" in store.artifact(run.info.run_id, "error.txt")


def test_a_deleted_experiment_is_refused_with_the_cure(store: Store, tmp_path: Path) -> None:
    config = write_study(tmp_path, **ONE)
    parent, _, _ = swept(config, store)
    experiment = parent.info.experiment_id
    store.client.delete_experiment(experiment)
    done = invoke("sweep", config, "--dir", store.folder)
    assert (done.code, done.out) == (3, "")
    told = f"experiment 'small' was deleted in {store.uri}; restore it (mlflow experiments restore -x {experiment})"
    assert done.err == f"error: {told} or give the study another name\n"
    shown = invoke("report", "--dir", store.folder)
    assert (shown.code, shown.err) == (
        3,
        f"error: {store.uri}: holds no sweep yet; run one with: harness sweep CONFIG\n",
    )
    store.client.restore_experiment(experiment)
    assert invoke("report", "--dir", store.folder).code == 0


def test_a_sweep_whose_files_are_gone_is_told(store: Store, tmp_path: Path) -> None:
    parent, _, _ = swept(write_study(tmp_path, **ONE), store)
    shutil.rmtree(store.folder / "mlartifacts" / parent.info.run_id)
    with pytest.raises(TrackingError, match=r"sweep\.json") as caught:
        print_report(None, None, store.folder, per_query=False)
    assert len(str(caught.value).splitlines()) == 1


def test_the_environment_names_another_store(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store.uri)
    here = tmp_path / "here"
    here.mkdir()
    done = invoke("sweep", write_study(tmp_path, **ONE), "--dir", here)
    assert done.code == 0
    assert f"MLflow store: {store.uri}\n" in done.out
    assert len(store.children(sweep_id_of(done.out))) == 1
    assert {path.name for path in here.iterdir()} == {".harness", "mlartifacts"}
    assert invoke("report", "--dir", here).out in done.out


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("http://127.0.0.1:9", "Connection refused"),
        ("nonsense://x", "nonsense://x"),
        ("file:///nowhere", "maintenance mode"),
    ],
)
def test_a_store_that_cannot_be_used_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uri: str, told: str
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    done = invoke("report", "--dir", tmp_path)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"error: MLflow store {uri}: ")
    assert told in done.err
    assert len(done.err.splitlines()) == 1


def test_a_file_that_is_no_database_is_told_at_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"mlflow.db": "words, and enough of them to fill what would be a header of a database" * 9})
    with pytest.raises(TrackingError) as caught:
        Tracker(default_uri(tmp_path), tmp_path)
    assert str(caught.value) == f"MLflow store sqlite:///{tmp_path}/mlflow.db: file is not a database"
    assert [path.name for path in tmp_path.iterdir()] == ["mlflow.db"]


def test_a_database_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    write_files(tmp_path, {"file": "not a folder"})
    with pytest.raises(TrackingError, match=r"MLflow store sqlite:///.*/file/mlflow\.db: "):
        Tracker(f"sqlite:///{tmp_path}/file/mlflow.db", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
