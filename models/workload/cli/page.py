"""The page of a profile: one HTML file that needs no network.

The figures are plotly's, embedded; its scripts are the only ones the page allows to run, by their hashes.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from dse.models.workload.locality.address_view import address_view
from dse.models.workload.locality.locality_figures import (
    FIRST_TOUCHES,
    HOW_TO_MEASURE,
    draw_addresses,
    draw_correlation,
    draw_locality,
    draw_reuse,
)
from dse.models.workload.locality.locality_map import locality_view, measured_map, reuse_view
from dse.models.workload.locality.summary import size, summary
from dse.models.workload.profile.profile import CLASSES, TYPES, ProcessClass, WorkloadProfile
from dse.report.html.page import write_figures_page
from dse.report.html.tags import Html, definitions, escaped, join, table, tag
from dse.units import format_number

__all__ = ["write_profile_page"]

_SHADES = ("#2f6fd0", "#e08a1e", "#2f9e77", "#b5589b", "#8a8f98", "#c8b400", "#7a5cc2", "#b8543d")
_MOST_CLASSES = 8
_BUSIEST = 16
_MOST_CORRELATED = 128
_ORDERS = {"ooo": "out of order", "in": "in order", "base": "control serial", "base-wait": "all wait for control"}
_DASHES = {"ooo": "solid", "in": "dash", "base": "dot", "base-wait": "dashdot"}
_LAYOUT: dict[str, Any] = {
    "margin": {"l": 70, "r": 20, "t": 20, "b": 60},
    "font": {"family": "system-ui, sans-serif", "color": "#808890"},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "showlegend": True,
}
_AXIS = {"gridcolor": "rgba(128,136,144,0.25)", "zerolinecolor": "rgba(128,136,144,0.4)"}


def write_profile_page(profile: WorkloadProfile, path: str | Path) -> Path:
    """Write the page of a profile.

    Parameters
    ----------
    profile : WorkloadProfile
    path : path
        The file to write.
    """
    figures: list[str] = []
    main = list(_main(profile, figures))
    title = f"{profile.name}: profile"
    return write_figures_page(path, title=title, header=_header(profile), main=main, figures=figures)


def write_heat_map_page(
    profile: WorkloadProfile, figures: dict[str, Any], largest: dict[str, Any] | None, path: str | Path
) -> Path:
    """Write the heat maps of a profile alone, by heading; of locality with its largest cells."""
    main: list[Html] = []
    drawn: list[Html] = []
    for heading, figure in figures.items():
        body = _written(figure, with_plotly=not drawn)
        drawn.append(body)
        main += [tag("h2", heading), body]
    if largest is not None:
        rows = [[cell["s_bytes"], cell["t"], format_number(cell["p"])] for cell in largest["largest"]]
        main.append(table(["bytes away", "accesses later", largest["unit"]], rows, [0, 1, 2]))
    title = f"{profile.name}: locality"
    return write_figures_page(path, title=title, header=_header(profile), main=main, figures=drawn)


def _written(figure: Any, *, with_plotly: bool) -> Html:
    figure.update_layout(**_LAYOUT, height=figure.layout.height or 400)
    figure.update_xaxes(**_AXIS)
    figure.update_yaxes(**_AXIS)
    return Html(figure.to_html(full_html=False, include_plotlyjs=with_plotly, config={"displaylogo": False}))


def _header(profile: WorkloadProfile) -> Iterator[Html]:
    yield tag("h1", "workload profile")
    yield tag("p", profile.name, class_="question")
    if profile.synthetic:
        origin = "Made of a few parameters, not measured: no result to quote."
        yield tag("div", tag("strong", "SYNTHETIC DATA"), origin, class_="banner", role="note")
    for warning in profile.warnings:
        yield tag("div", warning, class_="banner minor", role="note")


def _main(profile: WorkloadProfile, figures: list[str]) -> Iterator[Html]:
    """Yield the pieces of the page, and put those that plotly writes into `figures` too."""
    described = summary(profile)
    items = {"source": profile.source, "licence": profile.licence, "notes": profile.notes}
    items |= {"application": profile.application.name}
    items |= {str(key): str(value) for key, value in profile.application.parameters.items()}
    items |= {name: str(value) for name, value in described["run"].items()}
    items |= {"sha256": profile.sha256}
    shown = profile.classes[:_MOST_CLASSES]
    plots = [
        ("Instruction mix", _mix_figure(shown), _mix_table(described["classes"])),
        ("Hits by size of cache", _reuse_figure(shown), _reuse_table(described["classes"])),
        ("Parallelism by window", _ilp_figure(shown), _ilp_table(described["classes"])),
        ("Branch entropy", _branch_figure(shown), _branch_table(described["classes"])),
        ("Reuse distances by class", *_reuse_map(shown)),
        *_locality_maps(shown),
        *_address_maps(shown),
        *_threads_alike(described["thread_classes"]),
    ]
    if len(shown) < len(profile.classes):
        yield tag("p", f"The figures show the first {len(shown)} of {len(profile.classes)} classes.", class_="note")
    with_plotly = True
    for title, figure, numbers in plots:
        yield tag("h2", title)
        if figure is None:
            yield tag("p", join(filter(None, ["Not in this profile.", numbers]), " "), class_="quiet")
            continue
        body = _written(figure, with_plotly=with_plotly)
        with_plotly = False
        figures.append(body)
        yield body
        yield tag("details", tag("summary", "the numbers"), numbers)
    yield tag("h2", "About")
    yield definitions({key: value for key, value in items.items() if value})


def _name(item: ProcessClass, profile_classes: int, more: str = "") -> str:
    return escape(", ".join(part for part in (item.name if profile_classes > 1 else "", more) if part))


def _mix_figure(classes: tuple[ProcessClass, ...]) -> Any:
    import plotly.graph_objects as go

    figure = go.Figure()
    for place, name in enumerate(CLASSES):
        figure.add_bar(
            y=[escape(item.name) for item in classes],
            x=[100 * item.fraction(name) for item in classes],
            name=name.replace("_", " "),
            orientation="h",
            marker={"color": _SHADES[place % len(_SHADES)]},
            hovertemplate="%{y}: %{x:.3g} %<extra>" + name.replace("_", " ") + "</extra>",
        )
    figure.update_layout(barmode="stack", xaxis_title="share of instructions [%]", xaxis_range=[0, 100])
    figure.update_layout(height=290 + 40 * (len(classes) - 1), legend_traceorder="normal")
    figure.update_yaxes(autorange="reversed")
    return figure


def _mix_table(classes: list[dict[str, Any]]) -> Html:
    rows = [
        [
            c["name"],
            row["class"].replace("_", " "),
            (row["part_of"] or "").replace("_", " "),
            format_number(row["count"]),
            _percent(row["fraction"]),
            _percent(row["vector_fraction"]),
        ]
        for c in classes
        for row in c["mix"]
    ]
    return table(["thread", "class", "part of", "instructions", "share", "with vectors"], rows, [3, 4, 5])


def _reuse_figure(classes: tuple[ProcessClass, ...]) -> Any:
    import plotly.graph_objects as go

    figure, place = go.Figure(), 0
    for item in classes:
        for histogram in item.data_reuse:
            if histogram.line is None or not histogram.distances:
                continue
            lines, hits = histogram.cumulative("corrected")
            used = lines > 0
            figure.add_scatter(
                x=lines[used] * histogram.line,
                y=100 * hits[used],
                mode="lines+markers",
                name=_name(item, len(classes), f"lines of {histogram.line} B"),
                line={"color": _SHADES[place % len(_SHADES)]},
            )
            place += 1
    if not place:
        return None
    ticks = 2.0 ** np.arange(6, 40, 2)
    figure.update_layout(xaxis_title="size of a fully associative cache", yaxis_title="references that hit [%]")
    figure.update_layout(yaxis_range=[0, 102])
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[size(tick) for tick in ticks])
    return figure


def _reuse_table(classes: list[dict[str, Any]]) -> Html:
    rows = [
        [c["name"], f"{h['line_bytes']} B", size(hit["bytes"]), _percent(hit["hit_fraction"])]
        for c in classes
        for h in c["data_reuse"]
        for hit in h["hits"]
    ]
    return table(["thread", "lines", "cache", "hits"], rows, [2, 3])


def _ilp_figure(classes: tuple[ProcessClass, ...]) -> Any:
    import plotly.graph_objects as go

    figure, place, windows = go.Figure(), 0, set()
    for item in classes:
        for order in dict.fromkeys(entry.order for entry in item.windows):
            entries = sorted((entry for entry in item.windows if entry.order == order), key=lambda e: e.window)
            windows |= {entry.window for entry in entries}
            for kind in ("all", *TYPES) if len(classes) == 1 else ("all",):
                points = [
                    (_label(entry.window), entry.ilp(item.type_counts, kind))
                    for entry in entries
                    if kind == "all" or entry.spans.get(kind)
                ]
                if not points:
                    continue
                figure.add_scatter(
                    x=[label for label, _ in points],
                    y=[ilp for _, ilp in points],
                    mode="lines+markers",
                    name=_name(item, len(classes), f"{kind}, {_ORDERS[order]}"),
                    line={"color": _SHADES[place % len(_SHADES)], "dash": _DASHES[order]},
                    marker={"size": 9},
                )
                place += 1
    if not place:
        return None
    figure.update_layout(xaxis_title="entries of the issue queue", yaxis_title="instructions per cycle")
    labels = [_label(window) for window in sorted(windows)]
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=labels)
    figure.update_yaxes(rangemode="tozero")
    return figure


def _label(window: float) -> str:
    return "unbounded" if np.isinf(window) else f"{window:g}"


def _ilp_table(classes: list[dict[str, Any]]) -> Html:
    rows = [
        [c["name"], row["window"], row["order"], format_number(row["ilp"])]
        + [format_number(row["own"][kind]) if kind in row["own"] else "–" for kind in TYPES]
        for c in classes
        for row in c["ilp"]
    ]
    return table(["thread", "window", "order", "ILP", *TYPES], rows, range(3, 8))


def _branch_figure(classes: tuple[ProcessClass, ...]) -> Any:
    import plotly.graph_objects as go

    figure, place = go.Figure(), 0
    for item in classes:
        if item.branch is None or not item.branch.entropy:
            continue
        figure.add_scatter(
            x=[history for history, _ in item.branch.entropy],
            y=[bits for _, bits in item.branch.entropy],
            mode="lines+markers",
            name=_name(item, len(classes), "entropy"),
            line={"color": _SHADES[place % len(_SHADES)]},
        )
        place += 1
    if not place:
        return None
    figure.update_layout(
        xaxis_title="past outcomes known", yaxis_title="entropy of the next outcome [bit]", yaxis_range=[0, 1.02]
    )
    return figure


def _branch_table(classes: list[dict[str, Any]]) -> Html:
    rows = [
        [c["name"], history, format_number(bits)]
        for c in classes
        if c["branch"] is not None
        for history, bits in c["branch"]["entropy"]
    ]
    return table(["thread", "past outcomes", "entropy [bit]"], rows, [1, 2])


def _reuse_map(classes: tuple[ProcessClass, ...]) -> tuple[Any, Html]:
    view = reuse_view(classes)
    if view is None:
        return None, Html("")
    headings = ["thread", "cache", "references that first hit"]
    columns = [*map(size, view.sizes), FIRST_TOUCHES]
    rows = [
        [row, column, _percent(share)]
        for row, shares in zip(view.rows, view.shares.tolist(), strict=True)
        for column, share in zip(columns, shares, strict=True)
    ]
    return draw_reuse(view), table(headings, rows, [2])


def _locality_maps(classes: tuple[ProcessClass, ...]) -> Iterator[tuple[str, Any, Html]]:
    """Yield title, figure and largest cells for each class that has a heat map."""
    maps = [(item.name, heatmap) for item in classes if (heatmap := measured_map(item)) is not None]
    for name, heatmap in maps:
        view = locality_view(heatmap)
        rows = [[offset, lag, format_number(p)] for offset, lag, p in view.largest()]
        numbers = table(["bytes away", "accesses later", view.unit], rows, [0, 1, 2])
        yield f"Locality: {name}" if len(classes) > 1 else "Locality", draw_locality(view), numbers
    if not maps:
        yield "Locality", None, escaped(f"{HOW_TO_MEASURE}.")


def _address_maps(classes: tuple[ProcessClass, ...]) -> Iterator[tuple[str, Any, Html]]:
    """Yield title, figure and busiest rows for each class with accesses by address and time."""
    for item in classes:
        if item.address_map is None:
            continue
        view = address_view(item.address_map)
        totals = view.counts.sum(axis=1)
        busiest = np.argsort(-totals, kind="stable")[:_BUSIEST].tolist()
        rows = [[f"{view.first_bytes[row]:#x}", format_number(int(totals[row]))] for row in busiest]
        numbers = table([f"{size(view.row_bytes)} from", "accesses"], rows, [1])
        yield f"Addresses: {item.name}" if len(classes) > 1 else "Addresses", draw_addresses(view), numbers


def _threads_alike(classes: dict[str, Any] | None) -> Iterator[tuple[str, Any, Html]]:
    """Yield the classes of threads by the correlation of their reuse distances, where a profile has several threads."""
    if classes is None:
        return
    rows = [
        [
            ", ".join(entry["threads"]),
            len(entry["threads"]),
            *("–" if entry[key] is None else format_number(entry[key]) for key in ("within", "to_others")),
        ]
        for entry in classes["classes"]
    ]
    headings = ["class", "threads", "least correlation within", "greatest to others"]
    most = slice(_MOST_CORRELATED)
    figure = draw_correlation(classes["names"][most], [row[most] for row in classes["correlation"][most]])
    title = f"Threads alike: {len(rows)} classes, correlation {format_number(classes['threshold'])} at least"
    yield title, figure, table(headings, rows, [1, 2, 3])


def _percent(fraction: float) -> str:
    return f"{format_number(100 * fraction)} %"
