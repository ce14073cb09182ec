"""Pictures of a trace: timeline, breakdown, traffic matrix, volumes, windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dse.models.replay.analysis.analysis import Analysis
from dse.models.replay.analysis.breakdown import RankBreakdown
from dse.models.replay.analysis.intervals import Intervals
from dse.models.replay.analysis.timeline import ACTIVITIES, Pieces
from dse.models.replay.network.traffic import Traffic, Volumes

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["draw_breakdown", "draw_matrix", "draw_scale", "draw_timeline", "draw_volumes", "draw_windows"]

_SHADES = ("#2f9e77", "#2f6fd0", "#c4452f", "#8a8f98", "#e08a1e")
_PARTS = ("compute", "calls", "dependency", "network", "idle")
_WORDS = ("computing", "calls", "data dependencies", "network delay", "idle at the end")
_OF_PART = ("#2f9e77", "#2f6fd0", "#c4452f", "#e08a1e", "#8a8f98")
_MOST_CELLS = 256
_MOST_BARS = 512


def draw_timeline(pieces: Pieces) -> go.Figure:
    """Draw what each rank does over time, a line for each piece."""
    import plotly.graph_objects as go

    figure = go.Figure()
    ranks = int(pieces.rank.max(initial=0)) + 1
    width = max(2.0, min(14.0, 400.0 / ranks))
    for number, (name, shade) in enumerate(zip(ACTIVITIES, _SHADES, strict=False)):
        chosen = pieces.activity == number
        gap = np.full(int(chosen.sum()), np.nan)
        times = np.stack([pieces.begin[chosen], pieces.end[chosen], gap], axis=1).reshape(-1)
        rows = np.stack([pieces.rank[chosen], pieces.rank[chosen], gap], axis=1).reshape(-1)
        figure.add_scatter(
            x=times,
            y=rows,
            name=name,
            mode="lines",
            line={"color": shade, "width": width},
            hovertemplate=f"rank %{{y}}: {name}, %{{x:.4g}} s<extra></extra>",
        )
    figure.update_xaxes(title="time [s]", range=[0.0, pieces.until])
    figure.update_yaxes(title="rank", autorange="reversed")
    return _styled(figure, height=max(300, min(900, 12 * ranks + 140)))


def draw_breakdown(parts: RankBreakdown) -> go.Figure:
    """Draw where the time of each rank goes, stacked; of very many ranks, every n-th."""
    import plotly.graph_objects as go

    ranks = np.arange(len(parts.compute))[:: max(1, len(parts.compute) // _MOST_BARS)]
    figure = go.Figure()
    for name, words, shade in zip(_PARTS, _WORDS, _OF_PART, strict=True):
        figure.add_bar(
            x=ranks, y=getattr(parts, name)[ranks], name=words, marker={"color": shade, "line": {"width": 0}}
        )
    figure.update_xaxes(title="rank")
    figure.update_yaxes(title="time [s]")
    return _styled(figure.update_layout(barmode="stack"))


def draw_scale(analyses: Sequence[Analysis]) -> go.Figure:
    """Draw the mean breakdown of the ranks of several runs over their number of ranks."""
    import plotly.graph_objects as go

    ordered = sorted(analyses, key=lambda analysis: analysis.trace.ranks)
    labels = [f"{analysis.trace.ranks:,} ranks" for analysis in ordered]
    labels = [f"{label} ({number})" if labels.count(label) > 1 else label for number, label in enumerate(labels)]
    figure = go.Figure()
    for name, words, shade in zip(_PARTS, _WORDS, _OF_PART, strict=True):
        means = [float(getattr(analysis.parts, name).mean()) for analysis in ordered]
        figure.add_bar(x=labels, y=means, name=words, marker={"color": shade})
    figure.update_yaxes(title="time of a rank, mean [s]")
    return _styled(figure.update_layout(barmode="stack"))


def draw_matrix(traffic: Traffic, what: str = "bytes") -> go.Figure:
    """Draw the traffic matrix; of many ranks, blocks of them together."""
    import plotly.graph_objects as go

    block = -(-traffic.ranks // _MOST_CELLS)
    side = -(-traffic.ranks // block)
    cells = np.zeros((side, side))
    held = traffic.bytes if what == "bytes" else traffic.messages
    np.add.at(cells, (traffic.source // block, traffic.destination // block), held)
    shown = np.where(cells > 0.0, cells, np.nan)
    places = np.arange(side) * block
    figure = go.Figure(
        go.Heatmap(
            x=places,
            y=places,
            z=shown,
            zmin=0.0,
            colorscale="Viridis",
            colorbar={"title": "B" if what == "bytes" else "messages"},
            hovertemplate=f"%{{y}} to %{{x}}: %{{z:.5g}} {'B' if what == 'bytes' else 'messages'}<extra></extra>",
        )
    )
    of_block = f" (blocks of {block})" if block > 1 else ""
    figure.update_xaxes(title=f"destination{of_block}", constrain="domain")
    figure.update_yaxes(title=f"source{of_block}", autorange="reversed", scaleanchor="x")
    return _styled(figure, height=560)


def draw_volumes(volumes: Volumes) -> go.Figure:
    """Draw pairs by volume and by mean message size, and single messages by size."""
    from plotly.subplots import make_subplots

    titles = ("volume of a pair", "mean message size of a pair", "single messages")
    figure = make_subplots(rows=1, cols=3, subplot_titles=titles)
    for column, (counts, edges) in enumerate((volumes.bytes_histogram, volumes.size_histogram), 1):
        middles = (np.asarray(edges)[1:] + np.asarray(edges)[:-1]) / 2.0
        figure.add_bar(x=middles, y=np.asarray(counts), marker={"color": _SHADES[1]}, row=1, col=column)
        figure.update_xaxes(title="B", row=1, col=column)
        figure.update_yaxes(title="pairs" if column == 1 else None, row=1, col=column)
    labels = [f"≤ {upper:g}" for upper in volumes.sizes[:, 0]]
    figure.add_bar(x=labels, y=volumes.sizes[:, 1], marker={"color": _SHADES[0]}, row=1, col=3)
    figure.update_xaxes(title="B", type="category", row=1, col=3)
    figure.update_yaxes(title="messages", row=1, col=3)
    return _styled(figure.update_layout(showlegend=False), height=360)


def draw_windows(windows: Intervals) -> go.Figure:
    """Draw the three panels over time: active pairs, bytes of a pair, message size of a pair, with deviations."""
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.06)
    figure.add_scatter(
        x=windows.begin, y=100.0 * windows.active_share, mode="lines+markers", line={"color": _SHADES[0]}, row=1, col=1
    )
    panels = ((windows.mean_bytes, windows.bytes_deviation, "B"), (windows.mean_size, windows.size_deviation, "B"))
    for row, (mean, deviation, _) in enumerate(panels, 2):
        figure.add_scatter(
            x=windows.begin,
            y=mean,
            error_y={"type": "data", "array": mean * deviation, "width": 3},
            mode="lines+markers",
            line={"color": _SHADES[1]},
            row=row,
            col=1,
        )
    for row, title in enumerate(("active pairs [%]", "bytes of a pair [B]", "message size [B]"), 1):
        figure.update_yaxes(title=title, rangemode="tozero", row=row, col=1)
    figure.update_xaxes(title="begin of the window [s]", row=3, col=1)
    return _styled(figure.update_layout(showlegend=False), height=620)


def _styled(figure: go.Figure, height: int = 420) -> go.Figure:
    axis: Mapping[str, Any] = {"gridcolor": "rgba(128,136,144,0.25)", "zerolinecolor": "rgba(128,136,144,0.4)"}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure.update_layout(
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": "#6b7280"},
        margin={"l": 70, "r": 20, "t": 30, "b": 50},
        height=height,
    )
