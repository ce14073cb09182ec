"""Lines of time, energy and memory over processes or message size: what is drawn, then its drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dse.errors import InputError
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.registry import algorithms_of
from dse.models.collectives.costs.best import best
from dse.models.collectives.costs.cost import Cost, cost, one_array
from dse.models.collectives.costs.crossover import WinnerMap

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["PANELS", "CostView", "Line", "cost_view", "draw", "draw_map"]

PANELS = {"time": "time [s]", "energy": "energy [J]", "memory": "offload memory [B]"}
"""The panels of the picture and what stands on their axes."""

_SHADES = (
    *("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400"),
    *("#7a5cc2", "#b8543d", "#3aa6c9", "#6d8b2f", "#d0668a"),
)
_AXES = {"processes": "processes", "message_size": "message size [B]"}


class Line(NamedTuple):
    """One algorithm: its cost at every place of the axis, NaN where it is not defined."""

    name: str
    cost: Cost


class CostView(NamedTuple):
    """Everything the picture shows; drawing adds no decisions.

    Attributes
    ----------
    collective, title : str
    axis : {"processes", "message_size"}
    places : ndarray
    lines : tuple of Line
        One for each algorithm that is defined somewhere.
    winners : dict of str to Cost
        By panel: the best at each place, named by `Cost.algorithm`.
    takeovers : dict of str to list of (float, str)
        By panel: where an algorithm becomes the best, and its name.
    """

    collective: str
    title: str
    axis: str
    places: np.ndarray
    lines: tuple[Line, ...]
    winners: dict[str, Cost]
    takeovers: dict[str, list[tuple[float, str]]]


def cost_view(
    collective: str,
    processes: npt.ArrayLike,
    message_size: npt.ArrayLike,
    net: LogGP | str = "infiniband",
    *,
    static_scope: str = "per_process",
    descriptor_rule: str = "hm",
) -> CostView:
    """Return what a picture of an operation shows.

    Parameters
    ----------
    processes, message_size : array_like
        One of them an array, which is the axis, the other a number.
    collective, net, static_scope, descriptor_rule
        As for `dse.models.collectives.costs.cost`. Trees have the arity 2, pipelines the fastest number of pieces; the
        winner is looked for among all arities.
    """
    ranks = one_array("processes", processes, (0, 1, 2))
    sizes = one_array("message_size", message_size, (0, 1, 2))
    if (ranks.ndim, sizes.ndim) not in ((1, 0), (0, 1)):
        raise InputError(
            f"processes have {ranks.ndim} dimensions and message_size {sizes.ndim}",
            allowed="a list of one, which is the axis, and one number of the other",
        )
    by_processes = ranks.ndim == 1
    options: dict[str, Any] = {"static_scope": static_scope, "descriptor_rule": descriptor_rule}
    lines = []
    for name in algorithms_of(collective):
        costs = cost(name, collective, ranks, sizes, net, undefined="nan", **options)
        if not np.isnan(costs.time).all():
            lines.append(Line(name, costs))
    winners = {panel: best(collective, ranks, sizes, net, metric=panel, **options) for panel in PANELS}
    places = ranks if by_processes else sizes
    takeovers = {}
    for panel, winner in winners.items():
        names = winner.algorithm.tolist()
        starts = [place for place, name in enumerate(names) if place == 0 or name != names[place - 1]]
        takeovers[panel] = [(float(places[place]), names[place]) for place in starts]
    of = f"{sizes:g} B" if by_processes else f"{ranks:,} processes"
    axis = "processes" if by_processes else "message_size"
    return CostView(collective, f"{collective}, {of}", axis, places, tuple(lines), winners, takeovers)


def draw(
    collective: str,
    processes: npt.ArrayLike,
    message_size: npt.ArrayLike,
    net: LogGP | str = "infiniband",
    *,
    static_scope: str = "per_process",
    descriptor_rule: str = "hm",
) -> go.Figure:
    """Draw time, energy and memory of all algorithms of an operation; parameters as for `cost_view`.

    Both axes are logarithmic (a place of 0 is left out), an algorithm that is not defined everywhere has points, and
    the best one is drawn as a wide band with its name where it takes over.
    """
    from plotly.subplots import make_subplots

    view = cost_view(
        collective, processes, message_size, net, static_scope=static_scope, descriptor_rule=descriptor_rule
    )
    figure: go.Figure = make_subplots(rows=1, cols=len(PANELS), shared_xaxes=True, subplot_titles=list(PANELS.values()))
    for column, panel in enumerate(PANELS, 1):
        shown = view.places > 0
        winner = getattr(view.winners[panel], panel)
        figure.add_scatter(
            x=view.places[shown],
            y=winner[shown],
            mode="lines",
            line={"width": 9, "color": "rgba(128,136,144,0.35)"},
            name="best",
            legendgroup="best",
            showlegend=column == 1,
            text=view.winners[panel].algorithm[shown],
            hovertemplate="%{x}: %{text}, %{y:.4g}<extra>best</extra>",
            row=1,
            col=column,
        )
        for line in view.lines:
            values = getattr(line.cost, panel)
            here = shown & ~np.isnan(values)
            figure.add_scatter(
                x=view.places[here],
                y=values[here],
                mode="lines" if here.all() else "lines+markers",
                line={"width": 1.5, "color": _shade(collective, line.name)},
                name=line.name,
                legendgroup=line.name,
                showlegend=column == 1,
                row=1,
                col=column,
            )
        for place, name in view.takeovers[panel]:
            if place > 0:
                value = float(winner[view.places == place][0])
                figure.add_annotation(
                    x=np.log10(place),
                    y=np.log10(value) if value > 0 else 0.0,
                    text=name,
                    showarrow=True,
                    ax=0,
                    ay=30,
                    font={"size": 10},
                    row=1,
                    col=column,
                )
        figure.update_xaxes(title_text=_AXES[view.axis], type="log", row=1, col=column)
        figure.update_yaxes(type="log", exponentformat="power", row=1, col=column)
    figure.update_layout(title=view.title, template="plotly_white", height=480)
    return figure


def _shade(collective: str, name: str) -> str:
    """Return the colour of an algorithm, the same in all pictures of an operation."""
    return _SHADES[list(algorithms_of(collective)).index(name) % len(_SHADES)]


def draw_map(winners: WinnerMap) -> go.Figure:
    """Draw a map of winners: message size to the right, processes upwards, a colour for each algorithm.

    Parameters
    ----------
    winners : WinnerMap
        As `winner_map` gives it, of rising processes and sizes; a size of 0 stands at half of the next one.
    """
    from plotly.graph_objects import Figure

    names = winners.names
    numbers = np.zeros(winners.cost.algorithm.shape)
    for number, name in enumerate(names):
        numbers[winners.cost.algorithm == name] = number
    sizes = np.asarray(winners.sizes, dtype=float)
    if sizes[0] == 0 and len(sizes) > 1:
        sizes = np.concatenate([[sizes[1] / 2.0], sizes[1:]])
    values = np.asarray(getattr(winners.cost, winners.metric))
    scale = [
        (edge / len(names), _shade(winners.collective, name))
        for number, name in enumerate(names)
        for edge in (number, number + 1)
    ]
    figure: go.Figure = Figure()
    figure.add_heatmap(
        x=sizes,
        y=winners.processes,
        z=numbers,
        zmin=-0.5,
        zmax=len(names) - 0.5,
        colorscale=scale,
        colorbar={"tickvals": list(range(len(names))), "ticktext": names},
        customdata=np.dstack([winners.cost.algorithm, np.char.mod("%.4g", values)]),
        hovertemplate="%{x:.4g} B, %{y} processes: %{customdata[0]}, %{customdata[1]}<extra></extra>",
    )
    figure.update_xaxes(title_text=_AXES["message_size"], type="log")
    figure.update_yaxes(title_text=_AXES["processes"], type="log")
    title = f"{winners.collective}: the least {winners.metric.replace('_', ' ')}"
    figure.update_layout(title=title, template="plotly_white", height=480)
    return figure
