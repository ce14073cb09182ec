"""Patterns of communication: their names, what they need beside the machine, and checks over arrays of designs.

After Anghel 2017, Sections 5.4 (uniform), 5.5 (shift) and 5.6 (nearest neighbour); the permutations are its future
work, defined as is usual: complement r → n − 1 − r, transpose of a square of nodes, reversal of the bits of r,
butterfly swap of the first and the last bit, exchange of nodes whose numbers differ in one bit (a round of recursive
doubling or halving), and tornado, almost half way round every ring of a torus (elsewhere, a shift by almost n/2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dse.errors import InputError, shown
from dse.models.network.patterns.reading import broadcast, is_sequence, read_mapping, read_numbers
from dse.models.network.patterns.tiles import neighbour_flows

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
    "exchange": {"exchange_bit": "the bit in which the numbers of two partners differ, the lowest is 0"},
    "tornado": {},
}
"""Patterns and their parameters."""


def read_options(
    pattern: str,
    options: Mapping[str, Any] | None,
    nodes: Any,
    blocks: Sequence[Any],
    designs: tuple[int, ...] | None = None,
) -> dict[str, Any]:
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
    designs : tuple of int, optional
        Shape of the arrays of designs, when not that of `nodes`.

    Returns
    -------
    dict
        Every parameter of the pattern as arrays.

    Raises
    ------
    InputError
        An unknown pattern or parameter, a value that does not fit the machine.
    """
    if not isinstance(pattern, str) or pattern not in PATTERNS:
        raise InputError(
            f"unknown pattern '{pattern}'", allowed=list(PATTERNS), wrong=str(pattern), candidates=PATTERNS
        )
    known = PATTERNS[pattern]
    described = [f"{key} ({what})" for key, what in known.items()] or ["no parameters"]
    given = read_mapping(f"{pattern}: parameters", {} if options is None else options, f"a mapping with {described[0]}")
    for name in given:
        if name not in known:
            raise InputError(
                f"the pattern '{pattern}' has no parameter '{name}'",
                allowed=described,
                wrong=str(name),
                candidates=known,
            )
    values = _read(pattern, given)
    machine = np.empty(np.shape(nodes) if designs is None else designs)
    together = {"the machine": machine, **{name: _flat(value) for name, value in values.items()}}
    broadcast(f"{pattern}: parameters and machine", together)
    if pattern == "nearest-neighbour":
        _refuse_what_does_not_fit(values["grid"], values["tiles"], nodes, blocks)
    _refuse_odd_machines(pattern, np.asarray(nodes))
    if pattern == "exchange":
        _refuse_high_bits(values["exchange_bit"], nodes)
    return values


def _read(pattern: str, given: Mapping[str, Any]) -> dict[str, Any]:
    if pattern == "uniform":
        return {"include_self": _flag(given.get("include_self", True))}
    if pattern == "shift":
        if "step" not in given:
            raise InputError("the pattern 'shift' needs 'step'", allowed="a whole number of nodes")
        return {"step": _whole("step", given["step"], lowest=-np.inf)}
    if pattern == "exchange":
        if "exchange_bit" not in given:
            raise InputError("the pattern 'exchange' needs 'exchange_bit'", allowed="a whole number >= 0")
        return {"exchange_bit": _whole("exchange_bit", given["exchange_bit"], lowest=0.0)}
    if pattern == "nearest-neighbour":
        return _grid_and_tiles(given)
    return {}


def _flat(value: Any) -> Any:
    """Return nested tuples of arrays as one tuple."""
    if not isinstance(value, tuple):
        return value
    return tuple(item for entry in value for item in (entry if isinstance(entry, tuple) else (entry,)))


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
    array = read_numbers(name, value, allowed)
    wrong = ~((array >= lowest) & (array == np.floor(array)))
    if wrong.any():
        raise InputError(f"{name} = {shown(array[wrong].flat[0])}", allowed=allowed)
    large = ~(np.abs(array) < 2.0**53)
    if large.any():
        raise InputError(f"{name} = {shown(array[large].flat[0])}", allowed="less than 2^53, about 9e15")
    return array


def _sides(name: str, value: Any) -> tuple[np.ndarray, ...]:
    if not is_sequence(value) or not len(value):
        raise InputError(f"{name} = {value!r}", allowed="a sequence with one whole number per dimension")
    return tuple(_whole(f"{name}[{position}]", side) for position, side in enumerate(value))


def _grid_and_tiles(given: Mapping[str, Any]) -> dict[str, Any]:
    if "grid" not in given:
        raise InputError("the pattern 'nearest-neighbour' needs 'grid'", allowed="processes along each dimension")
    grid, tiles = _sides("grid", given["grid"]), given.get("tiles", ())
    if tiles is not None and not is_sequence(tiles):
        raise InputError(f"tiles = {tiles!r}", allowed="a sequence of tiles, the outer first; () for linear mapping")
    levels = () if tiles is None else tuple(_sides(f"tiles[{level}]", tile) for level, tile in enumerate(tiles))
    return {"grid": grid, "tiles": levels}


def _refuse_what_does_not_fit(
    grid: tuple[np.ndarray, ...], tiles: tuple[tuple[np.ndarray, ...], ...], nodes: Any, blocks: Sequence[Any]
) -> None:
    _refuse("grid", grid, np.not_equal(prod(grid), nodes), "one process per node, {} in all", nodes)
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
        around = f"the {'tile around it' if position else 'grid'}, {'×'.join('{}' for _ in outer)}"
        for side, length in zip(tile, outer, strict=True):
            _refuse(name, tile, np.mod(length, side) != 0, f"sides that divide those of {around}", *outer)
        wrong = np.not_equal(prod(tile), block)
        _refuse(name, tile, wrong, "one process per node of a block, {} in all", block)
        outer = tile


def _first(value: Any) -> str:
    array = np.asarray(value).reshape(-1)
    return shown(array[0]) if array.size else "no"


def _refuse(name: str, sides: Sequence[np.ndarray], wrong: Any, allowed: str, *values: Any) -> None:
    """Refuse designs; the braces in `allowed` stand for the values of the first that is wrong."""
    if np.any(wrong):
        spread = np.broadcast_arrays(wrong, *sides, *values)
        position = int(np.flatnonzero(spread[0])[0])
        texts = [shown(array.reshape(-1)[position]) for array in spread[1:]]
        refused = f"nearest-neighbour: {name} = ({', '.join(texts[: len(sides)])})"
        raise InputError(refused, allowed=allowed.format(*texts[len(sides) :]))


def _refuse_odd_machines(pattern: str, nodes: np.ndarray) -> None:
    if pattern == "transpose":
        wrong, allowed = np.rint(np.sqrt(nodes)) ** 2 != nodes, "a square number of nodes"
    elif pattern in ("bit-reversal", "butterfly", "exchange"):
        wrong, allowed = 2.0 ** np.rint(np.log2(nodes)) != nodes, "a power of 2 of nodes"
    else:
        return
    if wrong.any():
        raise InputError(f"{pattern}: nodes = {shown(nodes[wrong].flat[0])}", allowed=allowed)


def _refuse_high_bits(bit: np.ndarray, nodes: Any) -> None:
    bits, several = np.broadcast_arrays(bit, nodes)
    wrong = 2.0 ** np.minimum(bits, 64.0) >= several
    if wrong.any():
        refused = f"exchange: exchange_bit = {shown(bits[wrong].flat[0])} on {shown(several[wrong].flat[0])} nodes"
        raise InputError(refused, allowed="2^exchange_bit < nodes")
