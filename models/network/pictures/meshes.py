"""A full mesh, and rings of switches."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dse.authoring.picture import Drawing
from dse.models.network.pictures.sketch import (
    MIDDLE,
    MOST_NODES,
    Cables,
    Point,
    Sketch,
    around,
    caption,
    counted,
    outward,
    slots,
)
from dse.units import format_number

__all__ = ["circle", "mesh_drawing", "ring_of_switches"]


def mesh_drawing(switches: int, per_switch: int, name: str, node_share: float, share: float) -> Drawing:
    """Draw a full mesh, whatever it is called."""
    sketch = Sketch()
    most = 40 if switches <= 40 else 14
    centre, radius = circle(switches)
    shown = sketch.mesh_ring(centre, radius, switches, most)
    ring_of_switches(sketch, centre, radius, shown, len(slots(switches, most)), per_switch)
    drawn = f"{len(shown)} of {counted(switches, 'switch', 'switches')} drawn" if len(shown) < switches else ""
    return sketch.drawing(
        2 * centre[1],
        [Cables("link", switches * (switches - 1) // 2, "between switches", share)],
        switches=switches,
        nodes=switches * per_switch,
        node_links=switches * per_switch,
        node_share=node_share,
        caption=caption(name, switches, switches * per_switch, drawn, each=per_switch),
        description="Switches on a circle; each is linked with each of the others.",
    )


def circle(count: int) -> tuple[Point, float]:
    """Return the place and the radius of a ring of switches."""
    radius = 122.0 if count > 4 else (0.0, 60.0, 80.0, 100.0)[count - 1]
    return (MIDDLE, radius + 48.0), radius


def ring_of_switches(
    sketch: Sketch,
    centre: Point,
    radius: float,
    shown: Sequence[tuple[int, Point, float]],
    places: int,
    per_switch: int,
) -> None:
    """Draw the switches of a ring with their nodes outside of it."""
    size = min(14.0, max(5.0, 0.5 * 2 * math.pi * radius / places)) if places > 1 else 14.0
    reach = radius + size / 2 + 12
    pitch = min(7.0, 0.85 * 2 * math.pi * reach / places / per_switch)
    everyone = pitch >= 3.6 and len(shown) * per_switch <= MOST_NODES
    for place, (_, at, angle) in enumerate(shown):
        sketch.switch(at, size)
        if everyone:
            for node in outward(centre, reach, angle, per_switch, pitch):
                sketch.node(at, node, min(2.4, 0.4 * pitch))
        elif place == 0:
            node = around(centre, reach, angle)
            sketch.node(at, node, 2.4)
            sketch.word((node[0] + 7, node[1] + 3), f"× {format_number(per_switch)} at each switch", "start", 10)
