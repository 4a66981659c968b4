"""How MLflow's UI shows a sweep to whoever follows the printed link: a saved view of its experiment.

MLflow's own choice of columns leaves out every parameter and every metric. A view names the runs, their order, the
columns, and the charts that stand before the others. The UI lists views by name and opens one by its key, and keeps
each in a tag of the experiment (``mlflow.sharedViewState.KEY``), as JSON that holds JSON.
"""

from __future__ import annotations

import json
import time
from typing import Any

from harness.summary import SweepHeader
from harness.tracking.content import CURVES
from harness.tracking.names import curve_name, metric_name

TAG = "mlflow.sharedViewState."
CURVES_VIEW, QUESTIONS_VIEW = "CHART", "ARTIFACT"


def view_place(experiment: str, sweep_id: str, mode: str | None = None) -> str:
    """Return where MLflow's UI shows a sweep's view, relative to the server: as a table, or in another mode."""
    place = f"#/experiments/{experiment}/runs?workflowType=machine_learning&viewStateShareKey={sweep_id}"
    return f"{place}&compareRunsMode={mode}" if mode else place


def view_links(experiment: str, sweep_id: str) -> str:
    """Return a line of Markdown that leads from the sweep's own page to everything else."""
    links = {
        "parameter sets": view_place(experiment, sweep_id),
        "curves over k": view_place(experiment, sweep_id, CURVES_VIEW),
        "questions, set beside set": view_place(experiment, sweep_id, QUESTIONS_VIEW),
        "report.html": f"#/experiments/{experiment}/runs/{sweep_id}/artifacts/report.html",
    }
    return "Open: " + " · ".join(f"[{text}]({place})" for text, place in links.items())


def saved_view(sweep_id: str, header: SweepHeader, started: int) -> str:
    """Return the view of a sweep: its parameter sets flat, best first, with what differs and what was measured.

    Args:
        sweep_id: the parent run.
        header: what all sets share.
        started: when the sweep began, in milliseconds since 1970; part of the view's name.
    """
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(started / 1000))
    state = _facets(sweep_id, header.main_measure) | _columns(header) | _charts(header)
    view = {
        "name": f"{header.split} split, {header.planned} sets, {when}",
        "createdAt": started,
        "updatedAt": started,
        "state": json.dumps(state, ensure_ascii=False),
    }
    return json.dumps(view, ensure_ascii=False)


def _facets(sweep_id: str, measure: str) -> dict[str, Any]:
    """Return which runs are listed, and their order.

    An order other than by date is what makes MLflow show children flat instead of folded into their parent.
    """
    return {
        "searchFilter": f"tags.sweep_id = '{sweep_id}' and tags.`harness.kind` = 'set'",
        "orderByKey": f"metrics.`{metric_name(measure)}`",
        "orderByAsc": False,
    }


def _columns(header: SweepHeader) -> dict[str, Any]:
    shown = dict.fromkeys([header.main_measure, *(f"{name}@{header.k}" for name in _measured(header))])
    metrics = [f"metrics.`{metric_name(name)}`" for name in shown]
    columns = [*metrics, *(f"params.`{name}`" for name in header.varying or ("mode",))]
    return {"selectedColumns": columns, "columnOrder": columns}


def _charts(header: SweepHeader) -> dict[str, Any]:
    """Return a section with the curves over k; MLflow adds one with a bar chart for each metric below it."""
    charts = [
        {
            "uuid": curve,
            "type": "LINE",
            "metricSectionId": "curves",
            "displayName": curve,
            "metricKey": curve,
            "selectedMetricKeys": [curve],
            "xAxisKey": "step",
            "useGlobalXaxisKey": True,
            "lineSmoothness": 0,
            "useGlobalLineSmoothing": True,
            "runsCountToCompare": 10,
            "deleted": False,
            "isGenerated": False,
        }
        for curve in (curve_name(f"{name}@{header.k}") for name in _measured(header))
    ]
    sections = [("curves", "Curves over k (step is k)", False), ("metrics", "Model metrics", True)]
    return {
        "compareRunCharts": charts,
        "compareRunSections": [
            {"uuid": key, "name": name, "display": True, "isReordered": False, "deleted": False, "isGenerated": made}
            for key, name, made in sections
        ],
    }


def _measured(header: SweepHeader) -> tuple[str, ...]:
    """Return the measures that have a curve, as the table shows them."""
    return tuple(name for name in CURVES if name != "evidence" or "evidence" in header.hashes)
