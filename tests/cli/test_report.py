"""``harness report``: a past sweep's tables, from MLflow alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli.sweeps import Swept
from cli.world import Store, cells, invoke, run, sweep_id_of, table_of, without_looks, write_study
from harness.commands import print_report, sweep_study
from harness.errors import TrackingError


@pytest.fixture
def copied(small: Swept, tmp_path: Path) -> Store:
    """The small study's store again, where runs may be added and changed."""
    folder = tmp_path / "copied"
    folder.mkdir()
    shutil.copy(small.folder / "mlflow.db", folder)
    return Store(folder=folder)


def sweep_here(config: Path, folder: Path) -> str:
    """Sweep in this process and return the sweep's id."""
    printed: list[str] = []
    assert sweep_study(config, folder, printed.append, executor=None, workers=None, address=None) == 0
    return sweep_id_of("\n".join(printed))


def test_without_an_id_the_newest_sweep_is_shown(small: Swept) -> None:
    assert print_report(None, None, small.folder, per_query=False) == table_of(small.done.out)


def test_the_questions_have_one_line_each_and_one_column_a_mode(small: Swept) -> None:
    header, *rows = cells(print_report(small.sweep_id, None, small.folder, per_query=True))
    assert header == ["question", "relevant", "bm25", "vector", "hybrid", "text"]
    assert [[row[0], row[1], row[2], row[5]] for row in rows] == [
        ["weather", "天气.md", "1 · 1", "明天下雨吗"],
        ["red", "boats.md, ships.md", "1 · 1/2", "red boats"],
        ["lights", "tower.md", "2 · 1", "lights of the harbour"],
        ["nowhere", "none", "not scored", r"quantum \| physics"],
    ]


def test_a_study_that_is_swept_twice_is_two_sweeps_and_the_newest_is_shown(
    copied: Store, small: Swept, tmp_path: Path
) -> None:
    """F4, F5: the same names and parameters again, in runs of their own."""
    again = sweep_here(small.config, copied.folder)
    assert again != small.sweep_id
    assert [run.info.run_id for run in copied.parents("small")] == [again, small.sweep_id]
    assert len(copied.children(again)) == len(copied.children(small.sweep_id)) == 7
    one, other = (print_report(name, None, copied.folder, per_query=False) for name in (small.sweep_id, again))
    assert one == other
    assert without_looks(one) == without_looks(table_of(small.done.out))
    edited = write_study(tmp_path / "edited", mode="bm25")
    latest = sweep_here(edited, copied.folder)
    assert [run.info.run_id for run in copied.parents("small")] == [latest, again, small.sweep_id]
    shown = print_report(None, "small", copied.folder, per_query=False)
    assert "Grid: 4 points, 2 distinct parameter sets" in shown
    first = print_report(small.sweep_id, None, copied.folder, per_query=False)
    assert without_looks(first) == without_looks(table_of(small.done.out))


def test_a_study_can_be_named(copied: Store, small: Swept, tmp_path: Path) -> None:
    sweep_here(write_study(tmp_path / "other", name="另一个", mode="bm25", top_k="3"), copied.folder)
    newest = print_report(None, None, copied.folder, per_query=False)
    assert newest.startswith("## Ablation of study 另一个, split test\n")
    assert print_report(None, "另一个", copied.folder, per_query=False) == newest
    older = print_report(None, "small", copied.folder, per_query=False)
    assert without_looks(older) == without_looks(table_of(small.done.out))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["f" * 32], "Run with id=" + "f" * 32 + " not found"),
        (["no-such-run"], "no-such-run"),
        (["--study", "unheard-of"], "holds no sweep of study 'unheard-of' yet; run one with: harness sweep CONFIG"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(small: Swept, arguments: list[str], message: str) -> None:
    done = invoke("report", *arguments, "--dir", small.folder)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"error: MLflow store sqlite:///{small.folder}/mlflow.db: ") or (
        done.err.startswith(f"error: sqlite:///{small.folder}/mlflow.db: ")
    )
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_the_id_of_a_child_is_refused_with_the_ids_of_sweeps(small: Swept) -> None:
    child = small.store.children(small.sweep_id)[0].info.run_id
    with pytest.raises(TrackingError) as caught:
        print_report(child, None, small.folder, per_query=False)
    assert str(caught.value) == f"run {child} isn't a sweep; the newest sweeps are {small.sweep_id}"
    assert caught.value.exit_code == 3


def test_a_store_without_sweeps_says_how_to_make_one(store: Store) -> None:
    with pytest.raises(TrackingError, match="holds no sweep yet; run one with: harness sweep CONFIG"):
        print_report(None, None, store.folder, per_query=False)


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path: Path) -> None:
    done = run("report", "--dir", tmp_path)
    assert (done.code, done.out) == (3, "")
    told = f"sqlite:///{tmp_path}/mlflow.db: there is no such store yet; run a sweep with: harness sweep CONFIG"
    assert done.err == f"error: {told}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_written_and_is_the_one_that_was_logged(small: Swept, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = invoke("report", small.sweep_id, "--html", page, "--dir", small.folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{page}: {page.stat().st_size / 1e6:.1f} MB\n"
    assert page.read_text(encoding="utf-8") == small.store.artifact(small.sweep_id, "report.html")


def test_a_page_with_another_baseline(small: Swept, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    name = small.store.children(small.sweep_id)[-1].info.run_name
    assert invoke("report", "--html", page, "--baseline", name, "--dir", small.folder).code == 0
    assert f"against the baseline {name} (named when the report was asked for)" in page.read_text(encoding="utf-8")


def test_verdicts_by_another_measure_and_against_another_set(small: Swept) -> None:
    name = small.store.children(small.sweep_id)[-1].info.run_name
    asked = ("--measure", "ndcg@3", "--baseline", name, "--dir", small.folder)
    table = invoke("report", *asked).out
    assert f"Verdicts go by ndcg@3 against the baseline {name} (named when the report was asked for)" in table
    assert "**oracle** is ndcg@3 had" in table
    assert "first relevant document · ndcg@3. A dash" in invoke("report", "--per-query", *asked).out


@pytest.mark.parametrize("measure", ["mrr@3", "ndcg@3", "hit@3", "precision@3", "ap@3", "r_precision", "chunk_mrr@3"])
def test_a_page_by_another_measure(small: Swept, tmp_path: Path, measure: str) -> None:
    page = tmp_path / "report.html"
    done = invoke("report", "--html", page, "--measure", measure, "--dir", small.folder)
    assert (done.code, done.err) == (0, "")
    assert f"mean difference in {measure} from the baseline" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--baseline", "bm52"], "--baseline: no finished set is called 'bm52'"),
        (["--measure", "judged@3"], "--measure: no mean is called 'judged@3'; there are recall@"),
        (["--html", "report.html", "--measure", "ndcg"], "--measure: no mean is called 'ndcg'; there are recall@"),
        (["--html", "report.html", "--baseline", "bm52"], "--baseline: no finished set is called 'bm52'"),
        (["--html", "nowhere/report.html"], "--html nowhere/report.html: can't be written (No such file or directory)"),
    ],
)
def test_a_page_that_cannot_be_made(small: Swept, options: list[str], told: str) -> None:
    done = invoke("report", *options, "--dir", small.folder)
    assert done.code == 2
    assert told in done.err
