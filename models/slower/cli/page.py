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
    rates = node_rate(work, **design)
    knee = float(core_knee(work, design["latency"], design["overhead"], design["tasks"]))
    return {
        "node_rate": float(rates.node_rate),
        "core_rate": float(rates.core_rate),
        "gain": float(gain(work, **design)),
        "efficiency": float(rates.efficiency),
        "overhead_efficiency": float(rates.overhead_efficiency),
        "waiting_efficiency": float(rates.waiting_efficiency),
        "busy_fraction": float(rates.busy_fraction),
        "memory_response": float(rates.memory_response),
        "memory_utilisation": float(rates.memory_utilisation),
        "task_knee": float(rates.task_knee),
        "core_knee": knee if np.isfinite(knee) else None,
        "near_knee": bool(rates.near_knee),
        "error": float(rates.error),
    }


def write_slower_page(work: Work, design: Mapping[str, Any], path: str | Path) -> Path:
    """Write the page: this node over its tasks and over its cores, then the four published figures."""
    own = [
        draw_attribution(work, **{**design, "tasks": _OVER_TASKS}),
        draw_attribution(work, **{**design, "cores": _OVER_CORES}),
    ]
    drawings = [*own, *(draw_experiment(name) for name in EXPERIMENTS)]
    figures = [
        drawing.to_html(full_html=False, include_plotlyjs=number == 0, config={"displaylogo": False})
        for number, drawing in enumerate(drawings)
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
