"""Fat trees of two and three levels, with the switches and links a real one has (an XGFT)."""

from __future__ import annotations

from collections.abc import Sequence

from dse.authoring.picture import Drawing, picture
from dse.models.network.pictures.sketch import (
    ENDS,
    MOST_NODES,
    WIDTH,
    Cables,
    Point,
    Sketch,
    by,
    caption,
    counted,
    slots,
    whole,
)
from dse.units import format_number

__all__ = ["draw_fat_tree_2", "draw_fat_tree_3"]


@picture(title="Two-level fat tree", slot="topology", provider=("fat-tree-2-level", "fat-tree-2-level-as-printed"))
def draw_fat_tree_2(
    tree_children_1: float,
    tree_children_2: float,
    tree_uplinks_0: float,
    tree_uplinks_1: float,
    optical_node_share: float = 0.0,
    optical_switch_share: float = 1.0,
) -> Drawing:
    """Nodes under switches of level 1, each of which is linked with every switch of level 2."""
    m1, m2, w0, w1 = map(whole, (tree_children_1, tree_children_2, tree_uplinks_0, tree_uplinks_1))
    sketch = Sketch()
    real = m2 <= 24 and w1 <= 24
    lower, upper = slots(m2, 24 if real else 5), slots(w1, 24 if real else 5)
    left, right = 88.0, WIDTH - 6.0
    tops = _row(sketch, upper, left, right, 34.0, most=60.0)
    leaves = _row(sketch, lower, left, right, 170.0)
    for leaf, a in leaves:
        for top, b in tops:
            if a is not None and b is not None:
                sketch.link(leaf, top)
    _leaf_nodes(sketch, leaves, (right - left) / len(lower), m1, w0, len(lower) - (None in lower))
    _level(sketch, 34.0, "level 2", w1)
    _level(sketch, 170.0, "level 1", m2)
    _level(sketch, 205.0, "nodes", m1 * m2)
    name = f"Two-level fat tree, {counted(m1, 'node')} and {counted(w1, 'uplink')} per switch of level 1"
    return sketch.drawing(
        234.0,
        [Cables("link", m2 * w1, "between switches", optical_switch_share)],
        switches=m2 + w1,
        nodes=m1 * m2,
        node_links=m1 * m2 * w0,
        node_share=optical_node_share,
        caption=caption(name, m2 + w1, m1 * m2, "" if real else ENDS),
        description="Switches of level 2 on top, of level 1 below, nodes at the bottom; each switch of level 1 is "
        "linked with each of level 2.",
    )


@picture(title="Three-level fat tree", slot="topology", provider=("fat-tree-3-level", "fat-tree-3-level-as-printed"))
def draw_fat_tree_3(
    tree_children_1: float,
    tree_children_2: float,
    tree_children_3: float,
    tree_uplinks_0: float,
    tree_uplinks_1: float,
    tree_uplinks_2: float,
    optical_node_share: float = 0.0,
    optical_switch_share: float = 1.0,
    optical_upper_share: float = 1.0,
) -> Drawing:
    """Two-level trees side by side, the switches on top of them linked with those of level 3."""
    m1, m2, m3, w0, w1, w2 = map(
        whole, (tree_children_1, tree_children_2, tree_children_3, tree_uplinks_0, tree_uplinks_1, tree_uplinks_2)
    )
    sketch = Sketch()
    real = m2 * m3 <= 32 and m3 * w1 <= 32 and w1 * w2 <= 32 and m2 * m3 * w1 + m3 * w1 * w2 <= 600
    trees = slots(m3, 32 if real else 4)
    lower, middle = slots(m2, 32 if real else 4), slots(w1, 32 if real else 4)
    top = slots(w2, 32 if real else 4)
    left, right = 88.0, WIDTH - 6.0
    width = (right - left) / len(trees)
    # Switch j of level 2 is linked, in every subtree, with switches j·w2 to j·w2 + w2 - 1 of level 3.
    roofs: list[list[tuple[Point, int | None]]] = []
    room = (right - left) / len(middle)
    for j, _ in enumerate(middle):
        start = left + j * room
        if middle[j] is None:
            sketch.gap((start + room / 2, 34.0), (6.0, 0.0))
            roofs.append([])
        else:
            roofs.append(_row(sketch, top, start + 0.04 * room, start + 0.96 * room, 34.0))
    inside = 0.05 * width if m3 > 1 else 0.0
    for number, tree in enumerate(trees):
        start, end = left + number * width, left + (number + 1) * width
        if tree is None:
            sketch.gap(((start + end) / 2, 148.0), (7.0, 0.0), 1.8)
            continue
        if m3 > 1:
            sketch.frame(start + 0.02 * width, 104.0, end - 0.02 * width, 226.0)
        heads = _row(sketch, middle, start + inside, end - inside, 120.0)
        leaves = _row(sketch, lower, start + inside, end - inside, 186.0)
        for leaf, a in leaves:
            for head, b in heads:
                if a is not None and b is not None:
                    sketch.link(leaf, head)
        for (head, b), roof in zip(heads, roofs, strict=True):
            for at, c in roof:
                if b is not None and c is not None:
                    sketch.link(head, at, "upper")
        drawn = (len(trees) - (None in trees)) * (len(lower) - (None in lower))
        _leaf_nodes(sketch, leaves, (width - 2 * inside) / len(lower), m1, w0, drawn, say=number == 0)
    _level(sketch, 34.0, "level 3", w1 * w2)
    _level(sketch, 120.0, "level 2", m3 * w1)
    _level(sketch, 186.0, "level 1", m2 * m3)
    _level(sketch, 216.0, "nodes", m1 * m2 * m3)
    switches, nodes = m2 * m3 + m3 * w1 + w1 * w2, m1 * m2 * m3
    name = (
        f"Three-level fat tree of {counted(m3, 'subtree')} of {by((m2, m1))} nodes, {format_number(w1)} and "
        f"{counted(w2, 'uplink')} per switch of levels 1 and 2"
    )
    counts = m2 * m3 * w1, m3 * w1 * w2
    if optical_switch_share == optical_upper_share:
        cables = [Cables("link", sum(counts), "between switches", optical_switch_share)]
        cables.append(Cables("upper", 0, "", optical_upper_share))
    else:
        cables = [Cables("link", counts[0], "between levels 1 and 2", optical_switch_share)]
        cables.append(Cables("upper", counts[1], "between levels 2 and 3", optical_upper_share))
    return sketch.drawing(
        250.0,
        cables,
        switches=switches,
        nodes=nodes,
        node_links=nodes * w0,
        node_share=optical_node_share,
        caption=caption(name, switches, nodes, "" if real else ENDS),
        description="Switches of level 3 on top; below them subtrees, each with switches of level 2 and 1, all linked "
        "with each other; nodes at the bottom.",
    )


def _row(
    sketch: Sketch, chosen: Sequence[int | None], left: float, right: float, y: float, most: float = 1e9
) -> list[tuple[Point, int | None]]:
    """Draw switches side by side, with a gap where one is left out; return places and numbers."""
    pitch = min((right - left) / len(chosen), most)
    start = (left + right - pitch * (len(chosen) - 1)) / 2
    places = [(start + i * pitch, y) for i in range(len(chosen))]
    for at, slot in zip(places, chosen, strict=True):
        if slot is None:
            sketch.gap(at, (min(0.24 * pitch, 6.0), 0.0), min(1.3, 0.09 * pitch))
        else:
            sketch.switch(at, min(0.66 * pitch, 20.0), min(0.66 * pitch, 11.0))
    return list(zip(places, chosen, strict=True))


def _leaf_nodes(
    sketch: Sketch,
    leaves: Sequence[tuple[Point, int | None]],
    room: float,
    count: int,
    links: int,
    switches: int,
    *,
    say: bool = True,
) -> None:
    """Draw the nodes under the switches of level 1."""
    pitch = min(7.0, 0.9 * room / count)
    labelled = False
    for at, slot in leaves:
        if slot is None:
            continue
        y = at[1] + 26.0
        if pitch >= 3.4 and switches * count <= MOST_NODES and links <= 4:
            for i in range(count):
                aside = (i - (count - 1) / 2) * pitch
                foot = (at[0] + 0.5 * aside * min(1.0, 14 / room), at[1])
                sketch.node(foot, (at[0] + aside, y), 0.36 * pitch, links)
        elif room >= 44:
            for aside in (-13.5, -4.5, 13.5):
                sketch.node(at, (at[0] + aside, y), 2.2, min(links, 4))
            sketch.gap((at[0] + 4.5, y), (3.4, 0.0), 0.9)
            sketch.word((at[0], y + 13), format_number(count), size=9)
        else:
            sketch.node(at, (at[0], y - 2), min(2.2, 0.2 * room), min(links, 4))
            if room >= 22 or (say and not labelled):
                sketch.word((at[0], y + 10), f"× {format_number(count)}", "middle" if room >= 22 else "start", 9)
        labelled = True


def _level(sketch: Sketch, y: float, name: str, count: int) -> None:
    sketch.word((74.0, y - 1.5), name, "end")
    sketch.word((74.0, y + 10.5), format_number(count), "end", 10)
