"""The bandwidth that traffic of any matrix gets on a topology: bytes on the links, where no pattern fits.

Anghel 2017, Section 5.3, with volumes: the time of a link is its bytes over its capacity, the busiest link decides, and
a node has its mean volume in that time. With equal volumes this is the effective bandwidth of the pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.bandwidth.routing import flow_network
from dse.models.network.graphs.flow_routing import Flows
from dse.models.network.graphs.links import NODE
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.topologies import topology_named
from dse.models.replay.network.traffic import Traffic

__all__ = ["TrafficBandwidth", "traffic_bandwidth"]


class TrafficBandwidth(NamedTuple):
    """What traffic gets on a network.

    Attributes
    ----------
    effective_bandwidth : float
        Of a node: its mean volume over the time of the busiest link [B/s].
    bottleneck : str
        The class of that link.
    seconds : dict of str to float
        Time of the busiest link of each class [s].
    """

    effective_bandwidth: float
    bottleneck: str
    seconds: dict[str, float]


def traffic_bandwidth(
    traffic: Traffic, topology: str, parameters: Mapping[str, Any], *, routing: str = "minimal"
) -> TrafficBandwidth:
    """Route the flows of a traffic matrix over one network, rank r on node r.

    Parameters
    ----------
    traffic : Traffic
        Of as many ranks as the network has nodes.
    topology, parameters, routing
        As of `dse.models.network.effective_bandwidth`; single values, bandwidths among them.

    Raises
    ------
    InputError
        Another number of nodes, no traffic, a topology whose flows are not routed.

    Examples
    --------
    >>> from dse.models.replay import traffic_of_matrix
    >>> ring = traffic_of_matrix([[0, 5, 0, 0], [0, 0, 5, 0], [0, 0, 0, 5], [5, 0, 0, 0]])
    >>> found = traffic_bandwidth(ring, "torus", {"d": [4], "p": 1, "b0": 7e9, "b": 1e9})
    >>> found.effective_bandwidth, found.bottleneck
    (1000000000.0, 'dimension 1')
    """
    kind = topology_named(topology)
    shape = read_parameters(kind, parameters, need=("bandwidths",))
    nodes = int(np.asarray(kind.nodes(shape)))
    if nodes != traffic.ranks:
        raise InputError(
            f"traffic of {traffic.ranks} ranks on a {topology} of {nodes} nodes", allowed="one rank on each node"
        )
    total = float(traffic.bytes.sum())
    if total <= 0.0:
        raise InputError("there is no traffic", allowed="bytes between different ranks")
    sizes = {name: _whole(shape[name], name in kind.lengths) for name in kind.sizes}
    network = flow_network(topology, sizes, "traffic of a matrix", routing=routing)
    source, destination = (ends // network.nodes_per_switch for ends in (traffic.source, traffic.destination))
    apart = source != destination
    pairs, of_pair = np.unique(source[apart] * network.switches + destination[apart], return_inverse=True)
    flows = Flows(pairs // network.switches, pairs % network.switches, np.bincount(of_pair, traffic.bytes[apart]))
    crossed = network.loads(flows) if len(pairs) else []
    held = {name: link_class.largest for name, link_class in zip(network.classes, crossed, strict=False)}
    ends = (np.bincount(ends_of, traffic.bytes, nodes).max() for ends_of in (traffic.source, traffic.destination))
    held[NODE] = float(max(ends))
    seconds = {spec.name: held.get(spec.name, 0.0) / float(np.asarray(spec.capacity)) for spec in kind.links(shape)}
    bottleneck = max(seconds, key=lambda name: seconds[name])
    return TrafficBandwidth(total / nodes / seconds[bottleneck], bottleneck, seconds)


def _whole(value: Any, is_length: bool) -> Any:
    if isinstance(value, tuple):
        return tuple(_whole(entry, is_length) for entry in value)
    return float(np.asarray(value)) if is_length else int(np.asarray(value))
