"""The figures of Sterling et al. 2014 drawn again by the closed model, and where the time of a node goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dse.errors import InputError
from dse.models.slower.experiments import EXPERIMENTS, experiment_gain
from dse.models.slower.node_rate import node_rate
from dse.models.slower.work import Work

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["AXES", "PARTS", "SHADES", "Attribution", "attribution", "draw_attribution", "draw_experiment"]

AXES = {
    "overhead": "overhead of a switch [cycles]",
    "tasks": "tasks per core",
    "cores": "cores of the node",
    "latency": "latency [cycles]",
    "network_fraction": "network operations",
}
PARTS = {
    "useful": ("useful", "#2f9e77"),
    "overhead": ("overhead of switches", "#e08a1e"),
    "waiting": ("waiting for the memory", "#b5589b"),
    "idle": ("latency and starvation: no task ready", "#8a8f98"),
}
SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#7a5cc2", "#b8543d", "#8a8f98")


def draw_experiment(name: str, *, cumulative: bool = False) -> go.Figure:
    """Draw the gain of a set of experiments, many tasks over blocking, as the paper does.

    Parameters
    ----------
    name : str
        One of `EXPERIMENTS`: "overhead" is Fig. 2, "tasks" Fig. 3, "latency" and "latency-64-tasks" Fig. 4, "mix" Fig.
        5.
    cumulative : bool
        As of `experiment_gain`.
    """
    from plotly.graph_objects import Figure

    gains = experiment_gain(name, cumulative=cumulative)
    asked = EXPERIMENTS[name]
    figure: go.Figure = Figure()
    for number, (value, row) in enumerate(zip(asked.values[asked.lines], gains, strict=True)):
        label = f"{100 * value:g} %" if asked.lines == "network_fraction" else f"{value:g}"
        figure.add_scatter(
            x=asked.values[asked.along],
            y=row,
            mode="lines+markers",
            line={"width": 1.8, "color": SHADES[number % len(SHADES)]},
            name=label,
            hovertemplate=f"%{{x:g}}: gain %{{y:.4g}}<extra>{label}</extra>",
        )
    fixed = ", ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in asked.fixed.items())
    figure.update_xaxes(title_text=AXES[asked.along], type="log", dtick=np.log10(2.0), tickformat="d")
    figure.update_yaxes(title_text="gain over blocking", type="log")
    figure.update_layout(
        title=f"Fig. {asked.figure}: {asked.title}<br><sup>{fixed}</sup>",
        legend_title_text=AXES[asked.lines].partition(" [")[0],
        template="plotly_white",
        height=460,
    )
    return figure


class Attribution(NamedTuple):
    """Shares of the time of a core along one axis; they add up to 1.

    Attributes
    ----------
    axis : str
    places : ndarray
    useful, overhead, waiting, idle : ndarray
        What is left of the rate, e; then what overhead takes, what waiting for the memory takes, and the time in which
        no task of the core is ready.
    """

    axis: str
    places: np.ndarray
    useful: np.ndarray
    overhead: np.ndarray
    waiting: np.ndarray
    idle: np.ndarray


def attribution(work: Work, **design: npt.ArrayLike) -> Attribution:
    """Return where the time of a core goes along one axis.

    Parameters
    ----------
    work : Work
    **design : array_like
        latency, overhead, tasks and cores as of `node_rate`; one is an array, the axis.
    """
    arrays = [name for name, values in design.items() if np.ndim(values) == 1]
    if len(arrays) != 1 or any(np.ndim(values) > 1 for values in design.values()):
        raise InputError(f"{len(arrays)} of {', '.join(design)} are arrays", allowed="one, the axis")
    rates = node_rate(work, **design)  # type: ignore[arg-type]
    busy = rates.busy_fraction
    kept = rates.overhead_efficiency * rates.waiting_efficiency
    # Of a busy core, the work with waiting over it without is what waiting costs; the rest is overhead.
    with_overhead = busy * rates.waiting_efficiency
    return Attribution(
        arrays[0],
        np.asarray(design[arrays[0]]),
        busy * kept,
        with_overhead - busy * kept,
        busy - with_overhead,
        1.0 - busy,
    )


def draw_attribution(work: Work, **design: npt.ArrayLike) -> go.Figure:
    """Draw where the time of a core goes, stacked to 1; parameters as of `attribution`."""
    from plotly.graph_objects import Figure

    view = attribution(work, **design)
    figure: go.Figure = Figure()
    for part, (words, colour) in PARTS.items():
        figure.add_scatter(
            x=view.places,
            y=getattr(view, part),
            mode="lines",
            stackgroup="time",
            line={"width": 0.5, "color": colour},
            name=words,
            hovertemplate=f"%{{x:g}}: %{{y:.1%}}<extra>{words}</extra>",
        )
    figure.update_xaxes(title_text=AXES[view.axis], type="log", tickformat="d")
    figure.update_yaxes(title_text="share of the time of a core", range=[0, 1], tickformat=".0%")
    fixed = ", ".join(f"{key} {_number(value)}" for key, value in design.items() if key != view.axis)
    title = f"Where the time goes<br><sup>{fixed}</sup>"
    figure.update_layout(title=title, template="plotly_white", height=460)
    return figure


def _number(value: Any) -> str:
    return f"{float(value):g}"
