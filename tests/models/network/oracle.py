"""Networks built link by link, every flow routed: what the closed forms of `dse.models.network` must equal.

Nothing of the models is used here. A network is a graph of switches with named directed links, a pattern is a list of
destinations per node, and the answers are counted: flows on each link (shares where a flow splits), links on each
message's path, cables, ports, hops between switches, cuts through halves of the machine.

Conventions: node = p * switch + place, dimension 1 runs fastest in every linear index, one process per node, all
bandwidths per link and direction. Parameters have the names of the public functions, as plain numbers of one design.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Switch = tuple[Any, ...]
Link = tuple[Switch, Switch, str]  # from, to, and a tag that tells parallel links apart
Routes = list[tuple[float, list[Link]]]  # the paths of one flow: share and links in order
Parameters = Mapping[str, Any]


# --- the graph -------------------------------------------------------------------------------------------------------


@dataclass
class Network:
    """Switches, their directed links, and the way from switch to switch."""

    attached: list[Switch]  # the switch of each node
    node_capacity: float
    node_latency: float
    node_cables: int = 1  # per node
    capacity: dict[str, float] = field(default_factory=dict)  # by class of links
    latency: dict[str, float] = field(default_factory=dict)
    links: dict[Link, str] = field(default_factory=dict)  # every directed link: its class
    leaving: dict[Switch, list[Link]] = field(default_factory=lambda: defaultdict(list))
    minimal: Callable[[Switch, Switch], Routes] | None = None
    hops_from: dict[Switch, dict[Switch, int]] = field(default_factory=dict)  # found so far
    known: Callable[[Switch, Switch], Routes] | None = None  # `minimal` that keeps what it found

    def __post_init__(self) -> None:
        if self.minimal is None:
            self.minimal = self.shortest

    @property
    def edge_switches(self) -> list[Switch]:
        """The switches that have nodes, in order."""
        return list(dict.fromkeys(self.attached))

    @property
    def switches(self) -> list[Switch]:
        ends = itertools.chain(self.attached, (link[0] for link in self.links))
        return list(dict.fromkeys(ends))

    def class_of_links(self, name: str, capacity: float, latency: float) -> None:
        self.capacity[name], self.latency[name] = capacity, latency

    def connect(self, one: Switch, other: Switch, name: str, tags: tuple[str, str] = ("", "")) -> None:
        """Lay a cable: one directed link each way."""
        for link in ((one, other, tags[0]), (other, one, tags[1])):
            assert link not in self.links
            self.links[link] = name
            self.leaving[link[0]].append(link)

    def hops(self, start: Switch) -> dict[Switch, int]:
        """Breadth-first search: links from `start` to every switch."""
        if start not in self.hops_from:
            everywhere = len(self.leaving.keys() | set(self.attached))
            found, queue = {start: 0}, deque([start])
            while queue and len(found) < everywhere:
                here = queue.popleft()
                for _, there, _ in self.leaving[here]:
                    if there not in found:
                        found[there] = found[here] + 1
                        queue.append(there)
            self.hops_from[start] = found
        return self.hops_from[start]

    def shortest(self, one: Switch, other: Switch) -> Routes:
        """Equal shares on all shortest paths."""
        away = self.hops(other)
        paths: list[list[Link]] = [[]]
        for left in range(away[one], 0, -1):
            ends = [(path, path[-1][1] if path else one) for path in paths]
            paths = [[*path, link] for path, end in ends for link in self.leaving[end] if away[link[1]] == left - 1]
        return [(1 / len(paths), path) for path in paths]

    def valiant(self, one: Switch, other: Switch) -> Routes:
        """Every edge switch in equal shares as a stop on the way, minimal before and after it."""
        assert self.minimal is not None
        if self.known is None:
            self.known = functools.cache(self.minimal)
        stops = self.edge_switches
        return [
            (first * second / len(stops), [*begin, *end])
            for stop in stops
            for first, begin in self.known(one, stop)
            for second, end in self.known(stop, other)
        ]


def coordinates(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """All points of a grid in linear order, dimension 1 fastest."""
    return [point[::-1] for point in itertools.product(*(range(size) for size in reversed(sizes)))]


def each(value: Any, sizes: Sequence[int]) -> list[Any]:
    """One value per dimension, from a list or from one value for all."""
    return list(value) if isinstance(value, Sequence) else [value] * len(sizes)


# --- topologies ------------------------------------------------------------------------------------------------------


def full_mesh(par: Parameters, routing: str) -> Network:
    switches = [("switch", i) for i in range(par["a"])]
    net = Network([switch for switch in switches for _ in range(par["p"])], par["b0"], par["l0"])
    net.class_of_links("switch", par["b1"], par["l1"])
    for one, other in itertools.combinations(switches, 2):
        net.connect(one, other, "switch")
    return net


def fat_tree(par: Parameters, routing: str) -> Network:
    """One fat switch per subtree: a 'link' is the bundle of all uplinks of a level 1 switch or of a subtree."""
    w0, w1, m3 = par.get("w0", 1), par["w1"], par.get("m3", 1)
    leaves = [("level 1", subtree, i) for subtree in range(m3) for i in range(par["m2"])]
    net = Network([leaf for leaf in leaves for _ in range(par["m1"])], w0 * par["b0"], par["l0"], w0)
    net.class_of_links("level 1-2", w1 * par["b1"], par["l1"])
    for leaf in leaves:
        net.connect(leaf, ("level 2", leaf[1]), "level 1-2")
    if "m3" in par:
        net.class_of_links("level 2-3", w1 * par["w2"] * par["b2"], par["l2"])
        for subtree in range(m3):
            net.connect(("level 2", subtree), ("level 3",), "level 2-3")
    return net


def real_fat_tree(par: Parameters) -> Network:
    """The same tree of real switches: w1 at level 2 of each subtree, w1 * w2 at level 3, every link on its own."""
    w0, m3 = par.get("w0", 1), par.get("m3", 1)
    leaves = [("level 1", subtree, i) for subtree in range(m3) for i in range(par["m2"])]
    net = Network([leaf for leaf in leaves for _ in range(par["m1"])], w0 * par["b0"], par["l0"], w0)
    net.class_of_links("level 1-2", par["b1"], par["l1"])
    for leaf in leaves:
        for plane in range(par["w1"]):
            net.connect(leaf, ("level 2", leaf[1], plane), "level 1-2")
    if "m3" in par:
        net.class_of_links("level 2-3", par["b2"], par["l2"])
        for subtree, plane, top in itertools.product(range(m3), range(par["w1"]), range(par["w2"])):
            net.connect(("level 2", subtree, plane), ("level 3", plane, top), "level 2-3")
    return net


def torus(par: Parameters, routing: str) -> Network:
    sizes = list(par["d"])
    switches = coordinates(sizes)
    net = Network([switch for switch in switches for _ in range(par["p"])], par["b0"], par["l0"])
    single = not par.get("double_link_at_2", True)

    def step(switch: Switch, axis: int, way: int) -> Switch:
        return (*switch[:axis], (switch[axis] + way) % sizes[axis], *switch[axis + 1 :])

    def tag(axis: int, way: int) -> str:
        return "only" if single and sizes[axis] == 2 else "+" if way > 0 else "-"

    for axis, (size, b, latency) in enumerate(zip(sizes, each(par["b"], sizes), each(par["l"], sizes), strict=True)):
        net.class_of_links(f"dimension {axis + 1}", b, latency)
        for switch in switches:
            if size == 1 or (size == 2 and single and switch[axis] == 1):
                continue
            net.connect(switch, step(switch, axis, 1), f"dimension {axis + 1}", (tag(axis, 1), tag(axis, -1)))

    def minimal(one: Switch, other: Switch) -> Routes:
        """Dimension 1 first, the shorter way round, half each way at equal distance."""
        routes: list[tuple[float, list[Link], Switch]] = [(1.0, [], one)]
        for axis, size in enumerate(sizes):
            offset = (other[axis] - one[axis]) % size
            ways = [(1, offset)] if 2 * offset < size else [(-1, size - offset)]
            if 2 * offset == size:
                ways = [(1, offset), (-1, offset)]
            longer = []
            for share, path, here in routes:
                for way, distance in ways:
                    more, at = [], here
                    for _ in range(distance):
                        more.append((at, step(at, axis, way), tag(axis, way)))
                        at = more[-1][1]
                    longer.append((share / len(ways), path + more, at))
            routes = longer
        assert all(end == other for _, _, end in routes)
        return [(share, path) for share, path, _ in routes]

    net.minimal = minimal
    return net


def hyperx(par: Parameters, routing: str) -> Network:
    sizes = list(par["d"])
    switches = coordinates(sizes)
    net = Network([switch for switch in switches for _ in range(par["p"])], par["b0"], par["l0"])
    for axis, (b, latency) in enumerate(zip(each(par["b"], sizes), each(par["l"], sizes), strict=True)):
        net.class_of_links(f"dimension {axis + 1}", b, latency)
    for axis, size in enumerate(sizes):
        for one in switches:
            for further in range(one[axis] + 1, size):
                net.connect(one, (*one[:axis], further, *one[axis + 1 :]), f"dimension {axis + 1}")

    def dimension_order(one: Switch, other: Switch) -> Routes:
        corners = [(*other[:axis], *one[axis:]) for axis in range(len(sizes) + 1)]
        return [(1.0, [(here, there, "") for here, there in itertools.pairwise(corners) if here != there])]

    if routing == "dimension-order":
        net.minimal = dimension_order
    return net


def dragonfly(par: Parameters, routing: str) -> Network:
    """Port t of a group, on switch t div h, is copy t div (g-1) of the link to the group t mod (g-1) + 1 further on."""
    a, h = par["a"], par["h"]
    g = par.get("g", a * h + 1)
    switches = [(group, i) for group in range(g) for i in range(a)]
    net = Network([switch for switch in switches for _ in range(par["p"])], par["b0"], par["l0"])
    net.class_of_links("local", par["bl"], par["ll"])
    net.class_of_links("global", par["bg"], par["lg"])
    for group in range(g):
        for i, j in itertools.combinations(range(a), 2):
            net.connect((group, i), (group, j), "local", ("local", "local"))

    def far_end(group: int, port: int) -> tuple[int, int]:
        copy, offset = port // (g - 1), port % (g - 1) + 1
        return (group + offset) % g, copy * (g - 1) + (g - offset) - 1

    between: dict[tuple[int, int], list[Link]] = defaultdict(list)
    for group, port in itertools.product(range(g), range(a * h)):
        other, end = far_end(group, port)
        assert far_end(other, end) == (group, port)
        between[group, other].append(((group, port // h), (other, end // h), f"port {port}"))
        if (group, port) < (other, end):
            net.connect((group, port // h), (other, end // h), "global", (f"port {port}", f"port {end}"))

    def minimal(one: Switch, other: Switch) -> Routes:
        """Local, global, local, over the direct links of the two groups in equal shares."""
        if one[0] == other[0]:
            return [(1.0, [] if one == other else [(one, other, "local")])]
        direct = between[one[0], other[0]]
        routes = []
        for link in direct:
            path = [(one, link[0], "local"), link, (link[1], other, "local")]
            routes.append((1 / len(direct), [step for step in path if step[0] != step[1]]))
        return routes

    net.minimal = minimal
    return net


def slim_fly(par: Parameters, routing: str) -> Network:
    """McKay-Miller-Siran graph: (0, x, y) meets (1, m, c) where y = m x + c, inside by even and odd powers."""
    q = par["q"]
    root = next(x for x in range(2, q) if len({pow(x, power, q) for power in range(1, q)}) == q - 1)
    powers = [{pow(root, power, q) for power in range(start, q - 1, 2)} for start in (0, 1)]
    switches = [(side, x, y) for side in (0, 1) for x in range(q) for y in range(q)]
    net = Network([switch for switch in switches for _ in range(par["p"])], par["b0"], par["l0"])
    net.class_of_links("switch", par["b1"], par["l1"])
    for side, x in itertools.product((0, 1), range(q)):
        for y, z in itertools.combinations(range(q), 2):
            if (z - y) % q in powers[side]:
                net.connect((side, x, y), (side, x, z), "switch")
    for x, m, c in itertools.product(range(q), repeat=3):
        net.connect((0, x, (m * x + c) % q), (1, m, c), "switch")
    return net


TOPOLOGIES: dict[str, Callable[[Parameters, str], Network]] = {
    "full-mesh": full_mesh,
    "fat-tree-2-level": fat_tree,
    "fat-tree-3-level": fat_tree,
    "torus": torus,
    "hyperx": hyperx,
    "dragonfly": dragonfly,
    "slim-fly": slim_fly,
}


def number_of_nodes(topology: str, par: Parameters) -> int:
    if topology == "dragonfly":
        return par["a"] * par["p"] * par.get("g", par["a"] * par["h"] + 1)
    if topology == "slim-fly":
        return 2 * par["q"] ** 2 * par["p"]
    if topology in ("torus", "hyperx"):
        return par["p"] * math.prod(par["d"])
    return math.prod(par[name] for name in ("a", "p", "m1", "m2", "m3") if name in par)


# --- patterns --------------------------------------------------------------------------------------------------------


def linear(point: Sequence[int], sizes: Sequence[int]) -> int:
    """Index of a point of a grid, dimension 1 fastest."""
    index, stride = 0, 1
    for x, size in zip(point, sizes, strict=True):
        index, stride = index + x * stride, stride * size
    return index


def node_of(point: Sequence[int], grid: Sequence[int], tiles: Sequence[Sequence[int]]) -> int:
    """Cut the grid into tiles, place them one after the other, and do the same inside with the next tiles."""
    if not tiles:
        return linear(point, grid)
    tile, inner = tiles[0], tiles[1:]
    block = linear(
        [x // t for x, t in zip(point, tile, strict=True)], [d // t for d, t in zip(grid, tile, strict=True)]
    )
    return block * math.prod(tile) + node_of([x % t for x, t in zip(point, tile, strict=True)], tile, inner)


def neighbours(grid: Sequence[int], tiles: Sequence[Sequence[int]]) -> list[list[int]]:
    flows: list[list[int]] = [[] for _ in range(math.prod(grid))]
    for point in coordinates(grid):
        for axis, size in enumerate(grid):
            for way in (1, -1):
                other = [*point[:axis], (point[axis] + way) % size, *point[axis + 1 :]]
                flows[node_of(point, grid, tiles)].append(node_of(other, grid, tiles))
    return flows


def flows_of(topology: str, par: Parameters, pattern: str, extra: Parameters) -> list[list[int]]:
    """The destinations of each node."""
    n = number_of_nodes(topology, par)
    ranks = range(n)
    if pattern == "uniform":
        own = extra.get("include_self", True)
        return [[other for other in ranks if own or other != rank] for rank in ranks]
    if pattern == "nearest-neighbour":
        return neighbours(extra["grid"], extra.get("tiles", ()))
    if pattern == "shift":
        return [[(rank + extra["step"]) % n] for rank in ranks]
    if pattern == "complement":
        return [[n - 1 - rank] for rank in ranks]
    if pattern == "transpose":
        side = math.isqrt(n)
        return [[rank % side * side + rank // side] for rank in ranks]
    if pattern == "tornado" and topology == "torus":
        sizes = par["d"]
        flows = []
        for point in coordinates(sizes):
            other = linear([(x + (d + 1) // 2 - 1) % d for x, d in zip(point, sizes, strict=True)], sizes)
            flows += [[other * par["p"] + place] for place in range(par["p"])]
        return flows
    if pattern == "tornado":
        return [[(rank + (n + 1) // 2 - 1) % n] for rank in ranks]
    if pattern == "exchange":
        bit = extra["exchange_bit"]
        return [[rank - 2**bit if rank // 2**bit % 2 else rank + 2**bit] for rank in ranks]
    bits = n.bit_length() - 1
    words = [f"{rank:b}".zfill(bits)[:bits] for rank in ranks]
    if pattern == "bit-reversal":
        return [[int("0" + word[::-1], 2)] for word in words]
    if pattern == "butterfly":
        return [[int("0" + (word[-1] + word[1:-1] + word[0] if bits > 1 else word), 2)] for word in words]
    raise ValueError(pattern)


# --- answers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    flows_per_node: int
    capacity: dict[str, float]
    loads: dict[str, float]  # the largest of each class, in flows
    bandwidth: float  # B_node
    limits: set[str]  # classes of the slowest links
    leaving: int  # messages that leave their node; the means below are over these
    traversals: dict[str, float]
    link_latency: float

    @property
    def links(self) -> float:
        return sum(self.traversals.values())


def evaluate(
    topology: str, par: Parameters, pattern: str = "uniform", extra: Parameters | None = None, routing: str = "minimal"
) -> Answer:
    """Route every flow and apply the three rules: equal shares of a link, the worst link, the slowest flow."""
    net = TOPOLOGIES[topology](par, routing)
    return answer_of(net, flows_of(topology, par, pattern, extra or {}), net.valiant if routing == "valiant" else None)


def answer_of(net: Network, flows: list[list[int]], routes: Callable[[Switch, Switch], Routes] | None = None) -> Answer:
    routes = routes or net.minimal
    assert routes is not None
    assert len(flows) == len(net.attached)
    number = len(flows[0])
    assert all(len(others) == number for others in flows)

    targets = np.array(flows, dtype=int)  # a row per node
    edge = net.edge_switches
    place = {switch: index for index, switch in enumerate(edge)}
    switch_of = np.array([place[switch] for switch in net.attached])
    pairs = np.zeros((len(edge), len(edge)), dtype=int)
    np.add.at(pairs, (switch_of[:, None], switch_of[targets]), 1)
    load: dict[Link, float] = dict.fromkeys(net.links, 0.0)
    for begin, end in np.argwhere(pairs).tolist():
        count = int(pairs[begin, end])
        for share, path in routes(edge[begin], edge[end]):
            for link in path:
                load[link] += count * share

    capacity = {"node": net.node_capacity, **net.capacity}
    latency = {"node": net.node_latency, **net.latency}
    worst = dict.fromkeys(capacity, 0.0)
    total = dict.fromkeys(capacity, 0.0)
    worst["node"] = float(max(number, np.bincount(targets.ravel(), minlength=1).max()))
    for link, value in load.items():
        worst[net.links[link]] = max(worst[net.links[link]], value)
        total[net.links[link]] += value
    rate = {name: capacity[name] / worst[name] if worst[name] else math.inf for name in capacity}
    slowest = min(rate.values())

    leaving = int((targets != np.arange(len(flows))[:, None]).sum())
    total["node"] = 2.0 * leaving
    traversals = {name: value / leaving if leaving else 0.0 for name, value in total.items()}
    return Answer(
        flows_per_node=number,
        capacity=capacity,
        loads=worst,
        bandwidth=number * slowest,
        limits={name for name, value in rate.items() if value <= slowest * (1 + 1e-12)},
        leaving=leaving,
        traversals=traversals,
        link_latency=sum(traversals[name] * latency[name] for name in traversals),
    )


# --- counts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    nodes: int
    switches: int
    node_links: int
    links: dict[str, int]  # cables between switches, by class
    ports: int  # of the largest switch
    diameter: int  # hops between switches that have nodes


def real(topology: str, par: Parameters) -> Network:
    return real_fat_tree(par) if topology.startswith("fat-tree") else TOPOLOGIES[topology](par, "minimal")


def parts(topology: str, par: Parameters) -> Parts:
    net = real(topology, par)
    nodes_on = Counter(net.attached)
    directed = Counter(net.links.values())
    edge = net.edge_switches
    return Parts(
        nodes=len(net.attached),
        switches=len(net.switches),
        node_links=len(net.attached) * net.node_cables,
        links={name: directed[name] // 2 for name in net.capacity},
        ports=max(nodes_on[switch] * net.node_cables + len(net.leaving[switch]) for switch in net.switches),
        diameter=max(net.hops(one)[other] for one in edge for other in edge),
    )


def bisection(topology: str, par: Parameters) -> float:
    """One direction, the smallest cut over all halves of the switches with nodes and all places of the others."""
    net = real(topology, par)
    edge = net.edge_switches
    order = [*edge, *(switch for switch in net.switches if switch not in set(edge))]
    bit = {switch: 1 << place for place, switch in enumerate(order)}
    ends = [(bit[link[0]], bit[link[1]], net.capacity[name]) for link, name in net.links.items()]
    halves = [sum(bit[switch] for switch in half) for half in itertools.combinations(edge, len(edge) // 2)]
    others = range(0, 1 << len(order), 1 << len(edge))
    cut = min(
        sum(capacity for one, other, capacity in ends if one & side and not other & side)
        for side in (half | other for half in halves for other in others)
    )
    return min(cut, len(net.attached) * net.node_capacity / 2)
