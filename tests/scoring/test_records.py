"""Records between the stages are frozen, keyword-only and slotted."""

from __future__ import annotations

import pytest

from harness.frozen import Frozen
from harness.scoring.controls import Control, Controls, RawReplacement
from harness.scoring.conventions import Conventions
from harness.scoring.measures.labelled import Judged, LabelledRanking
from harness.scoring.measures.measure import Measure, NamedMeasure
from harness.scoring.scores import QueryScores, RunScores

RECORDS = [
    Control,
    Controls,
    Conventions,
    Judged,
    LabelledRanking,
    Measure,
    NamedMeasure,
    QueryScores,
    RawReplacement,
    RunScores,
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_is_frozen_keyword_only_and_slotted(record: type) -> None:
    if not issubclass(record, Frozen):
        parameters = record.__dataclass_params__  # type: ignore[attr-defined]
        assert parameters.frozen
        assert all(field.kw_only for field in record.__dataclass_fields__.values())  # type: ignore[attr-defined]
    assert "__slots__" in vars(record)
