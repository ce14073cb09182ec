"""Figures of a comparison with measurements: computed over measured values, and how the errors are spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from dse.report.charts.palette import PAPER
from dse.units import display_unit, with_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dse.analysis.measured.results import ComparedQuantity, ComparedRow, MeasuredComparison

__all__ = ["ErrorView", "ScatterGroup", "ScatterView", "error_figure", "error_view", "scatter_figure", "scatter_view"]

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "pentagon", "hexagon")
_LOGARITHMIC = 20.0  # ratio of the largest to the smallest value from which both axes are logarithmic
_AXIS = {"gridcolor": "rgba(128,136,144,0.25)", "zerolinecolor": "rgba(128,136,144,0.4)"}
_INK, _SHOWN = "#808890", 6  # inputs in a hover text
_BAND = "rgba(128,136,144,0.16)"


class ScatterGroup(NamedTuple):
    """The points of a group: measured and computed values in the display unit, hover texts, and which are hollow."""

    name: str
    measured: list[float]
    computed: list[float]
    texts: list[str]
    extrapolated: list[bool]


class ScatterView(NamedTuple):
    """Everything the scatter plot shows; drawing adds no decisions.

    Attributes
    ----------
    groups : list of ScatterGroup
    titles : (str, str)
        Of the axes, with the unit.
    bands : list of float
        Errors whose bands are drawn, the widest first.
    span : (float, float)
        What both axes show, so that the diagonal is one.
    logarithmic : bool
    switch : bool
        Whether a logarithmic axis is possible.
    """

    groups: list[ScatterGroup]
    titles: tuple[str, str]
    bands: list[float]
    span: tuple[float, float]
    logarithmic: bool
    switch: bool


class ErrorView(NamedTuple):
    """Errors in percent, by group, and the width of the bars of their histogram."""

    groups: dict[str, list[float]]
    width: float


def scatter_view(comparison: MeasuredComparison, quantity: str, bands: Sequence[float] = (0.1, 0.2)) -> ScatterView:
    """Return what the scatter plot of a quantity shows."""
    compared = comparison.quantities[quantity]
    rows = [*compared.rows, *compared.fitted]
    values = [value for row in rows for value in (row.measured, row.computed)]
    scale, unit = display_unit(compared.unit, max(map(abs, values)))
    names = list(dict.fromkeys(_group(row, compared) for row in rows))
    groups = []
    for name in names:
        own = [row for row in rows if _group(row, compared) == name]
        groups.append(
            ScatterGroup(
                name,
                [row.measured / scale for row in own],
                [row.computed / scale for row in own],
                [_hover(comparison, compared, row) for row in own],
                [bool(row.extrapolated or row.outside) for row in own],
            )
        )
    low, high = min(values) / scale, max(values) / scale
    positive = low > 0
    logarithmic = positive and high > _LOGARITHMIC * low
    label = comparison.labels.get(quantity, quantity.replace("_", " "))
    heading = f"{label} [{unit}]" if unit else label
    reach = 0.05 * (high - low) or abs(high) or 1.0
    span = (low / 1.15, high * 1.15) if positive else (low - reach, high + reach)
    return ScatterView(
        groups, (f"measured {heading}", f"computed {heading}"), sorted(bands, reverse=True), span, logarithmic, positive
    )


def scatter_figure(view: ScatterView) -> go.Figure:
    """Draw computed over measured values, with the line on which both are equal and the bands round it."""
    import plotly.graph_objects as go

    figure = go.Figure()
    ends = list(view.span)
    for band in view.bands:
        figure.add_scatter(x=ends, y=[(1 - band) * x for x in ends], mode="lines", line={"width": 0}, **_QUIET)
        figure.add_scatter(
            x=ends,
            y=[(1 + band) * x for x in ends],
            mode="lines",
            line={"width": 0},
            fill="tonexty",
            fillcolor=_BAND,
            name=f"within {100 * band:g} %",
            hoverinfo="skip",
        )
    figure.add_scatter(x=ends, y=ends, mode="lines", line={"width": 1.2, "color": _INK}, name="equal", hoverinfo="skip")
    for place, group in enumerate(view.groups):
        shape = _SYMBOLS[place % len(_SYMBOLS)]
        figure.add_scatter(
            x=group.measured,
            y=group.computed,
            mode="markers",
            name=_plain(group.name or "measured"),
            marker={
                "color": PAPER.kinds[place % len(PAPER.kinds)],
                "symbol": [f"{shape}-open" if hollow else shape for hollow in group.extrapolated],
                "size": 9,
                "line": {"width": 1.5},
            },
            text=group.texts,
            hovertemplate="%{text}<extra></extra>",
        )
    first, other = (_scales(view, logarithmic=kind) for kind in (view.logarithmic, not view.logarithmic))
    figure.update_layout(
        **_LOOK,
        height=520,
        legend={"traceorder": "normal"},
        xaxis={**_AXIS, "title": _plain(view.titles[0]), "constrain": "domain", **first["xaxis"]},
        yaxis={**_AXIS, "title": _plain(view.titles[1]), "constrain": "domain", "scaleanchor": "x", **first["yaxis"]},
    )
    if view.switch:
        kinds = [(view.logarithmic, first), (not view.logarithmic, other)]
        buttons = [
            {
                "label": "logarithmic" if logarithmic else "linear",
                "method": "relayout",
                "args": [{f"{axis}.{key}": value for axis, own in scale.items() for key, value in own.items()}],
            }
            for logarithmic, scale in kinds
        ]
        figure.update_layout(
            updatemenus=[
                {"type": "buttons", "direction": "right", "x": 0, "y": 1.12, "xanchor": "left", "buttons": buttons}
            ]
        )
    return figure


def _scales(view: ScatterView, *, logarithmic: bool) -> dict[str, dict[str, object]]:
    low, high = view.span
    ends = [low - 0.03 * (high - low), high]  # so that marks at the edge stand inside
    if logarithmic:
        ends = [math.log10(low), math.log10(high)] if view.switch else [0.0, 1.0]
    axis: dict[str, object] = {"type": "log" if logarithmic else "linear", "range": ends}
    return {"xaxis": axis, "yaxis": dict(axis)}


def error_view(quantity: ComparedQuantity) -> ErrorView:
    """Return the errors of a quantity by group, and bars of a round width, about a dozen."""
    groups: dict[str, list[float]] = {}
    for row in quantity.rows:
        if row.error is not None:
            groups.setdefault(row.group, []).append(100.0 * row.error)
    every = [error for own in groups.values() for error in own]
    spread = max(every) - min(every) if every else 0.0
    rough = spread / 12 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return ErrorView(groups, next(digit * power for digit in (1, 2, 5, 10) if digit * power >= rough))


def error_figure(view: ErrorView) -> go.Figure:
    """Draw how many rows have which error."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for place, (name, errors) in enumerate(view.groups.items()):
        figure.add_histogram(
            x=errors,
            name=_plain(name or "rows"),
            xbins={"size": view.width, "start": view.width * math.floor(min(errors) / view.width), "end": 1e300},
            marker={"color": PAPER.kinds[place % len(PAPER.kinds)]},
            hovertemplate="%{y} rows, error %{x} %<extra></extra>",
        )
    figure.add_vline(x=0.0, line={"width": 1.2, "color": _INK})
    figure.update_layout(
        **_LOOK,
        height=260,
        barmode="stack",
        bargap=0.05,
        xaxis={**_AXIS, "title": "error (computed - measured) / measured [%]"},
        yaxis={**_AXIS, "title": "rows"},
    )
    return figure


_QUIET = {"hoverinfo": "skip", "showlegend": False}
_LOOK = {
    "margin": {"l": 70, "r": 20, "t": 50, "b": 60},
    "font": {"family": "system-ui, sans-serif", "color": _INK},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
}


def _group(row: ComparedRow, quantity: ComparedQuantity) -> str:
    return ", ".join(filter(None, [row.group, "fitted" if row in quantity.fitted else ""]))


def _hover(comparison: MeasuredComparison, compared: ComparedQuantity, row: ComparedRow) -> str:
    error = "" if row.error is None else f" ({100 * row.error:+.4g} %)"
    lines = [row.name or f"row {row.row}"]
    named = [name for name in row.inputs if name in comparison.varied] or list(row.inputs)
    lines += [f"{name} = {with_unit(row.inputs[name], comparison.units.get(name, '1'))}" for name in named[:_SHOWN]]
    lines.append(
        f"measured {with_unit(row.measured, compared.unit)}, computed {with_unit(row.computed, compared.unit)}{error}"
    )
    if row.extrapolated:
        lines.append(f"extrapolated: {', '.join(row.extrapolated)}")
    if row.outside:
        lines.append(f"outside the space: {', '.join(row.outside)}")
    return "<br>".join(_plain(line) for line in lines)


def _plain(text: str) -> str:
    """Return a text as plotly shows it: it takes tags and entities in texts for markup."""
    return escape(text, quote=False)
