"""The figure of the frontier: first a record of what is shown, then its drawing."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from dse.errors import InputError, RunFolderError
from dse.report.charts.figure_marks import COLOURS, SHAPES, at_random, evenly, groups_of, kinds_of, within_bytes
from dse.report.charts.palette import PAPER
from dse.report.charts.shown_column import Shown, shown_column, spelled
from dse.units import format_number

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from dse.evaluation.reference_records import ReferenceRecord
    from dse.run.result.run import Run

__all__ = ["FrontView", "axis_scale", "front_figure", "front_view"]

_MOST = 5_000  # points of the frontier that are drawn
_MOST_BEHIND = {"dominated": 2_000, "infeasible": 1_000}
_NOTE_WIDTH = 110  # characters; plotly breaks no lines
_FRONT_BYTES = 450_000  # of their texts, so that a notebook that is saved with the figure stays below 1 MB
_LOGARITHMIC = 50.0  # ratio of the largest to the smallest value from which an axis is logarithmic
_FRONT, _DOMINATED, _INFEASIBLE, _INK, _GRID = "#2f7bea", "#7d93b2", "#9a9a9a", "#24292f", "rgba(128,128,128,0.22)"


class FrontView(NamedTuple):
    """Everything the figure of the frontier shows; drawing adds no decisions.

    Attributes
    ----------
    front : pandas.DataFrame
        Designs of the frontier by ``x``: ``design``, ``x``, ``y``, ``colour`` (where there is one), ``kind`` and
        ``symbol`` (where texts tell designs apart by colour and by shape), ``extrapolated`` and ``text``, in display
        units.
    dominated, infeasible : pandas.DataFrame
        Other designs: ``design``, ``x``, ``y``, ``text``. Empty where `quantities` are not both known of them.
    references : pandas.DataFrame
        Systems beside the space that lie not too far from the designs: ``name``, ``x``, ``y``, ``met`` (whether no
        constraint is known to be broken) and ``text``.
    quantities : tuple of str
        What stands on x, on y and, where there are three, in the colour.
    axes : tuple of str
        Their titles, with the display unit: "total power [MW]".
    senses : tuple of str
        "min" or "max", or "" for what is no objective.
    scales : tuple of str
        "linear" or "log", for x and y.
    steps : str
        How the line through the frontier turns: "hv", "vh", or "" where a line would mean nothing.
    exact, synthetic : bool
        Whether the frontier is that of the whole space; whether it rests on synthetic figures.
    note : str
        Which designs are drawn, and which references are not.
    marks : tuple of str
        Labels of the columns that ``kind`` and ``symbol`` are of, as far as there are such.
    """

    front: pd.DataFrame
    dominated: pd.DataFrame
    infeasible: pd.DataFrame
    references: pd.DataFrame
    quantities: tuple[str, ...]
    axes: tuple[str, ...]
    senses: tuple[str, ...]
    scales: tuple[str, str]
    steps: str
    exact: bool
    synthetic: bool
    note: str
    marks: tuple[str, ...] = ()


def front_view(
    run: Run, x: str | None = None, y: str | None = None, *, color: str | None = None, symbol: str | None = None
) -> FrontView:
    """Collect what the figure of the frontier shows.

    Parameters
    ----------
    run : Run
    x, y : str, optional
        Columns of numbers in the frontier. Default: the first two objectives; of a study with one objective, the design
        number and the objective.
    color : str, optional
        Any column: numbers are shown on a scale, texts each in a colour. Default: an objective that is left over.
    symbol : str, optional
        A column of few values, each of which gets a shape.

    Raises
    ------
    InputError
        No such column, a column of texts as an axis, more values than there are colours or shapes.
    """
    senses = {objective["quantity"]: objective["sense"] for objective in run.objectives}
    free = [name for name in senses if name not in (x, y)]
    if x is None:
        x = "design" if len(senses) == 1 and y in (None, *senses) else free.pop(0)
    if y is None:
        y = free.pop(0) if free else next(iter(senses))
    marked = {"symbol": symbol} if symbol is not None else {}
    if color is not None:
        _refuse_unknown(run, "color", color)
        if shown_column(run, color).numeric:
            free = [color]
        else:
            free, marked = [], {"kind": color, **marked}
    quantities = (x, y, *free[:1])
    columns = []
    for name, value in zip(("x", "y", "colour"), quantities, strict=False):
        column = shown_column(run, value) if value in run.frontier.columns else None
        if column is None or not column.numeric:
            numeric = [other for other in run.frontier.columns if shown_column(run, other).numeric]
            raise InputError(
                f"'{value}' is no column of numbers", key=name, allowed=numeric, wrong=value, candidates=numeric
            )
        columns.append(column)
    front, drawn = _front(run, columns, marked)
    dominated, infeasible, behind = _behind(run, columns[:2])
    scales = [_scale(front[key], dominated[key], infeasible[key]) for key in ("x", "y")]
    drawn_too = [pd.concat([front[key], dominated[key], infeasible[key]]).to_numpy(dtype=float) for key in ("x", "y")]
    references, beyond = _references(run, columns[:2], scales, drawn_too)
    steps = ""
    if len(senses) == 2 and set(senses) == {x, y}:
        steps = "hv" if senses[x] == "min" else "vh"
    return FrontView(
        front,
        dominated,
        infeasible,
        references,
        quantities,
        tuple(column.title for column in columns),
        tuple(senses.get(name, "") for name in quantities),
        (scales[0], scales[1]),
        steps,
        run.exact,
        bool(run.manifest.synthetic),
        f"{drawn}{behind}{beyond}",
        tuple(run.label(name) for name in marked.values()),
    )


def _refuse_unknown(run: Run, key: str, name: str) -> None:
    known = list(run.frontier.columns)
    if name not in known:
        raise InputError(f"'{name}' is no column", key=key, allowed=known, wrong=name, candidates=known)


def _marks(run: Run, frame: pd.DataFrame, marked: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the text by which each design gets its colour or its shape."""
    texts = {}
    for mark, name in marked.items():
        key, most = ("color", len(COLOURS)) if mark == "kind" else ("symbol", len(SHAPES))
        _refuse_unknown(run, key, name)
        column = shown_column(run, name)
        texts[mark] = [spelled(value, column.scale, column.unit, given=True) or "none" for value in frame[name]]
        kinds_of(texts[mark], key, name, most)
    return texts


def _thinned(run: Run, frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return at most about so many rows of the frontier, evenly, and the best of each objective."""
    if len(frame) <= most:
        return frame
    kept = set(evenly(len(frame), most).tolist())
    for objective in run.objectives:
        values = frame[objective["quantity"]]
        kept.add(int(values.argmin() if objective["sense"] == "min" else values.argmax()))
    return frame.iloc[sorted(kept)].reset_index(drop=True)


def _front(run: Run, columns: Sequence[Shown], marked: Mapping[str, str]) -> tuple[pd.DataFrame, str]:
    whole = run.frontier.sort_values(columns[0].name, kind="stable").reset_index(drop=True)
    marks = _marks(run, whole, marked)
    for name, texts in marks.items():
        whole[f"mark {name}"] = texts
    frame = _thinned(run, whole, _MOST)
    fitting = within_bytes(_front_rows(run, columns, frame)["text"].tolist(), _FRONT_BYTES)
    frame = _thinned(run, frame, fitting)
    drawn = _front_rows(run, columns, frame)
    for name in marks:
        drawn[name] = frame[f"mark {name}"].to_numpy(dtype=object)
    if len(frame) == len(whole):
        return drawn, ""
    return drawn, f"{format_number(len(frame))} of the {format_number(len(whole))} designs of the frontier are drawn. "


def _front_rows(run: Run, columns: Sequence[Shown], frame: pd.DataFrame) -> pd.DataFrame:
    drawn = {"design": frame["design"].to_numpy()}
    for key, column in zip(("x", "y", "colour"), columns, strict=False):
        drawn[key] = frame[column.name].to_numpy(dtype=float) / column.scale
    axes = run.axis_names
    names = dict.fromkeys([*axes, *(objective["quantity"] for objective in run.objectives)])
    spelt = [(shown_column(run, name), name in axes) for name in names]
    rows = zip(*(frame[column.name] for column, _ in spelt), strict=True)
    outside = frame["extrapolated"].astype(str).to_numpy()
    drawn["extrapolated"] = outside != ""
    drawn["text"] = [
        "\n".join(
            [
                f"design {format_number(number)}",
                *(
                    f"{column.label} {spelled(value, column.scale, column.unit, given=given)}"
                    for (column, given), value in zip(spelt, row, strict=True)
                    if _known(value)
                ),
                *([f"extrapolated in {beyond}"] if beyond else []),
            ]
        )
        for number, row, beyond in zip(drawn["design"], rows, outside, strict=True)
    ]
    return pd.DataFrame(drawn)


def _known(value: str | float) -> bool:
    return value != "" if isinstance(value, str) else not np.isnan(value)


def _behind(run: Run, columns: Sequence[Shown]) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    nothing = pd.DataFrame({"design": np.zeros(0, dtype=np.int64), "x": [], "y": [], "text": []})
    try:
        sample = run.sample
    except RunFolderError:  # not stored, and the study can no longer be evaluated
        sample = None
    if sample is None or any(column.name not in sample.columns for column in columns):
        return nothing, nothing, "Only the frontier is drawn."
    x, y = (sample[column.name].to_numpy(dtype=float) / column.scale for column in columns)
    numbers, feasible = sample["design"].to_numpy(), sample["feasible"].to_numpy(dtype=bool)
    finite = np.isfinite(x) & np.isfinite(y)
    frames, left_out = [], 0
    for kind, rows in (
        ("dominated", finite & feasible & ~np.isin(numbers, run.frontier["design"].to_numpy())),
        ("infeasible", finite & ~feasible),
    ):
        places = np.flatnonzero(rows)
        kept = places[at_random(len(places), _MOST_BEHIND[kind])]
        left_out += len(places) - len(kept)
        frame = pd.DataFrame({"design": numbers[kept], "x": x[kept], "y": y[kept]})
        frame["text"] = [
            f"design {format_number(number)}, {kind}\n"
            + "\n".join(
                f"{column.label} {spelled(value, 1.0, column.unit)}"
                for column, value in zip(columns, values, strict=True)
                if column.name != "design"
            )
            for number, *values in zip(frame["design"], frame["x"], frame["y"], strict=True)
        ]
        frames.append(frame)
    designs = run.manifest.space.designs
    if left_out:
        all_of = "all" if len(sample) == designs else f"a random sample of {format_number(len(sample))} of"
        note = (
            f"Behind the frontier: {format_number(len(sample) - left_out)} of {all_of} {format_number(designs)} "
            f"designs; {format_number(left_out)} are left out, so that the figure is light."
        )
    elif len(sample) == designs:
        note = f"All {format_number(designs)} designs of the space are drawn."
    else:
        note = (
            f"Behind the frontier: a random sample of {format_number(len(sample))} of {format_number(designs)} designs."
        )
    return frames[0], frames[1], note


def _references(
    run: Run, columns: Sequence[Shown], scales: Sequence[str], drawn: Sequence[np.ndarray]
) -> tuple[pd.DataFrame, str]:
    """Return the references near the designs, and which others there are.

    Near is at most as far from the designs, on either axis, as these are from each other: a distant system would press
    the designs into a corner.
    """
    rows, outside, unknown = [], [], []
    for record in run.references:
        figures = [_figure_of(record, column.name) for column in columns]
        lacking = [column.label for column, value in zip(columns, figures, strict=True) if value is None]
        if lacking:
            unknown.append(f"{record['name']} (no {', no '.join(lacking)})")
            continue
        known = [value for value in figures if value is not None]
        values = [float(value) / column.scale for column, value in zip(columns, known, strict=True)]
        if not all(_near(*triple) for triple in zip(values, scales, drawn, strict=True)):
            outside.append(record["name"])
            continue
        pairs = zip(columns, values, strict=True)
        lines = [f"{record['name']}, beside the space"]
        lines += [f"{column.label} {spelled(value, 1.0, column.unit)}" for column, value in pairs]
        broken = [item["text"] for item in record["constraints"] if item["met"] is False]
        lines += [f"breaks {text}" for text in broken]
        rows.append((record["name"], *values, not broken, "\n".join(lines)))
    note = f" Outside the plotted range: {', '.join(outside)}." if outside else ""
    note += f" Not on these axes: {', '.join(unknown)}." if unknown else ""
    return pd.DataFrame(rows, columns=["name", "x", "y", "met", "text"]), note


def _figure_of(record: ReferenceRecord, name: str) -> float | None:
    value = record["values"].get(name, record["measured"].get(name, {}).get("value"))
    return value if isinstance(value, (int, float)) else None


def _near(value: float, scale: str, drawn: np.ndarray) -> bool:
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return True
    if scale == "log":
        if value <= 0:
            return False
        value, drawn = np.log10(value), np.log10(drawn)
    low, high = float(drawn.min()), float(drawn.max())
    span = high - low or abs(high) or 1.0
    return bool(low - span <= value <= high + span)


def _scale(*columns: pd.Series) -> str:
    return axis_scale(np.concatenate([column.to_numpy(dtype=float) for column in columns]))


def axis_scale(values: np.ndarray) -> str:
    """Return "log" for an axis whose values are positive and span more than a decade and a half, else "linear"."""
    wide = len(values) and values.min() > 0 and values.max() > _LOGARITHMIC * values.min()
    return "log" if wide else "linear"


def front_figure(view: FrontView) -> go.Figure:
    """Draw the frontier as a plotly figure; plotly reads texts as HTML, so they are escaped."""
    import plotly.graph_objects as go

    figure = go.Figure()

    def points(frame: pd.DataFrame, name: str, **marker: object) -> None:
        if len(frame):
            figure.add_scatter(
                x=frame["x"].to_numpy(),
                y=frame["y"].to_numpy(),
                mode="markers",
                name=f"{html.escape(name, quote=False)} ({format_number(len(frame))})",
                marker=marker,
                hoverinfo="text",
                hovertext=[html.escape(text, quote=False).replace("\n", "<br>") for text in frame["text"]],
            )

    points(view.infeasible, "infeasible", color=_INFEASIBLE, size=5, symbol="x-thin-open", opacity=0.6)
    points(view.dominated, "dominated", color=_DOMINATED, size=6, opacity=0.45)
    if view.steps and len(view.front) > 1:
        line = {"color": _FRONT, "width": 1.5, "shape": view.steps}
        x, y = view.front["x"].to_numpy(), view.front["y"].to_numpy()
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    name, groups = "frontier" if view.exact else "best found", groups_of(view.front)
    for outside, (group, group_name) in product((False, True), ((group, group.name or name) for group in groups)):
        rows = view.front[group.rows & (view.front["extrapolated"].to_numpy() == outside)]
        style: dict[str, object] = {
            "size": 9,
            "symbol": f"{group.shape}-open" if outside else group.shape,
            "color": group.colour or _FRONT,
            "line": {"width": 2 if outside else 0},
        }
        if "colour" in rows:
            style |= {"color": rows["colour"].to_numpy(), "coloraxis": "coloraxis"}
        points(rows, f"{group_name}, extrapolated" if outside else group_name, **style)

    for met, symbol, broken in ((True, "diamond", ""), (False, "diamond-open", ", a constraint broken")):
        rows = view.references[view.references["met"] == met]
        points(rows, f"references{broken}", size=11, symbol=symbol, color=_INK, line={"width": 1 if met else 2})
        if len(rows):
            names = [html.escape(name, quote=False) for name in rows["name"]]
            font = {"size": 11, "color": _INK}
            figure.data[-1].update(mode="markers+text", text=names, textposition="middle right", textfont=font)

    titles = [_axis_title(title, sense) for title, sense in zip(view.axes, view.senses, strict=True)]
    line = {"gridcolor": _GRID, "linecolor": _GRID, "zeroline": False, "showline": True, "ticks": "outside"}
    line |= {"tickcolor": _GRID, "automargin": True, "nticks": 8, "exponentformat": "none"}
    scales = [{"type": scale, "tickformat": ",~g" if scale == "log" else ""} for scale in view.scales]
    figure.update_layout(
        template="none",
        height=520,
        margin={"l": 70, "r": 20, "t": 50, "b": 80},
        font={"family": "system-ui, sans-serif", "size": 13, "color": _INK},
        paper_bgcolor="#ffffff",
        plot_bgcolor="rgba(0,0,0,0)",
        separators=".\u202f",
        hovermode="closest",
        hoverlabel={"align": "left"},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "xanchor": "left",
            "yanchor": "bottom",
            "itemsizing": "constant",
        },
        xaxis={"title": {"text": titles[0]}, **scales[0], **line},
        yaxis={"title": {"text": titles[1]}, **scales[1], **line},
    )
    if view.note:
        lines = [html.escape(line, quote=False) for line in textwrap.wrap(view.note, _NOTE_WIDTH)]
        title_style = {"x": 0, "xanchor": "left", "y": 0, "yanchor": "bottom", "font": {"size": 11}}
        # Plotly sets the first line to the anchor, and the others below it.
        title_style["pad"] = {"l": 12, "b": 15 * len(lines) - 7}
        figure.update_layout(title={"text": "<br>".join(lines), **title_style}, margin={"b": 70 + 15 * len(lines)})
    if view.marks:
        title = html.escape(" and ".join(dict.fromkeys(view.marks)), quote=False)
        figure.update_layout(legend={"title": {"text": title, "font": {"size": 13}}})
    if len(titles) == 3:
        bar = {"title": {"text": titles[2], "side": "right"}, "outlinewidth": 0, "thickness": 14}
        figure.update_layout(coloraxis={"colorscale": list(PAPER.scale), "colorbar": bar})
    if view.synthetic:
        place = {"xref": "paper", "yref": "paper", "x": 1, "y": 1, "xanchor": "right", "yanchor": "top"}
        figure.add_annotation(text="synthetic data", showarrow=False, font={"color": "#d9780a", "size": 13}, **place)
    return figure


def _axis_title(title: str, sense: str) -> str:
    better = {"min": ", lower is better", "max": ", higher is better", "": ""}[sense]
    return html.escape(title, quote=False) + better
