"""Load of a traffic pattern on the links of one network, by routing every flow: for pairs without a closed form.

The method is that of Anghel 2017, Section 5.3: what limits a class of links is the link that most flows share. The
engine that counts those flows is ours. Flows are routed between switches, those of the same pair of switches together;
the flows of a node to itself or within its switch cross no link between switches.

Which links a flow crosses is told by each topology (``topologies/*/route.py``). The order of nodes and switches is
everywhere the same: node = nodes per switch times switch + place in the switch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.patterns.destinations import destinations
from dse.models.network.patterns.patterns import flows_per_node, read_options

__all__ = ["FLOW_LIMIT", "Crossed", "FlowNetwork", "Flows", "LinkTable", "Routed", "chunks", "read_sizes"]
__all__ += ["read_whole_number", "refuse_many", "route_flows", "route_messages"]

FLOW_LIMIT = 20_000_000
"""Most flows that are routed one by one; they take up to 3.5 GB of memory."""

CHUNK = 1 << 20
"""Flows handled at a time."""

SMALL_TABLE = 1 << 17
"""Links that always get a table with an entry for each, however few of them carry anything."""


@dataclass(frozen=True)
class Routed:
    """What the flows of a pattern do to the links of a network.

    Attributes
    ----------
    flows_per_node : float
        Flows each node sends, F of Anghel 2017, Section 5.3.
    loads : dict of str to float
        Largest number of flows on one directed link of each class between switches; of a fat tree, on the links of a
        first-level switch (a second-level subtree) together, up or down. 0 if the class has no links or carries
        nothing. Flows that split over several paths count with their share.
    traversals : dict of str to float
        Links of each class that a message crosses on average, messages of a node to itself not counted; 0 if there is
        no other message.
    lengths : dict of str to float
        Mean length of the cables of these links, m; 0 where cables have no lengths.
    """

    flows_per_node: float
    loads: dict[str, float]
    traversals: dict[str, float]
    lengths: dict[str, float] = field(default_factory=dict)


class Flows(NamedTuple):
    """Flows between different switches: from, to, and how many."""

    source: np.ndarray
    destination: np.ndarray
    number: np.ndarray


class Crossed(NamedTuple):
    """Largest load on a link of one class, the links of that class all flows cross together, and their cables [m]."""

    largest: float
    total: float
    cable: float = 0.0


class FlowNetwork(NamedTuple):
    """One network, as the engine sees it.

    Attributes
    ----------
    sizes : dict of str to int or tuple of int
        By symbol, those with a default too.
    switches, nodes_per_switch : int
        Switches that nodes are attached to; of a fat tree, those of the first level.
    classes : tuple of str
        Link classes between switches.
    loads : callable
        From flows between switches to what each class carries.
    merged : bool
        Whether it pays to take the flows of a pair of switches together before they are routed.
    rings : tuple of int
        Switches along the dimensions of a torus.
    """

    sizes: Mapping[str, Any]
    switches: int
    nodes_per_switch: int
    classes: tuple[str, ...]
    loads: Callable[[Flows], list[Crossed]]
    merged: bool = True
    rings: tuple[int, ...] = ()


def route_flows(
    topology: str,
    network: FlowNetwork,
    pattern: str,
    pattern_parameters: Mapping[str, Any] | None,
    blocks: tuple[int, ...],
) -> Routed:
    """Route every flow of a pattern through one network.

    Parameters
    ----------
    topology : str
        Its name, for messages.
    network : FlowNetwork
    pattern : str
        One of `dse.models.network.patterns.patterns.PATTERNS`.
    pattern_parameters : mapping, optional
        As for `dse.models.network.patterns.patterns.read_options`.
    blocks : tuple of int
        Nodes of the blocks that tiles of a nearest-neighbour grid are placed on, the outer one first.

    Raises
    ------
    InputError
        A wrong parameter, a pattern that does not exist on so many nodes, or more than `FLOW_LIMIT` flows.
    """
    nodes = network.switches * network.nodes_per_switch
    options = read_options(pattern, pattern_parameters, nodes, blocks)
    sent = float(flows_per_node(pattern, options, nodes))
    if pattern == "uniform":
        count = network.switches**2
        workload = f"uniform traffic is not routed between {network.switches:,} switches: {count:,} flows"
        refuse_many(workload, count, FLOW_LIMIT, "take fewer switches, or the closed form")
        travelling, flows = nodes * (nodes - 1), _between_all(network)
    else:
        count = int(sent) * nodes
        workload = f"'{pattern}' on a {topology} of {nodes:,} nodes has no closed form: {count:,} flows to route"
        refuse_many(workload, count, FLOW_LIMIT, "take fewer nodes, or a pattern with a closed form such as uniform")
        source, destination = destinations(
            pattern,
            nodes,
            pattern_parameters,
            blocks=blocks,
            rings=network.rings,
            nodes_per_switch=network.nodes_per_switch,
        )
        travelling = int(np.count_nonzero(source != destination))
        flows = _between_switches(network, source, destination)
    return _carried(network, flows, sent, travelling)


def route_messages(network: FlowNetwork, source: np.ndarray, destination: np.ndarray) -> Routed:
    """Route single messages through one network, at most one from each node and one to each; others send nothing."""
    travelling = int(np.count_nonzero(source != destination))
    return _carried(network, _between_switches(network, source, destination), 1.0, travelling)


def _carried(network: FlowNetwork, flows: Flows, sent: float, travelling: int) -> Routed:
    """Return what flows between switches do to the links of each class."""
    crossed = network.loads(flows) if len(flows.source) else [Crossed(0.0, 0.0) for _ in network.classes]
    return Routed(
        sent,
        {name: link_class.largest for name, link_class in zip(network.classes, crossed, strict=True)},
        {
            name: link_class.total / max(travelling, 1)
            for name, link_class in zip(network.classes, crossed, strict=True)
        },
        {
            name: link_class.cable / (link_class.total or 1.0)
            for name, link_class in zip(network.classes, crossed, strict=True)
        },
    )


def refuse_many(workload: str, flows: int, limit: int, advice: str) -> None:
    """Refuse more flows than `limit`."""
    if flows > limit:
        raise InputError(workload, allowed=f"at most {limit:,}; {advice}")


def _between_all(network: FlowNetwork) -> Flows:
    """Return uniform traffic: from each node of a switch one flow to each node of every other switch."""
    switches = np.arange(network.switches)
    source, destination = np.repeat(switches, network.switches), np.tile(switches, network.switches)
    other = source != destination
    source, destination = source[other], destination[other]
    return Flows(source, destination, np.full(len(source), float(network.nodes_per_switch**2)))


def _between_switches(network: FlowNetwork, source: np.ndarray, destination: np.ndarray) -> Flows:
    """Return the flows between nodes as flows between different switches."""
    if network.nodes_per_switch > 1:
        source, destination = source // network.nodes_per_switch, destination // network.nodes_per_switch
    other = source != destination
    source, destination = source[other], destination[other]
    if network.nodes_per_switch == 1 or not network.merged:
        return Flows(source, destination, np.ones(len(source)))
    table = LinkTable(network.switches**2, len(source))
    table.add(source * network.switches + destination, np.ones(len(source)))
    pairs, number = table.sums()
    return Flows(*np.divmod(pairs, network.switches), number)


def route_neighbour_blocks(network: FlowNetwork, grid: Sequence[int], block: Sequence[int]) -> Routed:
    """Route the messages between neighbours on a grid of ranks, a block of which each node runs.

    Parameters
    ----------
    network : FlowNetwork
    grid, block : sequence of int
        Ranks along each dimension, of the machine and of a node. Blocks follow the nodes, dimension 1 fastest.
    """
    counts = [max(length // side, 1) for length, side in zip(grid, block, strict=True)]
    nodes = np.arange(network.switches * network.nodes_per_switch)
    count = 2 * len(grid) * len(nodes)
    refuse_many(f"{count:,} flows between nodes to route", count, FLOW_LIMIT, "take fewer nodes")
    sources, ends, numbers = [], [], []
    stride = 1
    for many, side in zip(counts, block, strict=True):
        place = nodes // stride % many
        for step in (1, -1) if many > 1 else ():
            sources.append(nodes)
            ends.append(nodes + ((place + step) % many - place) * stride)
            numbers.append(np.full(len(nodes), float(prod(block) // side)))
        stride *= many
    travelling = prod(grid) * sum(2 for length in grid if length > 1)
    if not sources:
        return _carried(network, Flows(nodes[:0], nodes[:0], np.zeros(0)), 2.0 * len(grid), travelling)
    source, end = (np.concatenate(part) // network.nodes_per_switch for part in (sources, ends))
    other = source != end
    flows = Flows(source[other], end[other], np.concatenate(numbers)[other])
    return _carried(network, flows, 2.0 * len(grid), travelling)


class LinkTable:
    """Sum of the loads put on each of many links, of which most may carry nothing.

    Parameters
    ----------
    links : int
        Numbers of links are below this.
    entries : int
        About how many loads will be put on them.
    """

    def __init__(self, links: int, entries: int) -> None:
        self._links = links
        # Sorting an entry takes about as long, and as much memory, as 16 places of a table.
        self._dense = links <= max(SMALL_TABLE, 16 * entries)
        self._table: np.ndarray | None = None
        self._waiting: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, link: np.ndarray, load: np.ndarray) -> None:
        """Put loads on links; a link may occur several times."""
        self._waiting.append((link, load))
        if self._dense and 4 * sum(len(waiting) for waiting, _ in self._waiting) > self._links:
            self.all()

    def all(self) -> np.ndarray:
        """Return the sum on every link."""
        link, load = self._taken()
        if self._table is None:
            self._table = np.bincount(link, load, self._links) if len(link) else np.zeros(self._links)
        elif len(link):
            self._table += np.bincount(link, load, self._links)
        return self._table

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the links that carry something, and the sum on each."""
        if self._dense:
            loaded = np.flatnonzero(self.all())
            return loaded, self.all()[loaded]
        link, load = self._taken()
        order = np.argsort(link)
        link = link[order]
        first = np.flatnonzero(np.diff(link, prepend=-1))
        return link[first], np.add.reduceat(load[order], first) if len(first) else load

    def largest(self) -> float:
        """Return the largest sum, 0 if nothing was put on any link."""
        loads = self.all() if self._dense else self.sums()[1]
        return float(loads.max(initial=0.0))

    def _taken(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what waits to be summed, and forget it."""
        parts, self._waiting = self._waiting or [(np.zeros(0, dtype=np.int64), np.zeros(0))], []
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([link for link, _ in parts]), np.concatenate([load for _, load in parts])


def chunks(entries: int, parts: int = 1) -> Iterator[slice]:
    """Yield slices of the flows; each flow becomes so many parts while it is handled."""
    chunk = max(CHUNK // parts, 1)
    for first in range(0, entries, chunk):
        yield slice(first, first + chunk)


def read_whole_number(key: str, value: Any) -> int:
    """Return a whole number given as any type of number, or say what is wrong with it."""
    try:
        number = int(value)
        whole = number == value
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or number < 1:
        raise InputError(f"{value}", key=key, allowed="a whole number >= 1")
    return number


def read_sizes(topology: str, parameters: Mapping[str, Any], *names: str) -> list[int]:
    """Return sizes of a topology as whole numbers."""
    whole_numbers = []
    for name in names:
        if name not in parameters:
            raise InputError(f"the topology '{topology}' needs '{name}'", key="parameters", allowed=names)
        whole_numbers.append(read_whole_number(name, parameters[name]))
    return whole_numbers
