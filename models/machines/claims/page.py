"""The page of ``dse validate machines --report``: measured against computed figures, by device, with their bands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from dse.authoring.library.claims import Comparison
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, table, tag

__all__ = ["machines_figure", "write_page"]

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#7a5cc2", "#b8543d", "#c8b400", "#8a8f98", "#4aa3b8", "#5c6f2b")
_BARS = 2.0  # standard errors
_SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "star")
_AXIS = {"gridcolor": "rgba(128,136,144,0.25)", "zerolinecolor": "rgba(128,136,144,0.4)"}
_FIGURES = (
    ("rate", "linpack", "HPL rate", 1e15, "Pflop/s"),
    ("power", "power", "Power at HPL", 1e6, "MW"),
    ("efficiency", "efficiency", "Efficiency at HPL", 1e9, "Gflop/s per W"),
    ("hpcg", "hpcg", "HPCG rate", 1e15, "Pflop/s"),
)


def write_page(comparison: Comparison, path: Path) -> Path:
    """Write the page.

    Parameters
    ----------
    comparison : Comparison
        What `comparison` returns.
    path : Path
        The file to write.
    """
    figures: list[str] = []
    main = list(_main(comparison, figures))
    header = [
        tag("h1", "Real machines"),
        tag("p", "How far are the laws from machines they were fitted without?", class_="question"),
        tag("p", f"{comparison.details['file']}; measured over computed, 1 is exact", class_="note"),
    ]
    return write_figures_page(path, title="real machines", header=header, main=main, figures=figures)


def _main(comparison: Comparison, figures: list[str]) -> Iterator[Html]:
    yield tag(
        "p",
        "Bars: two standard errors of the law for one more machine with the device, or of its class where no other "
        "machine has it (hollow marks). Machines beyond them are named.",
        class_="note",
    )
    devices = list(dict.fromkeys(machine["device"] for machine in comparison.details["machines"]))
    for law, key, title, scale, unit in _FIGURES:
        machines = [
            machine for machine in comparison.details["machines"] if law in machine["left_out"] and key in machine
        ]
        if not machines:
            continue
        yield tag("h2", title)
        figure = machines_figure(machines, devices, law, key, scale, unit)
        plot = figure.to_html(full_html=False, include_plotlyjs=not figures, config={"displaylogo": False})
        figures.append(plot)
        yield Html(plot)
    for listing in comparison.listings:
        yield tag("h2", listing.title)
        yield table(list(listing.headings), [list(row) for row in listing.rows], listing.right)


def machines_figure(
    machines: Sequence[Mapping[str, Any]], devices: Sequence[str], law: str, key: str, scale: float, unit: str
) -> go.Figure:
    """Draw measured over computed against the measured figure, a mark per machine and a colour per device.

    Parameters
    ----------
    machines : sequence of dict
        ``machines`` of `dse.models.machines.claims.records.records`.
    devices : sequence of str
        All devices of the page, in the order that their colours follow.
    law, key : str
        Which law's bands, and which figure.
    scale : float
        Of the unit, in SI.
    unit : str
    """
    figure = go.Figure()
    for at, device in enumerate(devices):
        mine = [machine for machine in machines if machine["device"] == device]
        if not mine:
            continue
        ratios = [1.0 / (1.0 + machine["left_out"][law]["error"]) for machine in mine]
        bands = [_BARS * machine["left_out"][law]["standard_error"] for machine in mine]
        figure.add_scatter(
            x=[machine[key]["published"] / scale for machine in mine],
            y=ratios,
            error_y={
                "type": "data",
                "array": [r * math.expm1(b) for r, b in zip(ratios, bands, strict=True)],
                "arrayminus": [-r * math.expm1(-b) for r, b in zip(ratios, bands, strict=True)],
                "thickness": 1,
            },
            mode="markers+text",
            name=_plain(device),
            text=[
                _plain(machine["name"]) if abs(machine["left_out"][law]["standard_errors"]) > _BARS else ""
                for machine in mine
            ],
            textposition="middle right",
            textfont={"size": 11},
            marker={
                "color": _SHADES[at % len(_SHADES)],
                "symbol": [
                    _SYMBOLS[at // len(_SHADES)] + ("" if machine["left_out"][law]["device_known"] else "-open")
                    for machine in mine
                ],
                "size": 9,
            },
            customdata=[_plain(machine["name"]) for machine in mine],
            hovertemplate="%{customdata}<br>measured %{x:.4g} "
            + unit
            + "<br>measured / computed %{y:.3f}<extra>%{fullData.name}</extra>",
        )
    figure.add_hline(y=1.0, line={"width": 1, "color": "#808890"})
    figure.update_layout(
        margin={"l": 70, "r": 20, "t": 20, "b": 60},
        font={"family": "system-ui, sans-serif", "color": "#808890"},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        height=420,
        xaxis={**_AXIS, "type": "log", "dtick": "D2", "title": f"measured [{unit}]"},
        yaxis={**_AXIS, "title": "measured / computed"},
    )
    return figure


def _plain(name: str) -> str:
    """Return a name as plotly shows it: it takes tags and entities in texts for markup."""
    return escape(name, quote=False)
