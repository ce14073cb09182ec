"""Skywalk: the cabinets on their floor with all links, or with those of the first cabinet."""

from __future__ import annotations

from dse.authoring.picture import Drawing, picture
from dse.models.network.pictures.sketch import MIDDLE, WIDTH, Cables, Point, Sketch, caption, counted, slots, whole
from dse.models.network.topologies.skywalk.graph import LARGEST, skywalk_neighbours
from dse.units import format_number

__all__ = ["draw_skywalk"]

_MOST_SWITCHES, _MOST_LINKS = 64, 300
_MOST_COLUMNS, _MOST_ROWS = 16, 12


@picture(title="Skywalk", slot="topology", provider=("skywalk", "skywalk-fewest-links"))
def draw_skywalk(
    skywalk_switches: float,
    cabinets: float,
    switch_degree: float,
    nodes_per_switch: float,
    wiring_seed: float = 1.0,
    cabinets_per_row: float = 8.0,
    optical_node_share: float = 0.0,
    optical_cabinet_share: float = 0.0,
    optical_switch_share: float = 1.0,
) -> Drawing:
    """Cabinets in rows on the floor, their switches all linked; between cabinets random links."""
    s, c, k, p = map(whole, (skywalk_switches, cabinets, switch_degree, nodes_per_switch))
    seed, row = whole(wiring_seed), min(whole(cabinets_per_row), c)
    together = max(s // c, 1)
    sketch = Sketch()
    if s <= _MOST_SWITCHES and s * k // 2 <= _MOST_LINKS and row <= _MOST_COLUMNS:
        height, drawn = _whole_floor(sketch, s, c, k, p, seed, row), ""
    else:
        height, drawn = _part_of_the_floor(sketch, s, c, k, p, seed, row)
    inside = s * (together - 1) // 2
    return sketch.drawing(
        height,
        [
            Cables("local", inside, "inside cabinets", optical_cabinet_share),
            Cables("global", s * k // 2 - inside, "between cabinets", optical_switch_share),
        ],
        switches=s,
        nodes=s * p,
        node_links=s * p,
        node_share=optical_node_share,
        caption=caption(
            f"Skywalk of {counted(c, 'cabinet')}, {counted(k, 'link')} per switch", s, s * p, drawn, each=p
        ),
        description=f"{counted(c, 'cabinet')} in rows of {row} on the floor; in a cabinet each switch is linked with "
        "each, and all other links run between random cabinets.",
    )


def _whole_floor(sketch: Sketch, s: int, c: int, k: int, p: int, seed: int, row: int) -> float:
    """Draw every switch and every link where the cabinets stand."""
    together, rows = s // c, -(-c // row)
    pitch = (WIDTH - 16) / row
    depth = min(max(300.0 / rows, 44.0), 96.0)
    width, tall = min(0.62 * pitch, 60.0), 0.56 * depth
    step = (tall - 8) / max(together, 2)
    size = min(8.0, 0.7 * step)
    spots: list[Point] = []
    for cabinet in range(c):
        x, y = 8 + (cabinet % row + 0.5) * pitch, 8 + (cabinet // row + 0.5) * depth
        sketch.frame(x - width / 2, y - tall / 2, x + width / 2, y + tall / 2)
        for i in range(together):
            # To the left and to the right by turns, so that links inside do not lie on each other.
            spots.append((x + (0.22 * width if i % 2 else -0.22 * width), y + (i - (together - 1) / 2) * step))
    beside = [-1.0 if i % together % 2 == 0 else 1.0 for i in range(s)]
    reach = max(size / 2 + 4.0, 0.2 * width)
    every = p * min(2.6, 0.3 * step) <= step
    for switch, at in enumerate(spots):
        sketch.switch(at, size)
        if every:
            for i in range(p):
                end = (at[0] + beside[switch] * reach, at[1] + (i - (p - 1) / 2) * step / p)
                sketch.node(at, end, min(1.8, 0.3 * step / p))
        elif switch == 0:
            node = (at[0] - reach, at[1])
            sketch.node(at, node, 1.8)
    for switch, near in enumerate(skywalk_neighbours(s, c, k, seed).tolist()):
        for other in near:
            if switch < other:
                kind = "local" if switch // together == other // together else "global"
                sketch.link(spots[switch], spots[other], kind)
    height = 16 + rows * depth
    if not every:
        sketch.word((MIDDLE, height + 6), f"× {format_number(p)} nodes at each switch")
        return height + 14
    return height


def _part_of_the_floor(sketch: Sketch, s: int, c: int, k: int, p: int, seed: int, row: int) -> tuple[float, str]:
    """Draw cabinets as blocks, with the links of the first one where the graph can be built."""
    together, rows = max(s // c, 1), -(-c // row)
    across, along = slots(row, _MOST_COLUMNS), slots(rows, _MOST_ROWS)
    pitch, depth = (WIDTH - 16) / len(across), min(40.0, 320 / len(along))
    size = min(20.0, 0.6 * pitch, 0.6 * depth)
    places: dict[int, Point] = {}
    for i, line in enumerate(along):
        for j, column in enumerate(across):
            at = 8 + (j + 0.5) * pitch, 8 + (i + 0.5) * depth
            if line is None or column is None:
                if i == 0 or j == 0:
                    sketch.gap(at, (0.0, 3.0) if line is None else (3.0, 0.0))
            elif line * row + column < c:
                places[line * row + column] = at
                sketch.block(at, size)
    far = _of_the_first_cabinet(s, c, k, seed, together)
    for cabinet in far:
        if cabinet in places and cabinet != 0:
            sketch.link(places[0], places[cabinet], "global")
    height = 16 + len(along) * depth
    sketch.word((MIDDLE, height + 8), f"a block: a cabinet of {counted(together, 'switch', 'switches')}, all linked")
    sketch.word((MIDDLE, height + 22), f"each switch: {counted(p, 'node')}, {counted(k, 'link')} to other switches")
    return height + 30, "cabinets" + (" and the links of the first one drawn" if far else " drawn")


def _of_the_first_cabinet(s: int, c: int, k: int, seed: int, together: int) -> list[int]:
    """Return the cabinets that the switches of the first one are linked with; none of a machine that is too large."""
    if s > LARGEST or s % c or s % 2 or not together <= k < s or (k - together + 1) * together < 3:
        return []
    near = skywalk_neighbours(s, c, k, seed)[:together, together - 1 :] // together
    return sorted(set(near.reshape(-1).tolist()))[:64]
