"""The ablation table and the sentences under it, over sweeps written down by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report import ablation_report
from harness.report.ablation import merge, shown, shown_measures
from harness.summary import ControlRow, PointRow, Scalar, SetSummary, Sweep

from .sweeps import a_set, a_sweep, row

HASHES = ("protocol", "conventions", "corpus", "golden", "config")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
GOOD = (1, 1, 0)
BAD = (1, 0, 0)


def lines_of(sweep: Sweep) -> list[list[str]]:
    """Return the cells of the parameters, line by line, without the floor and the ceiling."""
    lines = ablation_report(sweep).split("\n\n")[1].splitlines()[2:]
    table = [line for line in lines if "best possible" not in line]
    return [[cell.strip() for cell in line.split("|")[1:-1]][: len(sweep.header.varying)] for line in table]


def grid(outcomes: dict[tuple[Scalar, ...], tuple[int, ...]], *axes: str) -> Sweep:
    """Return a sweep with one set a point; a parameter that is None in a point isn't there."""
    sets = [
        a_set({axis: value for axis, value in zip(axes, point, strict=True) if value is not None}, values, place=place)
        for place, (point, values) in enumerate(outcomes.items())
    ]
    return a_sweep(*axes, sets=sets)


def test_a_report_in_full() -> None:
    sets = [
        a_set({"mode": "bm25", "top_k": 1}, (1, 0, None), place=0, name="bm25 top_k=1"),
        a_set({"mode": "bm25", "top_k": 3}, (1, HALF, None), place=1, name="bm25 top_k=3"),
    ]
    hashes = {name: digit * 64 for name, digit in zip(HASHES, "12345", strict=True)}
    assert ablation_report(a_sweep("top_k", sets=sets, hashes=hashes)) == (
        "## Ablation of study by hand, split test\n"
        "\n"
        "| top_k         | recall@3 |  mrr@3 | ndcg@3 |  hit@3 |                    verdict |\n"
        "| ------------- | -------: | -----: | -----: | -----: | -------------------------: |\n"
        "| 1             |   0.5000 | 0.5000 | 0.5000 | 0.5000 |                   baseline |\n"
        "| 3             |   0.7500 | 0.7500 | 0.7500 | 0.7500 | rests on question q2 alone |\n"
        "| best possible |   1.0000 | 1.0000 | 1.0000 | 1.0000 |                          · |\n"
        "\n"
        "Document view: the top_k chunks collapsed to documents by first occurrence, cut at 3.\n"
        "\n"
        "**n = 2** questions with a relevant document, of 3 asked. One question is worth at most 1/2 = 0.5000 of any "
        "mean, so a difference up to that can rest on a single question.\n"
        "Over the 2 sets recall@3 spans 0.5000 to 0.7500: a spread worth 0.50 questions. The best of 2 sets is lucky "
        "to some degree.\n"
        "Verdicts go by recall@3 against the baseline bm25 top_k=1 (the first of the grid), two-sided at 5 %, "
        "corrected for 1 comparison (max-T).\n"
        "With 80 % power a mean difference of about 0.7004 would have been seen; what is smaller may be there all the "
        "same.\n"
        "No relevant document, in no mean (1): q3.\n"
        "\n"
        "Grid: 2 points, 2 distinct parameter sets.\n"
        "\n"
        "protocol `111111111111` · conventions `222222222222` · corpus `333333333333` · golden `444444444444` · "
        "config `555555555555`\n"
    )


class TestLines:
    """Sets share a line when they agree on every question and fill a whole block of the grid."""

    def test_sets_that_agree_on_every_question_share_a_line(self) -> None:
        sweep = grid({("bm25", 1): BAD, ("bm25", 3): GOOD, ("vector", 1): BAD, ("vector", 3): GOOD}, "mode", "top_k")
        assert lines_of(sweep) == [["bm25, vector", "1"], ["bm25, vector", "3"]]

    def test_a_whole_block_is_one_line(self) -> None:
        sweep = grid({(mode, k): GOOD for mode in ("bm25", "vector") for k in (1, 3, 5)}, "mode", "top_k")
        assert lines_of(sweep) == [["bm25, vector", "1, 3, 5"]]

    def test_an_equal_mean_from_other_questions_is_another_line(self) -> None:
        assert lines_of(grid({(1,): (1, 0, 0), (3,): (0, 1, 0)}, "top_k")) == [["1"], ["3"]]

    def test_no_line_stands_for_part_of_a_block(self) -> None:
        """Three of four agree: they are two lines, since "bm25, vector × 1, 3" would claim the fourth."""
        sweep = grid({("bm25", 1): GOOD, ("bm25", 3): GOOD, ("vector", 1): GOOD, ("vector", 3): BAD}, "mode", "top_k")
        assert lines_of(sweep) == [["bm25", "1, 3"], ["vector", "1"], ["vector", "3"]]

    def test_a_skipped_point_is_not_claimed_either(self) -> None:
        sweep = grid({(1, 1): GOOD, (1, 3): GOOD, (3, 3): GOOD}, "top_k", "fetch_k")
        assert lines_of(sweep) == [["1", "1, 3"], ["3", "3"]]

    def test_a_parameter_that_cannot_matter_is_a_dot(self) -> None:
        sweep = grid(
            {("bm25", 3, None): GOOD, ("hybrid", 3, 3): GOOD, ("hybrid", 3, 9): GOOD}, "mode", "top_k", "fetch_k"
        )
        assert lines_of(sweep) == [["bm25", "3", "·"], ["hybrid", "3", "3, 9"]]
        assert " A dot: the parameter can't matter there.\n" in ablation_report(sweep)

    def test_a_prompt_of_the_models_own_is_a_dot_and_an_empty_one_is_not(self) -> None:
        """Absent and empty are different experiments, even where parts of them agree."""
        outcomes = {("m", None, 1): GOOD, ("m", None, 3): BAD, ("m", "", 1): (0, 0, 1), ("m", "", 3): GOOD}
        sweep = grid(outcomes, "vector.embedder", "vector.query_prompt", "top_k")
        assert [line[1:] for line in lines_of(sweep)] == [["·", "1"], ["·", "3"], ['""', "1"], ['""', "3"]]
        assert " A dot: the parameter can't matter there, or the prompt is the model's own.\n" in ablation_report(sweep)

    def test_without_a_parameter_that_varies_the_mode_is_shown(self) -> None:
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25", "top_k": 3}, GOOD)]))
        assert "| bm25          |   0.6667 |" in report
        assert "Several values" not in report

    @given(st.data())
    def test_every_line_is_a_block_of_sets_that_agree(self, data: st.DataObject) -> None:
        axes = ("mode", "size", "fetch_k")
        points = [
            (mode, size, fetch_k if mode == "hybrid" else None)
            for mode, size, fetch_k in product(("bm25", "vector", "hybrid"), (100, 300), (1, 3, 9))
            if mode == "hybrid" or fetch_k == 1
        ]
        kept = data.draw(
            st.lists(st.sampled_from(points), unique=True, min_size=1).map(lambda some: sorted(some, key=points.index))
        )
        outcome = st.sampled_from([GOOD, BAD])
        sweep = grid({point: data.draw(outcome) for point in kept}, *axes)
        groups = merge(sweep.sets, axes, shown_measures(sweep.header))
        assert sorted(s.place for group in groups for s in group) == list(range(len(kept)))
        assert [group[0].place for group in groups] == sorted(group[0].place for group in groups)
        for group in groups:
            assert len({tuple(row.values["recall@3"] for row in s.rows) for s in group}) == 1
            values = [{s.parameters.get(axis) for s in group} for axis in axes]
            assert len(group) == prod(len(some) for some in values)


class TestColumns:
    @pytest.mark.parametrize("k", [1, 3, 10])
    def test_headers_name_their_cutoff(self, k: int) -> None:
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, GOOD, k=k)], k=k))
        header = report.split("\n\n")[1].splitlines()[0]
        assert [cell.strip() for cell in header.split("|")[1:-1]] == [
            *("mode", f"recall@{k}", f"mrr@{k}", f"ndcg@{k}", f"hit@{k}")
        ]
        assert f"by first occurrence, cut at {k}." in report

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("bm25.k1", 1.2, "1.2"),
            ("bm25.k1", 1.0, "1"),
            ("bm25.k1", 1.2000001, "1.2000001"),
            ("bm25.b", 1e-7, "1e-07"),
            ("top_k", 1234567, "1234567"),
            ("rerank.model", None, "off"),
            ("rerank.model", "a/b", "a/b"),
            ("vector.query_prompt", "", '""'),
        ],
    )
    def test_how_a_value_reads(self, name: str, value: Scalar, text: str) -> None:
        assert shown(name, value) == text

    def test_values_that_differ_late_still_read_differently(self) -> None:
        prompts = ["为" * 7000 + end for end in ("甲", "乙")]
        sweep = grid({(prompt,): (place, 0, 1) for place, prompt in enumerate(prompts)}, "vector.query_prompt")
        (one,), (other,) = lines_of(sweep)
        assert one != other
        assert one.startswith("为" * 60 + "… (")
        assert max(len(line) for line in ablation_report(sweep).splitlines() if line.startswith("|")) < 250

    def test_a_pipe_in_a_value_is_escaped(self) -> None:
        assert "| a\\|b " in ablation_report(grid({("a|b",): GOOD, ("c",): BAD}, "vector.query_prompt"))


class TestQuestions:
    def test_what_one_question_is_worth(self) -> None:
        """7 eligible of 9: one question is 1/7 = 0.1429; from 3/7 to 5/7 is worth two."""
        values = [(1, 1, 1, 0, 0, 0, 0, None, None), (1, 1, 1, 1, 1, 0, 0, None, None)]
        sweep = a_sweep("top_k", sets=[a_set({"top_k": place}, v, place=place) for place, v in enumerate(values, 1)])
        report = ablation_report(sweep)
        assert (
            "**n = 7** questions with a relevant document, of 9 asked. One question is worth at most 1/7 = 0.1429"
            in report
        )
        assert "Over the 2 sets recall@3 spans 0.4286 to 0.7143: a spread worth 2 questions. " in report
        assert "No relevant document, in no mean (2): q8, q9.\n" in report

    @pytest.mark.parametrize(
        ("best", "worth"),
        [
            ((1, 1, 0), "1 question"),
            ((1, 1, 1), "2 questions"),
            ((1, HALF, 0), "0.50 questions"),
            ((1, THIRD, 0), "0.33 questions"),
        ],
    )
    def test_a_spread_in_questions(self, best: tuple[Fraction | int, ...], worth: str) -> None:
        sets = [a_set({"top_k": 1}, BAD, place=0), a_set({"top_k": 3}, best, place=1)]
        assert f": a spread worth {worth}. The best of 2 sets" in ablation_report(a_sweep("top_k", sets=sets))

    def test_equal_means_have_no_best(self) -> None:
        sets = [a_set({"top_k": 1}, (1, 0, 0), place=0), a_set({"top_k": 3}, (0, 1, 0), place=1)]
        report = ablation_report(a_sweep("top_k", sets=sets))
        assert "All 2 sets have recall@3 0.3333: this mean doesn't tell them apart.\n" in report
        assert "lucky" not in report

    def test_one_set_has_no_spread(self) -> None:
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, GOOD)]))
        assert "spans" not in report
        assert "doesn't tell" not in report

    def test_when_no_question_has_a_relevant_document_nothing_is_defined(self) -> None:
        """M5: not 0, not 1."""
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, (None, None))]))
        assert "**No question of the 2 asked has a relevant document, so every mean is undefined.**\n" in report
        assert "| bm25 |        – |     – |      – |     – |\n" in report
        assert "n = " not in report

    def test_missing_questions_are_named_with_the_number_of_sets(self) -> None:
        """M3: they count as 0."""
        sets = [
            a_set({"top_k": 1}, BAD, place=0, missing=("q2", "q3")),
            a_set({"top_k": 3}, GOOD, place=1, missing=("q3",)),
        ]
        report = ablation_report(a_sweep("top_k", sets=sets))
        assert "Missing from the run, counted as 0: q2 (in 1 of 2 sets).\n" in report
        assert "Missing from the run, counted as 0: q3 (in 2 of 2 sets).\n" in report


class TestControls:
    FAULT = "hit rate called recall"

    def test_a_wrong_metric_is_shown_where_it_differs_with_exact_values(self) -> None:
        wrong = ControlRow(fault=self.FAULT, measure="recall@3", wrong=Fraction(1), right=Fraction(5, 6))
        worse = ControlRow(fault=self.FAULT, measure="recall@3", wrong=Fraction(2, 3), right=Fraction(1, 3))
        sets = [
            a_set({"top_k": 1}, BAD, place=0, name="top_k=1", controls=(wrong,)),
            a_set({"top_k": 3}, GOOD, place=1, name="top_k=3", controls=(worse,)),
            a_set({"top_k": 5}, GOOD, place=2, name="top_k=5"),
        ]
        assert (
            "What wrong metrics would have said on these runs (only where it differs):\n"
            "\n"
            "| fault                  | measure  | sets   | worst case                   |\n"
            "| ---------------------- | -------- | ------ | ---------------------------- |\n"
            "| hit rate called recall | recall@3 | 2 of 3 | 2/3 instead of 1/3 (top_k=3) |\n"
        ) in ablation_report(a_sweep("top_k", sets=sets))

    def test_nothing_to_average_reads_as_undefined(self) -> None:
        control = ControlRow(fault="missing dropped", measure="recall@3", wrong=None, right=Fraction(0))
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, (0, 0), name="bm25", controls=(control,))]))
        assert "| undefined instead of 0 (bm25) |" in report

    @pytest.mark.parametrize(("repeated", "told"), [(("q1",), "1 ranking holds"), (("q1", "q2"), "2 rankings hold")])
    def test_rankings_that_hold_a_document_twice_are_told(self, repeated: tuple[str, ...], told: str) -> None:
        sets = [
            a_set({"top_k": 1}, BAD, place=0),
            a_set({"top_k": 3}, GOOD, place=1, name="top_k=3", repeated=repeated),
        ]
        line = f"| all     | 1 of 2 | refused: {told} a document twice (top_k=3) |"
        assert line in ablation_report(a_sweep("top_k", sets=sets))

    def test_without_a_difference_there_is_no_such_table(self) -> None:
        assert "wrong metrics" not in ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, GOOD)]))


class TestPartialJudgments:
    def test_bounds_and_the_judged_share_are_shown(self) -> None:
        lower = {"recall@3": THIRD, "mrr@3": Fraction(1, 4), "ndcg@3": None, "hit@3": HALF, "recall@1": Fraction(0)}
        upper = {"recall@3": Fraction(2, 3), "mrr@3": Fraction(1), "ndcg@3": None, "hit@3": Fraction(1)}
        sets = [a_set({"mode": "bm25"}, (1, 0), name="bm25", lower=lower, upper=upper)]
        report = ablation_report(a_sweep(sets=sets, exhaustive=False, unjudged="nonrelevant"))
        assert "| mode          | recall@3 |  mrr@3 | ndcg@3 |  hit@3 | judged@3 |\n" in report
        assert (
            "Judgments are partial; unjudged documents: nonrelevant. Whichever of the unjudged documents in the top 3 "
            "are relevant, the means lie within:\n"
            "\n"
            "| set  |        recall@3 |           mrr@3 | ndcg@3 |           hit@3 |\n"
            "| ---- | --------------: | --------------: | -----: | --------------: |\n"
            "| bm25 | 0.3333 … 0.6667 | 0.2500 … 1.0000 |  – … – | 0.5000 … 1.0000 |\n"
        ) in report

    def test_exhaustive_judgments_have_neither(self) -> None:
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, GOOD)]))
        assert "judged@3" not in report
        assert "partial" not in report

    def test_sets_with_another_judged_share_are_other_lines(self) -> None:
        rows = (row("q1", 1, values={**row("q1", 1).values, "judged@3": HALF}), row("q2", 0))
        sets = [a_set({"top_k": 1}, (1, 0), place=0), a_set({"top_k": 3}, (1, 0), place=1, rows=rows)]
        assert lines_of(a_sweep("top_k", sets=sets)) == [["1, 3"]]
        assert lines_of(a_sweep("top_k", sets=sets, exhaustive=False)) == [["1"], ["3"]]


class TestGrid:
    def test_what_was_collapsed_and_skipped_is_counted_with_the_reasons(self) -> None:
        collapsed = (PointRow(point={"fetch_k": 3}, fate="the same as bm25"),) * 4
        skipped = tuple(PointRow(point={"top_k": k}, fate=f"fetch_k 3 is smaller than top_k {k}") for k in (5, 7, 7))
        sets = [a_set({"mode": "bm25"}, GOOD)]
        report = ablation_report(a_sweep(sets=sets, points=8, collapsed=collapsed, skipped=skipped))
        assert (
            "Grid: 8 points, 1 distinct parameter sets, 4 points collapsed because what differs can't matter, 3 "
            "skipped (fetch_k 3 is smaller than top_k 5; fetch_k 3 is smaller than top_k 7).\n"
        ) in report

    def test_a_sweep_that_was_stopped_says_so(self) -> None:
        report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, GOOD)], planned=96))
        assert "**Incomplete: 1 of 96 parameter sets have finished.**\n" in report

    def test_a_sweep_that_was_stopped_at_once_has_no_table(self) -> None:
        report = ablation_report(a_sweep(sets=[], planned=3))
        assert report == "## Ablation of study by hand, split test\n\nNo parameter set has finished.\n"

    def test_sets_with_one_ranking_are_counted(self) -> None:
        """Y8: variants that can't differ."""
        hashes = [{"ranking": name} for name in ("a", "a", "b", "c", "c")]
        sets = [a_set({"top_k": place}, GOOD, place=place, hashes=h) for place, h in enumerate(hashes)]
        told = "4 of 5 sets share their chunk rankings with another set, question by question.\n"
        assert told in ablation_report(a_sweep("top_k", sets=sets))

    def test_notes_are_told_once(self) -> None:
        sets = [
            a_set({"top_k": 1}, GOOD, place=0, notes=("cut short", "blank file")),
            a_set({"top_k": 3}, GOOD, place=1, notes=("cut short", "no terms")),
        ]
        report = ablation_report(a_sweep("top_k", sets=sets, notes=("blank file",)))
        assert "\nNotes:\n- blank file\n- cut short\n- no terms\n\n" in report


def test_the_order_of_lines_is_that_of_the_grid() -> None:
    sets = [a_set({"top_k": place}, (1, 0, place), place=place) for place in range(4)]
    assert lines_of(a_sweep("top_k", sets=sets)) == [["0"], ["1"], ["2"], ["3"]]


def test_a_report_ends_with_one_line_end_and_has_no_blank_at_a_lines_end() -> None:
    report = ablation_report(a_sweep(sets=[a_set({"mode": "bm25"}, GOOD)]))
    assert report == report.rstrip() + "\n"
    assert all(line == line.rstrip() for line in report.splitlines())


def members(groups: list[tuple[SetSummary, ...]]) -> list[list[int]]:
    return [[s.place for s in group] for group in groups]


def test_merging_shows_each_set_once() -> None:
    sweep = grid({(1,): GOOD, (3,): BAD, (5,): GOOD}, "top_k")
    assert members(merge(sweep.sets, ("top_k",), shown_measures(sweep.header))) == [[0, 2], [1]]
