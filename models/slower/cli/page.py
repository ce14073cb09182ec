"""What the command `dse slower` shows, and its page: the published figures drawn again, and where time is lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dse.models.slower.drawing import draw_attribution, draw_experiment
from dse.models.slower.experiments import EXPERIMENTS
from dse.models.slower.knees import core_knee
from dse.models.slower.node_rate import gain, node_rate
from dse.models.slower.work import Work
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, tag

__all__ = ["described", "write_slower_page"]

_OVER_TASKS = 2.0 ** np.arange(0, 9)
_OVER_CORES = np.arange(1.0, 65.0)


def described(work: Work, design: Mapping[str, Any]) -> dict[str, Any]:
    """Return what there is to say of one node, as plain values; None for a knee that there is not."""
    found = node_rate(work, **design)
    knee = float(core_knee(work, design["latency"], design["overhead"], design["tasks"]))
    return {
        "node_rate": float(found.node_rate),
        "core_rate": float(found.core_rate),
        "gain": float(gain(work, **design)),
        "efficiency": float(found.efficiency),
        "overhead_efficiency": float(found.overhead_efficiency),
        "waiting_efficiency": float(found.waiting_efficiency),
        "busy_fraction": float(found.busy_fraction),
        "memory_response": float(found.memory_response),
        "memory_utilisation": float(found.memory_utilisation),
        "task_knee": float(found.task_knee),
        "core_knee": knee if np.isfinite(knee) else None,
        "near_knee": bool(found.near_knee),
        "error": float(found.error),
    }


def write_slower_page(work: Work, design: Mapping[str, Any], path: str | Path) -> Path:
    """Write the page: this node over its tasks and over its cores, then the four published figures."""
    own = [
        draw_attribution(work, **{**design, "tasks": _OVER_TASKS}),
        draw_attribution(work, **{**design, "cores": _OVER_CORES}),
    ]
    drawings = [*own, *(draw_experiment(name) for name in EXPERIMENTS)]
    figures = [
        one.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, one in enumerate(drawings)
    ]
    words = (
        "Where the time of a core goes, over tasks and over cores; then the figures of Sterling et al. 2014 by the "
        "closed model. Fig. 4 stands twice: the paper has 8 tasks in its caption and 64 in its text."
    )
    return write_figures_page(
        path,
        title="hidden latency",
        header=[tag("h1", "hidden latency"), tag("p", words, class_="question")],
        main=[Html(figure) for figure in figures],
        figures=figures,
    )
