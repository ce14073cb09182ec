"""Every way to cut a process grid into tiles that fill the switches, and subtrees or groups, of a network.

A study asks for the machine and its mapping as the rows of one axis, since a tile fits some machines only::

    mapping = { enumerate = "network.tiles", given = { topology = "fat-tree-2-level",
                shape = { nodes = 128, radix = 24, taper = 16 }, grid = [16, 8] } }

``shape`` are the options of the enumeration of that topology, whose columns the rows have too. A machine that the study
gives otherwise is described by its ``blocks``: nodes of a subtree or group, if there are any, and of a switch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from dse.authoring.declare.enumerations import Enumerated, enumeration, refuse_many
from dse.authoring.library.library import find_enumeration
from dse.errors import InputError
from dse.models.network.graphs.component import Component
from dse.models.network.patterns.process_grid import fitting_tiles, most_square
from dse.models.network.topologies import COMPONENTS

__all__ = ["tiles"]

_PAPER = "Anghel 2017, Section 5.6: sub-domains of a process grid, of every shape that fits"
_GRID = "the grid has not one process for each node of the machine"
_OUTER = "a side of the tile does not divide that of the grid"
_INNER = "a side of the inner tile does not divide that of the outer one"
_AXES = "xyz"

_Count = Annotated[int, Field(ge=1, le=10**9)]
Sides = Annotated[
    Annotated[list[_Count], Field(min_length=1, max_length=3)] | None,
    Field(description="processes along one to three dimensions"),
]
Blocks = Annotated[
    Annotated[list[_Count], Field(min_length=1, max_length=2)] | None,
    Field(description="nodes of a switch, or of a subtree or group and of a switch"),
]
Name = Annotated[str | None, Field(description="a topology, with the options of its enumeration as 'shape'")]
Options = Annotated[dict[str, Any] | None, Field(description="options of the enumeration of the topology")]
Dimensions = Annotated[int, Field(ge=1, le=3, description="1, 2 or 3")]
Choice = Annotated[bool, Field(description="true, false")]


@enumeration(source=_PAPER)
def tiles(
    *,
    grid: Sides = None,
    dimensions: Dimensions = 2,
    topology: Name = None,
    shape: Options = None,
    blocks: Blocks = None,
    linear: Choice = True,
) -> Enumerated:
    """Every tile, or pair of nested tiles, of a process grid that fills the hardware blocks of a machine.

    Each side divides that of the tile, or grid, around it; the product is the number of nodes of the block. Without
    ``grid`` it is the one of so many ``dimensions`` nearest to a square. With ``linear``, each machine has the row of
    ranks in the order of the nodes too, whose tiles are 0.
    """
    rows: list[tuple[int, ...]] = []
    machine: list[int] = []
    labels: list[str] = []
    refused: Counter[str] = Counter()
    shapes, machines = _machines(topology, shape, blocks, grid)
    levels = 1
    for place, (name, nodes, volumes) in enumerate(machines):
        sides = tuple(grid) if grid is not None else most_square(nodes, dimensions)
        levels = max(levels, len(volumes))
        if prod(sides) != nodes:
            refused[_GRID] += 1
            continue
        mappings = [((0,) * len(sides),) * len(volumes)] if linear else []
        mappings += _nested(sides, volumes, refused)
        for mapping in mappings:
            rows.append(tuple(side for tile in mapping for side in tile))
            machine.append(place)
            told = " of ".join("x".join(map(str, tile)) for tile in mapping) if any(mapping[0]) else "linear"
            labels.append(f"{name}; {told}" if name else told)
        refuse_many(len(rows))
    count = len(grid) if grid is not None else dimensions
    names = [f"tile_{level + 1}_{_AXES[axis]}" for level in range(levels) for axis in range(count)]
    found = np.array(rows, dtype=float).reshape(len(rows), len(names))
    columns = {name: values[machine] for name, values in shapes.items()}
    columns |= {name: found[:, position] for position, name in enumerate(names)}
    return Enumerated(columns, labels, len(rows) + refused.total(), refused)


def _machines(
    topology: str | None, shape: Mapping[str, Any] | None, blocks: Sequence[int] | None, grid: Sequence[int] | None
) -> tuple[Mapping[str, np.ndarray], Iterator[tuple[str, int, tuple[int, ...]]]]:
    """Return the columns of all machines, and of each its name, nodes and blocks, the outer first."""
    if (topology is None) == (blocks is None):
        raise InputError("'topology' and 'blocks'", key="given", allowed="one of the two says what tiles are to fill")
    if blocks is not None:
        if grid is None or shape is not None:
            raise InputError("'blocks' without 'grid', or with 'shape'", key="given", allowed="blocks and a grid")
        return {}, iter([("", prod(grid), tuple(blocks))])
    known = {one.provider: one for one in COMPONENTS if one.equations == "corrected"}
    if topology not in known:
        raise InputError(
            f"unknown topology '{topology}'", key="topology", allowed=list(known), wrong=topology, candidates=known
        )
    component = known[topology]
    found = find_enumeration(f"network.{component.topology.name}").rows({} if shape is None else shape)
    nodes, volumes = _of_shapes(component, found.columns)
    each = zip(found.labels, nodes.tolist(), zip(*volumes, strict=True), strict=True)
    return found.columns, ((name, int(n), tuple(map(int, sizes))) for name, n, sizes in each)


def _of_shapes(component: Component, columns: Mapping[str, np.ndarray]) -> tuple[np.ndarray, list[list[float]]]:
    """Return the nodes of shapes, and of their blocks."""
    kind = component.topology
    sizes: dict[str, Any] = {name: np.array(value) for name, value in kind.defaults.items()}
    for symbol, name in component.sizes.items():
        if isinstance(name, tuple):
            sizes[symbol] = tuple(columns[one] for one in name)
        elif name in columns:
            sizes[symbol] = columns[name]
    nodes = np.asarray(kind.nodes(sizes))
    return nodes, [np.broadcast_to(block, nodes.shape).tolist() for block in kind.tile_blocks(sizes)]


def _nested(
    grid: tuple[int, ...], volumes: tuple[int, ...], refused: Counter[str]
) -> list[tuple[tuple[int, ...], ...]]:
    """Return all tiles that fit, and count those that do not, the outer ones before the inner."""
    everything = len(fitting_tiles((volumes[0],) * len(grid), volumes[0]))
    outer = fitting_tiles(grid, volumes[0])
    refused[_OUTER] += everything - len(outer)
    if len(volumes) == 1:
        return [(tile,) for tile in outer]
    inside = len(fitting_tiles((volumes[1],) * len(grid), volumes[1]))
    pairs: list[tuple[tuple[int, ...], ...]] = [
        (tile, inner) for tile in outer for inner in fitting_tiles(tile, volumes[1])
    ]
    refused[_INNER] += inside * len(outer) - len(pairs)
    return pairs
