"""Switches on a grid, for torus and HyperX: one, two and three dimensions as they are, more as grids of grids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dse.authoring.picture import Drawing
from dse.models.network.pictures.meshes import circle, mesh_drawing, ring_of_switches
from dse.models.network.pictures.sketch import (
    ENDS,
    MIDDLE,
    MOST_NODES,
    WIDTH,
    Cables,
    Point,
    Sketch,
    around,
    by,
    caption,
    slots,
    whole,
)
from dse.units import format_number

__all__ = ["grid_drawing"]


class Side(NamedTuple):
    """A dimension: its number, its size, and whether its lines are rings (else each is linked with each)."""

    number: int
    size: int
    ring: bool


def grid_drawing(
    name: str,
    sizes: Sequence[float],
    nodes_per_switch: float,
    shares: tuple[float, float],
    *,
    ring_of: int | None,
) -> Drawing:
    """Draw a grid whose dimensions are rings from `ring_of` switches on, or full meshes (None).

    Parameters
    ----------
    name : str
        What the network is called.
    sizes : sequence of float
        Switches along each dimension.
    nodes_per_switch : float
    shares : tuple of float
        Optical shares of the links to nodes and between switches.
    ring_of : int or None
        The smallest ring; a smaller dimension has single links.
    """
    sides = [Side(number, whole(size), ring_of is not None) for number, size in enumerate(sizes, start=1)]
    sides = [side._replace(ring=side.ring and side.size >= (ring_of or 0)) for side in sides]
    shape = [side.size for side in sides]
    sides = [side for side in sides if side.size > 1] or sides[:1]
    per_switch = whole(nodes_per_switch)
    name = f"{name} {by(shape[: sides[-1].number])}"
    if len(sides) == 1 and ring_of is None:
        return mesh_drawing(sides[0].size, per_switch, name, *shares)
    sketch = Sketch()
    paint = (_ring, _plane, _cube)[len(sides) - 1] if len(sides) <= 3 else _nested
    height, drawn = paint(sketch, sides, per_switch)
    switches = math.prod(side.size for side in sides)
    lines = [(switches // side.size, side) for side in sides if side.size > 1]
    cables = sum(count * (side.size if side.ring else side.size * (side.size - 1) // 2) for count, side in lines)
    linked = "all others of its line" if ring_of is None else "its neighbours, the first of each line with the last too"
    return sketch.drawing(
        height,
        [Cables("link", cables, "between switches", shares[1])],
        switches=switches,
        nodes=switches * per_switch,
        node_links=switches * per_switch,
        node_share=shares[0],
        caption=caption(name, switches, switches * per_switch, drawn, each=per_switch),
        description=f"Switches on a grid; in every dimension, each is linked with {linked}.",
    )


def _ring(sketch: Sketch, sides: Sequence[Side], per_switch: int) -> tuple[float, str]:
    """Draw a torus of one dimension."""
    ((_, count, closed),) = sides
    chosen = slots(count, 40 if count <= 40 else 14)
    centre, radius = circle(count)
    angles = [i / len(chosen) for i in range(len(chosen))]
    places = [around(centre, radius, angle) if count > 1 else centre for angle in angles]
    shown = [(s, places[i], angles[i]) for i, s in enumerate(chosen) if s is not None]
    if count == 2:
        for bend in (9.0, -9.0) if closed else (0.0,):
            sketch.link(places[0], places[1], bend=bend)
    elif count > 2:
        for i, a in enumerate(chosen):
            j = (i + 1) % len(chosen)
            if a is not None and chosen[j] is not None:
                sketch.link(places[i], places[j])
            else:
                sketch.stub(*((places[i], places[j]) if a is not None else (places[j], places[i])))
    if None in chosen:
        at = chosen.index(None)
        step = around((0.0, 0.0), 7.0, angles[at] + 0.25)
        sketch.gap(places[at], step)
    ring_of_switches(sketch, centre, radius, shown, len(chosen), per_switch)
    return 2 * centre[1], ENDS if None in chosen else ""


def _plane(sketch: Sketch, sides: Sequence[Side], per_switch: int) -> tuple[float, str]:
    """Draw a grid of two dimensions."""
    (first, d1, ring), (second, d2, other_ring) = sides
    real = max(d1, d2) <= (16 if (ring or d1 <= 2) and (other_ring or d2 <= 2) else 8)
    most = 16 if real else 6
    across, down = slots(d1, most), slots(d2, most)
    cell = min(52.0 if real else 46.0, 330.0 / len(across), 300.0 / len(down))
    left, top = MIDDLE + (0.0 if real else 14.0) - cell * (len(across) - 1) / 2, 10.0 + 0.5 * cell
    places = _lattice(sketch, (left, top), cell, across, down, (ring, other_ring))
    _nodes_of_grid(sketch, places, cell, per_switch)
    bottom = top + cell * (len(down) - 1)
    if not real:
        named = f"dimension {first}: {format_number(d1)}"
        sketch.word((left + cell * (len(across) - 1) / 2, bottom + 0.5 * cell + 14), named)
        sketch.word((left - 22, (top + bottom) / 2 - 3), f"dimension {second}:", "end")
        sketch.word((left - 22, (top + bottom) / 2 + 11), format_number(d2), "end")
    return bottom + 0.5 * cell + (8.0 if real else 22.0), "" if real else ENDS


def _lattice(
    sketch: Sketch,
    origin: Point,
    cell: float,
    across: Sequence[int | None],
    down: Sequence[int | None],
    rings: tuple[bool, bool],
    *,
    blocks: bool = False,
) -> list[Point]:
    """Draw switches (or blocks of them) on a grid with their links; return the places of those drawn."""
    size = min(13.0, 0.36 * cell) if not blocks else 0.5 * cell
    aside = 0.4 * cell

    def place(i: int, j: int) -> Point:
        return origin[0] + i * cell, origin[1] + j * cell

    for j, row in enumerate(down):
        if row is not None and len(across) > 1:
            sketch.line([place(i, j) for i in range(len(across))], across, wrapped=rings[0], aside=aside)
    for i, column in enumerate(across):
        if column is not None and len(down) > 1:  # downwards, so that what is to the left stands at the right
            sketch.line([place(i, j) for j in range(len(down))], down, wrapped=rings[1], aside=aside)
    places = []
    for j, row in enumerate(down):
        for i, column in enumerate(across):
            if row is not None and column is not None:
                (sketch.block if blocks else sketch.switch)(place(i, j), size)
                places.append(place(i, j))
            else:
                dots = min(0.13 * cell, 5.0)
                sketch.gap(place(i, j), (dots * (column is None), dots * (row is None)), min(1.3, 0.06 * cell))
    return places


def _nodes_of_grid(
    sketch: Sketch, places: Sequence[Point], cell: float, per_switch: int, *, below: float | None = None
) -> bool:
    """Draw the nodes at the lower right of the switches of a grid; else one, where given straight down at `below`."""
    angle = 3 / 8
    pitch = min(7.0, 0.36 * cell / max(per_switch - 1, 1))
    if pitch >= 3.4 and cell >= 20 and len(places) * per_switch <= MOST_NODES:
        for at in places:
            middle = around(at, 0.3 * cell, angle)
            for i in range(per_switch):
                aside = (i - (per_switch - 1) / 2) * pitch
                sketch.node(at, around(middle, aside, angle + 0.25), min(2.4, 0.38 * pitch, 0.07 * cell))
        return True
    at, count = max(places), f"× {format_number(per_switch)}"
    if below is not None:
        sketch.node(at, (at[0], below), 2.2)
        sketch.word((at[0], below + 12), count, size=10)
    else:
        # So far from the edge that the words fit beside the node.
        right = min(at[0] + max(0.55 * cell, 16.0), WIDTH - 8.0 - sketch.width_of(count, 10))
        node = (right, at[1] + max(0.5 * cell, 10.0))
        sketch.node(at, node, 2.2)
        sketch.word((node[0] + 6, node[1] + 4), count, "start", 10)
    return False


def _cube(sketch: Sketch, sides: Sequence[Side], per_switch: int) -> tuple[float, str]:
    """Draw a grid of three dimensions, seen from the front: the third goes up to the right."""
    d = [side.size for side in sides]
    rings = [side.ring for side in sides]
    real = max(d) <= 8 and math.prod(d) <= (64 if all(side.ring or side.size == 2 for side in sides) else 36)
    chosen = [slots(size, 8 if real else 4) for size in d]
    n = [len(side) for side in chosen]
    # Steps of the three dimensions on paper, for a unit cell; then the cell that fills the space.
    depth = (0.44, -0.26)
    wide = (n[0] - 1) + depth[0] * (n[2] - 1)
    high = (n[1] - 1) - depth[1] * (n[2] - 1)
    cell = min(78.0, (330.0 if real else 240.0) / wide, 260.0 / high)
    left, base = (WIDTH - wide * cell) / 2 + (0.0 if real else 10.0), 10.0 + (0.3 + high) * cell
    size = min(12.0, 0.24 * cell)

    def place(i: int, j: int, k: int) -> Point:
        return left + cell * (i + depth[0] * k), base - cell * (j - depth[1] * k)

    for k, c in enumerate(chosen[2]):
        for j, b in enumerate(chosen[1]):
            if c is not None and b is not None:
                points = [place(i, j, k) for i in range(n[0])]
                sketch.line(points, chosen[0], wrapped=rings[0], aside=0.2 * cell, arcs=True)
        for i, a in enumerate(chosen[0]):
            if c is not None and a is not None:
                points = [place(i, j, k) for j in range(n[1])]
                sketch.line(points, chosen[1], wrapped=rings[1], aside=0.2 * cell, arcs=True)
    for j, b in enumerate(chosen[1]):
        for i, a in enumerate(chosen[0]):
            if a is not None and b is not None:
                points = [place(i, j, k) for k in range(n[2])]
                sketch.line(points, chosen[2], wrapped=rings[2], aside=0.16 * cell, arcs=True)
    shown = []
    for k, c in reversed(list(enumerate(chosen[2]))):
        for j, b in enumerate(chosen[1]):
            for i, a in enumerate(chosen[0]):
                if (a, b, c).count(None) == 0:
                    sketch.switch(place(i, j, k), size)
                    shown.append(place(i, j, k))
                elif (a, b, c).count(None) == 1:
                    x, y = place(a is None, b is None, c is None)
                    away = math.hypot(x - left, y - base) / 4.5
                    sketch.gap(place(i, j, k), ((x - left) / away, (y - base) / away))
    _nodes_of_grid(sketch, shown, 0.6 * cell, per_switch)
    bottom = base + 0.3 * cell
    if not real:
        named = [f"dimension {side.number}" for side in sides]
        sketch.word((left + cell * (n[0] - 1) / 2, base + 36), f"{named[0]}: {format_number(d[0])}")
        sketch.word((left - 22, base - cell * (n[1] - 1) / 2 - 3), f"{named[1]}:", "end")
        sketch.word((left - 22, base - cell * (n[1] - 1) / 2 + 11), format_number(d[1]), "end")
        x, y = place(n[0] - 1, 0, 1)
        sketch.word((x + 26, y + 10), f"{named[2]}: {format_number(d[2])}", "start")
        bottom = base + 30
    return bottom + 12.0, "" if real else ENDS


def _nested(sketch: Sketch, sides: Sequence[Side], per_switch: int) -> tuple[float, str]:
    """Draw a grid of more dimensions: a grid of grids, two dimensions each, from left to right into the details."""
    pairs = [sides[i : i + 2] for i in range(0, len(sides), 2)][::-1]
    room = WIDTH / len(pairs)
    most = 5 if len(pairs) == 2 else 4
    chosen = [[slots(side.size, most) for side in pair] for pair in pairs]
    grids = [(side[0], side[1] if len(side) == 2 else [0]) for side in chosen]
    cell = min(36.0, (room - 30.0) / most)
    middle = 12.0 + cell * max(len(down) for _, down in grids) / 2
    corners = []
    bottom = 2.0 * middle + 8
    for number, (across, down) in enumerate(grids):
        x, wide, high = room * (number + 0.5), cell * len(across) / 2, cell * len(down) / 2
        corners.append((x - wide + cell / 2, middle - high + cell / 2))
        if number:
            last = (corners[-2][0] + cell * (len(grids[number - 1][0]) - 1), corners[-2][1])
            sketch.frame(x - wide - 5, middle - high - 5, x + wide + 5, middle + high + 5)
            sketch.zoom(last, 0.5 * cell, x - wide - 5, middle - high - 5, middle + high + 5)
        inner = number == len(pairs) - 1
        rings = (pairs[number][0].ring, pairs[number][-1].ring)
        places = _lattice(sketch, corners[-1], cell, across, down, rings, blocks=not inner)
        if inner and not _nodes_of_grid(sketch, places, cell, per_switch, below=middle + high + 12):
            bottom = max(bottom, middle + high + 40)
    for number, pair in enumerate(pairs):
        named = " × ".join(str(side.number) for side in pair)
        sketch.word((room * (number + 0.5), bottom), f"dimension{'s' if len(pair) == 2 else ''} {named}")
        sketch.word((room * (number + 0.5), bottom + 14), by([side.size for side in pair]))
    named = " of ".join(by([side.size for side in pair]) for pair in pairs)
    gaps = any(None in row for side in chosen for row in side)
    return bottom + 24.0, f"a grid of grids, {named}" + (f", {ENDS}" if gaps else "")
