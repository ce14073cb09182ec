"""What is known of the network of a real machine from the name of its topology: its taper, and the parts a node needs.

Tori with their dimensions have the bandwidth that `dse.models.network` gives; of the others only stated assumptions on
their kind are left, because tables of machines do not give their shapes.
"""

from __future__ import annotations

import re
from math import prod
from typing import NamedTuple

from dse.errors import InputError, nearest
from dse.models.network import effective_bandwidth

__all__ = ["DRAGONFLY_TAPER", "UNSTATED_TAPER", "Network", "network_of"]

DRAGONFLY_TAPER = 1.75
"""Injection over global bandwidth of a dragonfly: Frontier's groups of 128 nodes (site documentation; medium)."""

UNSTATED_TAPER = 4.0
"""Of a tree that is called tapered without a number: that of Sunway TaihuLight (Dongarra 2016, recalled; low)."""

_RATIO = re.compile(r"(\d+(?:\.\d+)?)\s*:\s*(\d+(?:\.\d+)?)")
_SIDES = re.compile(r"\d+(?:\s*[x×]\s*\d+)+")
_DIMENSIONS = re.compile(r"(\d)\s*-?\s*D\b", re.IGNORECASE)
_PER_ROUTER = re.compile(r"(\d+) nodes per (?:router|switch)")
_KINDS = ("torus", "dragonfly", "fat tree", "tree", "Clos", "HyperX", "full mesh", "hypercube", "crossbar")
_ON_DIE = ("tofu-d", "tofu d", "blue gene/q")  # the rated power of the processor has the router in it
_ROOM = 1.02


class Network(NamedTuple):
    """A network as seen by a node.

    Attributes
    ----------
    taper : float
        Injection bandwidth over the bandwidth a node has when all send to all.
    switch_ports : float
        Ports of switches for each link of a node.
    optical_ends : float
        Ends of optical cables for each link of a node.
    adapters : float
        1 where network cards or routers draw power of their own, 0 where they are on the processor's die.
    known : bool
        Whether the kind of network is; what is not is taken for a fat tree without taper.
    """

    taper: float
    switch_ports: float
    optical_ends: float
    adapters: float = 1.0
    known: bool = True


def network_of(topology: str, *, nodes: float, injection: float, link: float | None, interconnect: str = "") -> Network:
    """Return what a node sees of its network.

    Parameters
    ----------
    topology : str
        Such as "dragonfly", "fat-tree 2:1 tapered" or "3D torus 25x16x24, 2 nodes per router". Empty, or of no known
        kind: `Network.known` is False.
    nodes : float
    injection : float
        Bandwidth of all network cards of a node, in each direction [B/s].
    link : float or None
        Bandwidth of a link [B/s]; of a torus without one, the links are taken to be as fast as the node.
    interconnect : str
        Its product name; those with the router on the processor's die are known.

    Raises
    ------
    InputError
        A misspelt kind of network, a taper that widens, or a torus that is too small for its nodes.
    """
    words = topology.casefold().replace("-", " ")
    if "torus" in words:
        on_die = any(name in interconnect.casefold() for name in _ON_DIE)
        return Network(_torus_taper(topology, nodes, injection, link or injection), 0.0, 0.0, 0.0 if on_die else 1.0)
    if "dragonfly" in words:
        # 16 of 64 ports of a switch go to nodes and 16 to other groups, as in Frontier.
        return Network(DRAGONFLY_TAPER, 4.0, 1.0)
    if "tree" in words or "clos" in words:
        taper = _tree_taper(topology)
        # Three levels: a link from the node and, tapered, two more, each with a port at both ends and optical.
        return Network(taper, 1.0 + 4.0 / taper, 4.0 / taper)
    if any(kind in words for kind in ("hyperx", "mesh", "hypercube", "crossbar")):
        return Network(1.0, 4.0, 1.0)
    if topology and nearest(topology, _KINDS):
        raise InputError(
            f"'{topology}' is no known kind of network",
            key="topology",
            allowed=f"a text with one of {', '.join(_KINDS)}",
            wrong=topology,
            candidates=_KINDS,
        )
    return Network(1.0, 5.0, 4.0, known=False)


def _tree_taper(topology: str) -> float:
    ratio = _RATIO.search(topology)
    if ratio:
        taper = float(ratio[1]) / max(float(ratio[2]), 1e-300)
        if not 1.0 <= taper <= 64.0:
            raise InputError(
                f"a taper of {ratio[0]} in '{topology}'",
                key="topology",
                allowed="links down over links up, 1:1 to 64:1",
            )
        return taper
    return UNSTATED_TAPER if "taper" in topology.casefold() else 1.0


def _torus_taper(topology: str, nodes: float, injection: float, link: float) -> float:
    per_router = _PER_ROUTER.search(topology)
    shared = int(per_router[1]) if per_router else 1
    written = _SIDES.search(topology)
    if written:
        sides = [int(side) for side in re.findall(r"\d+", written[0])]
        if prod(sides) * shared * _ROOM < nodes:
            raise InputError(
                f"'{topology}' has room for {prod(sides) * shared} nodes, but {nodes:g} ran", key="topology"
            )
    else:
        dimensions = _DIMENSIONS.search(topology)
        count = int(dimensions[1]) if dimensions else 3
        sides = [max(round((nodes / shared) ** (1.0 / count)), 2)] * max(count, 1)
    shape = {"p": shared, "d": tuple(sides), "b0": injection, "b": link}
    return injection / float(effective_bandwidth("torus", shape, "uniform"))
