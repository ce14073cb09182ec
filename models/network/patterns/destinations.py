"""Who sends to whom in a pattern, and on which node each process of a grid runs.

Nearest neighbours with their mappings after Anghel 2017, Section 5.6; any number of dimensions and the permutations are
ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isqrt, prod
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.patterns.patterns import PATTERNS, read_options

__all__ = ["destinations", "node_of_rank"]


def node_of_rank(grid: Sequence[int], tiles: Sequence[Sequence[int]] = ()) -> np.ndarray:
    """Return the node each process of a grid runs on.

    Without tiles process r runs on node r, dimension 1 fastest. With them the tiles of each level are placed linearly
    on the blocks of hardware and the processes of the innermost tile linearly on its nodes (Anghel 2017, Section 5.6;
    any number of dimensions and levels is ours).

    Parameters
    ----------
    grid : sequence of int
        Processes along each dimension, dimension 1 first.
    tiles : sequence of sequence of int
        The outer one first; each divides the one before it, the first the grid.

    Returns
    -------
    ndarray of int
        One axis per dimension, the last one dimension 1, so that the flattened array is in the order of the ranks.

    Examples
    --------
    >>> node_of_rank((4, 2), [(2, 2)])
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    levels = [tuple(grid), *(tuple(tile) for tile in tiles), (1,) * len(grid)]
    nodes = np.zeros((1,) * len(grid), dtype=np.int64)
    for outer, inner in pairwise(levels):
        stride = prod(inner)
        for dimension, (length, side) in enumerate(zip(outer, inner, strict=True)):
            place = np.arange(grid[dimension]) % length // side * stride
            nodes = nodes + place.reshape((-1,) + (1,) * dimension)
            stride *= length // side
    return nodes


def destinations(
    pattern: str,
    nodes: int,
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    blocks: Sequence[int] = (),
    rings: Sequence[int] = (),
    nodes_per_switch: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Return who sends to whom.

    Parameters
    ----------
    pattern : str
        One of `PATTERNS` except uniform, where every node sends to all.
    nodes : int
        Nodes of the machine.
    pattern_parameters : mapping, optional
        As for `patterns.read_options`.
    blocks : sequence of int
        Nodes of the blocks of hardware that tiles are placed on, the outer one first.
    rings : sequence of int
        Switches along each dimension of a torus, where tornado goes almost half-way round every ring. Without them it
        is a shift by almost half of the nodes.
    nodes_per_switch : int
        Nodes on each switch of the torus.

    Returns
    -------
    source, destination : ndarray of int
        One entry per flow. A permutation has its sources in ascending order.

    Raises
    ------
    InputError
        A wrong parameter, or a number of nodes on which the pattern does not exist.

    Examples
    --------
    >>> destinations("bit-reversal", 8)[1]
    array([0, 4, 2, 6, 1, 5, 3, 7])
    """
    options = read_options(pattern, pattern_parameters, nodes, blocks)
    source = np.arange(nodes)
    if pattern == "uniform":
        raise InputError("uniform: every node sends to all", allowed=[name for name in PATTERNS if name != "uniform"])
    if pattern == "nearest-neighbour":
        tiles = tuple(_whole(tile) for tile in options["tiles"])
        return _neighbours(_whole(options["grid"]), tiles)
    if pattern == "shift":
        return source, _shifted(nodes, int(options["step"]))
    if pattern == "complement":
        return source, source[::-1].copy()
    if pattern == "transpose":
        side = isqrt(nodes)
        return source, source.reshape(side, side).T.ravel()
    if pattern == "bit-reversal":
        return source, _bits_reversed(nodes)
    if pattern == "butterfly":
        highest = nodes >> 1
        swapped = source ^ np.where((source & 1) != (source >= highest), highest | 1, 0)
        return source, swapped if nodes > 2 else source
    if pattern == "exchange":
        return source, source ^ (1 << int(options["exchange_bit"]))
    if rings:
        return source, _half_way_round(rings, nodes_per_switch)
    return source, _shifted(nodes, (nodes + 1) // 2 - 1)


def _whole(sides: Sequence[Any]) -> tuple[int, ...]:
    return tuple(int(side) for side in sides)


def _neighbours(grid: tuple[int, ...], tiles: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the flows to both neighbours along each dimension of a periodic grid."""
    node = node_of_rank(grid, tiles)
    neighbours = np.empty((2 * len(grid), *node.shape), dtype=np.int64)
    for axis in range(len(grid)):
        neighbours[2 * axis] = np.roll(node, -1, axis)
        neighbours[2 * axis + 1] = np.roll(node, 1, axis)
    return np.broadcast_to(node, neighbours.shape).ravel(), neighbours.ravel()


def _shifted(nodes: int, step: int) -> np.ndarray:
    step %= nodes
    return np.concatenate([np.arange(step, nodes), np.arange(step)])


def _bits_reversed(nodes: int) -> np.ndarray:
    reversed_bits = np.zeros(1, dtype=np.int64)
    while len(reversed_bits) < nodes:
        reversed_bits = np.concatenate([2 * reversed_bits, 2 * reversed_bits + 1])
    return reversed_bits


def _half_way_round(rings: Sequence[int], nodes_per_switch: int) -> np.ndarray:
    """Add (ceil(d/2) - 1) mod d to every coordinate of the switch."""
    switches = np.arange(nodes_per_switch)
    stride = nodes_per_switch
    for size in rings:
        switches = ((_shifted(size, (size + 1) // 2 - 1) * stride)[:, None] + switches).ravel()
        stride *= size
    return switches
