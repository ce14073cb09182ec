"""Load of a traffic pattern on the links of one network, by routing every flow: for pairs without a closed form.

The method is that of Anghel 2017, Section 5.3: what limits a class of links is the link that most flows share. The
engine that counts those flows is ours. Flows are routed between switches, those of the same pair of switches together;
the flows of a node to itself or within its switch cross no link between switches.

The order of nodes, switches and dimensions is everywhere the same: node = nodes per switch times switch + place in the
switch; dimension 1 of a torus or HyperX runs fastest; switch of a dragonfly = switches per group times group + place
in the group. A Slim Fly has its first part before its second; see `slim_fly_adjacency`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import comb, isqrt, lcm, prod
from typing import Any, NamedTuple

import numpy as np

from dse.errors import InputError
from dse.models.network.destinations import destinations
from dse.models.network.patterns import flows_per_node, read_options

__all__ = ["FLOW_LIMIT", "Routed", "route", "slim_fly_adjacency"]

FLOW_LIMIT = 20_000_000
"""Most flows that are routed one by one; they take up to 3.5 GB of memory."""

_CHUNK = 1 << 20
"""Flows handled at a time."""

_SMALL_TABLE = 1 << 17
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
    """

    flows_per_node: float
    loads: dict[str, float]
    traversals: dict[str, float]


class _Flows(NamedTuple):
    """Flows between different switches: from, to, and how many."""

    source: np.ndarray
    destination: np.ndarray
    number: np.ndarray


class _Crossed(NamedTuple):
    """Largest load on a link of one class, and the links of that class all flows cross together."""

    largest: float
    total: float


class _Network(NamedTuple):
    """One network, as the engine sees it.

    Attributes
    ----------
    switches, nodes_per_switch : int
        Switches that nodes are attached to; of a fat tree, those of the first level.
    classes : tuple of str
        Link classes between switches.
    blocks : tuple of int
        Nodes of the blocks that tiles of a nearest-neighbour grid are placed on, the outer one first.
    loads : callable
        From flows between switches to what each class carries.
    merged : bool
        Whether it pays to take the flows of a pair of switches together before they are routed.
    rings : tuple of int
        Switches along the dimensions of a torus.
    """

    switches: int
    nodes_per_switch: int
    classes: tuple[str, ...]
    blocks: tuple[int, ...]
    loads: Callable[[_Flows], list[_Crossed]]
    merged: bool = True
    rings: tuple[int, ...] = ()


def route(
    topology: str,
    parameters: Mapping[str, Any],
    pattern: str,
    pattern_parameters: Mapping[str, Any] | None = None,
    *,
    routing: str = "minimal",
) -> Routed:
    """Route every flow of a pattern through one network.

    Parameters
    ----------
    topology : {"full-mesh", "fat-tree-2-level", "fat-tree-3-level", "torus", "hyperx", "dragonfly", "slim-fly"}
    parameters : mapping of str to int
        Sizes of one network by their symbols, d as a sequence; anything else in it is not looked at.
    pattern : str
        One of `dse.models.network.patterns.PATTERNS`.
    pattern_parameters : mapping, optional
        As for `dse.models.network.patterns.read_options`.
    routing : {"minimal", "dimension-order"}
        Shortest paths. Full mesh, HyperX, Slim Fly: equal split over all of them; torus: dimension 1 first, the shorter
        way round each ring, half each way at half the ring; dragonfly: local, global, local, equal split over the
        links of the two groups. ``"dimension-order"`` is for HyperX only, dimension 1 first.

    Returns
    -------
    Routed

    Raises
    ------
    InputError
        A wrong parameter, a pattern that does not exist on so many nodes, or more than `FLOW_LIMIT` flows.

    Examples
    --------
    >>> route("torus", {"d": (4, 4), "p": 1}, "transpose").loads
    {'dimension 1': 1.5, 'dimension 2': 1.5}
    """
    if topology not in _BUILDERS:
        raise InputError(
            f"'{topology}'", key="topology", allowed=list(_BUILDERS), wrong=str(topology), candidates=_BUILDERS
        )
    routings = ("minimal", "dimension-order") if topology == "hyperx" else ("minimal",)
    if routing not in routings:
        raise InputError(f"'{routing}' on the topology '{topology}'", key="routing", allowed=routings)
    network = _BUILDERS[topology](parameters, routing)
    nodes = network.switches * network.nodes_per_switch
    options = read_options(pattern, pattern_parameters, nodes, network.blocks)
    sent = float(flows_per_node(pattern, options, nodes))
    if pattern == "uniform":
        count = network.switches**2
        told = f"uniform traffic is not routed between {network.switches:,} switches: {count:,} flows"
        _refuse(told, count, FLOW_LIMIT, "take fewer switches, or the closed form")
        travelling, flows = nodes * (nodes - 1), _between_all(network)
    else:
        count = int(sent) * nodes
        told = f"'{pattern}' on a {topology} of {nodes:,} nodes has no closed form: {count:,} flows to route"
        _refuse(told, count, FLOW_LIMIT, "take fewer nodes, or a pattern with a closed form such as uniform")
        source, destination = destinations(
            pattern,
            nodes,
            pattern_parameters,
            blocks=network.blocks,
            rings=network.rings,
            nodes_per_switch=network.nodes_per_switch,
        )
        travelling = int(np.count_nonzero(source != destination))
        flows = _between_switches(network, source, destination)
    crossed = network.loads(flows) if len(flows.source) else [_Crossed(0.0, 0.0) for _ in network.classes]
    return Routed(
        sent,
        {name: one.largest for name, one in zip(network.classes, crossed, strict=True)},
        {name: one.total / max(travelling, 1) for name, one in zip(network.classes, crossed, strict=True)},
    )


def _refuse(told: str, flows: int, limit: int, advice: str) -> None:
    if flows > limit:
        raise InputError(told, allowed=f"at most {limit:,}; {advice}")


def _between_all(network: _Network) -> _Flows:
    """Return uniform traffic: from each node of a switch one flow to each node of every other switch."""
    switches = np.arange(network.switches)
    source, destination = np.repeat(switches, network.switches), np.tile(switches, network.switches)
    other = source != destination
    source, destination = source[other], destination[other]
    return _Flows(source, destination, np.full(len(source), float(network.nodes_per_switch**2)))


def _between_switches(network: _Network, source: np.ndarray, destination: np.ndarray) -> _Flows:
    """Return the flows between nodes as flows between different switches."""
    if network.nodes_per_switch > 1:
        source, destination = source // network.nodes_per_switch, destination // network.nodes_per_switch
    other = source != destination
    source, destination = source[other], destination[other]
    if network.nodes_per_switch == 1 or not network.merged:
        return _Flows(source, destination, np.ones(len(source)))
    table = _LinkTable(network.switches**2, len(source))
    table.add(source * network.switches + destination, np.ones(len(source)))
    pairs, number = table.sums()
    return _Flows(*np.divmod(pairs, network.switches), number)


class _LinkTable:
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
        self._dense = links <= max(_SMALL_TABLE, 16 * entries)
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
            found = np.flatnonzero(self.all())
            return found, self.all()[found]
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


def _chunks(entries: int, parts: int = 1) -> Iterator[slice]:
    """Yield slices of the flows; each flow becomes so many parts while it is handled."""
    chunk = max(_CHUNK // parts, 1)
    for first in range(0, entries, chunk):
        yield slice(first, first + chunk)


def _whole_number(key: str, value: Any) -> int:
    """Return a whole number given as any type of number, or say what is wrong with it."""
    try:
        number = int(value)
        whole = number == value
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or number < 1:
        raise InputError(f"{value}", key=key, allowed="a whole number >= 1")
    return number


def _sizes(topology: str, parameters: Mapping[str, Any], *names: str) -> list[int]:
    """Return sizes of a topology as whole numbers."""
    found = []
    for name in names:
        if name not in parameters:
            raise InputError(f"the topology '{topology}' needs '{name}'", key="parameters", allowed=names)
        found.append(_whole_number(name, parameters[name]))
    return found


def _dimensions(topology: str, parameters: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the sizes of the dimensions of a torus or a HyperX."""
    try:
        sizes = tuple(_whole_number(f"d[{position}]", size) for position, size in enumerate(parameters["d"]))
    except KeyError:
        raise InputError(f"the topology '{topology}' needs 'd'", key="parameters") from None
    except TypeError:
        sizes = ()
    if not sizes:
        raise InputError(f"{parameters['d']}", key="d", allowed="one whole number >= 1 per dimension")
    return sizes


def _per_dimension(sizes: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"dimension {position}" for position in range(1, len(sizes) + 1))


def _coordinates(switch: np.ndarray, sizes: Sequence[int]) -> Iterator[np.ndarray]:
    """Yield the coordinates of switches of a torus or a HyperX, dimension 1 first."""
    for size in sizes:
        rest = switch // size
        yield switch - rest * size
        switch = rest


def _full_mesh(parameters: Mapping[str, Any], routing: str) -> _Network:
    a, p = _sizes("full-mesh", parameters, "a", "p")
    return _Network(a, p, ("switch",), (p,), partial(_full_mesh_loads, a), merged=False)


def _full_mesh_loads(switches: int, flows: _Flows) -> list[_Crossed]:
    """Put the flows of each pair of switches on its link."""
    table = _LinkTable(switches**2, len(flows.source))
    table.add(flows.source * switches + flows.destination, flows.number)
    return [_Crossed(table.largest(), float(flows.number.sum()))]


def _fat_tree_2_level(parameters: Mapping[str, Any], routing: str) -> _Network:
    m1, m2 = _sizes("fat-tree-2-level", parameters, "m1", "m2")
    return _Network(m2, m1, ("level 1-2",), (m1,), partial(_fat_tree_loads, (1,)), merged=False)


def _fat_tree_3_level(parameters: Mapping[str, Any], routing: str) -> _Network:
    m1, m2, m3 = _sizes("fat-tree-3-level", parameters, "m1", "m2", "m3")
    classes = ("level 1-2", "level 2-3")
    return _Network(m2 * m3, m1, classes, (m1 * m2, m1), partial(_fat_tree_loads, (1, m2)), merged=False)


def _fat_tree_loads(subtrees: tuple[int, ...], flows: _Flows) -> list[_Crossed]:
    """Count the flows that leave and that enter each subtree: Anghel 2017, Sections 5.4.2, 5.4.3.

    Parameters
    ----------
    subtrees : tuple of int
        First-level switches of a subtree of each level.
    """
    found = []
    for size in subtrees:
        source, destination, number = flows
        if size > 1:
            source, destination = source // size, destination // size
            other = source != destination
            source, destination, number = source[other], destination[other], number[other]
        up, down = np.bincount(source, number), np.bincount(destination, number)
        largest = float(max(up.max(initial=0.0), down.max(initial=0.0)))
        found.append(_Crossed(largest, 2.0 * float(number.sum())))
    return found


def _torus(parameters: Mapping[str, Any], routing: str) -> _Network:
    (p,), sizes = _sizes("torus", parameters, "p"), _dimensions("torus", parameters)
    double = bool(np.all(parameters.get("double_link_at_2", True)))
    return _Network(prod(sizes), p, _per_dimension(sizes), (p,), partial(_torus_loads, sizes, double), rings=sizes)


@lru_cache(maxsize=256)
def _ring(size: int, double: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return, by offset along a ring, the share of the flows that goes up and the number of links to cross."""
    offset = np.arange(size)
    up = np.where(2 * offset < size, 1.0, np.where(2 * offset == size, 0.5, 0.0))
    if size == 2 and not double:
        # The way up and the way down are the same link.
        up[1] = 1.0
    return up, np.minimum(offset, size - offset).astype(float)


def _torus_loads(sizes: tuple[int, ...], double: bool, flows: _Flows) -> list[_Crossed]:
    """Add every flow to the ranges of links it crosses on the rings, in the order of the dimensions.

    A range on a ring is the sum of what begins and minus what ends before a link, plus what comes round from the far
    end of the ring (Anghel 2017, Section 5.4.4 for the routing).
    """
    switches = prod(sizes)
    # Differences between neighbouring links of a ring, link x between x and x + 1: upwards, then downwards.
    differences = [_LinkTable(2 * switches, len(flows.source)) for _ in sizes]
    totals = [0.0] * len(sizes)
    for chunk in _chunks(len(flows.source)):
        here, destination, number = (values[chunk] for values in flows)
        ends = zip(_coordinates(here, sizes), _coordinates(destination, sizes), strict=True)
        stride = 1
        for dimension, (size, (start, end)) in enumerate(zip(sizes, ends, strict=True)):
            offset = end - start
            there = here + offset * stride
            moving = np.flatnonzero(offset)
            first, last, by, load = here[moving], there[moving], offset[moving], number[moving]
            zero = first - start[moving] * stride
            up_share, distance = _ring(size, double)
            up = load * up_share[by]
            down = load - up
            ahead = by > 0
            differences[dimension].add(
                np.concatenate([first, last, zero, last + switches, first + switches, zero + switches]),
                np.concatenate([up, -up, np.where(ahead, 0.0, up), down, -down, np.where(ahead, down, 0.0)]),
            )
            totals[dimension] += float(np.dot(load, distance[by]))
            here = there
            stride *= size
    found, stride = [], 1
    for size, difference, total in zip(sizes, differences, totals, strict=True):
        load = np.cumsum(difference.all().reshape(-1, size, stride), axis=1)
        found.append(_Crossed(float(load.max()), total))
        stride *= size
    return found


def _hyperx(parameters: Mapping[str, Any], routing: str) -> _Network:
    (p,), sizes = _sizes("hyperx", parameters, "p"), _dimensions("hyperx", parameters)
    loads = _hyperx_in_order if routing == "dimension-order" else _hyperx_split
    return _Network(prod(sizes), p, _per_dimension(sizes), (p,), partial(loads, sizes))


def _hyperx_in_order(sizes: tuple[int, ...], flows: _Flows) -> list[_Crossed]:
    """Take every flow straight to its destination in each dimension, dimension 1 first."""
    here, stride, found = flows.source, 1, []
    ends = zip(_coordinates(flows.source, sizes), _coordinates(flows.destination, sizes), strict=True)
    for size, (start, end) in zip(sizes, ends, strict=True):
        there = here + (end - start) * stride
        moving = np.flatnonzero(there != here)
        load = flows.number[moving]
        table = _LinkTable(prod(sizes) * size, len(moving))
        table.add(here[moving] * size + end[moving], load)
        found.append(_Crossed(table.largest(), float(load.sum())))
        here = there
        stride *= size
    return found


def _hyperx_split(sizes: tuple[int, ...], flows: _Flows) -> list[_Crossed]:
    """Split every flow over all orders of the dimensions (Anghel 2017, Section 5.6.5; more than two dimensions ours).

    Of the k dimensions in which source and destination differ, one comes after exactly the set T of others with the
    probability |T|! (k-1-|T|)! / k! = 1 / (k binomial(k-1, |T|)). lcm(1..N) times that is whole for every k <= N, which
    keeps the sums exact.
    """
    source, destination, number = flows
    ends = list(_coordinates(destination, sizes))
    steps, differing, stride = [], np.zeros(len(source), dtype=np.int64), 1
    for size, start, end in zip(sizes, _coordinates(source, sizes), ends, strict=True):
        steps.append((end - start) * stride)
        differing += end != start
        stride *= size
    most = int(differing.max())
    scale = lcm(*range(1, most + 1))
    share = np.zeros((most + 1, most))
    for k in range(1, most + 1):
        share[k, :k] = [scale // (k * comb(k - 1, before)) for before in range(k)]
    found = []
    for dimension, size in enumerate(sizes):
        moving = np.flatnonzero(steps[dimension])
        parts = int((1 << (differing[moving] - 1)).sum())
        told = f"{len(moving):,} flows split over the orders of the dimensions make {parts:,} parts"
        _refuse(told, parts, 4 * FLOW_LIMIT, "take fewer nodes, or the routing 'dimension-order'")
        table = _LinkTable(prod(sizes) * size, parts)
        for chunk in _chunks(len(moving), 2 ** (most - 1)):
            # One entry for each flow and each set of other dimensions that may come before this one.
            flow = moving[chunk]
            switch, before = source[flow], np.zeros(len(flow), dtype=np.int64)
            for other, step in enumerate(steps):
                if other != dimension:
                    also = np.flatnonzero(step[flow])
                    switch = np.concatenate([switch, switch[also] + step[flow[also]]])
                    before = np.concatenate([before, before[also] + 1])
                    flow = np.concatenate([flow, flow[also]])
            table.add(switch * size + ends[dimension][flow], share[differing[flow], before] * number[flow])
        found.append(_Crossed(table.largest() / scale, float(number[moving].sum())))
    return found


def _dragonfly(parameters: Mapping[str, Any], routing: str) -> _Network:
    a, p, h = _sizes("dragonfly", parameters, "a", "p", "h")
    g = _whole_number("g", parameters.get("g", a * h + 1))
    if g > 1 and a * h % (g - 1):
        told = f"{g} groups, a*h = {a * h} global ports per group"
        raise InputError(told, key="g", allowed="groups with a*h divisible by g - 1")
    return _Network(a * g, p, ("local", "global"), (a * p, p), partial(_dragonfly_loads, a, h, g))


def _dragonfly_loads(a: int, h: int, g: int, flows: _Flows) -> list[_Crossed]:
    """Route local, global, local through the direct links of the two groups.

    Global port t of a group is on its switch t div h. It is copy t div (g-1) of the link to the group
    t mod (g-1) + 1 further on, which is port copy (g-1) + g - offset - 1 there.
    """
    source, destination, number = flows
    from_group, to_group = source // a, destination // a
    offset = to_group - from_group
    offset += g * (offset < 0)
    near, far = np.flatnonzero(offset == 0), np.flatnonzero(offset)
    copies = a * h // (g - 1) if g > 1 else 1
    parts = len(near) + 2 * len(far) * copies
    local = _LinkTable(a * a * g, parts)
    local_total = float(number[near].sum())
    local.add(source[near] * a + destination[near] % a, number[near] * copies)
    source, destination, number, offset = source[far], destination[far], number[far], offset[far]
    pairs = _LinkTable(g * g, len(far))
    pairs.add(from_group[far] * g + offset, number)
    for outwards, switch, away in ((True, source, offset), (False, destination, g - offset)):
        # The local hop beside the global link depends only on the switch and on the offset of the other group.
        ends = _LinkTable(a * g * g, len(far))
        if copies > 1:
            ends.add(switch * g + away, number)
            key, load = ends.sums()
            switch, away = np.divmod(key, g)
        else:
            load = number
        split = len(switch) * copies
        told = f"{len(switch):,} flows split over {copies:,} links between two groups make {split:,} parts"
        _refuse(told, split, 4 * FLOW_LIMIT, "take fewer nodes, or fewer global ports")
        for chunk in _chunks(len(switch), copies):
            port = np.arange(copies)[:, None] * (g - 1) + (away[chunk] - 1)
            outlet, place = port // h, switch[chunk] % a
            other = outlet != place
            group = switch[chunk] - place
            link = (switch[chunk] * a + outlet) if outwards else (group + outlet) * a + place
            share = np.broadcast_to(load[chunk], other.shape)[other]
            local.add(link[other], share)
            local_total += float(share.sum()) / copies
    return [_Crossed(local.largest() / copies, local_total), _Crossed(pairs.largest() / copies, float(number.sum()))]


def slim_fly_adjacency(q: int) -> np.ndarray:
    """Return which switches of a Slim Fly are linked: the McKay-Miller-Siran graph (Besta and Hoefler 2014).

    Parameters
    ----------
    q : int
        A prime of the form 4w + 1; the graph has 2 q² switches with (3q - 1)/2 links each, and diameter 2.

    Returns
    -------
    ndarray of bool
        Switch (0, x, y) has number x q + y, switch (1, m, c) number q² + m q + c. (0, x, y) and (0, x, y') are linked
        if y - y' is a square modulo q, (1, m, c) and (1, m, c') if c - c' is none, and (0, x, y) and (1, m, c) if
        y = m x + c.

    Examples
    --------
    >>> links = slim_fly_adjacency(5)
    >>> links.shape, int(links.sum(axis=0).min()), int(links.sum(axis=0).max())
    ((50, 50), 7, 7)
    """
    return _slim_fly_links(_slim_fly_size(q))[0].copy()


def _slim_fly_size(q: Any) -> int:
    number = _whole_number("q", q)
    prime = number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))
    if not prime or number % 4 != 1:
        raise InputError(f"{number}", key="q", allowed="primes of the form 4w + 1 (5, 13, 17, 29, 37, …)")
    if number > 89:
        told = f"a slim-fly with q = {number} is too large to route flow by flow"
        raise InputError(told, allowed="q up to 89, or a pattern with a closed form: uniform")
    return number


@lru_cache(maxsize=4)
def _slim_fly_links(q: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the adjacency of the switches, and the numbers of those next to each."""
    numbers = np.arange(q)
    square = np.zeros(q, dtype=bool)
    square[numbers**2 % q] = True
    steps = np.stack([np.flatnonzero(square)[1:], np.flatnonzero(~square)])
    part, column, row = (index[..., None] for index in np.indices((2, q, q)))
    inside = (part * q + column) * q + (row + steps[:, None, None]) % q
    across = ((1 - part) * q + numbers) * q + (row + np.where(part == 0, -1, 1) * column * numbers) % q
    near = np.concatenate([inside, across], axis=-1).reshape(2 * q * q, -1)
    adjacency = np.zeros((len(near), len(near)), dtype=bool)
    np.put_along_axis(adjacency, near, True, axis=1)
    return adjacency, near


def _slim_fly(parameters: Mapping[str, Any], routing: str) -> _Network:
    q, p = _sizes("slim-fly", parameters, "q", "p")
    return _Network(2 * _slim_fly_size(q) ** 2, p, ("switch",), (p,), partial(_slim_fly_loads, q))


def _slim_fly_loads(q: int, flows: _Flows) -> list[_Crossed]:
    """Take the direct link where there is one; otherwise split over all switches next to both ends."""
    adjacency, near = _slim_fly_links(q)
    switches, degree = near.shape
    table = _LinkTable(switches**2, 2 * len(flows.source))
    total = 0.0
    for chunk in _chunks(len(flows.source), degree):
        source, destination, number = (values[chunk] for values in flows)
        direct = adjacency[source, destination]
        table.add((source * switches + destination)[direct], number[direct])
        source, destination, left = source[~direct], destination[~direct], number[~direct]
        flow, way = np.nonzero(adjacency[near[source], destination[:, None]])
        middle = near[source[flow], way]
        share = (left / np.bincount(flow, minlength=len(left)))[flow]
        table.add(source[flow] * switches + middle, share)
        table.add(middle * switches + destination[flow], share)
        total += float(number.sum() + left.sum())
    return [_Crossed(table.largest(), total)]


_BUILDERS: dict[str, Callable[[Mapping[str, Any], str], _Network]] = {
    "full-mesh": _full_mesh,
    "fat-tree-2-level": _fat_tree_2_level,
    "fat-tree-3-level": _fat_tree_3_level,
    "torus": _torus,
    "hyperx": _hyperx,
    "dragonfly": _dragonfly,
    "slim-fly": _slim_fly,
}
