"""Every topology with every pattern against the oracle, which routes each flow over each link.

The shapes are drawn from all small ones, so sizes 1 and 2, odd sizes and odd numbers of levels come up often.
"""

import functools
import itertools
import math

import numpy as np
import pytest
from example_counts import examples, sampled_product
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dse.models.network import effective_bandwidth, link_loads, mean_path, network_parts

from . import oracle

LEVELS = ["full-mesh", "fat-tree-2-level", "fat-tree-3-level"]
GRIDS = ["torus", "hyperx"]
ALL = [*LEVELS, *GRIDS, "dragonfly"]  # Slim Fly has its own tests in topologies/test_slim_fly.py

# --- shapes ----------------------------------------------------------------------------------------------------------


def factors(number: int, length: int) -> list[tuple[int, ...]]:
    """All ways to write `number` as a product of `length` sizes, ones included."""
    if length == 1:
        return [(number,)]
    return [(d, *rest) for d in range(1, number + 1) if number % d == 0 for rest in factors(number // d, length - 1)]


@functools.cache
def shapes(topology: str, dimensions: int = 0, largest: int = 96) -> list[dict]:
    """All sizes up to `largest` nodes; the numbers of uplinks are drawn apart."""
    if topology == "dragonfly":
        sizes = itertools.product(range(1, 7), range(1, 5), range(1, 5))
        found = [
            {"a": a, "p": p, "h": h, "g": g}
            for a, p, h in sizes
            for g in range(2, a * h + 2)
            if a * h % (g - 1) == 0 and a * p * g <= largest
        ]
        return found + [
            {"a": one["a"], "p": one["p"], "h": one["h"]} for one in found if one["g"] == one["a"] * one["h"] + 1
        ]
    if topology in GRIDS:
        longest = {1: 24, 2: 12, 3: 8, 4: 6}[dimensions]
        sizes = itertools.product(range(1, 7), *[range(1, longest + 1)] * dimensions)
        return [{"p": p, "d": d} for p, *d in sizes if p * math.prod(d) <= largest]
    names = {"full-mesh": "ap", "fat-tree-2-level": ("m1", "m2"), "fat-tree-3-level": ("m1", "m2", "m3")}[topology]
    sizes = itertools.product(range(1, 33), repeat=len(names))
    return [dict(zip(names, one, strict=True)) for one in sizes if math.prod(one) <= largest]


@functools.cache
def shapes_with(topology: str, dimensions: int, largest: int, wanted) -> st.SearchStrategy[dict]:
    """One strategy for all examples: hypothesis looks through all shapes of a new one."""
    return st.sampled_from(
        [one for one in shapes(topology, dimensions, largest) if wanted(oracle.number_of_nodes(topology, one))]
    )


def square(n: int) -> bool:
    return math.isqrt(n) ** 2 == n


def power_of_two(n: int) -> bool:
    return n & (n - 1) == 0


def power_of_two_and_more(n: int) -> bool:
    return n > 1 and n & (n - 1) == 0


def several(n: int) -> bool:
    return n > 1


def any_number(n: int) -> bool:
    return True


bandwidths = st.floats(0.125, 64)
latencies = st.integers(0, 64).map(lambda quarters: quarters / 4)
uplinks = st.integers(1, 4)


@st.composite
def designs(draw, topology: str, wanted=any_number, *, dimensions: int = 0, largest: int = 96) -> dict:
    """All parameters of one design."""
    dimensions = dimensions or draw(st.integers(1, 4)) if topology in GRIDS else 0
    par = dict(draw(shapes_with(topology, dimensions, largest, wanted)))
    if topology in GRIDS:
        for name, values in (("b", bandwidths), ("l", latencies)):
            one_for_all = draw(st.booleans())
            par[name] = draw(values) if one_for_all else [draw(values) for _ in range(dimensions)]
    rates = {"dragonfly": ("l", "g"), "fat-tree-3-level": ("1", "2"), "torus": (), "hyperx": ()}.get(topology, ("1",))
    for place in ("0", *rates):
        par[f"b{place}"], par[f"l{place}"] = draw(bandwidths), draw(latencies)
    if topology == "torus" and draw(st.booleans()):
        par["double_link_at_2"] = draw(st.booleans())
    if topology.startswith("fat-tree"):
        par["w1"] = draw(uplinks)
        if draw(st.booleans()):
            par["w0"] = draw(st.integers(1, 3))
    if topology == "fat-tree-3-level":
        par["w2"] = draw(uplinks)
    return par


def blocks(topology: str, par: dict) -> list[int]:
    """Sizes of the blocks tiles are placed on, from the inside out; their product is the number of nodes."""
    if topology in GRIDS:
        return [par["p"], math.prod(par["d"])]
    if topology == "dragonfly":
        return [par["p"], par["a"], par.get("g", par["a"] * par["h"] + 1)]
    return [par[name] for name in {"full-mesh": "pa"}.get(topology, ("m1", "m2", "m3")) if name in par]


@st.composite
def tilings(draw, topology: str, par: dict, *, dimensions: int = 0) -> dict:
    """A grid cut into tiles that fill the blocks of the machine."""
    dimensions = dimensions or draw(st.integers(1, 3))
    counts = [draw(st.sampled_from(factors(size, dimensions))) for size in blocks(topology, par)]
    sizes = [
        tuple(math.prod(column) for column in zip(*counts[:deep], strict=True)) for deep in range(1, len(counts) + 1)
    ]
    return {"grid": sizes[-1], "tiles": tuple(sizes[-2::-1])}


# --- the comparison --------------------------------------------------------------------------------------------------


def check(topology: str, par: dict, pattern: str, extra: dict | None = None, routing: str = "minimal") -> None:
    want = oracle.evaluate(topology, par, pattern, extra, routing)
    with np.errstate(all="raise"):
        bandwidth = effective_bandwidth(topology, par, pattern, extra, routing=routing)
        loads = link_loads(topology, par, pattern, extra, routing=routing)
        path = mean_path(topology, par, pattern, extra, routing=routing) if want.leaving else None
    found = {one.name: one for one in loads.classes}
    assert float(bandwidth) == pytest.approx(want.bandwidth, rel=1e-9)
    assert float(loads.flows_per_node) == want.flows_per_node
    assert {name: float(one.capacity) for name, one in found.items()} == pytest.approx(want.capacity, rel=1e-12)
    assert {name: float(one.load) for name, one in found.items()} == pytest.approx(want.loads, rel=1e-9)
    if path is not None:
        # The mean over the messages that leave their node; without one there is no mean to compare.
        assert {name: float(value) for name, value in path.by_class.items()} == pytest.approx(want.traversals, rel=1e-9)
        assert {name: float(one.traversals) for name, one in found.items()} == pytest.approx(want.traversals, rel=1e-9)
        assert float(path.link_latency) == pytest.approx(want.link_latency, rel=1e-9)
        assert float(path.links) == pytest.approx(want.links, rel=1e-9)
        assert float(path.switches) == pytest.approx(want.links - 1, rel=1e-9)


# --- patterns --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(150))
@given(data=st.data())
def test_uniform(topology, data):
    check(topology, data.draw(designs(topology)), "uniform")


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(50))
@given(data=st.data())
def test_uniform_without_self(topology, data):
    check(topology, data.draw(designs(topology, several)), "uniform", {"include_self": False})


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(250))
@given(data=st.data())
def test_shift(topology, data):
    """Steps below zero, below, at and above the number of nodes."""
    par = data.draw(designs(topology, largest=160))
    n = oracle.number_of_nodes(topology, par)
    check(topology, par, "shift", {"step": data.draw(st.integers(-n, 2 * n + 1))})


@pytest.mark.parametrize("topology", ALL)
def test_shift_by_every_step(topology):
    """One shape of each with every step, s = 0 and s > n - p among them."""
    rates = {"w1": 2, "w2": 3, "b0": 1e3, "b1": 3.0, "b2": 1.25, "bl": 2.0, "bg": 5.0}
    rates |= dict.fromkeys(("l0", "l1", "l2", "ll", "lg"), 1.0)
    par = {
        "full-mesh": {"a": 5, "p": 4},
        "fat-tree-2-level": {"m1": 4, "m2": 5},
        "fat-tree-3-level": {"m1": 3, "m2": 2, "m3": 4},
        "torus": {"p": 3, "d": [2, 3, 2], "b": [1.0, 0.75, 1.5], "l": 1.0},
        "hyperx": {"p": 3, "d": [2, 3, 2], "b": [1.0, 0.75, 1.5], "l": 1.0},
        "dragonfly": {"a": 4, "p": 2, "h": 1, "g": 3},
    }[topology]
    keep = {"full-mesh": "b0 b1 l0 l1", "fat-tree-2-level": "w1 b0 b1 l0 l1", "dragonfly": "b0 bl bg l0 ll lg"}
    keep |= {"fat-tree-3-level": "w1 w2 b0 b1 b2 l0 l1 l2", "torus": "b0 l0", "hyperx": "b0 l0"}
    par |= {name: rates[name] for name in keep[topology].split()}
    for step in range(2 * oracle.number_of_nodes(topology, par)):
        check(topology, par, "shift", {"step": step})


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(100))
@given(data=st.data())
def test_nearest_neighbour_with_tiles(topology, data):
    par = data.draw(designs(topology))
    check(topology, par, "nearest-neighbour", data.draw(tilings(topology, par)))


@pytest.mark.slow
@pytest.mark.parametrize("topology", GRIDS)
@settings(max_examples=examples(150))
@given(data=st.data())
def test_nearest_neighbour_with_the_tile_grid_of_the_switches(topology, data):
    """A_i = d_i: the closed form."""
    par = data.draw(designs(topology, largest=128))
    tile = data.draw(st.sampled_from(factors(par["p"], len(par["d"]))))
    grid = [t * d for t, d in zip(tile, par["d"], strict=True)]
    check(topology, par, "nearest-neighbour", {"grid": grid, "tiles": [tile]})


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_nearest_neighbour_with_linear_mapping(topology, data):
    par = data.draw(designs(topology))
    n = oracle.number_of_nodes(topology, par)
    grid = data.draw(st.integers(1, 3).flatmap(lambda dimensions: st.sampled_from(factors(n, dimensions))))
    check(topology, par, "nearest-neighbour", {"grid": grid, "tiles": ()})


@pytest.mark.slow
@pytest.mark.parametrize("routing", ["minimal", "dimension-order"])
@settings(max_examples=examples(250))
@given(designs("hyperx", dimensions=2, largest=160), st.data())
def test_nearest_neighbour_row_mapping_of_hyperx(routing, par, data):
    """A grid row fills m switches of a line; d2 = 1 and d2 = 2 are cases of their own."""
    first, second = par["d"]
    m = data.draw(st.sampled_from([m for m in range(1, first + 1) if first % m == 0]))
    grid = [m * par["p"], first // m * second]
    check("hyperx", par, "nearest-neighbour", {"grid": grid, "tiles": ()}, routing)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["complement", "tornado"])
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(80))
@given(data=st.data())
def test_complement_and_tornado(topology, pattern, data):
    check(topology, data.draw(designs(topology, largest=160)), pattern)


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(80))
@given(data=st.data())
def test_transpose(topology, data):
    """Square numbers of nodes, with blocks that divide the side and blocks that do not."""
    check(topology, data.draw(designs(topology, square, largest=144)), "transpose")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["bit-reversal", "butterfly"])
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_bit_permutations(topology, pattern, data):
    check(topology, data.draw(designs(topology, power_of_two, largest=256)), pattern)


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(60))
@given(data=st.data())
def test_exchange(topology, data):
    """Every bit of the number of a node; rings of two with one link and with two."""
    par = data.draw(designs(topology, power_of_two_and_more, largest=256))
    bits = oracle.number_of_nodes(topology, par).bit_length() - 1
    bit = {"exchange_bit": data.draw(st.integers(0, bits - 1))}
    check(topology, par, "exchange", bit)
    if topology == "hyperx":
        check(topology, par, "exchange", bit, "dimension-order")


@pytest.mark.parametrize("topology", [*LEVELS, *GRIDS])
@settings(max_examples=examples(30))
@given(data=st.data())
def test_exchange_has_closed_forms_and_paths_of_one_length(topology, data):
    """Nothing is routed, and each message crosses a whole number of links of a class."""
    par = data.draw(designs(topology, power_of_two_and_more, largest=64))
    bits = oracle.number_of_nodes(topology, par).bit_length() - 1
    path = mean_path(topology, par, "exchange", {"exchange_bit": np.arange(bits)})
    assert not np.any(path.routed)
    for links in path.by_class.values():
        assert (links == np.floor(links)).all()


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(data=st.data())
def test_dimension_order_on_hyperx(data):
    pattern = data.draw(st.sampled_from(["uniform", "shift", "complement", "tornado", "nearest-neighbour"]))
    par = data.draw(designs("hyperx"))
    n = oracle.number_of_nodes("hyperx", par)
    extra = {
        "shift": lambda: {"step": data.draw(st.integers(0, n))},
        "nearest-neighbour": lambda: data.draw(tilings("hyperx", par)),
    }.get(pattern, dict)()
    check("hyperx", par, pattern, extra, "dimension-order")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["uniform", "shift", "complement", "nearest-neighbour"])
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=12)
@given(data=st.data())
def test_valiant(topology, pattern, data):
    """Any balanced pattern over a random switch: half the network share of uniform; `best` is the larger of the two."""
    par = data.draw(designs(topology, largest=24))
    n = oracle.number_of_nodes(topology, par)
    extra = {
        "shift": lambda: {"step": data.draw(st.integers(0, n))},
        "nearest-neighbour": lambda: {"grid": [n], "tiles": ()},
    }
    given_extra = extra.get(pattern, dict)()
    want = oracle.evaluate(topology, par, pattern, given_extra, "valiant").bandwidth
    found = effective_bandwidth(topology, par, pattern, given_extra, routing="valiant")
    assert float(found) == pytest.approx(want, rel=1e-9)
    minimal = oracle.evaluate(topology, par, pattern, given_extra).bandwidth
    best = effective_bandwidth(topology, par, pattern, given_extra, routing="best")
    assert float(best) == pytest.approx(max(want, minimal), rel=1e-9)


# --- counts ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=examples(80))
@given(data=st.data())
def test_counts(topology, data):
    """Cables and ports of the real switches, hops by breadth-first search."""
    par = data.draw(designs(topology, largest=64))
    want, found = oracle.parts(topology, par), network_parts(topology, par)
    assert int(found.nodes) == want.nodes
    assert int(found.switches) == want.switches
    assert int(found.node_links) == want.node_links
    assert {name: int(count) for name, count in found.links.items() if name != "node"} == want.links
    assert int(found.switch_links) == sum(want.links.values())
    assert int(found.ports) == want.ports
    if topology == "dragonfly" and par.get("g") not in (None, par["a"] * par["h"] + 1):
        # Several links between two groups can shorten local-global-local; the longest route counts 3.
        assert want.diameter <= int(found.diameter) <= 3
    else:
        assert int(found.diameter) == want.diameter


@pytest.mark.parametrize(
    ("topology", "sizes", "hops"),
    [
        ("fat-tree-2-level", {"m2": 1}, 0),
        ("fat-tree-3-level", {"m2": 4, "m3": 1}, 2),
        ("fat-tree-3-level", {"m2": 1, "m3": 1}, 0),
        ("fat-tree-3-level", {"m2": 1, "m3": 3}, 4),
    ],
)
def test_hops_of_trees_with_a_level_of_size_one(topology, sizes, hops):
    par = {"m1": 3, **sizes, "w1": 2}
    if topology == "fat-tree-3-level":
        par["w2"] = 2
    assert int(network_parts(topology, par).diameter) == hops


@pytest.mark.parametrize("topology", ["full-mesh", "fat-tree-2-level", "fat-tree-3-level", "torus", "hyperx"])
@settings(max_examples=examples(25))
@given(data=st.data())
def test_bisection(topology, data):
    """Where it says exact it is the smallest cut through halves of whole switches, tried one by one."""
    par = data.draw(designs(topology, largest=24))
    par |= {name: data.draw(st.integers(1, 2)) for name in ("w1", "w2") if name in par}
    net = oracle.real(topology, par)
    assume(len(net.edge_switches) >= 2 and len(net.switches) <= 12)
    found = network_parts(topology, par)
    if np.all(found.bisection_exact):
        assert float(found.bisection_bandwidth) == pytest.approx(oracle.bisection(topology, par), rel=1e-9)


EVEN = {
    "full-mesh": {"a": 7, "p": 2, "b0": 1e9, "b1": 2.0},
    "fat-tree-2-level": {"m1": 3, "m2": 6, "w1": 2, "b0": 1e9, "b1": 2.0},
    "fat-tree-3-level": {"m1": 2, "m2": 2, "m3": 2, "w1": 2, "w2": 1, "b0": 1e9, "b1": 2.0, "b2": 5.0},
    "torus": {"p": 2, "d": [2, 6], "b0": 1e9, "b": [1.0, 4.0]},
    "torus of single links": {"p": 2, "d": [2, 6], "b0": 1e9, "b": [1.0, 4.0], "double_link_at_2": False},
    "hyperx": {"p": 2, "d": [2, 6], "b0": 1e9, "b": [8.0, 1.0]},
}


@pytest.mark.parametrize("name", EVEN)
@pytest.mark.parametrize("node", [1e9, 0.25])
def test_bisection_of_even_shapes_is_exact(name, node):
    """Also where the node links are the narrowest."""
    topology, par = name.split()[0], EVEN[name] | {"b0": node}
    found = network_parts(topology, par)
    assert bool(np.all(found.bisection_exact))
    latencies = dict.fromkeys(("l", "l0", "l1", "l2"), 1.0)
    assert float(found.bisection_bandwidth) == pytest.approx(oracle.bisection(topology, par | latencies), rel=1e-9)


def test_bisection_of_dragonfly_is_an_upper_bound():
    """A cut through the groups is cheaper than one between them: 4.262 against 30.34."""
    par = {"a": 2, "p": 1, "h": 2, "g": 2, "b0": 1e3, "bl": 2.131, "bg": 7.585, "l0": 0, "ll": 0, "lg": 0}
    found = network_parts("dragonfly", par)
    assert not np.any(found.bisection_exact)
    assert oracle.bisection("dragonfly", par) == pytest.approx(4.262, rel=1e-9)
    assert float(found.bisection_bandwidth) >= 4.262


@pytest.mark.parametrize(
    ("topology", "par"),
    [
        ("full-mesh", {"a": 1, "p": 4, "b0": 3.0, "b1": 0.5}),
        ("hyperx", {"d": [1, 1], "p": 4, "b0": 3.0, "b": 0.5}),
        ("torus", {"d": [1], "p": 4, "b0": 3.0, "b": 0.5}),
    ],
)
def test_bisection_of_a_single_switch(topology, par):
    """No link to cut: half of the nodes, by their links."""
    assert float(network_parts(topology, par).bisection_bandwidth) == 6.0


def test_bisection_needs_bandwidths():
    assert math.isnan(float(network_parts("full-mesh", {"a": 4, "p": 2}).bisection_bandwidth))


# --- many designs at once --------------------------------------------------------------------------------------------


def stacked(values: list) -> object:
    """One array per parameter, one per dimension where a parameter has several values."""
    if isinstance(values[0], (list, tuple)):
        return [stacked(list(column)) for column in zip(*values, strict=True)]
    array = np.array(values)
    array.setflags(write=False)
    return array


def same_bits(found, one_by_one) -> None:
    assert isinstance(found, np.ndarray)
    assert found.shape == (len(one_by_one),)
    np.testing.assert_array_equal(found, [float(value) for value in one_by_one])


WANTED = {
    "transpose": square,
    "bit-reversal": power_of_two,
    "butterfly": power_of_two,
    "exchange": power_of_two_and_more,
}


def batch(topology: str, pattern: str, data) -> tuple[list[dict], list[dict]]:
    """Designs with the same parameters given, of different sizes."""
    wanted = WANTED.get(pattern, several)
    dimensions = data.draw(st.integers(1, 3)) if topology in GRIDS else 0
    pars, extras = [], []
    for _ in range(8):
        par = data.draw(designs(topology, wanted, dimensions=dimensions, largest=64))
        par = {"w0": 1, **par} if topology.startswith("fat-tree") else par
        if topology == "dragonfly":
            par = {"g": par["a"] * par["h"] + 1, **par}
        for name in ("b", "l"):
            if name in par:
                par[name] = oracle.each(par[name], par["d"])
        par.pop("double_link_at_2", None)
        n = oracle.number_of_nodes(topology, par)
        extra = {
            "shift": lambda n=n: {"step": data.draw(st.integers(0, 2 * n))},
            "exchange": lambda n=n: {"exchange_bit": data.draw(st.integers(0, n.bit_length() - 2))},
            "nearest-neighbour": lambda par=par: data.draw(tilings(topology, par, dimensions=2)),
        }.get(pattern, dict)()
        pars.append(par)
        extras.append(extra)
    return pars, extras


PATTERNS = ["uniform", "shift", "nearest-neighbour", "complement", "transpose", "bit-reversal", "butterfly", "exchange"]
PATTERNS += ["tornado"]


@pytest.mark.slow
@pytest.mark.parametrize(("topology", "pattern"), sampled_product([*ALL], PATTERNS, each=3))
@settings(max_examples=3)
@given(data=st.data())
def test_arrays_of_designs_equal_single_designs(topology, pattern, data):
    """Bit for bit, whether the answer is a closed form or routed; arguments may be read-only."""
    pars, extras = batch(topology, pattern, data)
    many = {name: stacked([par[name] for par in pars]) for name in pars[0]}
    more = {name: stacked([extra[name] for extra in extras]) for name in extras[0]}
    singles = [(par, pattern, extra) for par, extra in zip(pars, extras, strict=True)]
    same_bits(
        effective_bandwidth(topology, many, pattern, more), [effective_bandwidth(topology, *one) for one in singles]
    )
    path, paths = mean_path(topology, many, pattern, more), [mean_path(topology, *one) for one in singles]
    for name in ("link_latency", "links", "switches"):
        same_bits(getattr(path, name), [getattr(one, name) for one in paths])
    for name, values in path.by_class.items():
        np.testing.assert_array_equal(np.broadcast_to(values, len(pars)), [float(one.by_class[name]) for one in paths])
    loads, single = link_loads(topology, many, pattern, more), [link_loads(topology, *one) for one in singles]
    for place, one in enumerate(loads.classes):
        for name in ("capacity", "load", "traversals"):
            values = np.broadcast_to(getattr(one, name), len(pars))
            np.testing.assert_array_equal(values, [float(getattr(other.classes[place], name)) for other in single])


@pytest.mark.parametrize("topology", ALL)
@settings(max_examples=5)
@given(data=st.data())
def test_counts_of_arrays_equal_counts_of_single_designs(topology, data):
    pars, _ = batch(topology, "uniform", data)
    found = network_parts(topology, {name: stacked([par[name] for par in pars]) for name in pars[0]})
    single = [network_parts(topology, par) for par in pars]
    for name in ("nodes", "switches", "node_links", "switch_links", "ports", "diameter", "bisection_bandwidth"):
        values = np.broadcast_to(getattr(found, name), len(pars))
        np.testing.assert_array_equal(values, [float(getattr(one, name)) for one in single], err_msg=name)
    exact = np.broadcast_to(found.bisection_exact, len(pars))
    np.testing.assert_array_equal(exact, [bool(one.bisection_exact) for one in single])


def test_shapes_broadcast():
    """Sizes along one axis, bandwidths along another."""
    a, b1 = np.array([[2], [3], [5]]), np.array([[1.0, 2.0, 3.0, 4.0]])
    par = {"a": a, "p": 4, "b0": 3.0, "b1": b1, "l0": 1.0, "l1": 2.0}
    found = effective_bandwidth("full-mesh", par)
    np.testing.assert_allclose(found, np.minimum(3.0, b1 * a / 4), rtol=1e-12)
    torus = {"p": 1, "d": [a, 4], "b0": 100.0, "b": b1}
    assert effective_bandwidth("torus", torus, "shift", {"step": 1}).shape == (3, 4)
    assert effective_bandwidth("torus", torus, "shift", {"step": np.arange(4)}).shape == (3, 4)


@pytest.mark.parametrize("topology", ["full-mesh", "torus"])
def test_only_what_is_needed_must_be_given(topology):
    """A bandwidth needs no latencies, counts need no bandwidths."""
    sizes = {"full-mesh": {"a": 8, "p": 2}, "torus": {"d": [4, 2], "p": 2}}[topology]
    par = sizes | {"full-mesh": {"b0": 1.0, "b1": 1.0}, "torus": {"b0": 1.0, "b": 1.0}}[topology]
    assert float(effective_bandwidth(topology, par)) == 1.0
    assert int(network_parts(topology, sizes).nodes) == 16
