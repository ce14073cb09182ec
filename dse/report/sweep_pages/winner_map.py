"""The page of a map of winners: a grid of cells, told by colour and shape, ties hatched, and the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from dse.report.charts.line_chart import TONES, Chart, Mark, chart_figure, marker, tone_key
from dse.report.html.tags import Html, table, tag
from dse.report.sweep_pages.chart_page import account, cell_text, sentence, write_page
from dse.report.words.sweep import describe_rule, describe_ties, winner_text
from dse.study.build.labels import label_of
from dse.units import display_unit, with_unit

if TYPE_CHECKING:
    from dse.analysis.sweep.winner_map import Cell, WinnerMap

__all__ = ["write_map"]

_STYLE = """
.map { display: block; width: 100%; max-width: 34rem; height: auto; }
.map .cell { fill: var(--tone); opacity: .3; }
.map .tie { fill: url(#tie); }
.map .edge { stroke: var(--ink); stroke-width: 1.6; fill: none; }
.sample { width: 1.1rem; height: 1.1rem; }
.sample rect { stroke: var(--quiet); }
.ties .tie { fill: url(#tie); }
.ties .nothing { fill: url(#nothing); }
.crossed { stroke: var(--ink); stroke-width: .9; opacity: .45; fill: none; }
"""
_TIES = Html(
    '<svg class="hatching" aria-hidden="true"><defs><pattern id="tie" width="6" height="6" '
    'patternUnits="userSpaceOnUse"><path d="M0 6L6 0M0 0L6 6" class="crossed"/></pattern></defs></svg>'
)
_NARROWEST, _WIDEST = 18.0, 40.0  # of a cell, in user units
_LETTER = 6.6
_LINES = 6  # of a family


def write_map(winner_map: WinnerMap, path: str | Path, question: str = "") -> Path:
    """Write the page of a map of winners.

    Parameters
    ----------
    winner_map : WinnerMap
    path : path
        The file to write.
    question : str
        Of the study.
    """
    x, y = (label_of(winner_map.labels, name) for name in (winner_map.x, winner_map.y))
    about = f"{describe_rule(winner_map.rule, winner_map.labels)} over {x} and {y}"
    return write_page(path, winner_map.study, about, question, winner_map.synthetic, _main(winner_map), _STYLE)


def _main(winner_map: WinnerMap) -> Iterator[Html]:
    yield _TIES
    tones = {winner: place for place, winner in enumerate(winner_map.winners)}
    counts = {winner: sum(cell.winner == winner for cell in winner_map.cells) for winner in winner_map.winners}
    yield tag("h2", "Which design is the best")
    keys = [
        (
            tone,
            f"{winner_text(winner, winner_map.by, winner_map.units, winner_map.labels)}: "
            f"{counts[winner]} of {len(winner_map.cells)}",
        )
        for winner, tone in tones.items()
    ]
    yield tone_key(keys)
    samples = []
    if any(cell.winner is None for cell in winner_map.cells):
        samples.append(_sample("nothing", "nothing feasible"))
    if any(cell.close for cell in winner_map.cells):
        samples.append(_sample("tie", "another is as good within the model's error"))
    if samples:
        yield tag("ul", *samples, class_="keys ties")
    yield tag("p", sentence(describe_ties(winner_map)), class_="note")
    yield _svg(winner_map, tones)
    if families := list(_families(winner_map)):
        along, each = (label_of(winner_map.labels, name) for name in (winner_map.x, winner_map.y))
        yield tag("h2", f"The best design along {along}, a line for each {each}")
        yield tag("div", *families, class_="charts")
    yield tag("h2", "Every cell")
    heads = [label_of(winner_map.labels, name) for name in (winner_map.x, winner_map.y, *winner_map.objectives)]
    rows = [
        [
            with_unit(cell.x, winner_map.x_unit),
            with_unit(cell.y, winner_map.y_unit),
            *(cell_text(cell.design, name, winner_map.units) for name in winner_map.objectives),
            winner_text(cell.winner, winner_map.by, winner_map.units, winner_map.labels),
            ", ".join(winner_text(winner, winner_map.by, winner_map.units, winner_map.labels) for winner in cell.close),
        ]
        for cell in winner_map.cells
    ]
    listed = table([*heads, "best", "as good within the error"], rows, range(len(heads)))
    yield tag("details", tag("summary", f"All {len(rows)} cells"), listed)
    yield account(winner_map.searches, winner_map.evaluated)


def _families(winner_map: WinnerMap) -> Iterator[Html]:
    """Return a chart of each quantity over x: a line for each value of y, of many some, evenly, the ends among them."""
    ys = winner_map.ys
    places = sorted({round(place * (len(ys) - 1) / (_LINES - 1)) for place in range(_LINES)})
    y_name = label_of(winner_map.labels, winner_map.y)
    for name in winner_map.objectives:
        marks: list[Mark] = []
        lines: list[list[tuple[float, float]]] = []
        tones: list[int] = []
        keys = []
        for tone, y in enumerate(dict.fromkeys(ys[place] for place in places)):
            cells = [(cell.x, _number(cell, name)) for cell in winner_map.cells if cell.y == y]
            points = [(x, value) for x, value in cells if value is not None]
            where = f"{y_name} {with_unit(y, winner_map.y_unit)}"
            if points:
                keys.append((tone, where))
                marks += [
                    Mark(x, value, tone, f"{where}: {with_unit(value, winner_map.units[name])}") for x, value in points
                ]
                parts = list(_unbroken(cells))
                lines, tones = lines + parts, tones + [tone] * len(parts)
        if len({mark.x for mark in marks}) < 2:
            continue
        chart = Chart(
            label_of(winner_map.labels, name),
            label_of(winner_map.labels, winner_map.x),
            winner_map.x_unit,
            label_of(winner_map.labels, name),
            winner_map.units[name],
            marks=marks,
            lines=lines,
            line_tones=tones,
            limits=[(limit.value, limit.text) for limit in winner_map.limits if limit.quantity == name],
            x_values=winner_map.xs,
        )
        yield chart_figure(chart, tone_key(keys))


def _number(cell: Cell, name: str) -> float | None:
    value = cell.design.get(name) if cell.design else None
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _unbroken(cells: Sequence[tuple[float, float | None]]) -> Iterator[list[tuple[float, float]]]:
    """Return the stretches along x in which something is feasible."""
    for known, run in groupby(cells, key=lambda cell: cell[1] is not None):
        if known:
            yield [(x, value) for x, value in run if value is not None]


def _sample(look: str, label: str) -> Html:
    drawn = tag("rect", class_=look, x=0, y=0, width=18, height=18)
    return tag("li", tag("svg", drawn, class_="sample", viewBox="0 0 18 18", aria_hidden="true"), tag("span", label))


def _svg(winner_map: WinnerMap, tones: dict[str, int]) -> Html:
    """Return the grid: y upwards, a colour and a shape for each winner, lines where the winner changes."""
    xs, ys = winner_map.xs, winner_map.ys
    side = min(_WIDEST, max(_NARROWEST, 340.0 / len(xs)))
    y_texts, y_unit = _texts(ys, winner_map.y_unit)
    x_texts, x_unit = _texts(xs, winner_map.x_unit)
    left, top = 14 + _LETTER * max(len(text) for text in y_texts), 22.0
    width, height = left + side * len(xs) + 14, top + side * len(ys) + 42
    columns, rows = {x: i for i, x in enumerate(xs)}, {y: len(ys) - 1 - i for i, y in enumerate(ys)}
    pieces = []
    for cell in winner_map.cells:
        x, y = left + side * columns[cell.x], top + side * rows[cell.y]
        pieces.append(_cell(winner_map, cell, tones, x, y, side))
    pieces.append(tag("path", class_="edge", d=_edges(winner_map, left, top, side)))
    every_y = max(1, -(-len(ys) // 9))
    for place, (y_value, text) in enumerate(zip(ys, y_texts, strict=True)):
        if place % every_y == 0:
            at = top + side * (rows[y_value] + 0.5) + 4
            pieces.append(tag("text", text, x=f"{left - 6:.1f}", y=f"{at:.1f}", text_anchor="end"))
    longest = max(len(text) for text in x_texts)
    every_x = max(1, -(-int(_LETTER * (longest + 1.5)) // int(side)))
    for place, text in enumerate(x_texts):
        if place % every_x == 0:
            at, below = left + side * (place + 0.5), top + side * len(ys) + 16
            pieces.append(tag("text", text, x=f"{at:.1f}", y=f"{below:.1f}", text_anchor="middle"))
    y_name, x_name = (
        label_of(winner_map.labels, name) + unit for name, unit in ((winner_map.y, y_unit), (winner_map.x, x_unit))
    )
    pieces.append(tag("text", y_name, class_="name", x=4, y=13))
    below = top + side * len(ys) + 34
    pieces.append(tag("text", x_name, class_="name", x=f"{width - 14:.1f}", y=f"{below:.1f}", text_anchor="end"))
    return tag(
        "svg",
        tag("title", f"{describe_rule(winner_map.rule, winner_map.labels)} over {x_name} and {y_name}"),
        tag("desc", "Each cell has the colour and the shape of its best design; the table below has them all."),
        *pieces,
        class_="chart map",
        viewBox=f"0 0 {width:.1f} {height:.1f}",
        role="img",
    )


def _cell(winner_map: WinnerMap, cell: Cell, tones: dict[str, int], x: float, y: float, side: float) -> Html:
    box = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{side:.1f}", "height": f"{side:.1f}"}
    where = f"{with_unit(cell.x, winner_map.x_unit)}, {with_unit(cell.y, winner_map.y_unit)}"
    title = tag("title", f"{where}: {winner_text(cell.winner, winner_map.by, winner_map.units, winner_map.labels)}")
    if cell.winner is None:
        return tag("g", title, tag("rect", class_="nothing", **box))
    tone = tones[cell.winner]
    drawn = [tag("rect", class_=f"cell t{tone % TONES}", **box)]
    if cell.close:
        drawn.append(tag("rect", class_="tie", **box))
    move = f"translate({x + side / 2:.1f} {y + side / 2:.1f})"
    return tag("g", title, *drawn, tag("g", marker(tone), transform=move))


def _edges(winner_map: WinnerMap, left: float, top: float, side: float) -> str:
    """Return the lines between cells of different winners."""
    xs, ys = winner_map.xs, winner_map.ys[::-1]
    of = {(cell.x, cell.y): cell.winner for cell in winner_map.cells}
    path = []
    for row, y in enumerate(ys):
        for column, x in enumerate(xs):
            here = of[x, y]
            begin, upper = left + side * column, top + side * row
            if column + 1 < len(xs) and of[xs[column + 1], y] != here:
                path.append(f"M{begin + side:.1f} {upper:.1f}v{side:.1f}")
            if row + 1 < len(ys) and of[x, ys[row + 1]] != here:
                path.append(f"M{begin:.1f} {upper + side:.1f}h{side:.1f}")
    return "".join(path)


def _texts(values: Sequence[float], unit: str) -> tuple[list[str], str]:
    scale, written = display_unit(unit, max(abs(value) for value in values))
    return [f"{value / scale:.4g}" for value in values], f" [{written}]" if written else ""
