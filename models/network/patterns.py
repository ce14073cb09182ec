"""Patterns of communication: their names, what they need beside the machine, and checks over arrays of designs.

After Anghel 2017, Sections 5.4 (uniform), 5.5 (shift) and 5.6 (nearest neighbour); the permutations are its future
work, defined as is usual: complement r → n − 1 − r, transpose of a square of nodes, reversal of the bits of r,
butterfly swap of the first and the last bit, and tornado, almost half way round every ring of a torus (elsewhere, a
shift by almost n/2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network.tiles import neighbour_flows

__all__ = ["PATTERNS", "flows_per_node", "read_options"]

PATTERNS: dict[str, dict[str, str]] = {
    "uniform": {"include_self": "whether a node also sends to itself (default True, as the thesis counts)"},
    "shift": {"step": "distance in nodes"},
    "nearest-neighbour": {
        "grid": "processes along each dimension of the periodic grid",
        "tiles": "tiles of the grid, one per level of hardware blocks, the outer first; () for linear mapping",
    },
    "complement": {},
    "transpose": {},
    "bit-reversal": {},
    "butterfly": {},
    "tornado": {},
}
"""Patterns and their parameters."""


def read_options(pattern: str, options: Mapping[str, Any] | None, nodes: Any, blocks: Sequence[Any]) -> dict[str, Any]:
    """Check a pattern and its parameters.

    Parameters
    ----------
    pattern : str
        One of `PATTERNS`.
    options : mapping, optional
    nodes : array_like
        Nodes of the machine.
    blocks : sequence of array_like
        Nodes of each hardware block that takes a tile, the outer first.

    Returns
    -------
    dict
        Every parameter of the pattern as arrays.

    Raises
    ------
    InputError
        An unknown pattern or parameter, a value that does not fit the machine.
    """
    if pattern not in PATTERNS:
        raise InputError(f"unknown pattern '{pattern}'", allowed=list(PATTERNS), wrong=pattern, candidates=PATTERNS)
    given, known = dict(options or {}), PATTERNS[pattern]
    for name in given:
        if name not in known:
            raise InputError(
                f"the pattern '{pattern}' has no parameter '{name}'",
                allowed=[f"{key} ({what})" for key, what in known.items()] or "no parameters",
                wrong=name,
                candidates=known,
            )
    if pattern == "uniform":
        return {"include_self": _flag(given.get("include_self", True))}
    if pattern == "shift":
        if "step" not in given:
            raise InputError("the pattern 'shift' needs 'step'", allowed="a whole number of nodes")
        step = _whole("step", given["step"], lowest=-np.inf)
        return {"step": step}
    if pattern == "nearest-neighbour":
        return _neighbours(given, nodes, blocks)
    _refuse_odd_machines(pattern, np.asarray(nodes))
    return {}


def flows_per_node(pattern: str, options: Mapping[str, Any], nodes: Any) -> Any:
    """Return the flows each node sends, F."""
    if pattern == "uniform":
        return np.where(options["include_self"], nodes, nodes - 1.0)
    if pattern == "nearest-neighbour":
        return np.array(float(neighbour_flows(options["grid"])))
    return np.array(1.0)


def _flag(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype != bool:
        raise InputError(f"uniform: include_self = {value!r}", allowed="True or False")
    return array


def _whole(name: str, value: Any, *, lowest: float = 1.0) -> np.ndarray:
    allowed = "a whole number" if lowest == -np.inf else f"a whole number >= {lowest:g}"
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} = {value!r} is not a number", allowed=allowed) from None
    wrong = ~((array >= lowest) & (array == np.floor(array)) & (np.abs(array) < 2.0**53))
    if wrong.any():
        raise InputError(f"{name} = {array[wrong].flat[0]:g}", allowed=allowed)
    return array


def _sides(name: str, value: Any) -> tuple[np.ndarray, ...]:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or not len(value):
        raise InputError(f"{name} = {value!r}", allowed="a sequence with one whole number per dimension")
    return tuple(_whole(f"{name}[{position}]", side) for position, side in enumerate(value))


def _neighbours(given: Mapping[str, Any], nodes: Any, blocks: Sequence[Any]) -> dict[str, Any]:
    if "grid" not in given:
        raise InputError("the pattern 'nearest-neighbour' needs 'grid'", allowed="processes along each dimension")
    grid = _sides("grid", given["grid"])
    _refuse("grid", grid, np.not_equal(prod(grid), nodes), f"one process per node, {_first(nodes)} in all")
    tiles = tuple(_sides(f"tiles[{position}]", tile) for position, tile in enumerate(given.get("tiles") or ()))
    if tiles and len(tiles) != len(blocks):
        levels = f"{len(blocks)} (blocks of {', then '.join(_first(block) for block in blocks)} nodes)"
        raise InputError(
            f"nearest-neighbour: {len(tiles)} levels of tiles", allowed=f"{levels}, or none: linear mapping"
        )
    outer = grid
    for position, (tile, block) in enumerate(zip(tiles, blocks, strict=False)):
        name = f"tiles[{position}]"
        if len(tile) != len(grid):
            raise InputError(f"nearest-neighbour: {name} has {len(tile)} sides", allowed=f"{len(grid)}, as the grid")
        around = f"the {'tile around it' if position else 'grid'}, {'×'.join(_first(length) for length in outer)}"
        for side, length in zip(tile, outer, strict=True):
            _refuse(name, tile, np.mod(length, side) != 0, f"sides that divide those of {around}")
        _refuse(name, tile, np.not_equal(prod(tile), block), f"one process per node of a block, {_first(block)} in all")
        outer = tile
    return {"grid": grid, "tiles": tiles}


def _first(value: Any) -> str:
    return f"{np.asarray(value).reshape(-1)[0]:g}"


def _refuse(name: str, sides: Sequence[np.ndarray], wrong: Any, allowed: str) -> None:
    if np.any(wrong):
        mask = np.atleast_1d(wrong)
        position = int(np.flatnonzero(mask)[0])
        shown = [np.broadcast_to(side, mask.shape).reshape(-1)[position] for side in sides]
        raise InputError(f"nearest-neighbour: {name} = ({', '.join(f'{side:g}' for side in shown)})", allowed=allowed)


def _refuse_odd_machines(pattern: str, nodes: np.ndarray) -> None:
    if pattern == "transpose":
        wrong, allowed = np.rint(np.sqrt(nodes)) ** 2 != nodes, "a square number of nodes"
    elif pattern in ("bit-reversal", "butterfly"):
        wrong, allowed = 2.0 ** np.rint(np.log2(nodes)) != nodes, "a power of 2 of nodes"
    else:
        return
    if wrong.any():
        raise InputError(f"{pattern}: nodes = {nodes[wrong].flat[0]:g}", allowed=allowed)
