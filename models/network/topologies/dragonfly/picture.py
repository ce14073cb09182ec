"""Dragonfly: all groups with the wiring of the model, or all groups and one of them in detail."""

from __future__ import annotations

import math

from dse.authoring.picture import Drawing, picture
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
    whole,
)
from dse.models.network.topologies.dragonfly.wiring import links_per_pair, port_to, switch_of_port
from dse.units import format_number

__all__ = ["draw_dragonfly"]


@picture(title="Dragonfly", slot="topology", provider="dragonfly")
def draw_dragonfly(
    group_switches: float,
    nodes_per_switch: float,
    global_ports: float,
    groups: float,
    optical_node_share: float = 0.0,
    optical_local_share: float = 0.0,
    optical_global_share: float = 1.0,
) -> Drawing:
    """Groups of switches, all linked inside; each pair of groups is linked by the same number of cables."""
    a, p, h, g = map(whole, (group_switches, nodes_per_switch, global_ports, groups))
    sketch = Sketch()
    copies = links_per_pair(a, h, g) if g > 1 else 0
    pairs = g * (g - 1) // 2
    whole_graph = a * g <= 80 and g * a * (a - 1) // 2 + pairs * copies <= 700
    if whole_graph:
        height = _dragonfly_graph(sketch, a, p, h, g, copies)
        drawn = ""
    else:
        height, drawn = _dragonfly_scheme(sketch, a, p, h, g, copies)
    name = f"Dragonfly of {counted(g, 'group')} of {counted(a, 'switch', 'switches')}, {counted(h, 'global link')} each"
    return sketch.drawing(
        height,
        [
            Cables("local", g * a * (a - 1) // 2, "inside groups", optical_local_share),
            Cables("global", g * a * h // 2 if g > 1 else 0, "between groups", optical_global_share),
        ],
        switches=a * g,
        nodes=a * g * p,
        node_links=a * g * p,
        node_share=optical_node_share,
        caption=caption(name, a * g, a * g * p, drawn, each=p),
        description="Groups of switches on a circle; in a group each switch is linked with each, and each pair of "
        f"groups is linked by {counted(copies, 'cable')}.",
    )


def _dragonfly_graph(sketch: Sketch, a: int, p: int, h: int, g: int, copies: int) -> float:
    """Draw all switches and cables, wired as the model has them."""
    centre = (MIDDLE, 178.0)
    orbit = 122.0 if g > 1 else 0.0
    room = min(48.0, 0.46 * 2 * orbit * math.sin(math.pi / g)) if g > 1 else 120.0
    radius = 0.58 * room if a > 1 else 0.0
    size = min(11.0, max(4.5, 0.42 * 2 * math.pi * radius / a)) if a > 1 else 10.0
    reach = radius + size / 2 + min(9.0, 0.2 * room + 2)
    pitch = min(6.0, 0.8 * 2 * math.pi * reach / max(a, 2) / p)
    everyone = pitch >= 3.2 and a * g * p <= MOST_NODES
    spots: dict[tuple[int, int], Point] = {}
    for group in range(g):
        turn = group / g
        middle = around(centre, orbit, turn)
        if g > 1 and a > 1:
            sketch.disc(middle, min(reach + 7, room))
        # Ports to the next groups are those of the first switches, so these stand on that side.
        angles = [turn + (i + 0.5) / a for i in range(a)] if a > 1 else [turn]
        for i, angle in enumerate(angles):
            at = spots[group, i] = around(middle, radius, angle)
            sketch.switch(at, size)
            if everyone:
                for node in outward(middle, reach, angle, p, pitch):
                    sketch.node(at, node, min(2.2, 0.4 * pitch))
            elif group == i == 0:
                node = around(middle, reach, angle)
                sketch.node(at, node, 2.2)
                sketch.word((node[0] + 6, node[1] + 3), f"× {format_number(p)} at each switch", "start", 10)
        for i in range(a):
            for j in range(i + 1, a):
                sketch.link(spots[group, i], spots[group, j], "local")
    for group in range(g):
        for port in range(copies * (g - 1)):
            copy, offset = divmod(port, g - 1)
            other, end = (group + offset + 1) % g, port_to(g - offset - 1, copy, g)
            if (group, port) < (other, end):
                near = min(offset + 1, g - offset - 1) == 1
                pull = (0.1 if near and g > 3 else 0.45) + 0.4 * copy / copies
                sketch.towards(
                    spots[group, switch_of_port(port, h)], spots[other, switch_of_port(end, h)], centre, pull, "global"
                )
    return 356.0


def _dragonfly_scheme(sketch: Sketch, a: int, p: int, h: int, g: int, copies: int) -> tuple[float, str]:
    """Draw the groups at the left, one of them at the right."""
    centre, orbit = (104.0, 132.0), 86.0
    chosen = slots(g, 20 if g <= 20 else 14)
    places = [around(centre, orbit if g > 1 else 0.0, 0.25 + i / len(chosen)) for i in range(len(chosen))]
    shown = [i for i, group in enumerate(chosen) if group is not None]
    size = min(18.0, 0.5 * 2 * math.pi * orbit / len(chosen))
    for i in shown:
        sketch.block(places[i], size)
        for j in shown:
            if j > i:
                sketch.link(places[i], places[j], "global")
    if None in chosen:
        out = chosen.index(None)
        sketch.gap(places[out], around((0.0, 0.0), 5.0, 0.5 + out / len(chosen)))
        for i in shown:
            sketch.stub(places[i], places[out], "global")
    inside, radius = (312.0, 132.0), 56.0
    members = sketch.mesh_ring(inside, radius if a > 1 else 0.0, a, 16 if a <= 16 else 12, kind="local")
    count = len(slots(a, 16 if a <= 16 else 12))
    sketch.frame(inside[0] - 100, inside[1] - 106, inside[0] + 100, inside[1] + 106)
    sketch.zoom(places[0], size, inside[0] - 100, inside[1] - 106, inside[1] + 106)
    width = min(12.0, max(5.0, 0.42 * 2 * math.pi * radius / count))
    cables, dots = min(h, 2), min(p, 2)
    pitch = min(8.0, 0.8 * 2 * math.pi * (radius + 20) / count / (cables + dots))
    for _, at, angle in members:
        sketch.switch(at, width)
        ends = list(outward(inside, radius + width / 2 + 14, angle, cables + dots, pitch))
        for end in ends[:dots]:
            sketch.node(at, end, min(2.2, 0.36 * pitch))
        for end in ends[dots:]:
            if g > 1:
                far = (at[0] + 1.5 * (end[0] - at[0]), at[1] + 1.5 * (end[1] - at[1]))
                sketch.link(at, far, "global")
    each = f"{counted(copies, 'cable')} per pair" if copies else ""
    sketch.word((centre[0], 256.0), counted(g, "group"))
    sketch.word((centre[0], 270.0), each, size=10)
    sketch.word((inside[0], 256.0), f"one group: {counted(a, 'switch', 'switches')}")
    sketch.word((inside[0], 270.0), f"each: {counted(p, 'node')}, {counted(h, 'global link')}", size=10)
    return 280.0, "one group and the pairs of groups drawn"
