"""A line plot for the terminal: one value over another, points marked by what they belong to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from dse.report.charts.chart_axis import evener

__all__ = ["MARKS", "Marked", "axis_labels", "line_plot"]

MARKS = "●○■□▲△◆◇★☆"
_SPREAD = 10.0  # values that spread further stand on a logarithmic axis
_LEAST_WIDTH, _NARROW = 24, 50


class Marked(NamedTuple):
    """A point of the plot, finite, and the character it is drawn with."""

    x: float
    y: float
    mark: str


def line_plot(
    points: Sequence[Marked],
    *,
    width: int,
    height: int = 10,
    x_text: Callable[[float], str],
    y_text: Callable[[float], str],
    verticals: Sequence[float] = (),
    limits: Sequence[float] = (),
    level: bool = False,
) -> list[str]:
    """Draw points; the axis of y is logarithmic where its values spread far, that of x where they stand evener so.

    Parameters
    ----------
    points : sequence of Marked
        By rising x.
    width, height : int
        Of the whole, and of the plot itself, in characters.
    x_text, y_text : callable
        How a value is written.
    verticals : sequence of float
        Where along x a line stands from top to bottom.
    limits : sequence of float
        Values of y at which a dashed line stands, if they are in the range of the points.
    level : bool
        Whether the value of a point holds until the next one.

    Returns
    -------
    list of str
        The lines; none where there are less than two points.
    """
    if len(points) < 2:
        return []
    ys = [point.y for point in points]
    low, high = min(ys), max(ys)
    log = low > 0 and high > _SPREAD * low

    def scaled(y: float) -> float:
        return math.log10(y) if log else y

    bottom, top = scaled(low), scaled(high)
    rows = height if top > bottom else 1
    at = [round(row * (rows - 1) / 2) for row in (0, 1, 2)] if rows > 1 else [0]
    ends = {row: top - (top - bottom) * row / max(1, rows - 1) for row in at}
    labels = {row: y_text(10**value if log else value) for row, value in ends.items()}
    margin = max(len(text) for text in labels.values())
    columns = max(_LEAST_WIDTH, width - margin - 3)
    even = evener([point.x for point in points])

    def along(x: float) -> float:
        return math.log10(x) if even else x

    first, last = along(points[0].x), along(points[-1].x)

    def column(x: float) -> int:
        return round((along(x) - first) / (last - first) * (columns - 1)) if last > first else 0

    def row_of(y: float) -> int:
        return round((top - scaled(y)) / (top - bottom) * (rows - 1)) if rows > 1 else 0

    grid = [[" "] * columns for _ in range(rows)]
    for limit in limits:
        if low <= limit <= high:
            grid[row_of(limit)] = ["╌"] * columns
    for x in verticals:
        for line in grid:
            line[column(x)] = "┊"
    if level:
        for start, other in pairwise(points):
            for place in range(column(start.x), column(other.x)):
                grid[row_of(start.y)][place] = "─"
    for point in points:
        grid[row_of(point.y)][column(point.x)] = point.mark
    lines = [
        f"{labels.get(row, ''):>{margin}} {'┤' if row in labels else '│'}{''.join(grid[row])}".rstrip()
        for row in range(rows)
    ]
    middle = (first + last) / 2
    lines.append(f"{'':>{margin}} └{'─' * columns}")
    return [
        *lines,
        " " * (margin + 2) + axis_labels([points[0].x, 10**middle if even else middle, points[-1].x], x_text, columns),
    ]


def axis_labels(values: Sequence[float], text: Callable[[float], str], columns: int) -> str:
    """Return the ends of an axis, and its middle where there is room."""
    first, middle, last = (text(value) for value in values)
    gap = columns - len(first) - len(last)
    if columns < _NARROW or gap < len(middle) + 4:
        return first + " " * max(1, gap) + last
    before = max(1, columns // 2 - len(first) - len(middle) // 2)
    return first + " " * before + middle + " " * max(1, gap - before - len(middle)) + last
