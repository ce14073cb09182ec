"""Slim Fly: the graph of the smallest one, columns of switches of the others."""

from __future__ import annotations

import math

from dse.authoring.picture import Drawing, picture
from dse.models.network.pictures.sketch import (
    MIDDLE,
    WIDTH,
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
from dse.units import format_number

__all__ = ["draw_slim_fly"]


@picture(title="Slim Fly", slot="topology", provider="slim-fly")
def draw_slim_fly(
    field_order: float, nodes_per_switch: float, optical_node_share: float = 0.0, optical_switch_share: float = 1.0
) -> Drawing:
    """Two sets of columns of switches; every switch is linked with one switch of each column of the other set."""
    q, p = whole(field_order), whole(nodes_per_switch)
    sketch = Sketch()
    switches = 2 * q * q
    if q == 5:
        height, drawn = _slim_fly_graph(sketch, q, p), ""
    else:
        height, drawn = _slim_fly_scheme(sketch, q, p)
    return sketch.drawing(
        height,
        [Cables("link", q * q * (3 * q - 1) // 2, "between switches", optical_switch_share)],
        switches=switches,
        nodes=switches * p,
        node_links=switches * p,
        node_share=optical_node_share,
        caption=caption(f"Slim Fly of order {format_number(q)}", switches, switches * p, drawn, each=p),
        description=f"Two sets of {q} columns of {q} switches; switches are linked inside a column, and each with one "
        "switch of every column of the other set, so that no two are more than two links apart.",
    )


def _slim_fly_graph(sketch: Sketch, q: int, p: int) -> float:
    """Draw the graph of McKay, Miller and Siran over the integers modulo a prime q = 4w + 1."""
    squares = {i * i % q for i in range(1, q)}
    pitch = (WIDTH - 12) / q
    radius, size = 0.27 * pitch, 7.0
    reach = radius + size / 2 + 8
    rows = (62.0, 262.0)
    spots: dict[tuple[int, int, int], Point] = {}
    room = min(5.0, 0.86 * 2 * math.pi * reach / q / p)
    for half, y in enumerate(rows):
        for column in range(q):
            middle = (6 + (column + 0.5) * pitch, y)
            for i in range(q):
                angle = i / q + 0.5 * half
                at = spots[half, column, i] = around(middle, radius, angle)
                sketch.switch(at, size)
                if room >= 3.2:
                    for node in outward(middle, reach, angle, p, room):
                        sketch.node(at, node, 0.4 * room)
                elif half == column == i == 0:
                    node = around(at, 12.0, 0.12)
                    sketch.node(at, node, 2.2)
                    sketch.word((node[0] + 5, node[1]), f"× {format_number(p)}", "start", 10)
            for i in range(q):
                for j in range(i + 1, q):
                    if ((j - i) in squares) != bool(half):
                        sketch.link(spots[half, column, i], spots[half, column, j])
    for x in range(q):
        for m in range(q):
            for c in range(q):
                sketch.link(spots[0, x, (m * x + c) % q], spots[1, m, c], "far")
    return 326.0


def _slim_fly_scheme(sketch: Sketch, q: int, p: int) -> tuple[float, str]:
    """Draw the columns as blocks, with one line for the q links between two of them."""
    chosen = slots(q, 10)
    left, right = 64.0, WIDTH - 4.0
    pitch = (right - left) / len(chosen)
    rows = (70.0, 222.0)
    width, height = min(24.0, 0.7 * pitch), 54.0
    middles = [left + (i + 0.5) * pitch for i in range(len(chosen))]
    for y in rows:
        for x, column in zip(middles, chosen, strict=True):
            if column is None:
                sketch.gap((x, y), (5.0, 0.0))
                continue
            sketch.block((x, y), width, height)
            rungs = slots(q, 5)
            for i, rung in enumerate(rungs):
                at = (x, y + (i - (len(rungs) - 1) / 2) * 10.0)
                if rung is None:
                    sketch.gap(at, (0.0, 2.6), 0.8)
                else:
                    sketch.switch(at, 6.0)
    for x, column in zip(middles, chosen, strict=True):
        for other, end in zip(middles, chosen, strict=True):
            if column is not None and end is not None:
                sketch.link((x, rows[0] + height / 2), (other, rows[1] - height / 2))
    top = (middles[0], rows[0] - (len(slots(q, 5)) - 1) * 5.0)
    sketch.node(top, (top[0] - 26, top[1]), 2.2)
    sketch.word((top[0] - 31, top[1] + 3.5), f"{format_number(p)} ×", "end", 10)
    every = format_number(q)
    for y in rows:
        sketch.word((left - 8, y + 6), every, "end")
        sketch.word((left - 8, y + 19), "columns", "end")
    sketch.word((MIDDLE, 22.0), f"a column: {counted(q, 'switch', 'switches')}, each linked with {(q - 1) // 2} others")
    sketch.word((MIDDLE, 272.0), f"a line between two columns: {counted(q, 'link')}, one for each switch")
    return 286.0, "columns of switches drawn"
