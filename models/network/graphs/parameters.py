"""How the parameters of a topology are read and checked: numbers or arrays over designs, by symbol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dse.errors import InputError, shown
from dse.models.network.graphs.topology import Shape, Topology
from dse.models.network.patterns.reading import broadcast, is_sequence, read_mapping, read_numbers

__all__ = ["LONGEST", "ImpossibleShape", "read_parameters"]


def read_parameters(
    topology: Topology, parameters: Mapping[str, Any], *, need: Sequence[str] = (), check_shape: bool = True
) -> dict[str, Any]:
    """Check the parameters of a topology.

    Parameters
    ----------
    topology : Topology
    parameters : mapping of str to array_like
        By symbol. What is given must be meaningful, whether it is needed or not.
    need : sequence of {"bandwidths", "latencies"}
        What must be given beside the sizes.
    check_shape : bool
        Whether impossible shapes are refused.

    Returns
    -------
    dict of str to ndarray
        Float arrays; bandwidths and latencies that are not given are NaN.

    Raises
    ------
    InputError
        An unknown or missing parameter, a value outside its limits, an impossible shape.
    """
    symbols = topology.symbols
    symbol_texts = [f"{symbol} ({what})" for symbol, what in symbols.items()]
    for name in read_mapping(f"{topology.name}: parameters", parameters, f"a mapping with {', '.join(symbol_texts)}"):
        if name not in symbols:
            raise InputError(
                f"the topology '{topology.name}' has no parameter '{name}'",
                allowed=symbol_texts,
                wrong=str(name),
                candidates=symbols,
            )
    shape: dict[str, Any] = {}
    dimensions = _dimensions(topology, parameters)
    for name in topology.sizes:
        if name in parameters:
            shape[name] = _each(topology, name, parameters[name], dimensions, _size)
        elif name in topology.defaults:
            shape[name] = np.array(topology.defaults[name])
    shape = topology.complete(shape)
    for name, what in topology.sizes.items():
        if name not in shape:
            raise InputError(f"the topology '{topology.name}' needs '{name}' ({what})", allowed=_needed(topology, need))
    for kind, group in (("bandwidths", topology.bandwidths), ("latencies", topology.latencies)):
        check = _bandwidth if kind == "bandwidths" else _latency
        for name, what in group.items():
            if name in parameters:
                shape[name] = _each(topology, name, parameters[name], dimensions, check)
            elif kind in need:
                raise InputError(
                    f"the topology '{topology.name}' needs '{name}' ({what})", allowed=_needed(topology, need)
                )
            else:
                missing = np.array(np.nan)
                shape[name] = (missing,) * dimensions if name in topology.per_dimension else missing
    whole = broadcast(f"{topology.name}: the parameters", shape)
    _refuse_large_machines(topology, shape)
    for reason, mask in topology.faults(shape) if check_shape else ():
        wrong = np.broadcast_to(mask, whole).reshape(-1)
        if wrong.any():
            position = int(np.flatnonzero(wrong)[0])
            where = f" (design {position} of {wrong.size})" if wrong.size > 1 else ""
            described = f"{topology.name} with {_described(topology, shape, whole, position)}"
            error = ImpossibleShape(f"{described}{where}: {reason}")
            error.problem_of_design = f"{described}: {reason}"
            raise error
    return shape


class ImpossibleShape(InputError):
    """A shape that cannot be built."""

    problem_of_design: str
    """What is wrong with it, without the number of the design among the others."""


def _needed(topology: Topology, need: Sequence[str]) -> list[str]:
    groups = [topology.sizes, *(getattr(topology, kind) for kind in need)]
    return [f"{symbol} ({what})" for group in groups for symbol, what in group.items()]


def _dimensions(topology: Topology, parameters: Mapping[str, Any]) -> int:
    if "d" not in topology.per_dimension or "d" not in parameters:
        return 0
    sizes = parameters["d"]
    if not is_sequence(sizes) or len(sizes) < 1:
        raise InputError(f"{topology.name}: d = {sizes!r}", allowed="a sequence with one size per dimension")
    return len(sizes)


def _each(topology: Topology, name: str, value: Any, dimensions: int, check: Any) -> Any:
    """Check a parameter, entry by entry when it has one per dimension."""
    if name not in topology.per_dimension:
        return check(topology, name, value)
    if name == "d" or isinstance(value, (list, tuple)):
        if len(value) != dimensions:
            raise InputError(
                f"{topology.name}: '{name}' has {len(value)} entries for {dimensions} dimensions",
                allowed=f"{dimensions} entries, or one number for all",
            )
        return tuple(check(topology, f"{name}[{position}]", entry) for position, entry in enumerate(value))
    if dimensions > 1 and np.shape(value)[:1] == (dimensions,):
        raise InputError(
            f"{topology.name}: '{name}' is an array of {dimensions}, which may be one for each of the {dimensions} "
            "dimensions or one for each of so many designs",
            allowed=f"list({name}) for the first, [{name}] * {dimensions} for the second",
        )
    return (check(topology, name, value),) * dimensions


def _refuse(topology: Topology, name: str, array: np.ndarray, wrong: np.ndarray, allowed: str) -> None:
    if wrong.any():
        raise InputError(f"{topology.name}: {name} = {shown(array[wrong].flat[0])}", allowed=allowed)


LONGEST = 1000.0
"""The largest length of a size in metres."""

_LARGEST_SIZE = 2**31 - 1
_LARGEST_MACHINE = 2.0**53
"""Whole numbers above are not exact as floats."""


def _size(topology: Topology, name: str, value: Any) -> np.ndarray:
    if name in topology.flags:
        allowed = topology.flags[name]
        array = read_numbers(f"{topology.name}: {name}", value, allowed)
        _refuse(topology, name, array, ~((array == 0) | (array == 1)), allowed)
        return array
    if name in topology.lengths:
        allowed = topology.lengths[name]
        array = read_numbers(f"{topology.name}: {name}", value, allowed)
        _refuse(topology, name, array, ~((array >= 0) & (array <= LONGEST)), allowed)
        return array
    allowed = "a whole number >= 1"
    array = read_numbers(f"{topology.name}: {name}", value, allowed)
    _refuse(topology, name, array, ~((array >= 1) & (array == np.floor(array))), allowed)
    _refuse(topology, name, array, array > _LARGEST_SIZE, f"at most {_LARGEST_SIZE:,}")
    return array


def _bandwidth(topology: Topology, name: str, value: Any) -> np.ndarray:
    array = read_numbers(f"{topology.name}: {name}", value, "a bandwidth > 0 in B/s")
    _refuse(topology, name, array, ~((array > 0) & np.isfinite(array)), "a bandwidth > 0 in B/s")
    return array


def _latency(topology: Topology, name: str, value: Any) -> np.ndarray:
    array = read_numbers(f"{topology.name}: {name}", value, "a latency >= 0 in s")
    _refuse(topology, name, array, ~((array >= 0) & np.isfinite(array)), "a latency >= 0 in s")
    return array


def _refuse_large_machines(topology: Topology, shape: Shape) -> None:
    with np.errstate(over="ignore"):
        nodes = np.asarray(topology.nodes(shape))
    if (nodes > _LARGEST_MACHINE).any():
        raise InputError(
            f"{topology.name} of {nodes[nodes > _LARGEST_MACHINE].flat[0]:.3g} nodes",
            allowed="at most 2^53 nodes, about 9e15",
        )


def _described(topology: Topology, shape: Shape, whole: tuple[int, ...], position: int) -> str:
    def entry_text(array: np.ndarray) -> str:
        return shown(np.broadcast_to(array, whole).reshape(-1)[position])

    size_texts = []
    for name in topology.sizes:
        value = shape[name]
        if name not in topology.flags:
            sizes = (
                f"({', '.join(entry_text(entry) for entry in value)})"
                if isinstance(value, tuple)
                else entry_text(value)
            )
            size_texts.append(f"{name} = {sizes}")
    return ", ".join(size_texts)
