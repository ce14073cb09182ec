"""What `dse explain --along` prints: objectives along the parts of a split space, as plots and as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dse.cli.text.line_plot import MARKS, Marked, line_plot
from dse.cli.text.output import console, say, shown, table
from dse.report.words.along import band_text, headings, row_texts

if TYPE_CHECKING:
    from dse.analysis.explain.parts import Curve, PartPoint

__all__ = ["along_json", "print_along"]

_END = "·"
_HEIGHT = 12


def print_along(curves: Sequence[Curve], points: Sequence[PartPoint], label: Callable[[str], str]) -> None:
    """Print the curves of the objectives, the first as a plot, all as a table each.

    Parameters
    ----------
    curves : sequence of Curve
    points : sequence of PartPoint
        What they go through.
    label : callable
        What people read instead of the name of a quantity.
    """
    first = curves[0]
    say(f"{label(first.quantity)} along {label(first.column)}", style="bold")
    for line in _plot(first):
        say(line)
    keys = [f"{MARKS[0]} {label(first.quantity)}"]
    keys += [f"{MARKS[1 + place]} with {other}" for place, other in enumerate(first.others)]
    keys += [f"{_END} ends of the band"] if first.banded else []
    say("   ".join(keys))
    say()
    for curve in curves:
        heads = headings([curve], label)
        rows = [row_texts([curve], place, point.part) for place, point in enumerate(points)]
        table(heads, rows, right=[0, *range(2, len(heads))])
    if any(curve.banded for curve in curves):
        say(band_text(first).replace("The dark band", "By laws alike").replace("the light one", "the other band"))
    say("all else is as in the design; of what is a part's own, such as the shape, the best is taken")


def along_json(curves: Sequence[Curve], points: Sequence[PartPoint]) -> list[dict[str, object]]:
    """Return the curves as JSON has them: SI numbers, units beside them."""
    return [
        {
            "quantity": curve.quantity,
            "unit": curve.unit,
            "along": curve.column,
            "points": [
                {
                    "value": curve.values[place],
                    "design": point.number,
                    "part": point.part,
                    "objective": curve.points[place],
                    "band": list(curve.band[place]),
                    "reach": list(curve.reach[place]),
                    "others": {other: values[place] for other, values in curve.others.items()},
                    "efficiency": curve.efficiency[place] if curve.efficiency else None,
                }
                for place, point in enumerate(points)
            ],
        }
        for curve in curves
    ]


def _plot(curve: Curve) -> list[str]:
    ends = [Marked(x, end, _END) for x, reach in zip(curve.values, curve.reach, strict=True) for end in reach]
    others = [
        Marked(x, y, MARKS[1 + place])
        for place, values in enumerate(curve.others.values())
        for x, y in zip(curve.values, values, strict=True)
    ]
    own = [Marked(x, y, MARKS[0]) for x, y in zip(curve.values, curve.points, strict=True)]
    # Drawn in this order, so that of two at one place the curve itself is seen; points rise along x for the plot.
    drawn = sorted([*(ends if curve.banded else []), *others, *own], key=lambda point: point.x)
    return line_plot(
        drawn,
        width=min(console().width, 100),
        height=_HEIGHT,
        x_text=partial(shown, unit=curve.column_unit),
        y_text=partial(shown, unit=curve.unit),
    )
