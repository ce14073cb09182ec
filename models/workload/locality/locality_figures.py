"""Figures of locality: the spatio-temporal map of a profile, and its reuse distances by class (`locality_map`)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.workload.locality.address_view import AddressView
from dse.models.workload.locality.locality_map import LocalityView, ReuseView, locality_view, measured_map
from dse.models.workload.locality.summary import size
from dse.models.workload.profile.profile import WorkloadProfile

__all__ = [
    "FIRST_TOUCHES",
    "HOW_TO_MEASURE",
    "draw_addresses",
    "draw_correlation",
    "draw_heatmap",
    "draw_locality",
    "draw_reuse",
]

FIRST_TOUCHES = "first touch"
HOW_TO_MEASURE = (
    "dse profile record --heatmap locality, or dse.models.workload.locality.traces.heat_map of a trace of addresses"
)
_SCALE = "Viridis"


def draw_heatmap(profile: WorkloadProfile, variant: str = "pdf:pdf") -> Any:
    """Return the locality map of a profile of one class as a figure of plotly.

    Raises
    ------
    InputError
        The profile has none, or several classes, or the variant is unknown.
    """
    heatmap = measured_map(profile.only)
    if heatmap is None:
        raise InputError(f"the profile '{profile.name}' has no heat map", key="heatmap", allowed=HOW_TO_MEASURE)
    return draw_locality(locality_view(heatmap, variant))


def draw_locality(view: LocalityView) -> Any:
    """Draw a locality map: accesses to the right and bytes upwards, both logarithmic, bytes on both sides of 0."""
    import plotly.graph_objects as go

    offsets, lags = np.asarray(view.offsets), np.asarray(view.lags)
    largest = float(view.p.max())
    figure = go.Figure(
        go.Heatmap(
            x=np.log2(lags),
            y=_symmetric_log(offsets),
            z=view.p,
            customdata=np.dstack(np.meshgrid(offsets, lags, indexing="ij")),
            zmin=0.0,
            zmax=largest or 1.0,
            colorscale=_SCALE,
            colorbar={"title": {"text": view.unit}},
            hovertemplate="%{customdata[0]} B away, %{customdata[1]} accesses later: %{z:.3g}<extra></extra>",
        )
    )
    away, later = (", or fewer" if kind == "cdf" else "" for kind in view.variant.split(":"))
    figure.update_xaxes(title=f"accesses later{later}", **_ticks(lags, np.log2))
    figure.update_yaxes(title=f"bytes away{away}", **_ticks(offsets, _symmetric_log))
    return figure


def _symmetric_log(bytes_: Any) -> np.ndarray:
    signed_logarithms: np.ndarray = np.sign(bytes_) * np.log2(1.0 + np.abs(bytes_))
    return signed_logarithms


def _ticks(values: np.ndarray, place: Any, most: int = 9) -> dict[str, Any]:
    """Return ticks at values that are drawn, evenly spread over the axis as far as there are any."""
    where = place(values)
    wanted = np.linspace(where[0], where[-1], most)
    nearest = np.unique(np.abs(where[:, None] - wanted).argmin(axis=0))
    room = (where[-1] - where[0]) / (2 * most)
    chosen = [nearest[0]]
    for index in nearest[1:]:
        if where[index] - where[chosen[-1]] > room:
            chosen.append(index)
    return {"tickvals": where[chosen], "ticktext": [f"{value}" for value in values[chosen].tolist()], "tickangle": 0}


def draw_addresses(view: AddressView) -> Any:
    """Draw accesses by address and time: time to the right, addresses upwards without those that nothing touched."""
    import plotly.graph_objects as go

    # A line without cells stands where addresses are left out.
    place = np.arange(len(view.first_bytes)) + np.cumsum(view.gaps)
    rows = int(place[-1]) + 1
    cells = np.full((rows, view.counts.shape[1]), np.nan)
    cells[place] = np.where(view.counts > 0, view.counts, np.nan)
    labels = np.full(rows, "", dtype=object)
    labels[place] = [f"{first:#x}" for first in view.first_bytes.tolist()]
    figure = go.Figure(
        go.Heatmap(
            x=view.column_accesses * np.arange(view.counts.shape[1]),
            y=np.arange(rows),
            z=np.log10(cells),
            customdata=np.dstack([np.broadcast_to(labels[:, None], cells.shape), np.nan_to_num(cells)]),
            colorscale=_SCALE,
            colorbar={"title": {"text": "accesses"}, **_decades(cells)},
            hoverongaps=False,
            hovertemplate="%{customdata[1]} accesses from %{customdata[0]} on, after %{x}<extra></extra>",
        )
    )
    chosen = place[np.unique(np.linspace(0, len(place) - 1, 9).round().astype(int))]
    figure.update_xaxes(title="accesses of the thread")
    figure.update_yaxes(title=f"rows of {size(view.row_bytes)}", tickvals=chosen, ticktext=labels[chosen].tolist())
    figure.update_layout(height=460)
    return figure


def _decades(cells: np.ndarray) -> dict[str, Any]:
    powers = range(int(np.ceil(np.log10(np.nanmax(cells, initial=1.0)))) + 1)
    return {"tickvals": list(powers), "ticktext": [f"{10**power:,}" for power in powers]}


def draw_correlation(names: Sequence[str], correlation: Sequence[Sequence[float]]) -> Any:
    """Draw how the reuse distances of each pair of threads correlate, 0 to 1."""
    import plotly.graph_objects as go

    labels = [escape(name) for name in names]
    figure = go.Figure(
        go.Heatmap(
            x=labels,
            y=labels,
            z=correlation,
            zmin=0.0,
            zmax=1.0,
            colorscale=_SCALE,
            colorbar={"title": {"text": "correlation"}},
            hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>",
        )
    )
    figure.update_layout(height=min(230 + 26 * len(labels), 900))
    figure.update_xaxes(type="category")
    figure.update_yaxes(autorange="reversed", type="category")
    return figure


def draw_reuse(view: ReuseView) -> Any:
    """Draw a reuse map: sizes of a fully associative cache to the right, classes downwards."""
    import plotly.graph_objects as go

    figure = go.Figure(
        go.Heatmap(
            x=[*map(size, view.sizes), FIRST_TOUCHES],
            y=[escape(row) for row in view.rows],
            z=100.0 * view.shares,
            zmin=0.0,
            colorscale=_SCALE,
            colorbar={"title": {"text": "references [%]"}},
            hovertemplate="%{y}: %{z:.3g} %, %{x}<extra></extra>",
        )
    )
    figure.update_layout(height=190 + 40 * len(view.rows))
    figure.update_xaxes(title="size of a fully associative cache that they first hit", type="category")
    figure.update_yaxes(autorange="reversed", type="category")
    return figure
