"""Pictures of checkpoints: time lost over the interval, and useful time over the size of a machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dse.errors import InputError, shown
from dse.models.resilience.checkpoint_transfer import transfer_time
from dse.models.resilience.checkpointing import Checkpointing, checkpoint
from dse.models.resilience.failure_rates import mean_time_between_failures
from dse.models.resilience.optimum import optimal_efficiency
from dse.models.resilience.ranges import in_range
from dse.models.resilience.time_shares import TimeShares, time_shares

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["LossView", "draw_efficiency", "draw_loss", "efficiency_over_nodes", "loss_view"]

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400")
_PLACES = 161


class LossView(NamedTuple):
    """What a picture of the interval shows.

    Attributes
    ----------
    centre : float
        The best interval; of checkpoints that take no time, a thousandth of the time between failures [s].
    intervals : ndarray
        Useful work between checkpoints [s].
    shares : TimeShares
        Seconds per useful second at each.
    found : Checkpointing
        The best interval, those of Young and of Daly, and their efficiencies.
    """

    centre: float
    intervals: np.ndarray
    shares: TimeShares
    found: Checkpointing


def loss_view(cost: float, mean_time_between_failures: float, restart: float = 0.0) -> LossView:
    """Return where the time goes from a tenth of the best interval to ten times it; times as in `checkpoint`."""
    best = checkpoint(cost, mean_time_between_failures, restart)
    centre = float(best.interval) or mean_time_between_failures / 1000.0
    intervals = centre * np.geomspace(0.1, 10.0, _PLACES)
    return LossView(centre, intervals, time_shares(intervals, cost, mean_time_between_failures, restart), best)


def draw_loss(view: LossView) -> go.Figure:
    """Draw the shares of time that are lost, over the interval, with the best interval, Young's and Daly's."""
    import plotly.graph_objects as go

    shares, wall = view.shares, view.shares.wall
    lost = (("checkpoints", shares.checkpoints), ("rework", shares.busy - 1.0), ("restarts", shares.restarts))
    figure = go.Figure()
    for (name, seconds), shade in zip(lost, _SHADES, strict=False):
        figure.add_scatter(
            x=view.intervals, y=100.0 * seconds / wall, name=name, stackgroup="lost", line={"color": shade, "width": 1}
        )
    best = view.found
    marked = (
        ("best", best.interval, best.efficiency),
        ("Young", best.young, best.efficiency_young),
        ("Daly", best.daly, best.efficiency_daly),
    )
    for (name, interval, efficiency), symbol in zip(marked, ("star", "circle-open", "diamond-open"), strict=True):
        figure.add_scatter(
            x=[float(interval)],
            y=[100.0 * (1.0 - float(efficiency))],
            name=name,
            mode="markers",
            marker={"symbol": symbol, "size": 11, "color": "#20242a"},
        )
    figure.update_xaxes(type="log", title="useful work between checkpoints [s]")
    figure.update_yaxes(title="time lost [%]", rangemode="tozero")
    return _styled(figure)


def efficiency_over_nodes(
    nodes: Any,
    schemes: Mapping[str, tuple[float, float]],
    *,
    node_data: float,
    bandwidth: float,
    node_mtbf: float,
    restart_time: float = 0.0,
) -> dict[str, np.ndarray]:
    """Return the useful share of time over the number of nodes, by scheme of compression.

    Parameters
    ----------
    nodes : array_like
    schemes : mapping of str to (float, float)
        Compression ratio, and uncompressed data that a node compresses in a second [B/s] (infinite: not compressed).
    node_data : float
        Data of a checkpoint per node [B].
    bandwidth : float
        Of the shared store, writing and reading [B/s].
    node_mtbf, restart_time : float
        Mean time between failures of a node, and of a restart without reading the checkpoint [s].
    """
    count = in_range("nodes", nodes, above=True)
    data, store = in_range("node_data", node_data), in_range("bandwidth", bandwidth, above=True)
    if not isinstance(schemes, Mapping):
        raise InputError(f"'schemes' is {shown(schemes)}", allowed="compression ratio and rate by name")
    mean = mean_time_between_failures((count, node_mtbf))
    by_scheme = {}
    for name, (ratio, rate) in schemes.items():
        cost = transfer_time(data * count, store, ratio, rate * count)
        by_scheme[name] = optimal_efficiency(cost, mean, restart_time + cost)
    return by_scheme


def draw_efficiency(nodes: Any, by_scheme: Mapping[str, np.ndarray]) -> go.Figure:
    """Draw what `efficiency_over_nodes` returns."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for (name, share), shade in zip(by_scheme.items(), _SHADES, strict=False):
        figure.add_scatter(x=np.asarray(nodes), y=100.0 * share, name=name, line={"color": shade, "width": 2})
    figure.update_xaxes(type="log", title="nodes")
    figure.update_yaxes(title="useful time [%]", range=[0, 100])
    return _styled(figure)


def _styled(figure: go.Figure) -> go.Figure:
    axis = {"gridcolor": "rgba(128,136,144,0.25)", "zerolinecolor": "rgba(128,136,144,0.4)"}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": "#6b7280"},
        margin={"l": 60, "r": 20, "t": 30, "b": 50},
        height=420,
    )
