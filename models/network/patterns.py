"""Traffic patterns: their names, what they need, on how many nodes they exist, and who sends to whom.

Uniform, shift and nearest neighbour with its mappings after Anghel 2017, Sections 5.4 to 5.6; nearest neighbours in any
number of dimensions and the other permutations (the thesis' future work) are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isqrt, prod
from typing import Any

import numpy as np

from dse.errors import InputError

__all__ = ["PATTERNS", "check_nodes", "check_tiles", "destinations", "flows_per_node", "node_of_rank"]
__all__ += ["pattern_options", "whole_number"]

PATTERNS: dict[str, tuple[str, ...]] = {
    "uniform": ("include_self",),
    "shift": ("step",),
    "nearest-neighbour": ("grid", "tiles"),
    "complement": (),
    "transpose": (),
    "bit-reversal": (),
    "butterfly": (),
    "tornado": (),
}
"""Names of the patterns and of the parameters each takes."""

_REQUIRED = ("step", "grid")


def whole_number(key: str, value: Any, minimum: int | None = 1) -> int:
    """Return a whole number given as any type of number, or say what is wrong with it."""
    try:
        number = int(value)
        whole = number == value
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or (minimum is not None and number < minimum):
        raise InputError(f"{value}", key=key, allowed="a whole number" + ("" if minimum is None else f" >= {minimum}"))
    return number


def pattern_options(pattern: str, pattern_parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the parameters of a pattern as plain numbers, with the defaults filled in.

    Parameters
    ----------
    pattern : str
        One of `PATTERNS`.
    pattern_parameters : mapping of str to object, optional
        ``include_self`` (default True) of uniform traffic; ``step`` of a shift; ``grid`` and ``tiles`` (default none:
        the linear mapping) of nearest neighbours. Whether they fit the machine is checked in `destinations`.

    Raises
    ------
    InputError
        An unknown pattern or parameter, one that is missing, or is not a number of the kind it should be.
    """
    if pattern not in PATTERNS:
        raise InputError(f"'{pattern}'", key="pattern", allowed=list(PATTERNS), wrong=str(pattern), candidates=PATTERNS)
    names = PATTERNS[pattern]
    given = dict(pattern_parameters or {})
    for name in given:
        if name not in names:
            raise InputError(
                f"the pattern '{pattern}' has no parameter '{name}'",
                key="pattern_parameters",
                allowed=names or "none",
                wrong=str(name),
                candidates=names,
            )
    for name in names:
        if name in _REQUIRED and name not in given:
            raise InputError(f"the pattern '{pattern}' needs '{name}'", key="pattern_parameters", allowed=names)
    if pattern == "uniform":
        return {"include_self": _flag("include_self", given.get("include_self", True))}
    if pattern == "shift":
        return {"step": whole_number("step", given["step"], None)}
    if pattern == "nearest-neighbour":
        cut = tuple(_sides(f"tiles[{position}]", tile) for position, tile in enumerate(given.get("tiles", ())))
        return {"grid": _sides("grid", given["grid"]), "tiles": cut}
    return {}


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_, np.ndarray)) or np.size(value) != 1:
        raise InputError(f"{value}", key=key, allowed="True or False")
    return bool(value)


def _sides(key: str, sides: Any) -> tuple[int, ...]:
    try:
        found = tuple(whole_number(f"{key}[{position}]", side) for position, side in enumerate(sides))
    except TypeError:
        found = ()
    if not found:
        raise InputError(f"{sides}", key=key, allowed="a sequence with one whole number >= 1 per dimension")
    return found


def flows_per_node(pattern: str, nodes: Any, pattern_parameters: Mapping[str, Any] | None = None) -> Any:
    """Return how many flows each node sends, F of Anghel 2017, Section 5.3; elementwise in `nodes`.

    Examples
    --------
    >>> flows_per_node("uniform", 8), flows_per_node("uniform", 8, {"include_self": False})
    (8.0, 7.0)
    >>> flows_per_node("nearest-neighbour", 64, {"grid": (8, 8)})
    4.0
    """
    options = pattern_options(pattern, pattern_parameters)
    if pattern == "uniform":
        return nodes - (0.0 if options["include_self"] else 1.0)
    each = 2.0 * len(options["grid"]) if pattern == "nearest-neighbour" else 1.0
    return nodes * 0.0 + each


def check_nodes(pattern: str, nodes: int) -> None:
    """Refuse a number of nodes on which the pattern does not exist."""
    if pattern == "transpose" and isqrt(nodes) ** 2 != nodes:
        allowed = "a square number of nodes"
    elif pattern in ("bit-reversal", "butterfly") and nodes & (nodes - 1):
        allowed = "a power of 2 as the number of nodes"
    else:
        return
    raise InputError(f"the pattern '{pattern}' on {nodes} nodes", key="nodes", allowed=allowed)


def check_tiles(grid: Sequence[int], tiles: Sequence[Sequence[int]], nodes: int, blocks: Sequence[int]) -> None:
    """Check a grid of processes and its tiles against a machine.

    Parameters
    ----------
    grid : sequence of int
        Processes along each dimension, dimension 1 first; their product is the number of nodes.
    tiles : sequence of sequence of int
        None for the linear mapping; otherwise one tile per level of blocks, the outer one first. Each divides the one
        before it, the first the grid, and has as many processes as the block has nodes.
    nodes : int
        Nodes of the machine.
    blocks : sequence of int
        Nodes of the blocks of hardware the tiles are placed on, the outer one first.

    Raises
    ------
    InputError
        One of these does not hold.
    """
    if prod(grid) != nodes:
        told = f"{_times(grid)} = {prod(grid)} processes on {nodes} nodes"
        raise InputError(told, key="grid", allowed="a grid with one process per node")
    if not tiles:
        return
    if len(tiles) != len(blocks):
        levels = f"{len(blocks)}, of {', then '.join(map(str, blocks))} processes"
        raise InputError(f"{len(tiles)} levels of tiles", key="tiles", allowed=f"none (linear mapping), or {levels}")
    outer = grid
    for position, (tile, block) in enumerate(zip(tiles, blocks, strict=True)):
        key = f"tiles[{position}]"
        if len(tile) != len(grid) or any(side % part for side, part in zip(outer, tile, strict=True)):
            around = "the grid" if position == 0 else "the tile around it,"
            raise InputError(_times(tile), key=key, allowed=f"sides that divide those of {around} {_times(outer)}")
        if prod(tile) != block:
            told = f"{_times(tile)} = {prod(tile)} processes on a block of {block} nodes"
            raise InputError(told, key=key, allowed="a tile with one process per node of its block")
        outer = tile


def _times(sides: Sequence[int]) -> str:
    return "×".join(map(str, sides))


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
        As `check_tiles` returns them.

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
        As for `pattern_options`.
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
    options = pattern_options(pattern, pattern_parameters)
    check_nodes(pattern, nodes)
    source = np.arange(nodes)
    if pattern == "uniform":
        raise InputError("'uniform'", key="pattern", allowed=[name for name in PATTERNS if name != "uniform"])
    if pattern == "nearest-neighbour":
        check_tiles(options["grid"], options["tiles"], nodes, blocks)
        return _neighbours(options["grid"], options["tiles"])
    if pattern == "shift":
        return source, _shifted(nodes, options["step"])
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
    if rings:
        return source, _half_way_round(rings, nodes_per_switch)
    return source, _shifted(nodes, (nodes + 1) // 2 - 1)


def _neighbours(grid: tuple[int, ...], tiles: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the flows to both neighbours along each dimension of a periodic grid."""
    node = node_of_rank(grid, tiles)
    found = np.empty((2 * len(grid), *node.shape), dtype=np.int64)
    for axis in range(len(grid)):
        found[2 * axis] = np.roll(node, -1, axis)
        found[2 * axis + 1] = np.roll(node, 1, axis)
    return np.broadcast_to(node, found.shape).ravel(), found.ravel()


def _shifted(nodes: int, step: int) -> np.ndarray:
    step %= nodes
    return np.concatenate([np.arange(step, nodes), np.arange(step)])


def _bits_reversed(nodes: int) -> np.ndarray:
    found = np.zeros(1, dtype=np.int64)
    while len(found) < nodes:
        found = np.concatenate([2 * found, 2 * found + 1])
    return found


def _half_way_round(rings: Sequence[int], nodes_per_switch: int) -> np.ndarray:
    """Add (ceil(d/2) - 1) mod d to every coordinate of the switch."""
    found = np.arange(nodes_per_switch)
    stride = nodes_per_switch
    for size in rings:
        found = ((_shifted(size, (size + 1) // 2 - 1) * stride)[:, None] + found).ravel()
        stride *= size
    return found
