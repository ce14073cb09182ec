"""Neighbours on a grid of ranks, several of which share a node in a block: what stays inside, and what a rank has.

Of the messages of a rank to its neighbours on a periodic grid, those along a dimension leave the node from one of the a
ranks that a block has along it. With blocks of a x b x c ranks the share that stays inside is

    1 - (1/a + 1/b + 1/c) / 3

and nothing leaves along a dimension that lies in the block as a whole. A dimension of one rank has no messages (ours).
The links between switches carry the flows of all ranks: in tiles that fill the switches where such tiles fit, else with
the blocks of the nodes one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dse.models.network.bandwidth.neighbours import neighbour_loads
from dse.models.network.bandwidth.routing import route_blocks
from dse.models.network.bandwidth.shared_nodes import ProcessTraffic
from dse.models.network.graphs.links import NODE, Traffic
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.graphs.topology import Topology, ratio
from dse.models.network.patterns.process_grid import fitting_tiles, most_square
from dse.models.network.patterns.reading import plain
from dse.models.network.topologies import topology_named

__all__ = ["inside_fraction", "neighbour_process_traffic", "node_block"]


def inside_fraction(block: Sequence[Any], grid: Sequence[Any] | None = None) -> Any:
    """Return the share of the messages of a rank that stay inside a node with a block of ranks.

    Parameters
    ----------
    block : sequence of array_like
        Ranks of a node along each dimension.
    grid : sequence of array_like, optional
        Ranks of the machine along each dimension; without, more than the block has.

    Examples
    --------
    >>> float(inside_fraction((4, 2, 2))), float(inside_fraction((2, 2, 2)))
    (0.5833333333333333, 0.5)
    """
    leaving = sum(_leaving(block, grid))
    used = len(block) if grid is None else sum(np.greater(side, 1) * 1.0 for side in grid)
    return 1.0 - leaving / np.maximum(used, 1.0)


def _leaving(block: Sequence[Any], grid: Sequence[Any] | None) -> list[Any]:
    """Return the share of the messages along each dimension that leave a block."""
    if grid is None:
        return [1.0 / np.asarray(side, dtype=float) for side in block]
    pairs = zip(block, grid, strict=True)
    return [np.where(np.less(side, length), 1.0 / np.asarray(side, dtype=float), 0.0) for side, length in pairs]


@lru_cache(maxsize=65_536)
def node_block(grid: tuple[int, ...], processes_per_node: int) -> tuple[int, ...]:
    """Return the block of the ranks of a node that the fewest messages leave; the most square one where none fits.

    Examples
    --------
    >>> node_block((32, 32, 16), 16), node_block((64, 64), 8)
    ((4, 2, 2), (4, 2))
    """
    fitting = fitting_tiles(grid, processes_per_node)
    if not fitting:
        return most_square(processes_per_node, len(grid))
    return min(fitting, key=lambda block: (-float(inside_fraction(block, grid)), [-side for side in block]))


def neighbour_process_traffic(
    topology: str,
    parameters: Mapping[str, Any],
    grid: Sequence[Any],
    *,
    processes_per_node: Any,
    routing: str = "minimal",
    need: Sequence[str] = ("bandwidths", "latencies"),
) -> ProcessTraffic:
    """Return what the ranks of shared nodes have of a network when all exchange with their neighbours.

    Parameters
    ----------
    topology, parameters, routing, need
        As of `shared_nodes.process_traffic`; arrays over designs.
    grid : sequence of array_like
        Sides of the grid of ranks.
    processes_per_node : array_like of int

    Returns
    -------
    ProcessTraffic

    Notes
    -----
    With F flows of a rank to other nodes, the bandwidth of a rank is F min(capacity / largest load) over the links
    between switches, and its part of the link of its node.
    """
    kind = topology_named(topology)
    shape = read_parameters(kind, parameters, need=need)
    each = np.asarray(processes_per_node, dtype=float)
    blocks = _blocks(grid, each)
    out = 2.0 * sum(_leaving(blocks, grid))
    moving = 2.0 * sum(np.greater(side, 1) * 1.0 for side in grid)
    inside = np.where(np.greater(moving, 0.0), 1.0 - ratio(out, moving), 0.0)
    traffic, routed = _traffic_of_each(kind, shape, grid, each, routing)
    bandwidth: Any = np.inf
    by_class: dict[str, Any] = {}
    latency: Any = np.array(0.0)
    for spec in kind.links(shape):
        if spec.name == NODE:
            crossed, share, of_link = np.array(2.0), spec.capacity / each, spec.latency
        else:
            carried = traffic[spec.name]
            crossed, of_link = ratio(carried.traversals * moving, out), spec.latency_under(carried)
            idle = np.equal(out, 0.0) | np.equal(carried.load, 0.0)
            share = np.where(idle, np.inf, spec.capacity * ratio(out, carried.load))
        bandwidth = np.minimum(bandwidth, share)
        by_class[spec.name] = plain(crossed)
        latency = latency + crossed * of_link
    return ProcessTraffic(
        plain(bandwidth), plain(inside), plain(latency), plain(sum(by_class.values())), by_class, plain(routed)
    )


def _traffic_of_each(
    kind: Topology, shape: Mapping[str, Any], grid: Sequence[Any], each: Any, routing: str
) -> tuple[dict[str, Traffic], Any]:
    """Return what the flows of all ranks do to the links of each design; each different shape is looked at once."""
    leaves: list[Any] = [each, *grid]
    layout: list[tuple[str, int]] = []
    for name in kind.sizes:
        entries = shape[name] if isinstance(shape[name], tuple) else (shape[name],)
        layout.append((name, len(entries) if isinstance(shape[name], tuple) else 0))
        leaves.extend(entries)
    spread = np.broadcast_arrays(*leaves)
    table = np.stack([leaf.reshape(-1) for leaf in spread], axis=1)
    different, back = np.unique(table, axis=0, return_inverse=True)
    rows = [_of_shape(kind.name, tuple(layout), tuple(row), len(grid), routing) for row in different.tolist()]
    whole = spread[0].shape

    def laid_out(values: Sequence[Any]) -> np.ndarray:
        return np.array(values)[back.reshape(-1)].reshape(whole)

    names = [spec.name for spec in kind.links(shape) if spec.name != NODE]
    traffic = {
        name: Traffic(*(laid_out([getattr(row[0][name], part) for row in rows]) for part in Traffic._fields))
        for name in names
    }
    return traffic, laid_out([row[1] for row in rows])


@lru_cache(maxsize=100_000)
def _of_shape(
    topology: str, layout: tuple[tuple[str, int], ...], row: tuple[float, ...], dimensions: int, routing: str
) -> tuple[dict[str, Traffic], bool]:
    """Return the traffic of one shape: in tiles that fill its switches, else in blocks that follow the nodes."""
    kind = topology_named(topology)
    given = iter(row)
    each, grid = int(next(given)), tuple(int(next(given)) for _ in range(dimensions))
    sizes: dict[str, Any] = {}
    for name, entries in layout:
        sizes[name] = tuple(next(given) for _ in range(entries)) if entries else next(given)
    as_nodes = {**sizes, kind.attached: sizes[kind.attached] * each}
    volumes = tuple(int(block) for block in kind.tile_blocks(as_nodes))
    if kind.tiles(grid, volumes, tuple(int(size) for size in sizes.get("d", ()))) or kind.flow_network is None:
        loads = neighbour_loads(topology, as_nodes, grid, np.ones(1), routing=routing)
        traffic = {
            link.name: Traffic(float(np.ravel(link.load)[0]), float(np.ravel(link.traversals)[0]))
            for link in loads.classes
            if link.name != NODE
        }
        return traffic, bool(np.ravel(loads.routed)[0])
    carried = route_blocks(topology, sizes, grid, node_block(grid, each), routing=routing)
    return {
        name: Traffic(load, carried.traversals[name], carried.lengths.get(name, 0.0))
        for name, load in carried.loads.items()
    }, True


def _blocks(grid: Sequence[Any], each: Any) -> tuple[Any, ...]:
    """Return the sides of the block of a node in each design."""
    spread = np.broadcast_arrays(each, *grid)
    rows = np.stack([side.reshape(-1) for side in spread], axis=1).astype(np.int64)
    different, back = np.unique(rows, axis=0, return_inverse=True)
    blocks = np.array([node_block(tuple(row[1:]), row[0]) for row in different.tolist()], dtype=float)
    return tuple(blocks[back.reshape(-1), side].reshape(spread[0].shape) for side in range(len(grid)))
