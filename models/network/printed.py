"""The formulas of Anghel 2017 as printed, errors included: what ``equations="printed"`` stands for.

Bandwidths: Eqs. 5.8, 5.13, 5.19, 5.34, 5.41 (uniform), 5.50, 5.54, 5.60 (shift), Tables 5.5 to 5.8 (neighbours). Path
lengths: appendix tables 1 and 3 to 6; the thesis prints none for a shift. The default equations of this family are
these with the errors corrected, and hold for many more pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.models.network._printed_neighbours import hyperx_rows, mesh_tiles, subtree_tiles, tree_tiles
from dse.models.network.grid import class_name
from dse.models.network.links import NODE, Traffic
from dse.models.network.topologies.fat_tree.closed_form import LOWER, UPPER
from dse.models.network.topologies.full_mesh.closed_form import SWITCH
from dse.models.network.topology import LinkSpec, Shape, Topology, ratio

__all__ = ["links", "traffic"]

LARGEST_TORUS = 5
"""Dimensions of the largest torus of the thesis (Section 7.2); Eq. 5.34 is printed for any number, paths for three."""

Formula = Callable[[Topology, Shape, Mapping[str, Any]], dict[str, Traffic]]


def links(topology: Topology, shape: Shape, pattern: str) -> tuple[LinkSpec, ...]:
    """Return the link classes; beyond the uniform pattern the thesis leaves out the parallel node links of a tree."""
    found = topology.links(shape)
    if pattern == "uniform" or "w0" not in shape:
        return found
    return tuple(replace(one, capacity=shape["b0"]) if one.name == NODE else one for one in found)


def traffic(topology: Topology, shape: Shape, pattern: str, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Return load and traversals by link class as the thesis prints them.

    Parameters
    ----------
    topology : Topology
    shape : mapping of str to ndarray
        Checked parameters.
    pattern : str
    options : mapping
        Checked pattern parameters.

    Returns
    -------
    dict of str to Traffic
        By link class; with the node links where the printed path does not have two of them. Traversals are NaN where
        the thesis has no path length: for every shift, and for neighbours below a single switch of a tree.

    Raises
    ------
    InputError
        A pair, a shape or a mapping for which the thesis prints no bandwidth.
    """
    formula = _FORMULAS.get((topology.name, pattern))
    if formula is None:
        raise InputError(
            f"the thesis prints no formula for the pattern '{pattern}' on the topology '{topology.name}'",
            allowed=[
                "equations 'corrected'",
                *(f"{one} on {name}" for name, one in _FORMULAS if name == topology.name),
            ],
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return formula(topology, shape, options)


# ---- uniform: all nodes send to all, themselves included -------------------------------------------------------------


def _mesh_uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eq. 5.8, even for one switch; appendix table 1."""
    _with_self(topology, options)
    a, p, nodes = shape["a"], shape["p"], topology.nodes(shape)
    return {SWITCH: Traffic(p * p + 0.0 * a, ratio(p * (a - 1.0), nodes - 1.0))}


def _tree_uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eqs. 5.13 and 5.19; appendix table 1."""
    _with_self(topology, options)
    nodes = topology.nodes(shape)
    return {
        name: Traffic(block * (nodes - block), 2.0 * ratio(nodes - block, nodes - 1.0))
        for name, block in _blocks(shape).items()
    }


def _torus_uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eqs. 5.23, 5.25, 5.31, 5.33 and 5.34; appendix table 1, where a message to oneself has no links."""
    _with_self(topology, options)
    sizes, p, nodes = shape["d"], shape["p"], topology.nodes(shape)
    longer: Any = sum(np.greater(size, 1) * 1 for size in sizes)
    _refuse("uniform", topology, longer > LARGEST_TORUS, f"its largest torus has {LARGEST_TORUS} dimensions")
    for size in sizes:
        single = np.equal(size, 2) & np.equal(shape["double_link_at_2"], 0)
        _refuse("uniform", topology, single, "it counts two links in a ring of two switches")
    found = {NODE: Traffic(nodes, 2.0 - 2.0 / nodes)}
    for position, size in enumerate(sizes):
        ring = np.floor(size / 2.0) * np.ceil(size / 2.0)
        found[class_name(position)] = Traffic(p * nodes / size * ring / 2.0, ring / size)
    return found


def _hyperx_uniform(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eq. 5.41, even for one switch along a dimension; appendix table 1."""
    _with_self(topology, options)
    p, nodes = shape["p"], topology.nodes(shape)
    found = {
        class_name(position): Traffic(p * nodes / size, ratio(nodes - nodes / size, nodes - 1.0))
        for position, size in enumerate(_two_dimensions("uniform", topology, shape))
    }
    return found | _no_links(shape)


# ---- shift: node r sends to node r + s -------------------------------------------------------------------------------


def _mesh_shift(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eq. 5.50; the last s mod p flows of a shift that wraps around do not leave their switch, which it forgets."""
    step, p = _step(topology, options), shape["p"]
    rest = np.mod(step, p)
    load = np.where(step < p, step, np.where(rest == 0, p, np.maximum(rest, p - rest)))
    return {SWITCH: Traffic(load + 0.0 * shape["a"], np.nan)}


def _tree_shift(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    """Eqs. 5.54 and 5.60, which forget that a step of n − s is as good as one of s."""
    step, nodes = _step(topology, options), topology.nodes(shape)
    return {
        name: Traffic(np.where(step < block, step, block) + 0.0 * nodes, np.nan)
        for name, block in _blocks(shape).items()
    }


# ---- neighbours on a periodic grid -----------------------------------------------------------------------------------


def _tiled(rows: Callable[..., Any]) -> Formula:
    def neighbours(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
        grid, tiles = _two_sides(topology, options), options["tiles"]
        if not tiles:
            raise InputError(f"the thesis prints no formula for neighbours without tiles on '{topology.name}'")
        found, missing = rows(grid, *tiles)
        _refuse("nearest-neighbour", topology, missing, "this mapping is in none of its tables")
        return found

    return neighbours


def _hyperx_neighbours(topology: Topology, shape: Shape, options: Mapping[str, Any]) -> dict[str, Traffic]:
    grid = _two_sides(topology, options)
    sizes = _two_dimensions("nearest-neighbour", topology, shape)
    if options["tiles"]:
        raise InputError("the thesis prints no formula for neighbours with tiles on 'hyperx'", allowed="tiles = ()")
    found, missing = hyperx_rows(grid, sizes, shape["p"])
    why = "rows of the grid must fill whole switches of dimension 1, D1 = m·p and D2 = d2·d1/m > 2"
    _refuse("nearest-neighbour", topology, missing, why)
    return found | _no_links(shape)


# ---- what the formulas hold for --------------------------------------------------------------------------------------


def _blocks(shape: Shape) -> dict[str, Any]:
    """Return the nodes below a switch of level 1, and of a subtree when there are three levels."""
    blocks = {LOWER: shape["m1"]}
    return blocks | {UPPER: shape["m1"] * shape["m2"]} if "m3" in shape else blocks


def _with_self(topology: Topology, options: Mapping[str, Any]) -> None:
    without = np.equal(options["include_self"], False)
    _refuse("uniform", topology, without, "it counts messages of a node to itself (include_self)")


def _step(topology: Topology, options: Mapping[str, Any]) -> Any:
    _refuse("shift", topology, np.less(options["step"], 0), "its steps are not negative")
    return options["step"]


def _two_dimensions(pattern: str, topology: Topology, shape: Shape) -> tuple[Any, Any]:
    """Return the sizes of a HyperX of two dimensions; further ones must be 1."""
    sizes = shape["d"]
    _refuse(pattern, topology, len(sizes) < 2, "its HyperX has two dimensions")
    for size in sizes[2:]:
        _refuse(pattern, topology, np.greater(size, 1), "its HyperX has two dimensions")
    return sizes[0], sizes[1]


def _no_links(shape: Shape) -> dict[str, Traffic]:
    """Return no traffic for the dimensions of a HyperX beyond the second, which have one switch."""
    return {class_name(position): Traffic(0.0, 0.0) for position in range(2, len(shape["d"]))}


def _two_sides(topology: Topology, options: Mapping[str, Any]) -> tuple[Any, Any]:
    _refuse("nearest-neighbour", topology, len(options["grid"]) != 2, "its grid has two dimensions")
    first, second = options["grid"]
    return first, second


def _refuse(pattern: str, topology: Topology, mask: Any, why: str) -> None:
    """Refuse designs the thesis has no formula for."""
    wrong = np.atleast_1d(mask)
    if wrong.any():
        where = f" (design {int(np.flatnonzero(wrong)[0])} of {wrong.size})" if wrong.size > 1 else ""
        raise InputError(
            f"the thesis prints no such formula for the pattern '{pattern}' on '{topology.name}'{where}: {why}"
        )


_FORMULAS: dict[tuple[str, str], Formula] = {
    ("full-mesh", "uniform"): _mesh_uniform,
    ("fat-tree-2-level", "uniform"): _tree_uniform,
    ("fat-tree-3-level", "uniform"): _tree_uniform,
    ("torus", "uniform"): _torus_uniform,
    ("hyperx", "uniform"): _hyperx_uniform,
    ("full-mesh", "shift"): _mesh_shift,
    ("fat-tree-2-level", "shift"): _tree_shift,
    ("fat-tree-3-level", "shift"): _tree_shift,
    ("full-mesh", "nearest-neighbour"): _tiled(mesh_tiles),
    ("fat-tree-2-level", "nearest-neighbour"): _tiled(tree_tiles),
    ("fat-tree-3-level", "nearest-neighbour"): _tiled(subtree_tiles),
    ("hyperx", "nearest-neighbour"): _hyperx_neighbours,
}
