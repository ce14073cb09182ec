"""The picture of an operation in a report: the time of every algorithm, which is taken, and what the design takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log10

import numpy as np

from dse.authoring.picture import Box, Dot, Drawing, Kind, Line, Picture, Shape, Text
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.registry import ALGORITHMS, COLLECTIVES
from dse.models.collectives.costs.best import best
from dse.models.collectives.quantities import BEST, NAMES, NETWORK
from dse.units import with_unit

__all__ = ["KINDS", "LEFT", "ROW", "WIDTH", "bars_of_times", "operation_pictures"]

LEFT, _RIGHT, ROW, _TOP = 190.0, 560.0, 24.0, 20.0
WIDTH = _RIGHT + 90
KINDS = {
    "taken": Kind("blue", "taken"),
    "other": Kind("grey", "others, at their best arity and pieces"),
    "design": Kind("orange", "this design"),
    "axis": Kind("rule"),
    "words": Kind("ink"),
}


def operation_pictures() -> dict[str, Picture]:
    """Return a picture of each operation, by the name ``draw_<operation>``."""
    pictures = {}
    for collective, names in NAMES.items():
        pictures[f"draw_{collective}"] = Picture(
            name=f"draw_{collective}",
            function=_drawer(collective),
            needs=(names.time, names.choice, "collective_processes", "collective_message_size", *NETWORK),
            title=f"Algorithms of {collective}",
            slot=names.slot,
            providers=(*BEST, *COLLECTIVES[collective]),
            doc="The least time of every algorithm, with any arity and pieces, and the design's own.",
            module="collectives",
        )
    return pictures


def _drawer(collective: str) -> Callable[..., Drawing]:
    names = NAMES[collective]

    def drawn(**values: float) -> Drawing:
        net = LogGP(**{name.removeprefix("loggp_"): values[name] for name in NETWORK})
        size = 0.0 if collective == "barrier" else values["collective_message_size"]
        taken = ALGORITHMS[int(values[names.choice])]
        return _drawing(collective, int(values["collective_processes"]), size, net, values[names.time], taken)

    return drawn


def _drawing(collective: str, processes: int, size: float, net: LogGP, time: float, taken: str) -> Drawing:
    times = {
        name: float(best(collective, processes, size, net, among=(name,)).time)
        for name, algorithm in COLLECTIVES[collective].items()
        if algorithm.is_defined(np.array([processes]))[0]
    }
    shapes = bars_of_times(times, time, taken, _TOP)
    asked = f"{collective} of {with_unit(size, 'B')} on {processes:,} processes"
    caption = f"{asked}: {taken} is taken, {with_unit(time, 's')}. Times are drawn on a logarithmic scale."
    return Drawing(WIDTH, _TOP + ROW * (len(times) + 0.5), tuple(shapes), KINDS, caption, caption)


def bars_of_times(times: Mapping[str, float], time: float, taken: str, top: float) -> list[Shape]:
    """Return a bar for each algorithm, the fastest first, `ROW` high each; a dot is the time of the design."""
    positive = [value for value in (*times.values(), time) if value > 0] or [1.0]
    low, high = log10(min(positive)) - 0.2, log10(max(positive)) + 0.01

    def place(value: float) -> float:
        return LEFT + (_RIGHT - LEFT) * ((log10(value) - low) / (high - low) if value > 0 else 0.0)

    shapes: list[Shape] = [Line(LEFT, top - 8, LEFT, top + ROW * len(times), "axis")]
    for row, (name, value) in enumerate(sorted(times.items(), key=lambda item: item[1])):
        middle, end = top + ROW * (row + 0.5), place(value)
        kind = "taken" if name == taken else "other"
        shapes.append(Box((LEFT + end) / 2, middle, max(end - LEFT, 1.0), ROW * 0.6, kind))
        shapes.append(Text(LEFT - 8, middle + 4, name, "words", anchor="end"))
        shapes.append(Text(end + 6, middle + 4, with_unit(value, "s"), "words", anchor="start"))
        if name == taken:
            shapes.append(Dot(place(time), middle, 5.0, "design"))
    return shapes
