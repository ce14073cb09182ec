"""Pictures of a training: time of a step by part, memory of a device, rate and best cut over the number of devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dse.models.training.cut.cuts import MEMORY_PARTS, STEP_PARTS, Cut

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["draw_cut_per_scale", "draw_memory", "draw_rate", "draw_step"]

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400")
_WORDS = {
    "pipeline_time": "pipeline, full",
    "bubble_time": "pipeline, filling and draining",
    "last_head_time": "head",
    "data_exchange_time": "exchange of gradients and weights",
    "optimizer_time": "optimizer",
    "state_memory": "states of layers",
    "embedding_memory": "states of tables",
    "activation_memory": "activations",
    "logit_memory": "logits",
}
_LETTERS = {"t": "tensor", "p": "pipeline", "d": "data", "c": "context"}


def _stacked(cuts: Sequence[Cut], parts: Sequence[str], scale: float, title: str) -> go.Figure:
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = [cut.label for cut in cuts]
    for name, shade in zip(parts, _SHADES, strict=False):
        figure.add_bar(
            y=labels,
            x=[cut.values[name] * scale for cut in cuts],
            name=_WORDS[name],
            orientation="h",
            marker={"color": shade},
        )
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title=title, rangemode="tozero")
    figure.update_yaxes(autorange="reversed", automargin=True)
    return _styled(figure)


def draw_step(cuts: Sequence[Cut]) -> go.Figure:
    """Draw the time of a step of each cut, stacked by part."""
    return _stacked(cuts, STEP_PARTS, 1.0, "time of a step [s]")


def draw_memory(cuts: Sequence[Cut]) -> go.Figure:
    """Draw the memory of a device with each cut, stacked by part, and what is usable."""
    figure = _stacked(cuts, MEMORY_PARTS, 1e-9, "memory of a device [GB]")
    usable = cuts[0].values["usable_device_memory"] * 1e-9
    figure.add_vline(x=usable, line={"dash": "dash", "width": 1.5, "color": "#b8543d"}, annotation_text="usable")
    return figure


def draw_rate(cuts: Sequence[Cut], measured: Mapping[str, Sequence[tuple[int, float]]]) -> go.Figure:
    """Draw tokens per second over the number of devices: the best cut of each, a straight line, measured runs.

    Parameters
    ----------
    cuts : sequence of Cut
        The best of each number of devices, rising.
    measured : mapping of str to sequence of (int, float)
        Devices and tokens per second of published runs, by what they are called.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    devices = [cut.devices for cut in cuts]
    rates = [cut.values["tokens_per_second"] for cut in cuts]
    labels = [cut.label for cut in cuts]
    figure.add_scatter(
        x=devices,
        y=rates,
        text=labels,
        mode="lines+markers",
        name="best cut",
        line={"color": _SHADES[0], "width": 2},
        hovertemplate="%{x} devices: %{y:.4g} tokens/s<br>%{text}<extra></extra>",
    )
    straight = [rates[0] * count / devices[0] for count in devices]
    figure.add_scatter(
        x=devices, y=straight, mode="lines", name="as the smallest", line={"color": "#8a8f98", "dash": "dot"}
    )
    for (name, points), shade in zip(measured.items(), _SHADES[1:], strict=False):
        figure.add_scatter(
            x=[count for count, _ in points],
            y=[rate for _, rate in points],
            mode="markers",
            name=name,
            marker={"size": 10, "symbol": "diamond-open", "color": shade, "line": {"width": 2}},
        )
    figure.update_xaxes(type="log", title="devices")
    figure.update_yaxes(type="log", title="tokens per second")
    return _styled(figure)


def draw_cut_per_scale(cuts: Sequence[Cut]) -> go.Figure:
    """Draw how the best cut changes with the number of devices: tensor, pipeline, data and context parallelism."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for (letter, name), shade in zip(_LETTERS.items(), _SHADES, strict=False):
        sizes = [next(int(word[1:]) for word in cut.label.split() if word[0] == letter) for cut in cuts]
        figure.add_scatter(
            x=[cut.devices for cut in cuts],
            y=sizes,
            name=name,
            mode="lines+markers",
            line={"color": shade, "width": 2, "shape": "hv"},
        )
    figure.update_xaxes(type="log", title="devices")
    figure.update_yaxes(type="log", title="parallelism of the best cut", dtick=0.30103)
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
