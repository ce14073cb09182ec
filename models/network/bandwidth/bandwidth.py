"""Effective bandwidth of a node and mean path of a message, under a pattern of communication on any topology.

Each function takes the name of a topology, its parameters by symbol (numbers, or arrays over designs that broadcast),
the name of a pattern and the parameters of the pattern::

    >>> from dse.models.network import effective_bandwidth
    >>> effective_bandwidth("torus", {"d": (4, 4, 4), "p": 1, "b0": 7e9, "b": 2e9}, "uniform")
    4000000000.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.bandwidth.routing import flow_network, routed_traffic
from dse.models.network.bandwidth.traffic_loads import assembled_loads, better_loads, valiant_traffic
from dse.models.network.graphs.flow_routing import route_messages
from dse.models.network.graphs.links import LinkLoads, Traffic
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.graphs.printed import printed_traffic
from dse.models.network.graphs.topology import Topology
from dse.models.network.patterns.patterns import flows_per_node, read_options
from dse.models.network.patterns.reading import broadcast, plain
from dse.models.network.topologies import topology_named

__all__ = ["ROUTINGS", "MeanPath", "effective_bandwidth", "link_loads", "mean_path", "message_loads", "minimal_traffic"]

ROUTINGS = ("minimal", "dimension-order", "fewest-links", "valiant", "best")
"""Minimal: equal split over shortest paths (torus: dimension 1 first; Skywalk: those with the shortest cables).
Dimension-order: of a HyperX, dimension 1 first. Fewest-links: of a Skywalk, over all shortest paths.
Valiant: minimal to a random switch, and on from there. Best: for each design the better of minimal and Valiant."""


class MeanPath(NamedTuple):
    """The path of a message that leaves its node, on average over the messages of a pattern.

    Attributes
    ----------
    link_latency : float or ndarray
        Sum of the latencies of its links, s.
    links, switches : float or ndarray
        Links and switches on it; it has one switch less than links.
    by_class : dict of str to float or ndarray
        Links of each class.
    routed : bool or ndarray
        Whether they were counted by routing every flow.
    """

    link_latency: Any
    links: Any
    switches: Any
    by_class: Mapping[str, Any]
    routed: Any


def effective_bandwidth(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str = "uniform",
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    routing: str = "minimal",
    equations: str = "corrected",
) -> Any:
    """Return the bandwidth each node has when all nodes communicate in a pattern.

    Parameters
    ----------
    topology : str
        A key of `TOPOLOGIES`, such as full-mesh, fat-tree-2-level, torus, hyperx, dragonfly or slim-fly.
    parameters : mapping of str to array_like
        Sizes and bandwidths (B/s, per link and direction) by symbol; ``TOPOLOGIES[name].symbols`` lists them. ``d``
        of tori and HyperX is a sequence with an entry per dimension; ``b`` and ``l`` are lists or tuples of such
        entries, or one value for all dimensions. Every entry may be an array over designs.
    pattern : str
        A key of `PATTERNS`: uniform, shift, nearest-neighbour, complement, transpose, bit-reversal, butterfly,
        exchange, tornado.
    pattern_parameters : mapping, optional
        ``include_self`` of uniform (default True), ``step`` of shift, ``grid`` and ``tiles`` of nearest-neighbour,
        ``exchange_bit`` of exchange.
    routing : {"minimal", "dimension-order", "fewest-links", "valiant", "best"}
        See `ROUTINGS`.
    equations : {"corrected", "printed"}
        Printed: Anghel 2017 with its errors, where it has a formula.

    Returns
    -------
    float or ndarray
        B/s, of the broadcast shape of the parameters.

    Raises
    ------
    InputError
        An unknown name, a missing or impossible value, a shape that cannot be built, a pair that has no closed form on
        a machine too large to route its flows.

    Notes
    -----
    Anghel 2017, Eqs. 5.1 to 5.3: the time of the slowest flow. One process per node; the job fills the machine.
    """
    loads = link_loads(
        topology, parameters, pattern, pattern_parameters, routing=routing, equations=equations, need=("bandwidths",)
    )
    return plain(loads.effective_bandwidth)


def mean_path(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str = "uniform",
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    routing: str = "minimal",
    equations: str = "corrected",
) -> MeanPath:
    """Return mean number of links and mean link latency of the messages that leave their node.

    Parameters
    ----------
    topology, parameters, pattern, pattern_parameters, routing, equations
        As of `effective_bandwidth`; latencies (s, per link) instead of bandwidths. Routing "best" needs both.

    Returns
    -------
    MeanPath

    Notes
    -----
    Anghel 2017, Section 6.2 and appendix tables 1 and 3 to 6. Messages to oneself are left out. Where no message leaves
    its node, the path is up to the switch and back.
    """
    need = ("bandwidths", "latencies") if routing == "best" else ("latencies",)
    loads = link_loads(
        topology, parameters, pattern, pattern_parameters, routing=routing, equations=equations, need=need
    )
    links = loads.links
    if np.isnan(links).any():
        raise InputError(
            f"the thesis prints no path length of the pattern '{pattern}' on the topology '{topology}'",
            allowed='equations="corrected"',
        )
    return MeanPath(
        plain(loads.link_latency),
        plain(links),
        plain(links - 1.0),
        {link.name: plain(link.traversals) for link in loads.classes},
        plain(loads.routed),
    )


def link_loads(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str = "uniform",
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    routing: str = "minimal",
    equations: str = "corrected",
    need: Sequence[str] = (),
) -> LinkLoads:
    """Return capacity, largest load, mean traversals and latency of every link class: all answers follow from these.

    Parameters
    ----------
    topology, parameters, pattern, pattern_parameters, routing, equations
        As of `effective_bandwidth`.
    need : sequence of {"bandwidths", "latencies"}
        What must be among the parameters; what is not given is NaN in the result. Routing "best" needs bandwidths.
    """
    kind = topology_named(topology)
    _check_routing(kind, routing, equations)
    _check_need(need)
    shape = read_parameters(kind, parameters, need=(*need, "bandwidths") if routing == "best" else need)
    nodes, designs = kind.nodes(shape), broadcast(f"{topology}: the parameters", shape)
    options = read_options(pattern, pattern_parameters, nodes, kind.tile_blocks(shape), designs)
    flows = flows_per_node(pattern, options, nodes)
    if routing == "valiant":
        traffic, routed = valiant_traffic(kind, shape, flows), np.array(kind.counts_uniform)
    else:
        minimal = routing if routing in kind.routings else "minimal"
        traffic, routed = minimal_traffic(kind, shape, pattern, options, minimal, equations)
    specs = kind.links(shape) if equations == "corrected" else kind.printed_links(shape, pattern)
    loads = assembled_loads(specs, flows, traffic, routed)
    if routing == "best":
        valiant = valiant_traffic(kind, shape, flows)
        rescued = assembled_loads(specs, flows, valiant, np.array(kind.counts_uniform))
        loads = better_loads(loads, rescued)
    return loads


def message_loads(
    topology: str,
    parameters: Mapping[str, Any],
    source: Any,
    destination: Any,
    *,
    routing: str = "minimal",
    need: Sequence[str] = (),
) -> LinkLoads:
    """Return the link classes under single messages that are sent at the same time, each of them routed.

    Parameters
    ----------
    topology, parameters, routing, need
        As of `link_loads`; sizes of a single network.
    source, destination : array_like of int
        Nodes: at most one message from each, and at most one to each. All others send nothing.

    Returns
    -------
    LinkLoads
        With one flow per node that sends, so that the bandwidth is that of the slowest message.
    """
    kind = topology_named(topology)
    _check_routing(kind, routing, "corrected")
    _check_need(need)
    shape = read_parameters(kind, parameters, need=need)
    sizes = {name: _one_network(kind, name, shape[name]) for name in kind.sizes}
    ends = np.asarray(source), np.asarray(destination)
    flows = np.array(1.0)
    minimal = routing if routing in kind.routings else "minimal"
    routed = route_messages(flow_network(topology, sizes, "a set of messages", routing=minimal), *ends)
    direct = {
        name: Traffic(np.array(load), np.array(routed.traversals[name]), np.array(routed.lengths[name]))
        for name, load in routed.loads.items()
    }
    over_any = valiant_traffic(kind, shape, flows)
    specs = kind.links(shape)
    if routing == "valiant":
        return assembled_loads(specs, flows, over_any, np.array(kind.counts_uniform))
    loads = assembled_loads(specs, flows, direct, np.array(True))
    return better_loads(loads, assembled_loads(specs, flows, over_any, np.array(False))) if routing == "best" else loads


def _one_network(kind: Topology, name: str, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_one_network(kind, name, part) for part in value)
    if value.ndim:
        raise InputError(f"{kind.name}: {name} is an array", allowed="messages are routed over one network at a time")
    return float(value) if name in kind.lengths else int(value)


def _check_routing(topology: Topology, routing: str, equations: str) -> None:
    allowed = [*topology.routings, "valiant", "best"]
    if routing not in allowed:
        raise InputError(
            f"{topology.name} has no routing '{routing}'", allowed=allowed, wrong=str(routing), candidates=allowed
        )
    if equations not in ("corrected", "printed"):
        raise InputError(f"equations = '{equations}'", allowed=["corrected", "printed"])
    if equations == "printed" and routing != "minimal":
        raise InputError(f"the printed equations have no routing '{routing}'", allowed="minimal")


def _check_need(need: Sequence[str]) -> None:
    known = ("bandwidths", "latencies")
    wrong = [name for name in need if name not in known] if isinstance(need, (list, tuple, set, frozenset)) else [need]
    if wrong:
        raise InputError(f"need = {wrong[0]!r}", allowed=f"a sequence of {', '.join(known)}")


def minimal_traffic(
    topology: Topology,
    shape: Mapping[str, Any],
    pattern: str,
    options: Mapping[str, Any],
    routing: str,
    equations: str,
) -> tuple[dict[str, Traffic], Any]:
    """Return traffic by closed form, and by routing every flow where there is none."""
    if equations == "printed":
        return printed_traffic(topology, shape, pattern, options), np.array(False)
    closed = topology.traffic(shape, pattern, options, routing)
    missing: Any = np.array(False)
    for traffic in closed.values():
        missing = missing | np.isnan(traffic.load) | np.isnan(traffic.traversals)
    if not missing.any():
        return closed, missing | (topology.counts_uniform and pattern == "uniform")
    return routed_traffic(topology, shape, pattern, options, routing, closed, missing), missing
