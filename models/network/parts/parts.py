"""What a network is made of, and which shapes of it cannot be built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dse.errors import InputError, shown
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.graphs.topology import Fault, NetworkParts
from dse.models.network.patterns.reading import broadcast, plain, read_numbers
from dse.models.network.topologies import topology_named

__all__ = ["network_parts", "shape_faults"]


def network_parts(topology: str, parameters: Mapping[str, Any]) -> NetworkParts:
    """Return what a network is made of: nodes, switches, cables by class, ports, diameter, bisection bandwidth.

    Parameters
    ----------
    topology, parameters
        As of `bandwidth.effective_bandwidth`. Bandwidths are needed for the bisection bandwidth only.

    Returns
    -------
    NetworkParts
    """
    kind = topology_named(topology)
    parts = kind.parts(read_parameters(kind, parameters))
    values = {name: plain(value) for name, value in vars(parts).items() if name != "links"}
    return NetworkParts(links={name: plain(count) for name, count in parts.links.items()}, **values)


def shape_faults(topology: str, parameters: Mapping[str, Any], *, nodes: Any = None, radix: Any = None) -> list[Fault]:
    """Return the reasons why shapes are impossible, each with a mask of the designs it holds for.

    Parameters
    ----------
    topology : str
    parameters : mapping of str to array_like
        Sizes; whole numbers >= 1.
    nodes, radix : array_like, optional
        Nodes the machine must have, and ports its switches have.
    """
    kind = topology_named(topology)
    shape = read_parameters(kind, parameters, check_shape=False)
    faults = list(kind.faults(shape))
    if nodes is not None:
        wanted = _limit("nodes", nodes, shape)
        faults.append((f"not {_shown_limit(wanted)} nodes", np.not_equal(kind.nodes(shape), wanted)))
    if radix is not None:
        most = _limit("radix", radix, shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            ports = kind.parts(shape).ports
        faults.append((f"more than {_shown_limit(most)} ports", np.greater(ports, most)))
    return faults


def _limit(name: str, value: Any, shape: Mapping[str, Any]) -> np.ndarray:
    array = read_numbers(name, value, "a number, or one per design")
    if np.isnan(array).any():
        raise InputError(f"{name} = nan", allowed="a number, or one per design")
    broadcast(f"{name} and the parameters", {**shape, name: array})
    return array


def _shown_limit(limit: np.ndarray) -> str:
    """Return a limit that is the same for all designs, or that it is not."""
    different = np.unique(limit)
    return shown(different[0]) if different.size == 1 else "the given number of"
