"""The picture of the collective operations of a machine: the time of a call of each by every algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from dse.authoring.picture import Drawing, Picture, Shape, Text
from dse.models.collectives.algorithms.registry import ALGORITHMS
from dse.models.collectives.in_machines.costs import IN_MACHINES, call_costs
from dse.models.collectives.pictures import KINDS, LEFT, ROW, WIDTH, bars_of_times
from dse.models.collectives.whole_machine import NETWORKS, machines_of, needs_of_machine
from dse.units import with_unit

__all__ = ["collective_pictures"]

_OF_CALL = ("calls", "size", "time", "choice")
_HEAD = 34.0


def collective_pictures() -> dict[str, Picture]:
    """Return the picture by its name."""
    of_machines = (name for topology in NETWORKS for name in needs_of_machine(topology))
    of_calls = (f"{collective}_{part}" for collective in IN_MACHINES for part in _OF_CALL)
    picture = Picture(
        name="draw_collectives",
        function=_drawn,
        needs=("collective_topology", "machine_processes"),
        optional=tuple(name for name in dict.fromkeys((*of_calls, *of_machines)) if name != "machine_processes"),
        title="Collective operations",
        slot="collective_network",
        providers=("by-rounds", "flat"),
        doc="Of each operation that is called, the time of every algorithm, and of the one that the design takes.",
        module="collectives",
    )
    return {picture.name: picture}


def _drawn(**values: Any) -> Drawing:
    topology, processes = NETWORKS[int(values["collective_topology"])], int(values["machine_processes"])
    names = needs_of_machine(topology)
    machines = machines_of(topology, {name: np.full(1, float(values[name])) for name in names})
    shapes: list[Shape] = []
    call_texts: list[str] = []
    top = 0.0
    for collective in IN_MACHINES:
        if not values.get(f"{collective}_calls"):
            continue
        size, time = values[f"{collective}_size"], values[f"{collective}_time"]
        taken = ALGORITHMS[int(values[f"{collective}_choice"])]
        times: dict[str, float] = {}
        for name, cost in call_costs(collective, machines, np.zeros(1, dtype=int), np.full(1, size), np.zeros(1)):
            times[name] = min(times.get(name, np.inf), float(cost.time[0]))
        head = f"{collective} of {with_unit(size, 'B')}"
        shapes.append(Text(LEFT, top + 16.0, head, "words", anchor="start", size=13.0))
        shapes += bars_of_times(times, time, taken, top + _HEAD)
        top += _HEAD + ROW * (len(times) + 0.5)
        call_texts.append(f"{head} takes {with_unit(time, 's')} by {taken}")
    calls = "; ".join(call_texts) or "none is called"
    caption = f"Collective operations of {processes:,} processes: {calls}. Times are drawn on a logarithmic scale."
    return Drawing(WIDTH, max(top, ROW), tuple(shapes), KINDS, caption, caption)
