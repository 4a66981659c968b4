"""Results → what is kept of them: a summary, and the text of every file that is logged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from harness.stages import STAGES_FILE
from harness.study.prints import stage_prints
from harness.study.results import SetResult
from harness.study.summarise import summary_of
from harness.summary import SetRecord, to_json
from harness.tracking.content import QUERY_TABLE, SUMMARY, query_table, ranking_lines


def record_of(result: SetResult) -> SetRecord:
    """Return everything that is logged for one result; what is worked out lazily is worked out here."""
    study = result.scene.study
    summary = summary_of(study, result)
    evidence: Mapping[str, Any] = result.adapted["evidence"]
    return SetRecord(
        summary=summary,
        files={
            "config.yaml": study.resolved_yaml(result.parameters),
            "ranking.jsonl": "".join(f"{line}\n" for line in ranking_lines(result.hits)),
            "evidence.json": json_text(evidence),
            QUERY_TABLE: json_text(query_table(summary)),
            STAGES_FILE: json_text(to_json(stage_prints(result))),
            SUMMARY: json_text(to_json(summary)),
        },
        seconds=result.seconds,
    )


def json_text(value: Any) -> str:
    """Return valid JSON on one line: no NaN, no escaped Chinese."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"
