"""Short names of the shapes of networks: what a colleague would say, where labels are codes.

    m=32,32,6 w=1,32,32      32 × 32 × 6
    m=96,128 w=1,48          96 × 128, tapered 2:1
    16x16, p=16              16 × 16, 16 nodes per switch

Each takes the columns of a row by name. Of different shapes of an enumeration the names differ.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["dragonfly_name", "full_mesh_name", "grid_name", "skywalk_name", "slim_fly_name", "tree_name"]


def tree_name(**row: int) -> str:
    """Name a fat tree by the children of a switch of each level, from the nodes up, and by its tapers.

    Examples
    --------
    >>> levels = {"tree_children_1": 32, "tree_children_2": 32, "tree_children_3": 6}
    >>> tree_name(**levels, tree_uplinks_0=1, tree_uplinks_1=32, tree_uplinks_2=32)
    '32 × 32 × 6'
    >>> tree_name(**levels, tree_uplinks_0=2, tree_uplinks_1=32, tree_uplinks_2=32)
    '32 × 32 × 6, 2 links per node, tapered 2:1, then 1:1'
    """
    levels = range(1, len(row) // 2 + 1)
    children, uplinks = [row[f"tree_children_{level}"] for level in levels], row["tree_uplinks_0"]
    down = [children[0] * uplinks, *children[1:-1]]
    tapers = [links / row[f"tree_uplinks_{level}"] for level, links in zip(levels, down, strict=False)]
    words = [_product(children)]
    if uplinks > 1:
        words.append(f"{uplinks} links per node")
    if any(taper != 1.0 for taper in tapers):
        words.append(f"tapered {', then '.join(f'{taper:.12g}:1' for taper in tapers)}")
    return ", ".join(words)


def grid_name(*, nodes_per_switch: int, **dimensions: int) -> str:
    """Name a torus or HyperX by its dimensions, which are 1 where it has none, and its nodes per switch."""
    sizes = [size for size in dimensions.values() if size > 1]
    nodes = _counted(nodes_per_switch, "node")
    return f"{_product(sizes)}, {nodes} per switch" if sizes else f"one switch of {nodes}"


def full_mesh_name(*, mesh_switches: int, nodes_per_switch: int) -> str:
    """Name a full mesh."""
    return f"{mesh_switches} switches of {_counted(nodes_per_switch, 'node')}"


def dragonfly_name(*, group_switches: int, nodes_per_switch: int, global_ports: int, groups: int) -> str:
    """Name a dragonfly."""
    each = f"{_counted(nodes_per_switch, 'node')} and {_counted(global_ports, 'global link')}"
    return f"{groups} groups of {group_switches} switches with {each} each"


def slim_fly_name(*, field_order: int, nodes_per_switch: int) -> str:
    """Name a Slim Fly of 2 q² switches."""
    return f"{2 * field_order**2} switches of {_counted(nodes_per_switch, 'node')}"


def skywalk_name(*, skywalk_switches: int, cabinets: int, switch_degree: int, nodes_per_switch: int) -> str:
    """Name a Skywalk."""
    each = f"{_counted(nodes_per_switch, 'node')} and {_counted(switch_degree, 'link')}"
    return f"{skywalk_switches} switches in {_counted(cabinets, 'cabinet')} with {each} each"


def _product(sizes: Sequence[int]) -> str:
    return " × ".join(map(str, sizes))


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
