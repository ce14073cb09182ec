"""The link-load engine against a walk along every path in exact fractions, the reference cases, and wrong inputs."""

import doctest
from collections import defaultdict
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pytest

import dse.models.network.bandwidth.routing
import dse.models.network.graphs.flow_routing as engine
import dse.models.network.topologies.slim_fly.route
from dse.errors import InputError
from dse.models.network.bandwidth.bandwidth import link_loads, message_loads
from dse.models.network.bandwidth.routing import route
from dse.models.network.patterns.patterns import PATTERNS
from dse.models.network.topologies.slim_fly.route import slim_fly_adjacency

SIZES = {
    "full-mesh": ("a", "p"),
    "fat-tree-2-level": ("m2", "m1"),
    "fat-tree-3-level": ("m2", "m3", "m1"),
    "torus": ("d", "p"),
    "hyperx": ("d", "p"),
    "dragonfly": ("a", "g", "p"),
}


# The walk: each function yields the paths between two switches as (share, [(class, link), ...])


def digits(number, sizes):
    found = []
    for size in sizes:
        found.append(number % size)
        number //= size
    return found


def along_rings(start, end, sizes, double):
    paths = [(Fraction(1), [], tuple(start))]
    for i, size in enumerate(sizes):
        up = (end[i] - start[i]) % size
        ways = [(+1, up)] if 2 * up < size else [(-1, size - up)] if 2 * up > size else [(+1, up), (-1, up)]
        grown = []
        for (share, links, at), (sign, steps) in product(paths, ways):
            more, place = list(links), list(at)
            for _ in range(steps):
                line = "one link" if size == 2 and not double else sign
                more.append((f"dimension {i + 1}", (tuple(place), line)))
                place[i] = (place[i] + sign) % size
            grown.append((share / len(ways), more, tuple(place)))
        paths = grown
    assert all(at == tuple(end) for _, _, at in paths)
    return [(share, links) for share, links, _ in paths]


def across_lines(start, end, orders):
    for order in orders:
        at, links = list(start), []
        for i in order:
            if at[i] != end[i]:
                links.append((f"dimension {i + 1}", (tuple(at), end[i])))
                at[i] = end[i]
        yield Fraction(1, len(orders)), links


def through_groups(start, end, a, h, g):
    group, other = start // a, end // a
    if group == other:
        return [(Fraction(1), [("local", (start, end))])]
    copies, paths = a * h // (g - 1), []
    for copy in range(copies):
        ahead = (other - group) % g
        leave, enter = copy * (g - 1) + ahead - 1, copy * (g - 1) + g - ahead - 1
        first, second = group * a + leave // h, other * a + enter // h
        links = [("local", (start, first))] * (first != start) + [("global", (group, leave))]
        paths.append((Fraction(1, copies), links + [("local", (second, end))] * (second != end)))
    return paths


def through_tree(start, end, size, depth):
    links = [("level 1-2", ("up", start)), ("level 1-2", ("down", end))]
    if depth == 3 and start // size != end // size:
        links += [("level 2-3", ("up", start // size)), ("level 2-3", ("down", end // size))]
    return [(Fraction(1), links)]


def through_graph(start, end, links):
    middles = [(end,)] if links[start, end] else [(m, end) for m in np.flatnonzero(links[start] & links[end])]
    for middle in middles:
        yield Fraction(1, len(middles)), [("switch", pair) for pair in zip((start, *middle), middle, strict=False)]


def paths_between(topology, parameters, start, end, routing):
    if topology in ("torus", "hyperx"):
        sizes = parameters["d"]
        ends = digits(start, sizes), digits(end, sizes)
        if topology == "torus":
            return along_rings(*ends, sizes, parameters.get("double_link_at_2", True))
        orders = list(permutations(range(len(sizes))))
        return across_lines(*ends, orders[:1] if routing == "dimension-order" else orders)
    if topology == "dragonfly":
        a, h = parameters["a"], parameters["h"]
        return through_groups(start, end, a, h, parameters.get("g", a * h + 1))
    if topology == "slim-fly":
        return through_graph(start, end, slim_fly_adjacency(parameters["q"]))
    if topology == "full-mesh":
        return [(Fraction(1), [("switch", (start, end))])]
    return through_tree(start, end, parameters["m2"], 3 if "m3" in parameters else 2)


def per_switch(topology, parameters):
    return parameters["m1"] if "tree" in topology else parameters["p"]


def count_nodes(topology, parameters):
    if topology == "slim-fly":
        return 2 * parameters["q"] ** 2 * parameters["p"]
    given = {"g": parameters.get("a", 0) * parameters.get("h", 0) + 1, **parameters}
    return prod(prod(given[name]) if name == "d" else given[name] for name in SIZES[topology])


def tile_rank(coordinates, levels):
    """Node of a process: tiles of the first level in linear order, then within them those of the second, ..."""
    if len(levels) == 1:
        counts = levels[0]
        place = list(coordinates)
    else:
        counts = [outer // inner for outer, inner in zip(levels[0], levels[1], strict=True)]
        place = [x // inner for x, inner in zip(coordinates, levels[1], strict=True)]
    linear = sum(x * prod(counts[:i]) for i, x in enumerate(place))
    if len(levels) == 1:
        return linear
    inside = [x % inner for x, inner in zip(coordinates, levels[1], strict=True)]
    return linear * prod(levels[1]) + tile_rank(inside, levels[1:])


def all_flows(topology, parameters, pattern, options):
    """Every flow, node by node, from the words of the definitions."""
    n = count_nodes(topology, parameters)
    if pattern == "uniform":
        return [(r, s) for r in range(n) for s in range(n) if options.get("include_self", True) or r != s]
    if pattern == "nearest-neighbour":
        grid, flows = options["grid"], []
        levels = [grid, *options.get("tiles", ())]
        for rank in range(n):
            here = digits(rank, grid)
            for i, step in product(range(len(grid)), (1, -1)):
                there = [(x + step * (i == j)) % size for j, (x, size) in enumerate(zip(here, grid, strict=True))]
                flows.append((tile_rank(here, levels), tile_rank(there, levels)))
        return flows
    bits = max(n.bit_length() - 1, 0)
    side = round(n**0.5)

    def swapped(r):
        text = list(f"{r:0{bits}b}") if bits else ["0"]
        text[0], text[-1] = text[-1], text[0]
        return int("".join(text), 2)

    def half_way(r):
        if topology != "torus":
            return (r + -(-n // 2) - 1) % n
        sizes, p = parameters["d"], parameters["p"]
        at = [(x + -(-size // 2) - 1) % size for x, size in zip(digits(r // p, sizes), sizes, strict=True)]
        return sum(x * prod(sizes[:i]) for i, x in enumerate(at)) * p + r % p

    target = {
        "shift": lambda r: (r + options.get("step", 0)) % n,
        "complement": lambda r: n - 1 - r,
        "transpose": lambda r: (r % side) * side + r // side,
        "bit-reversal": lambda r: int(f"{r:0{bits}b}"[::-1], 2) if bits else 0,
        "butterfly": swapped,
        "exchange": lambda r: r ^ (1 << options["exchange_bit"]),
        "tornado": half_way,
    }[pattern]
    return [(r, target(r)) for r in range(n)]


def walked(topology, parameters, pattern, options, routing="minimal"):
    """Return flows per node, loads and traversals, as exact fractions."""
    flows = all_flows(topology, parameters, pattern, options)
    pairs = defaultdict(int)
    for pair in flows:
        pairs[tuple(node // per_switch(topology, parameters) for node in pair)] += 1
    loads, crossed = defaultdict(Fraction), defaultdict(Fraction)
    for (start, end), number in pairs.items():
        for share, links in paths_between(topology, parameters, start, end, routing) if start != end else ():
            for link in links:
                loads[link] += share * number
                crossed[link[0]] += share * number
    others = max(sum(source != destination for source, destination in flows), 1)
    largest = defaultdict(Fraction)
    for (name, _), load in loads.items():
        largest[name] = max(largest[name], load)
    each = Fraction(len(flows), count_nodes(topology, parameters))
    return each, largest, {name: total / others for name, total in crossed.items()}


def check(topology, parameters, pattern, options, routing="minimal"):
    found = route(topology, parameters, pattern, options, routing=routing)
    each, loads, traversals = walked(topology, parameters, pattern, options, routing)
    told = f"{topology} {parameters} {pattern} {options} {routing}"
    assert found.flows_per_node == each, told
    assert set(loads) <= set(found.loads) == set(found.traversals), told
    for name in found.loads:
        assert found.loads[name] == pytest.approx(float(loads.get(name, 0)), rel=1e-13, abs=0), f"{told}: {name}"
        assert found.traversals[name] == pytest.approx(float(traversals.get(name, 0)), rel=1e-13, abs=0), told


# Random shapes and patterns


def some_shape(topology, rng, largest):
    while True:
        if topology in ("torus", "hyperx"):
            d = tuple(rng.integers(1, 7, rng.integers(1, 5)).tolist())
            parameters = {"d": d, "p": int(rng.integers(1, 5))}
            if topology == "torus":
                parameters["double_link_at_2"] = bool(rng.integers(2))
        elif topology == "dragonfly":
            a, h, p = rng.integers(1, 5, 3).tolist()
            g = rng.choice([size + 1 for size in range(1, a * h + 1) if a * h % size == 0])
            parameters = {"a": a, "p": p, "h": h, "g": int(g)}
            if rng.random() < 0.2:
                parameters["g"] = 1
        else:
            parameters = dict(zip(SIZES[topology], rng.integers(1, 9, len(SIZES[topology])).tolist(), strict=True))
        if count_nodes(topology, parameters) <= largest:
            return parameters


def some_cut(number, parts, rng):
    """Split a number into random factors."""
    found = [1] * parts
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61):
        while number % prime == 0:
            found[rng.integers(parts)] *= prime
            number //= prime
    return (found[0] * number, *found[1:])


def some_options(topology, parameters, pattern, rng):
    n = count_nodes(topology, parameters)
    if pattern == "uniform":
        return {"include_self": bool(rng.integers(2))}
    if pattern == "shift":
        return {"step": int(rng.integers(-n, 2 * n + 1))}
    if pattern == "exchange":
        return {"exchange_bit": int(rng.integers(n.bit_length() - 1))}
    if pattern != "nearest-neighbour":
        return {}
    dimensions = int(rng.integers(1, 4))
    if rng.random() < 0.4:
        return {"grid": some_cut(n, dimensions, rng)}
    inner = per_switch(topology, parameters)
    blocks = [inner]
    if topology == "fat-tree-3-level":
        blocks = [inner * parameters["m2"], inner]
    if topology == "dragonfly":
        blocks = [inner * parameters["a"], inner]
    levels = [some_cut(inner, dimensions, rng)]
    for block in [*blocks[-2::-1], n]:
        more = some_cut(block // prod(levels[0]), dimensions, rng)
        levels.insert(0, tuple(x * y for x, y in zip(levels[0], more, strict=True)))
    return {"grid": levels[0], "tiles": levels[1:]}


def check_random(topology, rng, cases, largest):
    for case in range(cases):
        pattern = list(PATTERNS)[case % len(PATTERNS)]
        while True:
            parameters = some_shape(topology, rng, largest)
            n = count_nodes(topology, parameters)
            if pattern == "transpose" and round(n**0.5) ** 2 != n:
                continue
            if pattern in ("bit-reversal", "butterfly") and n & (n - 1):
                continue
            if pattern == "exchange" and (n < 2 or n & (n - 1)):
                continue
            break
        routing = "dimension-order" if topology == "hyperx" and rng.integers(2) else "minimal"
        check(topology, parameters, pattern, some_options(topology, parameters, pattern, rng), routing)


@pytest.mark.slow
@pytest.mark.parametrize("topology", SIZES)
def test_equals_the_walk_along_every_path(topology):
    check_random(topology, np.random.default_rng(5), 160, 60)


@pytest.mark.parametrize("topology", SIZES)
def test_small_pieces_and_sorting_give_the_same(topology, monkeypatch):
    """Many chunks, and links summed by sorting instead of in a table."""
    monkeypatch.setattr(engine, "CHUNK", 5)
    monkeypatch.setattr(engine, "SMALL_TABLE", -1)
    real = engine.LinkTable.__init__

    def sparse(self, links, entries):
        real(self, links, entries)
        self._dense = entries % 2 == 0

    monkeypatch.setattr(engine.LinkTable, "__init__", sparse)
    check_random(topology, np.random.default_rng(6), 48, 40)


@pytest.mark.parametrize("sizes", [(2, 3, 2, 2), (2, 2, 2, 2, 2), (3, 1, 2, 1, 4), (4, 3, 5)])
@pytest.mark.parametrize("pattern", ["complement", "tornado"])
def test_many_dimensions(sizes, pattern):
    for topology in ("torus", "hyperx"):
        check(topology, {"d": sizes, "p": 2}, pattern, {})


@pytest.mark.parametrize("pattern", ["shift", "tornado", "nearest-neighbour"])
def test_slim_fly_equals_the_walk(pattern):
    options = {"shift": {"step": 33}, "nearest-neighbour": {"grid": (10, 5)}}.get(pattern, {})
    check("slim-fly", {"q": 5, "p": 1}, pattern, options)


# Reference cases of the specification: sizes, bandwidths, latencies (l0 = 2.5), pattern; B_node, link latency, links

MESH = ("full-mesh", {"a": 6, "p": 10}, {"switch": (7, 12)})
MESH_2 = ("full-mesh", {"a": 6, "p": 10}, {"switch": (2, 12)})
TREE_2 = ("fat-tree-2-level", {"m1": 16, "m2": 8}, {"level 1-2": (28, 12)})
THIN_TREE_2 = ("fat-tree-2-level", {"m1": 16, "m2": 8}, {"level 1-2": (7, 12)})
TREE_3 = ("fat-tree-3-level", {"m1": 8, "m2": 4, "m3": 4}, {"level 1-2": (28, 12), "level 2-3": (56, 12)})
THIN_TREE_3 = ("fat-tree-3-level", {"m1": 8, "m2": 4, "m3": 4}, {"level 1-2": (14, 12), "level 2-3": (14, 12)})


def lines(topology, d, p, *links):
    return topology, {"d": d, "p": p}, {f"dimension {i}": link for i, link in enumerate(links, 1)}


def dragonfly(g, local=7):
    return "dragonfly", {"a": 4, "p": 2, "h": 2, "g": g}, {"local": (local, 12), "global": (7, 100)}


def tiled(grid, *tiles):
    return "nearest-neighbour", {"grid": grid, "tiles": tiles}


UNIFORM, OTHERS = ("uniform", {}), ("uniform", {"include_self": False})


def shift(step):
    return "shift", {"step": step}


def single(network):
    topology, sizes, links = network
    return topology, {**sizes, "double_link_at_2": False}, links


REFERENCE = [
    (MESH, 7, UNIFORM, 4.2, 15.16949153, 2.847457627),
    (MESH_2, 7, UNIFORM, 1.2, 15.16949153, 2.847457627),
    (MESH_2, 7, OTHERS, 1.18, 15.16949153, 2.847457627),
    (MESH, 7, shift(4), 1.75, 9.8, 2.4),
    (MESH, 7, shift(23), 1, 17, 3),
    (MESH, 7, shift(30), 0.7, 17, 3),
    (MESH, 7, shift(57), 2.333333333, 8.6, 2.3),
    (MESH, 7, tiled((10, 6), (5, 2)), 5.6, 9.2, 2.35),
    (TREE_2, 7, UNIFORM, 2, 26.16535433, 3.763779528),
    (TREE_2, 7, shift(5), 5.6, 12.5, 2.625),
    (TREE_2, 7, shift(123), 5.6, 12.5, 2.625),
    (THIN_TREE_2, 7, tiled((16, 8), (4, 4)), 1.75, 11, 2.5),
    (TREE_3, 7, UNIFORM, 2.333333333, 45.81889764, 5.401574803),
    (TREE_3, 7, shift(20), 2.8, 44, 5.25),
    (TREE_3, 7, shift(118), 3.5, 36.5, 4.625),
    (THIN_TREE_3, 7, tiled((16, 8), (8, 4), (4, 2)), 2.333333333, 18.5, 3.125),
    (lines("torus", (4, 4, 4), 1, (2, 12), (2, 12), (2, 12)), 7, UNIFORM, 4, 41.57142857, 5.047619048),
    (lines("torus", (5, 3), 2, (2, 12), (3, 12)), 7, UNIFORM, 1.666666667, 28.17241379, 3.931034483),
    (lines("torus", (6,), 2, (2, 12)), 70, UNIFORM, 1.333333333, 24.63636364, 3.636363636),
    (lines("torus", (5, 4), 2, (2, 12), (3, 10)), 70, shift(7), 0.6666666667, 30, 4.2),
    (lines("torus", (4, 4), 4, (2, 12), (3, 10)), 70, tiled((8, 8), (2, 2)), 4, 10.5, 2.5),
    (lines("torus", (8, 6), 1, (2, 12), (3, 10)), 70, ("complement", {}), 1, 45.66666667, 5.666666667),
    (lines("hyperx", (4, 3), 4, (5, 12), (5, 12)), 7, UNIFORM, 3.75, 22.36170213, 3.446808511),
    (lines("hyperx", (4, 2), 2, (5, 12), (5, 12)), 70, tiled((4, 4)), 5, 17, 3),
    (lines("hyperx", (6, 3), 2, (5, 12), (5, 12)), 70, tiled((4, 9)), 10, 16, 2.916666667),
    (lines("hyperx", (4, 3), 3, (5, 12), (4, 10)), 70, shift(16), 1.6, 27, 4),
    (lines("hyperx", (4, 3), 3, (5, 12), (4, 10)), 70, (*shift(16), "dimension-order"), 1.333333333, 27, 4),
    (dragonfly(9), 70, UNIFORM, 7.411764706, 112.3802817, 4.338028169),
    (dragonfly(5), 70, UNIFORM, 7.777777778, 103.6666667, 4.205128205),
    (dragonfly(9), 7, shift(8), 0.875, 123, 4.5),
    (dragonfly(9, 1), 7, shift(11), 0.25, 123, 4.5),
    (("fat-tree-2-level", {"m1": 4, "m2": 16}, {"level 1-2": (14, 12)}), 70, ("transpose", {}), 3.5, 29, 4),
    (
        ("fat-tree-2-level", {"m1": 16, "m2": 4}, {"level 1-2": (14, 12)}),
        70,
        ("bit-reversal", {}),
        1.166666667,
        25.57142857,
        3.714285714,
    ),
    (("slim-fly", {"q": 5, "p": 4}, {"switch": (7, 12)}), 7, UNIFORM, 6.730769231, 26.94974874, 3.829145729),
    (lines("hyperx", (6, 2), 2, (5, 12), (1, 12)), 70, tiled((4, 6)), 2, 16, 2.916666667),
    (lines("torus", (2, 4), 2, (6, 12), (3, 12)), 70, UNIFORM, 3, None, None),
    (single(lines("torus", (2, 4), 2, (6, 12), (3, 12))), 70, UNIFORM, 3, None, None),
    (lines("torus", (2, 4), 2, (3, 12), (30, 12)), 70, UNIFORM, 6, None, None),
    (single(lines("torus", (2, 4), 2, (3, 12), (30, 12))), 70, UNIFORM, 3, None, None),
]


@pytest.mark.parametrize(("network", "node_bandwidth", "pattern", "bandwidth", "latency", "links"), REFERENCE)
def test_reference_cases(network, node_bandwidth, pattern, bandwidth, latency, links):
    topology, parameters, classes = network
    name, options, *routing = pattern
    found = route(topology, parameters, name, options, routing=routing[0] if routing else "minimal")
    terms = [found.flows_per_node * classes[one][0] / load for one, load in found.loads.items() if load]
    assert min([node_bandwidth, *terms]) == pytest.approx(bandwidth, rel=1e-9)
    if latency is not None:
        path = 2 * 2.5 + sum(classes[one][1] * crossed for one, crossed in found.traversals.items())
        assert path == pytest.approx(latency, rel=1e-9)
        assert 2 + sum(found.traversals.values()) == pytest.approx(links, rel=1e-9)


# Properties


def same(one, other):
    assert list(one.loads.values()) == pytest.approx(list(other.loads.values()), rel=1e-14)
    assert list(one.traversals.values()) == pytest.approx(list(other.traversals.values()), rel=1e-14)


@pytest.mark.parametrize(
    ("pattern", "options"), [("uniform", {}), ("shift", {"step": 7}), ("complement", {}), tiled((8, 6))]
)
def test_one_network_under_two_names(pattern, options):
    mesh = route("full-mesh", {"a": 12, "p": 4}, pattern, options)
    same(mesh, route("hyperx", {"d": (12,), "p": 4}, pattern, options))
    same(mesh, route("hyperx", {"d": (12,), "p": 4}, pattern, options, routing="dimension-order"))
    group = route("dragonfly", {"a": 12, "p": 4, "h": 3, "g": 1}, pattern, options)
    assert (group.loads["local"], group.loads["global"]) == (mesh.loads["switch"], 0)
    groups = route("dragonfly", {"a": 1, "p": 4, "h": 11}, pattern, options)
    assert (groups.loads["local"], groups.loads["global"]) == (0, mesh.loads["switch"])
    short = route("fat-tree-2-level", {"m1": 4, "m2": 12}, pattern, options)
    tall = route("fat-tree-3-level", {"m1": 4, "m2": 12, "m3": 1}, pattern, options)
    assert (tall.loads["level 1-2"], tall.loads["level 2-3"]) == (short.loads["level 1-2"], 0)
    ring = route("torus", {"d": (3,), "p": 16}, pattern, options)
    same(ring, route("full-mesh", {"a": 3, "p": 16}, pattern, options))


@pytest.mark.parametrize(("topology", "sizes"), [("torus", {"d": (5, 3)}), ("hyperx", {"d": (4, 4)})])
def test_nothing_to_route(topology, sizes):
    """A shift by all nodes, and a machine of one node."""
    still = route(topology, {**sizes, "p": 2}, "shift", {"step": 2 * prod(sizes["d"])})
    assert set(still.loads.values()) == set(still.traversals.values()) == {0.0}
    alone = route(topology, {"d": (1, 1), "p": 1}, "uniform")
    assert alone.flows_per_node == 1
    assert set(alone.loads.values()) == set(alone.traversals.values()) == {0.0}


def test_numbers_of_any_type():
    """Floats and arrays without a dimension are as good as integers; bandwidths are not looked at."""
    plain = route("torus", {"d": (4, 6), "p": 2}, "shift", {"step": 5})
    sizes = {"d": (np.array(4.0), 6.0), "p": np.int32(2), "b0": 7e9, "double_link_at_2": np.array(1.0)}
    same(plain, route("torus", sizes, "shift", {"step": np.array(5.0)}))
    plain = route("dragonfly", {"a": 2, "p": 2, "h": 1}, "nearest-neighbour", {"grid": (3, 4), "tiles": ()})
    same(plain, route("dragonfly", {"a": 2, "p": 2, "h": 1, "g": 3.0}, "nearest-neighbour", {"grid": [3.0, 4.0]}))


# Wrong inputs


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("mesh", {}, "uniform"), "topology: 'mesh'; allowed: full-mesh"),
        (("full-mesh", {"a": 4}, "uniform"), "the topology 'full-mesh' needs 'p'"),
        (("full-mesh", {"a": 4.5, "p": 1}, "uniform"), "a: 4.5; allowed: a whole number >= 1"),
        (("full-mesh", {"a": "x", "p": 1}, "uniform"), "a: x; allowed: a whole number >= 1"),
        (("full-mesh", {"a": 0, "p": 1}, "uniform"), "a: 0; allowed: a whole number >= 1"),
        (("torus", {"p": 1}, "uniform"), "the topology 'torus' needs 'd'"),
        (("torus", {"d": 4, "p": 1}, "uniform"), "d: 4; allowed: one whole number >= 1 per dimension"),
        (("torus", {"d": (4, -1), "p": 1}, "uniform"), "d[1]: -1; allowed: a whole number >= 1"),
        (("dragonfly", {"a": 4, "p": 2, "h": 2, "g": 4}, "uniform"), "g: 4 groups, a*h = 8"),
        (("slim-fly", {"q": 7, "p": 1}, "uniform"), "q: 7; allowed: primes of the form 4w + 1"),
        (("slim-fly", {"q": 9, "p": 1}, "uniform"), "q: 9; allowed: primes"),
        (("dragonfly", {"a": 2, "p": 2, "h": 1}, *tiled((4, 3), (2, 1))), "allowed: 2 (blocks of 4, then 2 nodes)"),
        (("dragonfly", {"a": 2, "p": 2, "h": 1}, *tiled((4, 3), (4, 1), (1, 2))), "tile around it, 4×1"),
        (
            ("torus", {"d": (5000,), "p": 1}, "uniform"),
            "between 5,000 switches: 25,000,000 flows; allowed: at most 20,0",
        ),
        (
            ("torus", {"d": (5000, 5000), "p": 1}, "tornado"),
            "has no closed form: 25,000,000 flows to route; allowed: at",
        ),
        (("dragonfly", {"a": 10**4, "p": 1, "h": 10**4, "g": 2}, "complement"), "links between two groups make"),
    ],
)
def test_wrong_inputs(arguments, told):
    with pytest.raises(InputError) as caught:
        route(*arguments)
    assert told in str(caught.value)


def test_wrong_routings():
    for topology, parameters in (("torus", {"d": (4,), "p": 1}), ("full-mesh", {"a": 4, "p": 1})):
        with pytest.raises(InputError, match="routing: 'dimension-order' on the topology"):
            route(topology, parameters, "uniform", routing="dimension-order")
    with pytest.raises(InputError, match="allowed: minimal, dimension-order"):
        route("hyperx", {"d": (4,), "p": 1}, "uniform", routing="valiant")
    with pytest.raises(InputError, match="split over the orders of the dimensions make"):
        route("hyperx", {"d": (2,) * 18, "p": 1}, "complement")
    assert engine.FLOW_LIMIT == 20_000_000


def test_inputs_are_left_alone():
    parameters, options = {"d": [4, 4], "p": 2}, {"grid": [8, 4], "tiles": [[2, 1]]}
    route("torus", parameters, "nearest-neighbour", options)
    assert parameters == {"d": [4, 4], "p": 2}
    assert options == {"grid": [8, 4], "tiles": [[2, 1]]}


def test_examples():
    for module in (dse.models.network.bandwidth.routing, dse.models.network.topologies.slim_fly.route):
        results = doctest.testmod(module)
        assert results.failed == 0
        assert results.attempted


# Messages that are no pattern


@pytest.mark.parametrize("topology", SIZES)
def test_messages_of_a_permutation_are_loaded_as_the_pattern(topology):
    rng = np.random.default_rng(8)
    par = dict.fromkeys(("b0", "b1", "b2", "b", "bl", "bg"), 2.0)
    for _ in range(6):
        sizes = some_shape(topology, rng, 60)
        if sizes.get("g") == 1:
            continue
        kind = dse.models.network.bandwidth.routing.TOPOLOGIES[topology]
        given = {**sizes, **{name: par[name] for name in kind.bandwidths}}
        given |= dict.fromkeys({"w1", "w2"} & set(kind.sizes), 1)
        n = count_nodes(topology, sizes)
        every = np.arange(n)
        found = message_loads(topology, given, every, (every + 3) % n)
        same = link_loads(topology, given, "shift", {"step": 3})
        for one, other in zip(found.classes[1:], same.classes[1:], strict=True):
            assert float(one.load) == pytest.approx(float(other.load), rel=1e-12)
            assert float(one.traversals) == pytest.approx(float(other.traversals), rel=1e-12)


def test_one_message_has_its_links_alone():
    torus = {"d": (8, 4), "p": 2, "b0": 9.0, "b": [2.0, 3.0], "l0": 1.0, "l": 10.0}
    alone = message_loads("torus", torus, [0], [2 * (3 + 8)])
    assert [float(one.load) for one in alone.classes] == [1, 1, 1]
    assert (float(alone.effective_bandwidth), float(alone.links), float(alone.link_latency)) == (2, 6, 42)
    opposite = message_loads("torus", torus, [0], [2 * 8 * 2])
    assert float(opposite.effective_bandwidth) == 6
    inside = message_loads("torus", torus, [0], [1])
    assert (float(inside.effective_bandwidth), float(inside.links)) == (9, 2)


def test_messages_over_several_networks_are_refused():
    mesh = {"a": [2, 3], "p": 2, "b0": 1.0, "b1": 1.0}
    with pytest.raises(InputError, match="full-mesh: a is an array; allowed: messages are routed over one network"):
        message_loads("full-mesh", mesh, [0], [1])
