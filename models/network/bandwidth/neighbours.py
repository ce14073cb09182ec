"""Nearest neighbours on a process grid, mapped the best way the formulas know: sub-domains where they fit, else linear.

Which tiles a topology takes is its own affair (`Topology.tiles`): mostly those that the fewest flows leave, on a grid
of switches those whose grid is that of the switches. Where no tile fits, ranks follow the nodes (linear mapping).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.models.network.bandwidth.bandwidth import link_loads
from dse.models.network.bandwidth.parameter_columns import entries_of, from_columns, of_designs
from dse.models.network.graphs.links import LinkClass, LinkLoads
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.graphs.topology import Tiles, Topology
from dse.models.network.topologies import TOPOLOGIES

__all__ = ["neighbour_loads"]


def neighbour_loads(
    topology: str,
    parameters: Mapping[str, Any],
    grid: Sequence[Any],
    sub_domains: Any,
    given_tiles: Sequence[Sequence[Any]] = (),
    *,
    routing: str = "minimal",
    equations: str = "corrected",
) -> LinkLoads:
    """Return the loads of nearest neighbours with the mapping chosen for each design.

    Parameters
    ----------
    topology, parameters, routing, equations
        As of `bandwidth.link_loads`.
    grid : sequence of array_like
        Sides of the process grid.
    sub_domains : array_like of bool
        Whether to use tiles where they fit.
    given_tiles : sequence of sequence of array_like
        Sides of the tiles to use where `sub_domains` is False, the outer first; levels of zeros are none.

    Raises
    ------
    InputError
        Given tiles that do not fit the machine.
    """
    kind = TOPOLOGIES[topology]
    shape = read_parameters(kind, parameters)
    named = {name: shape[name] for name in parameters}
    entries = [entry for value in named.values() for entry in entries_of(value)]
    given = [side for level in given_tiles for side in level]
    spread = np.broadcast_arrays(sub_domains, *grid, *given, *entries)
    whole = spread[0].shape
    flat = [array.reshape(-1) for array in spread]
    mapped, sides = flat[0].astype(bool), flat[1 : 1 + len(grid)]
    asked = np.stack(flat[1 + len(grid) : 1 + len(grid) + len(given)], axis=1).astype(np.int64) if given else None
    designs = from_columns(named, flat[1 + len(grid) + len(given) :])
    blocks = [np.broadcast_to(block, mapped.shape) for block in kind.tile_blocks(_completed(kind, designs))]
    switches: Any = designs.get("d", ())
    tiles = _tiles_of_each(kind, mapped, sides, blocks, switches)
    if asked is not None and asked.any():
        of_study = [_levels(row, len(grid)) for row in asked.tolist()]
        tiles = [best if wanted else own for best, own, wanted in zip(tiles, of_study, mapped, strict=True)]
    merged: LinkLoads | None = None
    for levels in sorted({len(tiling) for tiling in tiles}):
        chosen = np.array([len(tiling) == levels for tiling in tiles])
        cut = [
            [np.array([tiles[row][level][side] for row in np.flatnonzero(chosen)]) for side in range(len(grid))]
            for level in range(levels)
        ]
        part = link_loads(
            topology,
            of_designs(designs, chosen),
            "nearest-neighbour",
            {"grid": [side[chosen] for side in sides], "tiles": cut},
            routing=routing,
            equations=equations,
        )
        merged = _merged(merged, part, chosen)
    assert merged is not None
    return _reshaped(merged, whole)


def _completed(topology: Any, designs: Mapping[str, Any]) -> dict[str, Any]:
    return {**topology.defaults, **topology.complete(dict(designs))}


def _levels(sides: Sequence[int], dimensions: int) -> Tiles:
    """Return tiles by level from all their sides; a level without any side is none."""
    levels = [tuple(sides[first : first + dimensions]) for first in range(0, len(sides), dimensions)]
    return tuple(level for level in levels if any(level))


def _tiles_of_each(
    topology: Topology,
    mapped: np.ndarray,
    grid: Sequence[np.ndarray],
    blocks: Sequence[np.ndarray],
    switches: Sequence[Any],
) -> list[Tiles]:
    """Return the tiles of each design, () for linear mapping; each different design is looked at once."""
    table = np.stack([mapped, *grid, *blocks, *switches], axis=1).astype(np.int64)
    different, back = np.unique(table, axis=0, return_inverse=True)
    tiles: list[Tiles] = []
    for row in different.tolist():
        numbers = iter(row)
        wanted = next(numbers)
        sides = tuple(next(numbers) for _ in grid)
        volumes = tuple(next(numbers) for _ in blocks)
        sizes = tuple(numbers)
        tiles.append(topology.tiles(sides, volumes, sizes) if wanted else ())
    return [tiles[position] for position in back.reshape(-1)]


def _merged(before: LinkLoads | None, other: LinkLoads, chosen: np.ndarray) -> LinkLoads:
    """Put the results of the chosen designs into those of all."""

    def put(old: Any, new: Any) -> np.ndarray:
        result = np.zeros(chosen.shape, dtype=np.asarray(new).dtype) if old is None else np.array(old)
        result[chosen] = np.broadcast_to(new, int(chosen.sum()))
        return result

    classes = []
    for position, new in enumerate(other.classes):
        old = before.classes[position] if before else None
        values = {
            name: put(getattr(old, name, None), getattr(new, name))
            for name in ("capacity", "load", "traversals", "latency")
        }
        classes.append(LinkClass(new.name, optical=new.optical, **values))
    return LinkLoads(other.flows_per_node, tuple(classes), put(before.routed if before else None, other.routed))


def _reshaped(loads: LinkLoads, whole: tuple[int, ...]) -> LinkLoads:
    classes = tuple(
        LinkClass(
            link_class.name,
            link_class.capacity.reshape(whole),
            link_class.load.reshape(whole),
            link_class.traversals.reshape(whole),
            link_class.latency.reshape(whole),
            link_class.optical,
        )
        for link_class in loads.classes
    )
    return LinkLoads(loads.flows_per_node, classes, loads.routed.reshape(whole))
