"""Time of a collective operation on a network of any topology: its rounds, each with the bandwidth that it gets.

In a round every process sends at most one message. With o = half of the node latency, once at each end, the latency L
of the links and switches on a path and the effective bandwidth B of a node under the messages of the round,

    T = sum over the rounds of (o + o_r + L + bytes/B)

which is Hoefler and Moor's cost of a message (2014, Section 2) with the L and B of Anghel 2017, chapters 5 and 6. One
process per node, rank r on node r, and the operation is one of all nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dse.errors import InputError, shown
from dse.models.collectives.algorithms.loggp import LogGP
from dse.models.collectives.algorithms.registry import COLLECTIVES
from dse.models.collectives.algorithms.rounds import ROUNDS, Round, flows_of_round, rounds_of
from dse.models.collectives.costs.cost import cost
from dse.models.network.bandwidth.bandwidth import link_loads, message_loads
from dse.models.network.graphs.flow_routing import read_whole_number
from dse.models.network.graphs.links import LinkLoads
from dse.models.network.graphs.parameters import read_parameters
from dse.models.network.patterns.reading import broadcast, plain, read_numbers
from dse.models.network.topologies import topology_named

__all__ = ["ON_TOPOLOGY", "CollectiveTime", "collective_on_topology"]

MOST_ROUTED = 2**14
"""Most nodes of which rounds are routed message by message."""

MOST_SHIFTS = 4096
"""Most shifts that are looked at one by one; of more of them, as many that are evenly spread."""

CHOICES = {"arity": [2**power for power in range(1, 7)], "pieces": [2**power for power in range(11)]}
"""Arities and numbers of pieces that are tried where none is given."""

_TREES = {
    name: COLLECTIVES["bcast"][name].tuned
    for name in ("kary", "fibonacci", "chain", "pbt", "double_tree", "double_tree_pipe")
}
"""Trees without rounds, and what each has to choose."""


class CollectiveTime(NamedTuple):
    """What an operation takes on a network.

    Attributes
    ----------
    time : float or ndarray
        Until the last process is done [s], of the shape of the message size.
    approximate : bool
        Whether shifts stand in for exchanges that have no closed form.
    sampled : bool
        Whether not every one of many shifts was looked at.
    """

    time: Any
    approximate: bool
    sampled: bool


def collective_on_topology(
    algorithm: str,
    processes: int,
    message_size: npt.ArrayLike,
    *,
    topology: str,
    parameters: Mapping[str, Any],
    node_latency: float = 0.9e-6,
    switch_latency: float = 0.7e-6,
    receiver_overhead: float | None = None,
    routing: str = "minimal",
    routed: bool = False,
    arity: int | None = None,
    pieces: int | None = None,
) -> CollectiveTime:
    """Return the time of a collective operation on a network.

    Parameters
    ----------
    algorithm : str
        One of `ON_TOPOLOGY`.
    processes : int
        P, the nodes of the network.
    message_size : array_like
        s [B], of each process; of each destination for personalised operations.
    topology, parameters, routing
        As of `dse.models.network.effective_bandwidth`; one network, with bandwidths and latencies.
    node_latency, switch_latency : float
        Of the software of a node, both ends of a message together, and of one switch [s].
    receiver_overhead : float, optional
        Of a receive [s], at most half of the node latency, which is the default.
    routed : bool
        Route the messages of an exchange that has no closed form (a number of nodes that is no power of two, a
        dragonfly) where else a shift by the same distance stands in for it. Up to 2^14 nodes.
    arity : int, optional
        Children of a node of the k-ary tree. Default: the fastest of 2, 4, 8 … 64.
    pieces : int, optional
        Into which chain, pbt and the double trees cut the message. Default: the fastest of 1, 2, 4 … 1024.

    Returns
    -------
    CollectiveTime

    Raises
    ------
    InputError
        By name: an algorithm, a number of processes it is not defined for or that are not all nodes, a value outside
        its limits.

    Notes
    -----
    Rounds of exchanges are exact on machines of 2^m nodes of a full mesh, a tree, a torus or a HyperX, since all their
    messages are alike: they equal a simulation of the messages. Those of shifts take the bandwidth of the slowest
    message, where ranks with faster ones run ahead: on random machines of 6 to 40 nodes -31 to +37 % of the simulation,
    0 to 2 % on average. Binomial trees on other numbers of nodes are an upper bound, 7 % above on average.

    Examples
    --------
    >>> torus = {"d": (4, 4), "p": 2, "b0": 1e10, "b": 1e10, "l0": 5e-9, "l": 30e-9}
    >>> found = collective_on_topology(
    ...     "butterfly", 32, [8, 2**20], topology="torus", parameters=torus, switch_latency=1e-7
    ... )
    >>> (found.time * 1e6).round(4).tolist()
    [5.8372, 949.5484]
    """
    if algorithm not in ON_TOPOLOGY:
        raise InputError(
            f"'{algorithm}'",
            key="algorithm",
            allowed=list(ON_TOPOLOGY),
            wrong=str(algorithm),
            candidates=ON_TOPOLOGY,
        )
    ranks = read_whole_number("processes", processes)
    size = _at_least_0("message_size", message_size)
    node, switch = _single("node_latency", node_latency), _single("switch_latency", switch_latency)
    overhead = node / 2.0
    at_end = overhead if receiver_overhead is None else _single("receiver_overhead", receiver_overhead)
    if (at_end > overhead).any():
        raise InputError(f"{receiver_overhead}", key="receiver_overhead", allowed="at most half of the node latency")
    tuning: dict[str, Any] = {}
    for name, value in (("arity", arity), ("pieces", pieces)):
        if value is not None and name != _TREES.get(algorithm):
            raise InputError(f"'{name}' is given, and {algorithm} has none", key=name, allowed="nothing")
        if value is not None:
            tuning[name] = read_whole_number(name, value)
    shape = read_parameters(topology_named(topology), parameters, need=("bandwidths", "latencies"))
    if broadcast(topology, shape):
        raise InputError(f"{topology}: the parameters are arrays", allowed="one network at a time")
    nodes = int(topology_named(topology).nodes(shape))
    if ranks != nodes:
        raise InputError(f"{ranks}", key="processes", allowed=f"the {nodes} nodes of the network, one process each")
    if routed and nodes > MOST_ROUTED:
        raise InputError(f"{nodes} nodes", key="routed", allowed=f"at most {MOST_ROUTED:,}")
    net = _Network(topology, dict(parameters), nodes, float(switch), routing)
    asked = _Asked(algorithm, ranks, size, float(overhead), float(at_end), tuning)
    if ranks == 1:
        rounds_of(algorithm, 1) if algorithm in ROUNDS else None
        return CollectiveTime(plain(np.zeros(size.shape)), approximate=False, sampled=False)
    if algorithm in ROUNDS:
        return _by_rounds(asked, net, routed=routed)
    return _OTHERS[algorithm](asked, net)


class _Asked(NamedTuple):
    algorithm: str
    ranks: int
    size: np.ndarray
    overhead: float
    at_end: float
    tuning: Mapping[str, Any]

    @property
    def ends(self) -> float:
        """Overhead at both ends of a message."""
        return self.overhead + self.at_end


class _Way(NamedTuple):
    """Latency of the links and switches on a path [s], and time of a byte [s/B]."""

    latency: Any
    byte_time: Any


@dataclass(frozen=True)
class _Network:
    topology: str
    parameters: Mapping[str, Any]
    nodes: int
    switch_latency: float
    routing: str

    def pattern(self, name: str, **options: Any) -> _Way:
        loads = link_loads(self.topology, self.parameters, name, options, routing=self.routing)
        return self._way(loads)

    def messages(self, source: Any, destination: Any) -> _Way:
        loads = message_loads(self.topology, self.parameters, source, destination, routing=self.routing)
        return self._way(loads)

    def _way(self, loads: LinkLoads) -> _Way:
        latency = loads.link_latency + (loads.links - 1.0) * self.switch_latency
        return _Way(latency, 1.0 / loads.effective_bandwidth)

    def has_closed_exchange(self) -> bool:
        kind = topology_named(self.topology)
        shape = read_parameters(kind, self.parameters)
        if self.nodes & (self.nodes - 1):
            return False
        traffic = kind.traffic(shape, "exchange", {"exchange_bit": np.array(0.0)}, kind.routings[0])
        return not any(np.isnan(way.load).any() for way in traffic.values())

    def byte_times_alone(self) -> np.ndarray:
        """Return the time of a byte to each node but the first from that one, with nothing else on the way [s/B]."""
        kind = topology_named(self.topology)
        inner = int(kind.tile_blocks(read_parameters(kind, self.parameters))[-1])
        to_first = message_loads(self.topology, self.parameters, [0], [0]).effective_bandwidth
        byte_times = np.full(self.nodes, 1.0 / to_first)
        # The nodes of a switch are reached over the same links.
        for start in range(inner, self.nodes, inner):
            alone = message_loads(self.topology, self.parameters, [0], [start])
            byte_times[start : start + inner] = 1.0 / alone.effective_bandwidth
        return byte_times[1:]


def _at_least_0(name: str, value: Any) -> np.ndarray:
    array = read_numbers(name, value, "a finite number >= 0")
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        raise InputError(f"{name} = {shown(array[wrong].flat[0])}", allowed="a finite number >= 0")
    return array


def _single(name: str, value: Any) -> np.ndarray:
    array = _at_least_0(name, value)
    if array.ndim:
        raise InputError(f"{name} has the shape {array.shape}", allowed="one number; only message_size may be an array")
    return array


def _by_rounds(asked: _Asked, net: _Network, *, routed: bool) -> CollectiveTime:
    """Add up the rounds: T = sum of times (o + o_r + L + share s/B)."""
    every = rounds_of(asked.algorithm, asked.ranks)
    exchanges_known = net.has_closed_exchange()
    shifts: list[Round] = []
    fixed, per_byte, approximate = 0.0, 0.0, False
    for round_ in every:
        if round_.pattern == "exchange" and not routed and not exchanges_known:
            round_, approximate = round_._replace(pattern="shift"), True
        if round_.pattern == "shift":
            shifts.append(round_)
            continue
        if round_.pattern == "exchange" and round_.taking_part == net.nodes:
            way = net.pattern("exchange", exchange_bit=round_.distance.bit_length() - 1)
        else:
            way = net.messages(*flows_of_round(round_, asked.ranks))
        fixed += round_.times * (asked.ends + float(way.latency))
        per_byte += round_.times * round_.share * float(way.byte_time)
    if shifts:
        looked_at = shifts if len(shifts) <= MOST_SHIFTS else [shifts[i] for i in _spread(len(shifts))]
        way = net.pattern("shift", step=np.array([round_.distance for round_ in looked_at]))
        times = np.array([round_.times for round_ in looked_at]) * (len(shifts) / len(looked_at))
        fixed += float(np.sum(times * (asked.ends + way.latency)))
        per_byte += float(np.sum(times * np.array([round_.share for round_ in looked_at]) * way.byte_time))
    return CollectiveTime(plain(fixed + asked.size * per_byte), approximate, len(shifts) > MOST_SHIFTS)


def _spread(number: int) -> np.ndarray:
    return np.rint(np.linspace(0, number - 1, MOST_SHIFTS)).astype(int)


def _direct(asked: _Asked, net: _Network) -> CollectiveTime:
    """Each message after the other: T = L + o (P - 1) + o_r + s sum over the shifts of 1/B.

    At any time the network carries about one shift, so that uniform traffic would be too fast.
    """
    others = asked.ranks - 1
    steps = np.arange(1, asked.ranks)
    sampled = others > MOST_SHIFTS
    if sampled:
        steps = steps[_spread(others)]
    per_byte = float(np.mean(net.pattern("shift", step=steps).byte_time)) * others
    fixed = float(net.pattern("uniform").latency) + asked.overhead * others + asked.at_end
    return CollectiveTime(plain(fixed + asked.size * per_byte), approximate=False, sampled=sampled)


def _direct_concurrent(asked: _Asked, net: _Network) -> CollectiveTime:
    """All messages of a process in flight together: T = L + o (P - 1) + o_r + s (P - 1)/B, uniform without self."""
    others = asked.ranks - 1
    way = net.pattern("uniform", include_self=False)
    fixed = float(way.latency) + asked.overhead * others + asked.at_end
    return CollectiveTime(plain(fixed + asked.size * others * float(way.byte_time)), approximate=False, sampled=False)


def _flat(asked: _Asked, net: _Network) -> CollectiveTime:
    """The root sends to one after the other: T = L + o (P - 1) + o_r + s sum of 1/B of each message alone."""
    others = asked.ranks - 1
    fixed = float(net.pattern("uniform").latency) + asked.overhead * others + asked.at_end
    per_byte = float(np.sum(net.byte_times_alone()))
    return CollectiveTime(plain(fixed + asked.size * per_byte), approximate=False, sampled=False)


def _tree(asked: _Asked, net: _Network) -> CollectiveTime:
    """A tree without rounds: the closed form with the mean latency, and the byte time of one message alone at worst.

    Of the arities, and of the pieces, that are not given the fastest is taken.
    """
    hops = LogGP(
        latency=float(net.pattern("uniform").latency),
        overhead=asked.overhead,
        receiver_overhead=asked.at_end,
        byte_time=float(np.max(net.byte_times_alone())),
    )
    tuned = _TREES[asked.algorithm]
    tuning = asked.tuning or ({tuned: CHOICES[tuned]} if tuned else {})
    tree = cost(asked.algorithm, "bcast", asked.ranks, asked.size[..., None], hops, **tuning)
    return CollectiveTime(plain(tree.time.min(axis=-1)), approximate=False, sampled=False)


_OTHERS: dict[str, Callable[[_Asked, _Network], CollectiveTime]] = {
    "flat": _flat,
    "flat_pers": _flat,
    "direct": _direct,
    "direct_concurrent": _direct_concurrent,
    "scan_direct": _direct,
    **dict.fromkeys(_TREES, _tree),
}

ON_TOPOLOGY = (*ROUNDS, *_OTHERS)
"""Algorithms whose time on a network is known."""
