"""The picture of checkpoints in a report: time lost by the interval, and where the best interval of a design is."""

from __future__ import annotations

from itertools import pairwise
from math import log10

import numpy as np

from dse.authoring.picture import Dot, Drawing, Kind, Line, Shape, Text, picture
from dse.models.resilience.drawing import loss_view
from dse.units import with_unit

__all__: list[str] = []

_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 560.0, 20.0, 260.0
_TITLE = "Checkpoints and failures"


def _drawing(cost: float, mean: float, restart: float) -> Drawing:
    view = loss_view(cost, mean, restart)
    wall = view.shares.wall
    parts = (
        ("checkpoints", view.shares.checkpoints / wall),
        ("rework", (view.shares.busy - 1.0) / wall),
        ("restarts", view.shares.restarts / wall),
        ("lost", 1.0 - 1.0 / wall),
    )
    low, high = log10(view.intervals[0]), log10(view.intervals[-1])

    def place(interval: float, share: float) -> tuple[float, float]:
        x = _LEFT + (_RIGHT - _LEFT) * (log10(interval) - low) / (high - low)
        return x, _BOTTOM - (_BOTTOM - _TOP) * min(max(share, 0.0), 1.0)

    shapes: list[Shape] = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = place(view.intervals[0], share)[1]
        shapes.append(Line(_LEFT, y, _RIGHT, y, "rule"))
        shapes.append(Text(_LEFT - 6, y + 4, f"{100 * share:g} %", "words", anchor="end"))
    for name, values in parts:
        points = [place(*pair) for pair in zip(view.intervals[::4], np.asarray(values)[::4], strict=True)]
        shapes += [Line(*start, *other, name) for start, other in pairwise(points)]
    best, lost = view.centre, 1.0 - float(view.found.efficiency)
    shapes.append(Dot(*place(best, lost), 5.0, "best"))
    for interval, anchor in ((view.intervals[0], "start"), (best, "middle"), (view.intervals[-1], "end")):
        x = place(float(interval), 0.0)[0]
        shapes.append(Text(x, _BOTTOM + 18, with_unit(float(interval), "s"), "words", anchor=anchor))
    kinds = {
        "lost": Kind("ink", "time lost", width=2.0),
        "checkpoints": Kind("blue", "by checkpoints", width=1.5),
        "rework": Kind("orange", "by rework", width=1.5),
        "restarts": Kind("green", "by restarts", width=1.5),
        "best": Kind("red", "best interval"),
        "rule": Kind("rule", soft=True),
        "words": Kind("ink"),
    }
    caption = (
        f"A checkpoint of {with_unit(cost, 's')}, a failure every {with_unit(mean, 's')}, a restart of "
        f"{with_unit(restart, 's')}: best after {with_unit(best, 's')} of work, {100 * (1 - lost):.1f} % of the "
        "time is useful. Intervals are drawn on a logarithmic scale."
    )
    return Drawing(_RIGHT + 30, _BOTTOM + 30, tuple(shapes), kinds, caption, caption)


@picture(title=_TITLE, slot="checkpoint_store", provider="shared")
def draw_shared_checkpoints(checkpoint_cost, system_mean_time_between_failures, restart_cost):
    """Time lost over the interval between checkpoints to a shared store."""
    return _drawing(checkpoint_cost, system_mean_time_between_failures, restart_cost)


@picture(title=_TITLE, slot="checkpoint_store", provider="node-local")
def draw_local_checkpoints(checkpoint_cost, system_mean_time_between_failures, restart_cost):
    """Time lost over the interval between checkpoints to the stores of the nodes."""
    return _drawing(checkpoint_cost, system_mean_time_between_failures, restart_cost)
