"""Pictures of serving: frontiers with measured points, a step by part, rates over the ratio of workers, energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dse.models.serving.best import Served
from dse.models.serving.frontier import on_frontier

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["PART_WORDS", "draw_cost", "draw_frontier", "draw_ratio", "draw_step"]

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400", "#b8543d", "#4aa3b5")
_SYMBOLS = ("diamond-open", "circle-open", "square-open", "triangle-up-open", "cross-open", "x-open")
PART_WORDS = {
    "decoding_projection_time": "products of attention",
    "decoding_cache_time": "caches",
    "decoding_expert_time": "experts",
    "decoding_other_time": "shared experts and dense parts",
    "decoding_head_time": "output table",
    "decoding_exchange_time": "exchange",
    "decoding_gap_time": "gaps",
    "decoding_draft_time": "drafts",
}


def draw_frontier(
    lines: Mapping[str, Sequence[Served]], measured: Mapping[str, Sequence[tuple[float, float]]]
) -> go.Figure:
    """Draw tokens per second of a device over those of a user: lines by engine and mode, and measured points.

    Parameters
    ----------
    lines : mapping of str to sequence of Served
        Designs by what they are called; what others of the same line beat is left out. Cuts that were not measured are
        dashed.
    measured : mapping of str to sequence of (float, float)
        Rates of a user and of a device, by software, source and month.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for (name, designs), shade in zip(lines.items(), _SHADES * len(lines), strict=False):
        for seen, dash in ((True, "solid"), (False, "dash")):
            of = [design for design in designs if (design.values["cut_seen"] > 0.5) == seen]
            if not of:
                continue
            user, rate = (
                np.array([d.values[key] for d in of]) for key in ("user_token_rate", "serving_tokens_per_device")
            )
            places = on_frontier(user, rate)
            figure.add_scatter(
                x=user[places],
                y=rate[places],
                text=[f"{of[place].cut}, {of[place].requests} requests" for place in places.tolist()],
                mode="lines+markers",
                name=name if seen else f"{name}, cuts not measured",
                line={"color": shade, "width": 2, "dash": dash},
                marker={"size": 4},
                hovertemplate="%{x:.4g} per user, %{y:.4g} per device<br>%{text}<extra></extra>",
            )
    for place, (name, points) in enumerate(measured.items()):
        figure.add_scatter(
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            mode="markers",
            name=name,
            marker={"size": 9, "symbol": _SYMBOLS[place % len(_SYMBOLS)], "color": "#6b7280", "line": {"width": 2}},
        )
    figure.update_xaxes(type="log", title="tokens per second of a user")
    figure.update_yaxes(type="log", title="tokens per second of a device")
    return _styled(figure)


def draw_step(requests: Sequence[float], parts: Mapping[str, np.ndarray]) -> go.Figure:
    """Draw a step of decoding by part over the number of requests."""
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = [f"{count:g}" for count in requests]
    for (name, words), shade in zip(PART_WORDS.items(), _SHADES, strict=True):
        if parts[name].any():
            figure.add_bar(x=labels, y=parts[name] * 1e3, name=words, marker={"color": shade})
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title="requests of a worker", type="category")
    figure.update_yaxes(title="time of a step [ms]", rangemode="tozero")
    return _styled(figure)


def draw_ratio(ratios: Mapping[str, Sequence[tuple[float, float]]]) -> go.Figure:
    """Draw tokens per second of a device over the share of devices that take prompts."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for (name, points), shade in zip(ratios.items(), _SHADES, strict=False):
        figure.add_scatter(
            x=[100.0 * share for share, _ in points],
            y=[rate for _, rate in points],
            mode="lines+markers",
            name=name,
            line={"color": shade, "width": 2},
        )
    figure.update_xaxes(title="devices that take prompts [%]")
    figure.update_yaxes(title="tokens per second of a device", rangemode="tozero")
    return _styled(figure)


def draw_cost(lines: Mapping[str, Sequence[tuple[float, float]]], title: str) -> go.Figure:
    """Draw energy or cost over the rate of a user."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for (name, points), shade in zip(lines.items(), _SHADES, strict=False):
        figure.add_scatter(
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            mode="lines",
            name=name,
            line={"color": shade, "width": 2},
        )
    figure.update_xaxes(type="log", title="tokens per second of a user")
    figure.update_yaxes(type="log", title=title)
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
        height=440,
        showlegend=True,
    )
